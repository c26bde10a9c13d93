// Judges LeaderWorkerSets with the webhooks of LeaderWorkerSet.
package main

import (
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	lws "sigs.k8s.io/lws/api/leaderworkerset/v1"
	"sigs.k8s.io/lws/pkg/webhooks"

	"gantry/judge/admission"
	"gantry/judge/verdict"
)

func main() {
	scheme := runtime.NewScheme()
	must(lws.AddToScheme(scheme))
	manager := admission.NewManager(scheme, fake.NewClientBuilder().WithScheme(scheme).Build())
	must(webhooks.SetupLeaderWorkerSetWebhook(manager))
	verdict.Serve(func(question verdict.Question) error { return manager.Webhooks.Judge(question.Object) })
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

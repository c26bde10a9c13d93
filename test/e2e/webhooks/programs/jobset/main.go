// Judges JobSets with the webhooks of JobSet.
package main

import (
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"k8s.io/component-base/featuregate"

	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	"sigs.k8s.io/jobset/pkg/features"
	"sigs.k8s.io/jobset/pkg/webhooks"

	"gantry/judge/admission"
	"gantry/judge/verdict"
)

func main() {
	scheme := runtime.NewScheme()
	must(clientgoscheme.AddToScheme(scheme))
	must(jobset.AddToScheme(scheme))
	// Which feature gates are on is configuration; what is refused with all of them is refused everywhere.
	for _, gate := range []featuregate.Feature{features.InPlaceRestart, features.RestartJob, features.ElasticJobSet} {
		must(features.SetEnable(gate, true))
	}
	verdict.Serve(func(question verdict.Question) error {
		objects := admission.Objects(scheme, question.Beside)
		manager := admission.NewManager(scheme, fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build())
		must(webhooks.Setup(manager))
		return manager.Webhooks.Judge(question.Object)
	})
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

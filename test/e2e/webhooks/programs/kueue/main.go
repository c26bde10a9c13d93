// Judges objects of Kueue, and Jobs that name a queue, with the webhooks of Kueue.
package main

import (
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	qcache "sigs.k8s.io/kueue/pkg/cache/queue"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/controller/jobframework"
	"sigs.k8s.io/kueue/pkg/controller/jobs/job"
	"sigs.k8s.io/kueue/pkg/webhooks"

	"gantry/judge/admission"
	"gantry/judge/verdict"
)

func main() {
	scheme := runtime.NewScheme()
	must(clientgoscheme.AddToScheme(scheme))
	must(kueue.AddToScheme(scheme))
	verdict.Serve(func(question verdict.Question) error {
		objects := admission.Objects(scheme, question.Beside)
		client := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
		manager := admission.NewManager(scheme, client)
		_, err := webhooks.Setup(manager, nil)
		must(err)
		cache := schdcache.New(client)
		queues := qcache.NewManagerForUnitTests(client, cache)
		must(job.SetupWebhook(manager, jobframework.WithQueues(queues), jobframework.WithCache(cache)))
		return manager.Webhooks.Judge(question.Object)
	})
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Judges training jobs with the webhooks of the Kubeflow training-operator.
package main

import (
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	trainingoperator "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
	"github.com/kubeflow/training-operator/pkg/webhooks"

	"gantry/judge/admission"
	"gantry/judge/verdict"
)

func main() {
	scheme := runtime.NewScheme()
	must(clientgoscheme.AddToScheme(scheme))
	must(trainingoperator.AddToScheme(scheme))
	manager := admission.NewManager(scheme, fake.NewClientBuilder().WithScheme(scheme).Build())
	for _, setup := range webhooks.SupportedSchemeWebhook {
		must(setup(manager))
	}
	verdict.Serve(func(question verdict.Question) error { return manager.Webhooks.Judge(question.Object) })
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

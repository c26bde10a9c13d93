// Judges training runtimes and TrainJobs with the webhooks of Kubeflow Trainer.
package main

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	configapi "github.com/kubeflow/trainer/v2/pkg/apis/config/v1alpha1"
	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	runtimecore "github.com/kubeflow/trainer/v2/pkg/runtime/core"
	"github.com/kubeflow/trainer/v2/pkg/webhooks"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"

	"gantry/judge/admission"
	"gantry/judge/verdict"
)

func main() {
	scheme := runtime.NewScheme()
	must(clientgoscheme.AddToScheme(scheme))
	must(trainer.AddToScheme(scheme))
	must(jobset.AddToScheme(scheme))
	verdict.Serve(func(question verdict.Question) error {
		objects := admission.Objects(scheme, question.Beside)
		builder := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...)
		indexes := &indexer{builder: builder}
		// The plugins keep the client that they are made with, so it is built after they have named their indexes.
		late := &lateClient{scheme: scheme}
		runtimes, err := runtimecore.New(context.Background(), late, indexes, &configapi.Configuration{})
		must(err)
		late.WithWatch = builder.Build()
		manager := admission.NewManager(scheme, late)
		_, err = webhooks.Setup(manager, runtimes)
		must(err)
		return manager.Webhooks.Judge(question.Object)
	})
}

type lateClient struct {
	client.WithWatch
	scheme *runtime.Scheme
}

func (l *lateClient) Scheme() *runtime.Scheme     { return l.scheme }
func (l *lateClient) RESTMapper() meta.RESTMapper { return meta.NewDefaultRESTMapper(nil) }

type indexer struct{ builder *fake.ClientBuilder }

func (i *indexer) IndexField(_ context.Context, object client.Object, field string, extract client.IndexerFunc) error {
	i.builder.WithIndex(object, field, extract)
	return nil
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Judges objects of Volcano with its webhooks: first the mutating one, then, with its patch applied, the validating one. The queue of a
// job may exist in the cluster: it is added, open and without limits, where the question does not have it. Of a CronJob, the Job that the
// controller creates is judged too.
package main

import (
	"encoding/json"
	"errors"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"

	scheduling "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	schedulinglister "volcano.sh/apis/pkg/client/listers/scheduling/v1beta1"
	"volcano.sh/volcano/cmd/webhook-manager/app/options"
	_ "volcano.sh/volcano/pkg/webhooks/admission/cronjobs/validate"
	_ "volcano.sh/volcano/pkg/webhooks/admission/hypernodes/validate"
	_ "volcano.sh/volcano/pkg/webhooks/admission/jobflows/validate"
	_ "volcano.sh/volcano/pkg/webhooks/admission/jobs/mutate"
	_ "volcano.sh/volcano/pkg/webhooks/admission/jobs/validate"
	_ "volcano.sh/volcano/pkg/webhooks/admission/podgroups/mutate"
	_ "volcano.sh/volcano/pkg/webhooks/admission/podgroups/validate"
	_ "volcano.sh/volcano/pkg/webhooks/admission/queues/mutate"
	_ "volcano.sh/volcano/pkg/webhooks/admission/queues/validate"
	"volcano.sh/volcano/pkg/webhooks/router"

	"gantry/judge/verdict"
)

// The largest depth of a queue where webhook-manager has no flag for it.
const mostDepth = 5

var resources = map[string]metav1.GroupVersionResource{
	"Job":       {Group: "batch.volcano.sh", Version: "v1alpha1", Resource: "jobs"},
	"CronJob":   {Group: "batch.volcano.sh", Version: "v1alpha1", Resource: "cronjobs"},
	"Queue":     {Group: "scheduling.volcano.sh", Version: "v1beta1", Resource: "queues"},
	"PodGroup":  {Group: "scheduling.volcano.sh", Version: "v1beta1", Resource: "podgroups"},
	"JobFlow":   {Group: "flow.volcano.sh", Version: "v1alpha1", Resource: "jobflows"},
	"HyperNode": {Group: "topology.volcano.sh", Version: "v1alpha1", Resource: "hypernodes"},
}

func main() {
	services := registered()
	verdict.Serve(func(question verdict.Question) error {
		kind := verdict.KindOf(question.Object)
		if _, known := resources[kind.Kind]; !known {
			return verdict.Unclear{Reason: "no webhook of " + kind.Kind}
		}
		queues, err := queuesFor(question)
		if err != nil {
			return err
		}
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: kind.Metadata.Namespace}}
		for _, service := range services {
			if service.Config == nil {
				continue
			}
			service.Config.QueueLister = schedulinglister.NewQueueLister(queues)
			service.Config.KubeClient = fake.NewClientset(namespace)
			service.Config.SchedulerNames = []string{"volcano"}
			service.Config.MaxQueueDepth = mostDepth
		}
		if err := judge(services, kind.Kind, question.Object); err != nil || kind.Kind != "CronJob" {
			return err
		}
		job, err := jobOf(question.Object)
		if err != nil {
			return err
		}
		return judge(services, "Job", job)
	})
}

func judge(services map[string]*router.AdmissionService, kind string, object []byte) error {
	resource := resources[kind]
	object, err := review(services["/"+resource.Resource+"/mutate"], resource, verdict.KindOf(object), object)
	if err != nil {
		return err
	}
	_, err = review(services["/"+resource.Resource+"/validate"], resource, verdict.KindOf(object), object)
	return err
}

// jobOf is the Job that the controller creates for a CronJob. Its name ends with the minute.
func jobOf(cronJob []byte) ([]byte, error) {
	var plain struct {
		Spec struct {
			JobTemplate map[string]any `json:"jobTemplate"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(cronJob, &plain); err != nil {
		return nil, err
	}
	kind := verdict.KindOf(cronJob)
	return json.Marshal(map[string]any{
		"apiVersion": kind.APIVersion,
		"kind":       "Job",
		"metadata":   map[string]any{"name": kind.Metadata.Name + "-29000000", "namespace": kind.Metadata.Namespace},
		"spec":       plain.Spec.JobTemplate["spec"],
	})
}

func registered() map[string]*router.AdmissionService {
	paths := []string{"/jobs/mutate", "/podgroups/mutate", "/queues/mutate"}
	for _, resource := range resources {
		paths = append(paths, "/"+resource.Resource+"/validate")
	}
	services := map[string]*router.AdmissionService{}
	must(router.ForEachAdmission(&options.Config{EnabledAdmission: strings.Join(paths, ",")}, func(service *router.AdmissionService) error {
		services[service.Path] = service
		return nil
	}))
	return services
}

func review(service *router.AdmissionService, resource metav1.GroupVersionResource, kind verdict.Kind, object []byte) ([]byte, error) {
	if service == nil {
		return object, nil
	}
	response := service.Func(admissionv1.AdmissionReview{Request: &admissionv1.AdmissionRequest{
		UID:       "1",
		Kind:      metav1.GroupVersionKind{Group: resource.Group, Version: resource.Version, Kind: kind.Kind},
		Resource:  resource,
		Name:      kind.Metadata.Name,
		Namespace: kind.Metadata.Namespace,
		Operation: admissionv1.Create,
		Object:    runtime.RawExtension{Raw: object},
	}})
	if !response.Allowed {
		if response.Result == nil {
			return nil, errors.New("refused")
		}
		return nil, errors.New(response.Result.Message)
	}
	if len(response.Patch) == 0 || string(response.Patch) == "null" {
		return object, nil
	}
	patch, err := jsonpatch.DecodePatch(response.Patch)
	if err != nil {
		return nil, err
	}
	return patch.Apply(object)
}

// queuesFor are the queues of a cluster: those of the question, the two that Volcano creates, and those that the objects name.
func queuesFor(question verdict.Question) (cache.Indexer, error) {
	queues := map[string]*scheduling.Queue{}
	for _, raw := range question.Beside {
		var queue scheduling.Queue
		if verdict.KindOf(raw).Kind == "Queue" && json.Unmarshal(raw, &queue) == nil {
			queues[queue.Name] = &queue
		}
	}
	own := verdict.KindOf(question.Object)
	named := append([]string{"root", "default"}, namedBy(question.Object)...)
	for _, name := range named {
		if _, known := queues[name]; !known && name != "" && !(own.Kind == "Queue" && own.Metadata.Name == name) {
			queues[name] = &scheduling.Queue{ObjectMeta: metav1.ObjectMeta{Name: name}}
		}
	}
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	for name, queue := range queues {
		queue.Status.State = scheduling.QueueStateOpen
		if name != "root" && queue.Spec.Parent == "" {
			queue.Spec.Parent = "root"
		}
		if err := indexer.Add(queue); err != nil {
			return nil, err
		}
	}
	return indexer, nil
}

// namedBy are the queues that a job or a group names.
func namedBy(object []byte) []string {
	type queued struct {
		Queue string `json:"queue"`
	}
	var plain struct {
		Spec struct {
			queued
			JobTemplate struct {
				Spec queued `json:"spec"`
			} `json:"jobTemplate"`
		} `json:"spec"`
	}
	// What is not of this shape names none, and is judged as it is.
	_ = json.Unmarshal(object, &plain)
	return []string{plain.Spec.Queue, plain.Spec.JobTemplate.Spec.Queue}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

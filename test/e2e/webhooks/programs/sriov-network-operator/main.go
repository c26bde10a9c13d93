// Judges policies, pools, and the configuration of the SR-IOV network operator with its webhooks: first the mutating one, then the
// validating one. The webhook reads nodes, their network cards, and other policies from a server; cluster.go is that server, and it has
// one node that the policy selects, with cards that it selects.
package main

import (
	"encoding/json"
	"errors"
	"os"
	"syscall"
	_ "unsafe" // for go:linkname

	jsonpatch "github.com/evanphx/json-patch/v5"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	runtimeclient "sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8snetworkplumbingwg/sriov-network-operator/pkg/vars"
	"github.com/k8snetworkplumbingwg/sriov-network-operator/pkg/webhook"

	"gantry/judge/verdict"
)

func main() {
	// The operator reads its namespace while its packages are initialized.
	if os.Getenv("NAMESPACE") == "" {
		program, err := os.Executable()
		must(err)
		must(syscall.Exec(program, os.Args, append(os.Environ(), "NAMESPACE="+operatorNamespace)))
	}
	cluster := newCluster()
	connect(cluster)
	verdict.Serve(func(question verdict.Question) error { return judge(cluster, question) })
}

// What the webhook asks the server with. Its own clients ask five times a second at most.
//
//go:linkname client github.com/k8snetworkplumbingwg/sriov-network-operator/pkg/webhook.client
var client runtimeclient.Client

//go:linkname kubeclient github.com/k8snetworkplumbingwg/sriov-network-operator/pkg/webhook.kubeclient
var kubeclient *kubernetes.Clientset

func connect(cluster *cluster) {
	config, err := clientcmd.BuildConfigFromFlags("", cluster.kubeconfig)
	must(err)
	config.QPS = -1
	client, err = runtimeclient.New(config, runtimeclient.Options{Scheme: vars.Scheme})
	must(err)
	kubeclient, err = kubernetes.NewForConfig(config)
	must(err)
}

func judge(cluster *cluster, question verdict.Question) error {
	kind := verdict.KindOf(question.Object)
	object := inNamespace(question.Object, operatorNamespace)
	if kind.Kind == "SriovNetworkNodePolicy" {
		mutated, err := mutate(object)
		if err != nil {
			return err
		}
		object = mutated
		if err := cluster.holds(object, question.Beside, kind.Metadata.Namespace); err != nil {
			return err
		}
	}
	response := webhook.ValidateCustomResource(review(object))
	if response.Allowed {
		return nil
	}
	return refusal(response)
}

func mutate(object []byte) ([]byte, error) {
	response := webhook.MutateCustomResource(review(object))
	if !response.Allowed {
		return nil, refusal(response)
	}
	if len(response.Patch) == 0 {
		return object, nil
	}
	patch, err := jsonpatch.DecodePatch(response.Patch)
	if err != nil {
		return nil, err
	}
	return patch.Apply(object)
}

func review(object []byte) admissionv1.AdmissionReview {
	kind := verdict.KindOf(object)
	return admissionv1.AdmissionReview{Request: &admissionv1.AdmissionRequest{
		UID:       "1",
		Kind:      metav1.GroupVersionKind{Group: "sriovnetwork.openshift.io", Version: "v1", Kind: kind.Kind},
		Operation: admissionv1.Create,
		Object:    runtime.RawExtension{Raw: object},
	}}
}

func refusal(response *admissionv1.AdmissionResponse) error {
	if response.Result == nil {
		return errors.New("refused")
	}
	return errors.New(response.Result.Message + string(response.Result.Reason))
}

// inNamespace moves an object to the namespace of the operator. Which one that is, is configuration of the operator.
func inNamespace(object []byte, namespace string) []byte {
	var plain map[string]any
	if err := json.Unmarshal(object, &plain); err != nil {
		return object
	}
	if metadata, ok := plain["metadata"].(map[string]any); ok {
		metadata["namespace"] = namespace
	}
	moved, err := json.Marshal(plain)
	if err != nil {
		return object
	}
	return moved
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

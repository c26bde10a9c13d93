package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation/field"

	sriovnetworkv1 "github.com/k8snetworkplumbingwg/sriov-network-operator/api/v1"

	"gantry/judge/verdict"
)

const (
	// The namespace that the chart of the operator uses.
	operatorNamespace = "sriov-network-operator"
	mellanox          = "15b3"
	// A vendor for which the webhook has no limits.
	broadcom = "14e4"
	plenty   = 1<<31 - 1
)

var group = sriovnetworkv1.GroupVersion

// cluster is an API server with one node, the state of its cards, and other policies.
type cluster struct {
	kubeconfig string
	node       corev1.Node
	state      sriovnetworkv1.SriovNetworkNodeState
	policies   []sriovnetworkv1.SriovNetworkNodePolicy
}

func newCluster() *cluster {
	c := &cluster{}
	server := httptest.NewServer(c)
	file, err := os.CreateTemp("", "kubeconfig")
	must(err)
	defer file.Close()
	fmt.Fprintf(file, `{"apiVersion": "v1", "kind": "Config", "current-context": "c",
		"clusters": [{"name": "c", "cluster": {"server": %q}}], "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
		"users": [{"name": "u", "user": {}}]}`, server.URL)
	c.kubeconfig = file.Name()
	return c
}

// holds fills the cluster for one policy, and the policies of its namespace beside it.
func (c *cluster) holds(object []byte, beside []json.RawMessage, namespace string) error {
	var policy sriovnetworkv1.SriovNetworkNodePolicy
	if err := json.Unmarshal(object, &policy); err != nil {
		return err
	}
	meta := metav1.ObjectMeta{Name: "node-1", Namespace: operatorNamespace}
	c.node = corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: meta.Name, Labels: policy.Spec.NodeSelector}}
	c.state = sriovnetworkv1.SriovNetworkNodeState{ObjectMeta: meta}
	c.state.Status.Interfaces = cardsFor(policy.Spec)
	c.policies = nil
	for _, raw := range beside {
		if kind := verdict.KindOf(raw); kind.Kind != policy.Kind || kind.Metadata.Namespace != namespace {
			continue
		}
		var other sriovnetworkv1.SriovNetworkNodePolicy
		if err := json.Unmarshal(inNamespace(raw, operatorNamespace), &other); err == nil {
			c.policies = append(c.policies, other)
		}
	}
	return nil
}

// cardsFor are cards that a policy selects, which the operator supports.
func cardsFor(spec sriovnetworkv1.SriovNetworkNodePolicySpec) sriovnetworkv1.InterfaceExts {
	card := sriovnetworkv1.InterfaceExt{
		Vendor: spec.NicSelector.Vendor, DeviceID: spec.NicSelector.DeviceID, Name: "ens1f0", PciAddress: "0000:3b:00.0",
		NetFilter: spec.NicSelector.NetFilter, TotalVfs: plenty, NumVfs: plenty, Mtu: plenty, LinkType: spec.LinkType,
	}
	if card.Vendor == "" {
		card.Vendor = broadcom
		if spec.VdpaType != "" {
			card.Vendor = mellanox
		}
	}
	if card.DeviceID == "" {
		card.DeviceID = "101d"
	}
	if len(spec.NicSelector.RootDevices) > 0 {
		card.PciAddress = spec.NicSelector.RootDevices[0]
	}
	sriovnetworkv1.NicIDMap = []string{strings.Join([]string{card.Vendor, card.DeviceID, "101e"}, " ")}
	if len(spec.NicSelector.PfNames) == 0 {
		return sriovnetworkv1.InterfaceExts{card}
	}
	var cards sriovnetworkv1.InterfaceExts
	for _, name := range spec.NicSelector.PfNames {
		card.Name, _, _ = strings.Cut(name, "#")
		cards = append(cards, card)
	}
	return cards
}

func (c *cluster) ServeHTTP(out http.ResponseWriter, request *http.Request) {
	out.Header().Set("Content-Type", "application/json")
	if selector := request.URL.Query().Get("labelSelector"); selector != "" {
		if _, err := labels.Parse(selector); err != nil {
			out.WriteHeader(http.StatusBadRequest)
			write(out, metav1.Status{TypeMeta: typeOf("v1", "Status"), Status: "Failure", Reason: "BadRequest", Code: 400, Message: err.Error()})
			return
		}
	}
	answer, known := c.answer(request.URL.Path)
	if !known {
		out.WriteHeader(http.StatusNotFound)
		answer = metav1.Status{TypeMeta: typeOf("v1", "Status"), Status: "Failure", Reason: "NotFound", Code: 404}
	}
	write(out, answer)
}

// nodes is the node, unless no API server has a node with these labels. The webhook sends the selector as text, whose reader removes
// spaces around a key, so that it does not notice the space itself.
func (c *cluster) nodes() []corev1.Node {
	if len(validation.ValidateLabels(c.node.Labels, field.NewPath("labels"))) > 0 {
		return nil
	}
	return []corev1.Node{c.node}
}

func (c *cluster) answer(path string) (any, bool) {
	namespaced := "/apis/" + group.String() + "/namespaces/" + operatorNamespace + "/"
	switch path {
	case "/api":
		return metav1.APIVersions{TypeMeta: typeOf("v1", "APIVersions"), Versions: []string{"v1"}}, true
	case "/apis":
		version := metav1.GroupVersionForDiscovery{GroupVersion: group.String(), Version: group.Version}
		found := metav1.APIGroup{Name: group.Group, Versions: []metav1.GroupVersionForDiscovery{version}, PreferredVersion: version}
		return metav1.APIGroupList{TypeMeta: typeOf("v1", "APIGroupList"), Groups: []metav1.APIGroup{found}}, true
	case "/apis/" + group.String():
		return metav1.APIResourceList{TypeMeta: typeOf("v1", "APIResourceList"), GroupVersion: group.String(), APIResources: []metav1.APIResource{
			resource("SriovNetworkNodePolicy", "sriovnetworknodepolicies"),
			resource("SriovNetworkNodeState", "sriovnetworknodestates"),
			resource("SriovOperatorConfig", "sriovoperatorconfigs"),
		}}, true
	case "/api/v1/nodes":
		return corev1.NodeList{TypeMeta: typeOf("v1", "NodeList"), Items: c.nodes()}, true
	case namespaced + "sriovnetworknodestates":
		return sriovnetworkv1.SriovNetworkNodeStateList{
			TypeMeta: typeOf(group.String(), "SriovNetworkNodeStateList"), Items: []sriovnetworkv1.SriovNetworkNodeState{c.state},
		}, true
	case namespaced + "sriovnetworknodepolicies":
		return sriovnetworkv1.SriovNetworkNodePolicyList{TypeMeta: typeOf(group.String(), "SriovNetworkNodePolicyList"), Items: c.policies}, true
	default:
		return nil, false
	}
}

func resource(kind, plural string) metav1.APIResource {
	return metav1.APIResource{Name: plural, Kind: kind, Namespaced: true, Verbs: metav1.Verbs{"get", "list"}}
}

func typeOf(apiVersion, kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: apiVersion, Kind: kind}
}

func write(out http.ResponseWriter, answer any) {
	must(json.NewEncoder(out).Encode(answer))
}

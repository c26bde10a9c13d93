// Package admission collects the webhooks that a project registers with a controller-runtime manager, and puts objects before them as
// an API server does: first the mutating one, then, with its patch applied, the validating one.
package admission

import (
	"context"
	"errors"
	"net/http"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"encoding/json"

	"gantry/judge/verdict"
)

// Webhooks are the handlers of a project by path.
type Webhooks map[string]*admission.Webhook

// Manager is what a project's set-up of webhooks needs of a manager; everything else panics.
type Manager struct {
	manager.Manager
	Scheme   *runtime.Scheme
	Client   client.Client
	Webhooks Webhooks
}

// NewManager is a manager for these types, with what exists in the cluster behind the client.
func NewManager(scheme *runtime.Scheme, objects client.Client) *Manager {
	return &Manager{Scheme: scheme, Client: objects, Webhooks: Webhooks{}}
}

func (m *Manager) GetScheme() *runtime.Scheme       { return m.Scheme }
func (m *Manager) GetClient() client.Client         { return m.Client }
func (m *Manager) GetAPIReader() client.Reader      { return m.Client }
func (m *Manager) GetConfig() *rest.Config          { return &rest.Config{} }
func (m *Manager) GetWebhookServer() webhook.Server { return server{webhooks: m.Webhooks} }

type server struct {
	webhook.Server
	webhooks Webhooks
}

func (s server) Register(path string, hook http.Handler) {
	if handler, ok := hook.(*admission.Webhook); ok {
		s.webhooks[path] = handler
	}
}

func (s server) WebhookMux() *http.ServeMux { return nil }

// Judge puts an object before the webhooks of its kind.
func (webhooks Webhooks) Judge(object []byte) error {
	kind := verdict.KindOf(object)
	gvk := schema.FromAPIVersionAndKind(kind.APIVersion, kind.Kind)
	mutate, validate := webhooks["/mutate-"+pathOf(gvk)], webhooks["/validate-"+pathOf(gvk)]
	if mutate == nil && validate == nil {
		return verdict.Unclear{Reason: "no webhook of " + gvk.String()}
	}
	mutated, err := review(mutate, gvk, kind, object)
	if err != nil {
		return err
	}
	_, err = review(validate, gvk, kind, mutated)
	return err
}

func pathOf(gvk schema.GroupVersionKind) string {
	return strings.ReplaceAll(gvk.Group, ".", "-") + "-" + gvk.Version + "-" + strings.ToLower(gvk.Kind)
}

func review(hook *admission.Webhook, gvk schema.GroupVersionKind, kind verdict.Kind, object []byte) ([]byte, error) {
	if hook == nil {
		return object, nil
	}
	no := false
	request := admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
		UID:       "1",
		Kind:      metav1.GroupVersionKind{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind},
		Resource:  metav1.GroupVersionResource{Group: gvk.Group, Version: gvk.Version, Resource: strings.ToLower(gvk.Kind) + "s"},
		Name:      kind.Metadata.Name,
		Namespace: kind.Metadata.Namespace,
		Operation: admissionv1.Create,
		Object:    runtime.RawExtension{Raw: object},
		DryRun:    &no,
	}}
	response := hook.Handle(context.Background(), request)
	if !response.Allowed {
		if response.Result == nil {
			return nil, errors.New("refused")
		}
		if strings.HasPrefix(response.Result.Message, "panic: ") {
			return nil, verdict.Unclear{Reason: response.Result.Message}
		}
		return nil, errors.New(response.Result.Message)
	}
	if len(response.Patch) == 0 && len(response.Patches) == 0 {
		return object, nil
	}
	raw := response.Patch
	if len(raw) == 0 {
		var err error
		if raw, err = json.Marshal(response.Patches); err != nil {
			return nil, err
		}
	}
	patch, err := jsonpatch.DecodePatch(raw)
	if err != nil {
		return nil, err
	}
	return patch.Apply(object)
}

// Objects decodes what exists beside an object for a fake client; kinds that the scheme does not know are left out.
func Objects(scheme *runtime.Scheme, beside []json.RawMessage) []client.Object {
	var objects []client.Object
	for _, raw := range beside {
		kind := verdict.KindOf(raw)
		gvk := schema.FromAPIVersionAndKind(kind.APIVersion, kind.Kind)
		if !scheme.Recognizes(gvk) {
			continue
		}
		var plain unstructured.Unstructured
		if err := json.Unmarshal(raw, &plain.Object); err != nil {
			continue
		}
		typed, err := scheme.New(gvk)
		if err != nil {
			continue
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(plain.Object, typed); err != nil {
			continue
		}
		objects = append(objects, typed.(client.Object))
	}
	return objects
}

// Judges PrometheusRules and AlertmanagerConfigs with the webhooks of the Prometheus operator.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/prometheus-operator/prometheus-operator/pkg/admission"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"gantry/judge/verdict"
)

// The paths of the webhook for each kind, in the order in which a server calls them.
var paths = map[string][]string{
	"monitoring.coreos.com/v1 PrometheusRule":           {"/admission-prometheusrules/mutate", "/admission-prometheusrules/validate"},
	"monitoring.coreos.com/v1alpha1 AlertmanagerConfig": {"/admission-alertmanagerconfigs/validate"},
	"monitoring.coreos.com/v1beta1 AlertmanagerConfig":  {"/admission-alertmanagerconfigs/validate"},
}

func main() {
	// Which names of metrics and labels are taken, and whether experimental functions are, is configuration: the widest one.
	mux := http.NewServeMux()
	admission.New(slog.New(slog.NewTextHandler(io.Discard, nil)), model.UTF8Validation, parser.Options{EnableExperimentalFunctions: true}).Register(mux)
	verdict.Serve(func(question verdict.Question) error {
		kind := verdict.KindOf(question.Object)
		steps, known := paths[kind.APIVersion+" "+kind.Kind]
		if !known {
			return verdict.Unclear{Reason: "no webhook of " + kind.APIVersion + " " + kind.Kind}
		}
		object := []byte(question.Object)
		for _, path := range steps {
			response, err := review(mux, path, kind, object)
			if err != nil {
				return err
			}
			if !response.Allowed {
				return refusal(response)
			}
			if len(response.Patch) > 0 {
				patch, err := jsonpatch.DecodePatch(response.Patch)
				if err != nil {
					return err
				}
				if object, err = patch.Apply(object); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func review(mux http.Handler, path string, kind verdict.Kind, object []byte) (*admissionv1.AdmissionResponse, error) {
	group, version, _ := strings.Cut(kind.APIVersion, "/")
	body, err := json.Marshal(admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
		Request: &admissionv1.AdmissionRequest{
			UID:       "1",
			Operation: admissionv1.Create,
			Resource:  metav1.GroupVersionResource{Group: group, Version: version, Resource: strings.ToLower(kind.Kind) + "s"},
			Object:    runtime.RawExtension{Raw: object},
		},
	})
	if err != nil {
		return nil, err
	}
	request := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	mux.ServeHTTP(recorder, request)
	var answer admissionv1.AdmissionReview
	if err := json.Unmarshal(recorder.Body.Bytes(), &answer); err != nil || answer.Response == nil {
		return nil, verdict.Unclear{Reason: "no answer: " + recorder.Body.String()}
	}
	return answer.Response, nil
}

func refusal(response *admissionv1.AdmissionResponse) error {
	text := response.Result.Message
	if response.Result.Details != nil {
		for _, cause := range response.Result.Details.Causes {
			text += ": " + cause.Message
		}
	}
	return errors.New(text)
}

// Judges the rules of Node Feature Discovery with what its master and `kubectl nfd validate` use.
package main

import (
	"encoding/json"
	"errors"
	"os"
	"strings"

	nfdv1alpha1 "sigs.k8s.io/node-feature-discovery/api/nfd/v1alpha1"
	kubectlnfd "sigs.k8s.io/node-feature-discovery/pkg/kubectl-nfd"

	"gantry/judge/verdict"
)

func main() {
	file, err := os.CreateTemp("", "rule-*.json")
	must(err)
	defer os.Remove(file.Name())
	verdict.Serve(func(question verdict.Question) error {
		if kind := verdict.KindOf(question.Object); kind.Kind != "NodeFeatureRule" {
			return verdict.Unclear{Reason: "not a NodeFeatureRule"}
		}
		rule, err := prefixed(question.Object)
		if err != nil {
			return err
		}
		must(os.WriteFile(file.Name(), rule, 0o600))
		return errors.Join(kubectlnfd.ValidateNFR(file.Name())...)
	})
}

// The master puts keys without a prefix into the default namespace before it validates them (pkg/nfd-master, addNs), unless the alpha
// gate DisableAutoPrefix is on; `kubectl nfd validate` does not know that.
func prefixed(raw []byte) ([]byte, error) {
	var rule nfdv1alpha1.NodeFeatureRule
	if err := json.Unmarshal(raw, &rule); err != nil {
		return nil, err
	}
	for index := range rule.Spec.Rules {
		for _, keyed := range []map[string]string{
			rule.Spec.Rules[index].Labels, rule.Spec.Rules[index].Annotations, rule.Spec.Rules[index].ExtendedResources,
		} {
			for key, value := range keyed {
				if !strings.Contains(key, "/") {
					delete(keyed, key)
					keyed[nfdv1alpha1.FeatureLabelNs+"/"+key] = value
				}
			}
		}
	}
	return json.Marshal(rule)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

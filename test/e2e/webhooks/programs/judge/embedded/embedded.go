// Package embedded finds the configuration that is text in a ConfigMap.
package embedded

import (
	"encoding/json"

	"gantry/judge/verdict"
)

// Text is the only text of a ConfigMap.
func Text(object []byte) (string, error) {
	var configMap struct {
		Data map[string]string `json:"data"`
	}
	if err := json.Unmarshal(object, &configMap); err != nil {
		return "", verdict.Unclear{Reason: err.Error()}
	}
	if len(configMap.Data) != 1 {
		return "", verdict.Unclear{Reason: "not one text"}
	}
	for _, text := range configMap.Data {
		return text, nil
	}
	return "", nil
}

// Reads texts on standard input, one JSON string on each line, and answers each with a line of JSON: the documents that kubectl
// finds in the text up to the first that it refuses, and what sigs.k8s.io/yaml makes of the text as one document.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	kubeyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

type verdict struct {
	JSON  json.RawMessage `json:"json,omitempty"`
	Error string          `json:"error,omitempty"`
}

type answer struct {
	Stream   []verdict `json:"stream"`
	Document verdict   `json:"document"`
}

// The loop of k8s.io/cli-runtime's StreamVisitor.
func stream(text string) []verdict {
	found := []verdict{}
	decoder := kubeyaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096)
	for {
		ext := runtime.RawExtension{}
		if err := decoder.Decode(&ext); err != nil {
			if errors.Is(err, io.EOF) {
				return found
			}
			return append(found, verdict{Error: err.Error()})
		}
		raw := bytes.TrimSpace(ext.Raw)
		if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
			continue
		}
		one := normalized(raw)
		found = append(found, one)
		if one.Error != "" {
			return found
		}
	}
}

// As the unstructured decoder reads JSON: integers of 64 bits, else floating-point numbers.
func normalized(raw []byte) verdict {
	var value interface{}
	if err := utiljson.Unmarshal(raw, &value); err != nil {
		return verdict{Error: err.Error()}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return verdict{Error: err.Error()}
	}
	return verdict{JSON: text}
}

func document(text string) verdict {
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return verdict{Error: err.Error()}
	}
	return normalized(raw)
}

func main() {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var text string
			if err := json.Unmarshal(line, &text); err != nil {
				panic(err)
			}
			if err := encoder.Encode(answer{Stream: stream(text), Document: document(text)}); err != nil {
				panic(err)
			}
		}
		if err != nil {
			return
		}
	}
}

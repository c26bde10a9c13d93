// Judges configurations of the MIG manager in ConfigMaps as `nvidia-mig-parted assert` does before it asks a GPU: it reads the file,
// and asks of each entry whether its instances are those of a GPU. Which profiles a GPU has is asked of the GPU, so that is left out.
package main

import (
	"fmt"

	"sigs.k8s.io/yaml"

	v1 "github.com/NVIDIA/mig-parted/api/spec/v1"

	"gantry/judge/embedded"
	"gantry/judge/verdict"
)

func main() {
	verdict.Serve(func(question verdict.Question) error {
		text, err := embedded.Text(question.Object)
		if err != nil {
			return err
		}
		var spec v1.Spec
		if err := yaml.Unmarshal([]byte(text), &spec); err != nil {
			return fmt.Errorf("unmarshal error: %w", err)
		}
		return nil
	})
}

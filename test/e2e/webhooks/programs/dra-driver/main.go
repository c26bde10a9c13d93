// Judges the opaque configurations in ResourceClaims and ResourceClaimTemplates as the webhook of NVIDIA's DRA driver does: a strict
// decoding, the defaults, and the validation of each configuration's type.
package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	nvapi "sigs.k8s.io/dra-driver-nvidia-gpu/api/nvidia.com/resource/v1beta1"
	"sigs.k8s.io/dra-driver-nvidia-gpu/pkg/featuregates"

	"gantry/judge/verdict"
)

// Drivers that hand their configurations to these types.
var drivers = map[string]bool{"gpu.nvidia.com": true, "compute-domain.nvidia.com": true}

type devices struct {
	Config []struct {
		Opaque *struct {
			Driver     string          `json:"driver"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"opaque"`
	} `json:"config"`
}

func main() {
	// Which feature gates are on is configuration; what is refused with all of them is refused everywhere.
	must(featuregates.FeatureGates().SetFromMap(map[string]bool{
		string(featuregates.TimeSlicingSettings): true,
		string(featuregates.MPSSupport):          true,
		string(featuregates.PassthroughSupport):  true,
	}))
	verdict.Serve(func(question verdict.Question) error {
		found, err := devicesOf(question.Object)
		if err != nil {
			return err
		}
		var errs []error
		for index, config := range found.Config {
			if config.Opaque != nil && drivers[config.Opaque.Driver] {
				if err := judge(config.Opaque.Parameters); err != nil {
					errs = append(errs, fmt.Errorf("config %d: %w", index, err))
				}
			}
		}
		return errors.Join(errs...)
	})
}

func devicesOf(raw []byte) (devices, error) {
	switch verdict.KindOf(raw).Kind {
	case "ResourceClaim":
		var claim struct {
			Spec struct {
				Devices devices `json:"devices"`
			} `json:"spec"`
		}
		err := json.Unmarshal(raw, &claim)
		return claim.Spec.Devices, err
	case "ResourceClaimTemplate":
		var template struct {
			Spec struct {
				Spec struct {
					Devices devices `json:"devices"`
				} `json:"spec"`
			} `json:"spec"`
		}
		err := json.Unmarshal(raw, &template)
		return template.Spec.Spec.Devices, err
	default:
		return devices{}, verdict.Unclear{Reason: "neither a claim nor a template"}
	}
}

func judge(parameters []byte) error {
	decoded, err := runtime.Decode(nvapi.StrictDecoder, parameters)
	if err != nil {
		return err
	}
	config, ok := decoded.(nvapi.Interface)
	if !ok {
		return fmt.Errorf("expected a recognized configuration type but got %T", decoded)
	}
	if err := config.Normalize(); err != nil {
		return err
	}
	return config.Validate()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

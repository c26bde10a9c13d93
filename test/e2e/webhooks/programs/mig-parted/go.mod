// The configuration of NVIDIA's MIG manager. Nothing here is shipped.
module gantry/mig-parted

go 1.26.0

require (
	gantry/judge v0.0.0
	github.com/NVIDIA/mig-parted v0.13.1
	sigs.k8s.io/yaml v1.6.0
)

require (
	github.com/NVIDIA/go-nvlib v0.12.0 // indirect
	github.com/NVIDIA/go-nvml v0.13.3-1 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/sirupsen/logrus v1.9.3 // indirect
	go.yaml.in/yaml/v2 v2.4.2 // indirect
	golang.org/x/sys v0.47.0 // indirect
)

replace gantry/judge => ../judge

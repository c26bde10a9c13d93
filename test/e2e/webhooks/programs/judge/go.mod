// What the programs of this folder share: how they read questions and print verdicts, and a manager that only collects webhooks.
module gantry/judge

go 1.26.0

require (
	github.com/evanphx/json-patch/v5 v5.9.11
	k8s.io/api v0.32.1
	k8s.io/apimachinery v0.32.1
	k8s.io/client-go v0.32.1
	sigs.k8s.io/controller-runtime v0.20.2
)

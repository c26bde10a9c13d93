// Judges MPIJobs as the mpi-operator does before it runs them: it applies its defaults and reports a job that it refuses.
package main

import (
	"encoding/json"

	kubeflow "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	"github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/validation"

	"gantry/judge/verdict"
)

func main() {
	verdict.Serve(func(question verdict.Question) error {
		if kind := verdict.KindOf(question.Object); kind.APIVersion != "kubeflow.org/v2beta1" || kind.Kind != "MPIJob" {
			return verdict.Unclear{Reason: "not an MPIJob of kubeflow.org/v2beta1"}
		}
		var job kubeflow.MPIJob
		if err := json.Unmarshal(question.Object, &job); err != nil {
			return err
		}
		kubeflow.SetDefaults_MPIJob(&job)
		return validation.ValidateMPIJob(&job).ToAggregate()
	})
}

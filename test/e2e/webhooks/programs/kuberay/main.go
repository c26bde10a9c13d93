// Judges the kinds of KubeRay with the validation that its controller runs before it reconciles an object.
package main

import (
	"encoding/json"
	"fmt"

	rayv1 "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/utils"
	"github.com/ray-project/kuberay/ray-operator/pkg/features"
	utilfeature "k8s.io/apiserver/pkg/util/feature"

	"gantry/judge/verdict"
)

func main() {
	// Which feature gates are on is configuration; what is refused with all of them is refused everywhere.
	must(utilfeature.DefaultMutableFeatureGate.SetFromMap(map[string]bool{
		string(features.RayServiceIncrementalUpgrade): true,
		string(features.RayCronJob):                   true,
	}))
	verdict.Serve(func(question verdict.Question) error { return judge(question.Object) })
}

func judge(object []byte) error {
	switch kind := verdict.KindOf(object).Kind; kind {
	case "RayCluster":
		var cluster rayv1.RayCluster
		return decoded(object, &cluster, func() error {
			return first(
				utils.ValidateRayClusterMetadata(cluster.ObjectMeta),
				utils.ValidateRayClusterSpec(&cluster.Spec, cluster.Annotations),
				utils.ValidateRayClusterUpgradeOptions(&cluster),
			)
		})
	case "RayJob":
		var job rayv1.RayJob
		return decoded(object, &job, func() error {
			return first(utils.ValidateRayJobMetadata(job.ObjectMeta), utils.ValidateRayJobSpec(&job))
		})
	case "RayService":
		var service rayv1.RayService
		return decoded(object, &service, func() error {
			return first(utils.ValidateRayServiceMetadata(service.ObjectMeta), utils.ValidateRayServiceSpec(&service))
		})
	case "RayCronJob":
		var cron rayv1.RayCronJob
		return decoded(object, &cron, func() error { return utils.ValidateRayCronJobSpec(&cron) })
	default:
		return verdict.Unclear{Reason: fmt.Sprintf("no validator for %s", kind)}
	}
}

func decoded(object []byte, into any, validate func() error) error {
	if err := json.Unmarshal(object, into); err != nil {
		return err
	}
	return validate()
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

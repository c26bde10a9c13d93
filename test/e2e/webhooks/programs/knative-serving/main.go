// Judges objects of Knative Serving as its webhook does: it applies the defaults, then validates.
package main

import (
	"context"
	"encoding/json"

	"go.uber.org/zap"
	"knative.dev/pkg/apis"
	"knative.dev/pkg/logging"

	autoscalingv1alpha1 "knative.dev/serving/pkg/apis/autoscaling/v1alpha1"
	"knative.dev/serving/pkg/apis/config"
	servingv1 "knative.dev/serving/pkg/apis/serving/v1"
	servingv1beta1 "knative.dev/serving/pkg/apis/serving/v1beta1"
	autoscalerconfig "knative.dev/serving/pkg/autoscaler/config"

	"gantry/judge/verdict"
)

type validated interface {
	apis.Validatable
	apis.Defaultable
}

var kinds = map[string]func() validated{
	"serving.knative.dev/v1 Service":                          func() validated { return &servingv1.Service{} },
	"serving.knative.dev/v1 Configuration":                    func() validated { return &servingv1.Configuration{} },
	"serving.knative.dev/v1 Revision":                         func() validated { return &servingv1.Revision{} },
	"serving.knative.dev/v1 Route":                            func() validated { return &servingv1.Route{} },
	"serving.knative.dev/v1beta1 DomainMapping":               func() validated { return &servingv1beta1.DomainMapping{} },
	"autoscaling.internal.knative.dev/v1alpha1 PodAutoscaler": func() validated { return &autoscalingv1alpha1.PodAutoscaler{} },
}

// What config-features permits fields of pods with. "secure-pod-defaults" restricts, and is left off.
var features = []string{
	"kubernetes.podspec-persistent-volume-write",
	"multi-container",
	"multi-container-probing",
	config.FeatureContainerSpecAddCapabilities,
	config.FeaturePodSpecAffinity,
	config.FeaturePodSpecDNSConfig,
	config.FeaturePodSpecDNSPolicy,
	config.FeaturePodSpecEmptyDir,
	config.FeaturePodSpecFieldRef,
	config.FeaturePodSpecHostAliases,
	config.FeaturePodSpecHostIPC,
	config.FeaturePodSpecHostNetwork,
	config.FeaturePodSpecHostPID,
	config.FeaturePodSpecHostPath,
	config.FeaturePodSpecVolumesCSI,
	config.FeaturePodSpecVolumesEphemeral,
	config.FeaturePodSpecVolumesImage,
	config.FeaturePodSpecInitContainers,
	config.FeaturePodSpecVolumesMountPropagation,
	config.FeaturePodSpecNodeSelector,
	config.FeaturePodSpecPVClaim,
	config.FeaturePodSpecPriorityClassName,
	config.FeaturePodSpecRuntimeClassName,
	config.FeaturePodSpecSchedulerName,
	config.FeaturePodSpecSecurityContext,
	config.FeaturePodSpecShareProcessNamespace,
	config.FeaturePodSpecTolerations,
	config.FeaturePodSpecTopologySpreadConstraints,
}

func main() {
	// The configuration that accepts most: what is refused with it is refused with every other.
	defaults, err := config.NewDefaultsConfigFromMap(map[string]string{
		"container-concurrency-max-limit": "9000000000000000000",
		"max-revision-timeout-seconds":    "9000000000000000000",
	})
	must(err)
	permitting := map[string]string{}
	for _, name := range features {
		permitting[name] = "enabled"
	}
	features, err := config.NewFeaturesConfigFromMap(permitting)
	must(err)
	autoscaler, err := autoscalerconfig.NewConfigFromMap(map[string]string{"allow-zero-initial-scale": "true"})
	must(err)
	base := logging.WithLogger(context.Background(), zap.NewNop().Sugar())
	base = config.ToContext(base, &config.Config{Defaults: defaults, Features: features, Autoscaler: autoscaler})
	verdict.Serve(func(question verdict.Question) error {
		kind := verdict.KindOf(question.Object)
		make, known := kinds[kind.APIVersion+" "+kind.Kind]
		if !known {
			return verdict.Unclear{Reason: "no webhook of " + kind.APIVersion + " " + kind.Kind}
		}
		object := make()
		if err := json.Unmarshal(question.Object, object); err != nil {
			return err
		}
		ctx := apis.WithinCreate(base)
		object.SetDefaults(ctx)
		if errs := object.Validate(ctx).Filter(apis.ErrorLevel); errs != nil {
			return errs
		}
		return nil
	})
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

/**
 * What the official examples get reported, reviewed: why each finding is true. A finding that is not listed fails the suite, and so does one
 * that is listed and no longer reported.
 */
import { type Severity } from '../../../src/checks/report/finding';
import { type Upstream } from '../../../src/facts/upstream';
import { EXPECTED_RAY } from './expected-ray';

export interface Expected {
  readonly project: Upstream;
  readonly rule: string;
  readonly severity: Exclude<Severity, 'info'>;
  /** Why the finding is true. */
  readonly reason: string;
  /** How many findings each file has. */
  readonly files: Readonly<Record<string, number>>;
}

export const EXPECTED: readonly Expected[] = [
  ...EXPECTED_RAY,
  {
    project: 'volcano',
    rule: 'volcano/gang-reacts-to-failure',
    severity: 'warning',
    reason: 'The pods of the job talk to each other, and none of them reacts when one fails.',
    files: {
      'example/MindSpore-example/mindspore_gpu/mindspore-gpu.yaml': 1,
      'docs/user-guide/how_to_use_cdp_plugin.md#2': 1,
      'docs/user-guide/how_to_use_cdp_plugin.md#5': 1,
      'docs/user-guide/how_to_use_resource_strategy_fit_plugin.md#7': 1,
      'docs/user-guide/how_to_use_resource_strategy_fit_plugin.md#8': 1,
      'docs/user-guide/how_to_use_ssh_plugin.md#1': 1,
    },
  },
  {
    project: 'volcano',
    rule: 'volcano/policy-events-once',
    severity: 'error',
    reason: 'An example of what the webhook denies.',
    files: {
      'example/invalid_jobs/duplicatedPolicyEvent-webhook-deny.yaml': 1,
    },
  },
  {
    project: 'volcano',
    rule: 'volcano/job-task-names-unique',
    severity: 'error',
    reason: 'An example of what the webhook denies.',
    files: {
      'example/invalid_jobs/duplicatedTaskName-webhook-deny.yaml': 1,
    },
  },
  {
    project: 'volcano',
    rule: 'volcano/job-min-available-within-replicas',
    severity: 'error',
    reason: 'An example of what the webhook denies.',
    files: {
      'example/invalid_jobs/minAvailable-webhook-deny.yaml': 1,
    },
  },
  {
    project: 'volcano',
    rule: 'schema/unknown-field',
    severity: 'error',
    reason: 'A pod has priorityClassName, and not priorityClass.',
    files: {
      'example/kubecon-2019-china/task-priority/elastic-job.yaml': 2,
    },
  },
  {
    project: 'volcano',
    rule: 'schema/api-version-served',
    severity: 'error',
    reason: 'The beta version of PriorityClass was removed in Kubernetes 1.22.',
    files: {
      'example/kubecon-2019-china/task-priority/high-priority.yaml': 1,
      'example/kubecon-2019-china/task-priority/normal-priority.yaml': 1,
    },
  },
  {
    project: 'volcano',
    rule: 'schema/api-version-on-by-default',
    severity: 'warning',
    reason: 'Beta versions of admissionregistration.k8s.io are served only with --runtime-config.',
    files: {
      'installer/volcano-development-vap-map.yaml': 8,
    },
  },
  {
    project: 'volcano',
    rule: 'volcano/object-has-spec',
    severity: 'error',
    reason: 'The spec of the queue is indented as a field of metadata, so that the queue has none.',
    files: {
      'docs/user-guide/how_to_use_nodegroup_plugin.md#10': 1,
      'docs/user-guide/how_to_use_nodegroup_plugin.md#12': 1,
      'docs/user-guide/how_to_use_nodegroup_plugin.md#13': 1,
    },
  },
  {
    project: 'volcano',
    rule: 'volcano/job-volumes-valid',
    severity: 'error',
    reason: 'One volume is written as two items of the list, and the webhook denies both.',
    files: {
      'docs/user-guide/how_to_use_cdp_plugin.md#2': 2,
      'docs/user-guide/how_to_use_cdp_plugin.md#5': 2,
    },
  },
  {
    project: 'volcano',
    rule: 'schema/unknown-field',
    severity: 'error',
    reason: 'guarantee has its amounts in `resource`; a ResourceClaim has no field `shareable`.',
    files: {
      'docs/user-guide/how_to_use_dra_quota.md#2': 1,
      'docs/user-guide/how_to_use_dra_quota.md#3': 1,
      'docs/user-guide/how_to_use_dra_quota.md#6': 1,
      'docs/user-guide/how_to_use_dra_quota.md#7': 2,
    },
  },
  {
    project: 'volcano',
    rule: 'volcano/scheduler-config-key-known',
    severity: 'warning',
    reason: 'The argument was one of predicates; it is now one of deviceshare.',
    files: {
      'docs/user-guide/how_to_use_gpu_number.md#2': 1,
      'docs/user-guide/how_to_use_gpu_sharing.md#2': 1,
    },
  },
  {
    project: 'volcano',
    rule: 'schema/type',
    severity: 'error',
    reason: 'events is a list.',
    files: {
      'docs/user-guide/how_to_use_job_policy.md#3': 2,
    },
  },
  {
    project: 'volcano',
    rule: 'schema/unknown-field',
    severity: 'error',
    reason: 'imagePullPolicy is a field of the container.',
    files: {
      'docs/user-guide/how_to_use_job_ttl.md#1': 1,
    },
  },
  {
    project: 'volcano',
    rule: 'schema/unknown-field',
    severity: 'error',
    reason: 'spec is indented into metadata.',
    files: {
      'docs/user-guide/how_to_use_nodegroup_plugin.md#10': 1,
      'docs/user-guide/how_to_use_nodegroup_plugin.md#12': 1,
      'docs/user-guide/how_to_use_nodegroup_plugin.md#13': 1,
    },
  },
  {
    project: 'volcano',
    rule: 'schema/pattern',
    severity: 'error',
    reason: 'The definition of the Queue does not accept an empty parent.',
    files: {
      'docs/user-guide/how_to_use_nodegroup_plugin.md#15': 1,
    },
  },
  {
    project: 'volcano',
    rule: 'core/extended-resource-request-equals-limit',
    severity: 'error',
    reason: 'The server requires a limit of an extended resource.',
    files: {
      'docs/user-guide/how_to_use_resource_strategy_fit_plugin.md#6': 1,
      'docs/user-guide/how_to_use_resource_strategy_fit_plugin.md#8': 1,
    },
  },
  {
    project: 'volcano',
    rule: 'yaml/syntax',
    severity: 'error',
    reason: 'The indentation of the block is broken.',
    files: {
      'docs/user-guide/how_to_use_svc_plugin.md#2': 1,
    },
  },
  {
    project: 'volcano',
    rule: 'metadata/no-resource-version',
    severity: 'warning',
    reason: 'Output of kubectl get, which is not for applying.',
    files: {
      'docs/user-guide/how_to_use_svc_plugin.md#3': 1,
      'docs/user-guide/how_to_use_svc_plugin.md#4': 1,
      'docs/user-guide/how_to_use_svc_plugin.md#5': 1,
    },
  },
  {
    project: 'volcano',
    rule: 'volcano/scheduler-has-gang-and-predicates',
    severity: 'warning',
    reason: 'Without gang a job starts with fewer pods than its minAvailable.',
    files: {
      'docs/user-guide/how_to_use_vnpu.md#3': 1,
      'docs/user-guide/how_to_use_volcano_vgpu.md#2': 1,
    },
  },
  {
    project: 'volcano',
    rule: 'volcano/task-restart-policy-lets-finish',
    severity: 'warning',
    reason: 'The job states maxRetry, and its task restarts for ever.',
    files: {
      'docs/user-guide/how_to_use_vnpu.md#4': 1,
    },
  },
  {
    project: 'keda',
    rule: 'schema/required',
    severity: 'error',
    reason: 'A placeholder for the job.',
    files: {
      'config/samples/keda_v1alpha1_scaledjob.yaml': 1,
    },
  },
  {
    project: 'keda',
    rule: 'keda/scaler-known',
    severity: 'error',
    reason: 'A placeholder for the type of the trigger.',
    files: {
      'config/samples/keda_v1alpha1_scaledjob.yaml': 1,
      'config/samples/keda_v1alpha1_scaledobject.yaml': 1,
    },
  },
  {
    project: 'training-operator-v1',
    rule: 'pods/memory-volume-has-size-limit',
    severity: 'warning',
    reason: 'Without limits of memory the volume may take half of the memory of the node.',
    files: {
      'examples/paddlepaddle/simple-gpu.yaml': 1,
    },
  },
  {
    project: 'training-operator-v1',
    rule: 'core/claim-valid',
    severity: 'error',
    reason: 'An empty placeholder for the name of the storage class.',
    files: {
      'examples/tensorflow/distribution_strategy/pvc.yaml': 1,
    },
  },
  {
    project: 'training-operator-v1',
    rule: 'schema/unknown-field',
    severity: 'error',
    reason: 'The template is written as a whole object, with apiVersion and kind.',
    files: {
      'examples/xgboost/smoke-dist/xgboostjob_v1alpha1_rabit_test.yaml': 4,
    },
  },
  {
    project: 'kubeflow-trainer-v2',
    rule: 'trainer/volcano-policy-has-scheduler',
    severity: 'warning',
    reason: 'Trainer sets no schedulerName, so Volcano schedules the pods only if something else does.',
    files: {
      'examples/yaml/04-volcano-integration.yaml': 1,
    },
  },
  {
    project: 'kubeflow-trainer-v2',
    rule: 'trainer/initializer-has-job',
    severity: 'error',
    reason: 'The webhook of Trainer requires the volume mount `initializer`.',
    files: {
      'examples/yaml/05-multi-step.yaml': 1,
    },
  },
  {
    project: 'kubeflow-trainer-v2',
    rule: 'pods/shared-memory-for-several-gpus',
    severity: 'warning',
    reason: 'NCCL exchanges data between the processes of a pod over /dev/shm, which has 64 MiB.',
    files: {
      'manifests/base/runtimes/torchtune/llama3_2/llama3_2_1B.yaml': 1,
      'manifests/base/runtimes/torchtune/llama3_2/llama3_2_3B.yaml': 1,
      'manifests/base/runtimes/torchtune/qwen2_5/qwen2_5_1.5B.yaml': 1,
    },
  },
  {
    project: 'node-feature-discovery',
    rule: 'networking/nfd-key-in-domain',
    severity: 'error',
    reason: 'A test of what NFD denies.',
    files: {
      'test/e2e/data/nodefeaturerule-3-updated.yaml': 3,
      'test/e2e/data/nodefeaturerule-4.yaml': 1,
      'test/e2e/data/nodefeaturerule-5.yaml': 3,
    },
  },
  {
    project: 'prometheus-operator',
    rule: 'schema/pattern',
    severity: 'error',
    reason: 'Prometheus takes 100GiB, and not the quantity 100Gi.',
    files: {
      'Documentation/platform/sharding.md#5': 1,
    },
  },
  {
    project: 'prometheus-operator',
    rule: 'metadata/name',
    severity: 'error',
    reason: 'A name with an uppercase letter.',
    files: {
      'Documentation/platform/strategic-merge-patch.md#1': 1,
    },
  },
  {
    project: 'prometheus-operator',
    rule: 'schema/unknown-field',
    severity: 'error',
    reason: 'A PodMonitor has podMetricsEndpoints; endpoints is of a ServiceMonitor.',
    files: {
      'Documentation/user-guides/running-exporters.md#9': 1,
    },
  },
  {
    project: 'knative-serving',
    rule: 'schema/scope',
    severity: 'warning',
    reason: 'The server drops the namespace of a cluster-scoped object.',
    files: {
      'test/performance/benchmarks/dataplane-probe/dataplane-probe-activator.yaml': 1,
      'test/performance/benchmarks/dataplane-probe/dataplane-probe-deployment.yaml': 1,
      'test/performance/benchmarks/dataplane-probe/dataplane-probe-queue.yaml': 1,
      'test/performance/benchmarks/load-test/load-test-0-direct.yaml': 1,
      'test/performance/benchmarks/load-test/load-test-200-direct.yaml': 1,
      'test/performance/benchmarks/load-test/load-test-always-direct.yaml': 1,
      'test/performance/benchmarks/real-traffic-test/real-traffic-test.yaml': 1,
      'test/performance/benchmarks/reconciliation-delay/reconciliation-delay.yaml': 1,
      'test/performance/benchmarks/rollout-probe/rollout-probe-activator-direct-lin.yaml': 1,
      'test/performance/benchmarks/rollout-probe/rollout-probe-activator-direct.yaml': 1,
      'test/performance/benchmarks/rollout-probe/rollout-probe-queue-proxy-direct.yaml': 1,
      'test/performance/benchmarks/scale-from-zero/scale-from-zero-1.yaml': 1,
      'test/performance/benchmarks/scale-from-zero/scale-from-zero-100.yaml': 1,
      'test/performance/benchmarks/scale-from-zero/scale-from-zero-25.yaml': 1,
      'test/performance/benchmarks/scale-from-zero/scale-from-zero-5.yaml': 1,
    },
  },
  {
    project: 'knative-serving',
    rule: 'serving/knative-feature-switched-on',
    severity: 'warning',
    reason: 'The feature is off by default; the tests of Knative switch it on.',
    files: {
      'test/test_images/initcontainers/service.yaml': 1,
      'test/test_images/volumes/service-pvc.yaml': 2,
    },
  },
  {
    project: 'scheduler-plugins',
    rule: 'schema/scope',
    severity: 'warning',
    reason: 'The server drops the namespace of a cluster-scoped object.',
    files: {
      'manifests/appgroup/cluster-role.yaml': 1,
      'manifests/networktopology/cluster-role.yaml': 1,
      'manifests/networktopology/deploy-networktopology-controller.yaml': 1,
      'manifests/noderesourcetopology/cluster-role.yaml': 1,
    },
  },
  {
    project: 'scheduler-plugins',
    rule: 'yaml/syntax',
    severity: 'error',
    reason: 'The file is not YAML: a map begins inside a value.',
    files: {
      'manifests/appgroup/onlineBoutique-appGroup-example.yaml': 1,
    },
  },
  {
    project: 'scheduler-plugins',
    rule: 'metadata/named',
    severity: 'error',
    reason: 'The Namespace sets metadata.namespace instead of metadata.name.',
    files: {
      'manifests/networktopology/deploy-networktopology-controller.yaml': 1,
    },
  },
  {
    project: 'nvidia-dra-driver-gpu',
    rule: 'pods/shared-memory-for-several-gpus',
    severity: 'warning',
    reason: 'MPI exchanges data between the processes of a pod over /dev/shm, which has 64 MiB.',
    files: {
      'demo/specs/imex/nvbandwidth-test-job-1.yaml': 1,
      'demo/specs/imex/nvbandwidth-test-job-2.yaml': 1,
      'demo/specs/imex/nvbandwidth-test-job.yaml': 1,
      'demo/specs/imex/nvbandwidth-test-no-compute-domain-job.yaml': 1,
    },
  },
  {
    project: 'nvidia-dra-driver-gpu',
    rule: 'schema/api-version-served',
    severity: 'error',
    reason: 'The claim is of an alpha version that newer minors of Kubernetes removed.',
    files: {
      'demo/specs/mig+mps/sharing-demo-claims-1.yaml': 1,
      'demo/specs/mig+mps/sharing-demo-claims.yaml': 4,
      'demo/specs/quickstart/v1beta1/gpu-test-vfiopci.yaml': 1,
      'demo/specs/selectors/claims.yaml': 2,
    },
  },
  {
    project: 'nvidia-dra-driver-gpu',
    rule: 'core/pod-resource-claim-valid',
    severity: 'error',
    reason: '`source` was a field of the alpha version; the name of the claim is now beside it.',
    files: {
      'demo/specs/mig+mps/sharing-demo-job-1.yaml': 1,
      'demo/specs/mig+mps/sharing-demo-job.yaml': 4,
      'demo/specs/selectors/pods.yaml': 2,
    },
  },
  {
    project: 'nvidia-dra-driver-gpu',
    rule: 'schema/unknown-field',
    severity: 'error',
    reason: '`source` was a field of the alpha version; the name of the claim is now beside it.',
    files: {
      'demo/specs/mig+mps/sharing-demo-job-1.yaml': 1,
      'demo/specs/mig+mps/sharing-demo-job.yaml': 4,
      'demo/specs/selectors/pods.yaml': 2,
    },
  },
  {
    project: 'nvidia-dra-driver-gpu',
    rule: 'schema/api-version-on-by-default',
    severity: 'warning',
    reason: 'Beta versions of resource.k8s.io are served only with --runtime-config.',
    files: {
      'demo/specs/quickstart/gpu-test7.yaml': 1,
      'demo/specs/quickstart/gpu-test8.yaml': 1,
      'demo/specs/quickstart/v1beta1/gpu-test-mps.yaml': 1,
      'demo/specs/quickstart/v1beta1/gpu-test1.yaml': 1,
      'demo/specs/quickstart/v1beta1/gpu-test2.yaml': 1,
      'demo/specs/quickstart/v1beta1/gpu-test3.yaml': 1,
      'demo/specs/quickstart/v1beta1/gpu-test4.yaml': 1,
      'demo/specs/quickstart/v1beta1/gpu-test5.yaml': 1,
      'demo/specs/quickstart/v1beta1/gpu-test6.yaml': 1,
      'demo/specs/quickstart/v1beta1/imex-test1.yaml': 5,
    },
  },
  {
    project: 'nvidia-dra-driver-gpu',
    rule: 'devices/dra-sharing-gate-on',
    severity: 'warning',
    reason: 'The feature gates of the driver are off by default.',
    files: {
      'demo/specs/quickstart/v1/gpu-test-mps.yaml': 1,
      'demo/specs/quickstart/v1/gpu-test5.yaml': 2,
      'demo/specs/quickstart/v1/gpu-test6.yaml': 1,
      'demo/specs/quickstart/v1beta1/gpu-test-mps.yaml': 1,
      'demo/specs/quickstart/v1beta1/gpu-test5.yaml': 2,
      'demo/specs/quickstart/v1beta1/gpu-test6.yaml': 1,
    },
  },
  {
    project: 'nvidia-dra-driver-gpu',
    rule: 'references/object-in-set',
    severity: 'warning',
    reason: 'The Namespace of the file is gpu-test-vfio; the pod names another one.',
    files: {
      'demo/specs/quickstart/v1/gpu-test-vfio-config.yaml': 1,
      'demo/specs/quickstart/v1beta1/gpu-test-vfiopci.yaml': 1,
    },
  },
  {
    project: 'nvidia-dra-driver-gpu',
    rule: 'devices/dra-attribute-exists',
    severity: 'warning',
    reason: 'The driver publishes no attribute `index`.',
    files: {
      'demo/specs/quickstart/v1/gpu-test6.yaml': 4,
      'demo/specs/quickstart/v1beta1/gpu-test6.yaml': 4,
    },
  },
  {
    project: 'nvidia-dra-driver-gpu',
    rule: 'devices/device-class-known',
    severity: 'warning',
    reason: 'The driver has no class imex.nvidia.com; its compute domains replaced it.',
    files: {
      'demo/specs/quickstart/v1/imex-test1.yaml': 4,
      'demo/specs/quickstart/v1beta1/imex-test1.yaml': 4,
    },
  },
];

/**
 * The projects whose own validators the suite asks: where their code comes from, and which kinds they judge.
 */
import { join } from 'node:path';
import { type JsonObject } from '../../../src/facts/api/schema';
import { isDevicePluginConfig } from '../../../src/constructs/gpu-operator/device-plugin-text';
import { isMigConfig } from '../../../src/constructs/gpu-operator/mig-parted-text';
import { UPSTREAM, type Upstream, type UpstreamRelease } from '../../../src/facts/upstream';
import { PLUGIN_SWITCHES, SCHEDULER_PLUGINS } from '../../../src/constructs/volcano/scheduler-facts';
import { SCHEDULER_CONF_KEY } from '../../../src/facts/catalog/volcano-names';
import { asObject } from '../../../src/manifests/read';
import { type AddedFile } from '../go-program';

export interface WebhookProject {
  /** Name of the folder in `programs/`. */
  readonly name: string;
  readonly upstream: Upstream;
  /** The Go module that has the validators. */
  readonly module: string;
  /**
   * The version of the module that is asked.
   * @default - that of the table of releases
   */
  readonly version?: string;
  /** What it judges, as `apiVersion Kind`. */
  readonly kinds: readonly string[];
  /** Of objects of these kinds, those that it judges. */
  readonly judges?: (object: JsonObject) => boolean;
  /**
   * The rules that state what these validators do. An error of another rule (what a server says to the pods that a controller creates, what
   * the controller itself needs) is no false reject, but counts as found where the project refuses the object too.
   */
  readonly rules: RegExp;
  /** Of these rules, those that another component enforces, and which. */
  readonly elsewhere?: Readonly<Record<string, string>>;
  /**
   * The kinds of which objects that exist beside the judged one matter.
   * @default - none
   */
  readonly beside?: readonly string[];
  /**
   * Whether those of all sources count that the object names.
   * @default - those of the source of the object count
   */
  readonly besideOfAll?: boolean;
  /**
   * The configuration that is text in a ConfigMap, where that is what it judges.
   * @default - it judges objects
   */
  readonly embedded?: EmbeddedConfig;
  /**
   * Whether its module has parts in C.
   * @default false
   */
  readonly cgo?: boolean;
  /** What the build adds to an older version of a module that it needs. */
  readonly added?: AddedFile;
  /** Messages that say that another object does not exist: then the answer is not clear, since it may exist in the cluster. */
  readonly absent?: RegExp;
}

/** A configuration that is text in a ConfigMap. */
export interface EmbeddedConfig {
  /**
   * The component of a ClusterPolicy that names the ConfigMap.
   * @default - nothing names it
   */
  readonly component?: string;
  /** Key of the text in the ConfigMap. */
  readonly key: string;
  readonly isConfig: (text: string) => boolean;
  /** Files and documents of the module that have examples. */
  readonly files: readonly string[];
  /** Keys that its reader knows. */
  readonly keys: readonly string[];
}

export const PROGRAMS_FOLDER = join(__dirname, 'programs');

const DEVICE_PLUGIN_KEYS = [
  ...['version', 'flags', 'resources', 'sharing', 'imex', 'migStrategy', 'failOnInitError', 'mpsRoot'],
  ...['nvidiaDriverRoot', 'nvidiaDevRoot', 'gdrcopyEnabled', 'gdsEnabled', 'mofedEnabled', 'useNodeFeatureAPI'],
  ...['deviceDiscoveryStrategy', 'plugin', 'gfd', 'passDeviceSpecs', 'deviceListStrategy', 'deviceIDStrategy'],
  ...['cdiAnnotationPrefix', 'nvidiaCTKPath', 'containerDriverRoot', 'oneshot', 'noTimestamp', 'sleepInterval'],
  ...['outputFile', 'machineTypeFile', 'timeSlicing', 'mps', 'renameByDefault', 'failRequestsGreaterThanOne'],
  ...['name', 'rename', 'devices', 'replicas', 'gpus', 'mig', 'pattern', 'channelIDs', 'required'],
];

const VOLCANO_SCHEDULER_KEYS = [
  ...['actions', 'tiers', 'configurations', 'metrics', 'plugins', 'name', 'arguments', 'type', 'interval', 'address'],
  ...PLUGIN_SWITCHES,
  ...Object.values(SCHEDULER_PLUGINS).flatMap((plugin) => Object.keys(plugin.arguments)),
];

/** The module proxy has no volcano.sh/apis of the version of Volcano. */
const MISSING_OF_VOLCANO: AddedFile = {
  file: '../volcano/missing/queue_gate.go',
  module: 'volcano.sh/apis',
  package: 'pkg/apis/scheduling/v1beta1',
};

export const WEBHOOK_PROJECTS: readonly WebhookProject[] = [
  {
    name: 'jobset',
    upstream: 'jobset',
    module: 'sigs.k8s.io/jobset',
    rules: /^batch\/jobset-/,
    elsewhere: {
      'batch/jobset-restart-policy-fits-job': 'the API server, when the controller creates the Job',
    },
    beside: ['v1 PersistentVolumeClaim'],
    kinds: ['jobset.x-k8s.io/v1alpha2 JobSet'],
  },
  {
    name: 'training-operator',
    upstream: 'training-operator-v1',
    module: 'github.com/kubeflow/training-operator',
    rules: /^kubeflow\//,
    elsewhere: {
      'kubeflow/restart-policy-known': 'the API server, when the controller creates the pods',
      'kubeflow/derived-names-fit': 'the API server, when the controller creates the Services',
    },
    kinds: ['JAXJob', 'PaddleJob', 'PyTorchJob', 'TFJob', 'XGBoostJob'].map((kind) => `kubeflow.org/v1 ${kind}`),
  },
  {
    name: 'mpi-operator',
    upstream: 'mpi-operator',
    module: 'github.com/kubeflow/mpi-operator',
    rules: /^kubeflow\//,
    kinds: ['kubeflow.org/v2beta1 MPIJob'],
  },
  {
    name: 'trainer',
    upstream: 'kubeflow-trainer-v2',
    module: 'github.com/kubeflow/trainer/v2',
    rules: /^trainer\//,
    elsewhere: {
      'trainer/env-injection-targets-exist': 'the webhook, for the TrainJob that uses the runtime',
      'trainer/flux-installer-reserved': 'the webhook, for the TrainJob that uses the runtime',
      'trainer/volcano-queue-named': 'the webhook, for the TrainJob that uses the runtime',
      'trainer/patches-name-what-exists': 'the API server: Trainer adds what a patch names, and it has no image',
    },
    absent: /not found: specified/,
    // Most examples of jobs have the runtime in another file.
    besideOfAll: true,
    beside: ['TrainingRuntime', 'ClusterTrainingRuntime'].map((kind) => `trainer.kubeflow.org/v1alpha1 ${kind}`),
    kinds: ['TrainJob', 'TrainingRuntime', 'ClusterTrainingRuntime'].map(
      (kind) => `trainer.kubeflow.org/v1alpha1 ${kind}`,
    ),
  },
  {
    name: 'kueue',
    upstream: 'kueue',
    module: 'sigs.k8s.io/kueue',
    rules: /^kueue\//,
    beside: ['LocalQueue', 'ClusterQueue', 'WorkloadPriorityClass', 'ResourceFlavor'].map(
      (kind) => `kueue.x-k8s.io/v1beta2 ${kind}`,
    ),
    kinds: [
      ...['ClusterQueue', 'Cohort', 'ResourceFlavor', 'Workload'].map((kind) => `kueue.x-k8s.io/v1beta2 ${kind}`),
      'batch/v1 Job',
    ],
    judges: (object) =>
      object.apiVersion !== 'batch/v1' || asObject(metadataOf(object).labels)[QUEUE_NAME] !== undefined,
  },
  {
    name: 'keda',
    upstream: 'keda',
    module: 'github.com/kedacore/keda/v2',
    rules: /^keda\//,
    elsewhere: {
      'keda/variable-of-target': 'the scaler, when it measures: KEDA reads an absent variable as empty',
      'keda/container-of-target': 'the HorizontalPodAutoscaler, when it measures',
      'keda/file-path-of-cluster': 'the operator, when it resolves the authentication',
      'keda/metric-type-fits': 'the API server, for the HorizontalPodAutoscaler; for cpu and memory the scaler',
      'keda/resource-trigger-value': 'the API server, for the HorizontalPodAutoscaler; what is no number the scaler',
      'keda/name-fits-label': 'the API server, when the operator labels what it creates',
    },
    absent: /not found$|no matches for kind/,
    beside: [
      ...['Deployment', 'StatefulSet'].map((kind) => `apps/v1 ${kind}`),
      ...['TriggerAuthentication', 'ClusterTriggerAuthentication', 'ScaledObject'].map(
        (kind) => `keda.sh/v1alpha1 ${kind}`,
      ),
      ...['Secret', 'ConfigMap', 'ServiceAccount', 'LimitRange'].map((kind) => `v1 ${kind}`),
      'autoscaling/v2 HorizontalPodAutoscaler',
    ],
    kinds: ['ScaledObject', 'ScaledJob', 'TriggerAuthentication', 'ClusterTriggerAuthentication'].map(
      (kind) => `keda.sh/v1alpha1 ${kind}`,
    ),
  },
  {
    name: 'knative-serving',
    upstream: 'knative-serving',
    module: 'knative.dev/serving',
    rules: /^serving\/(?!kserve)/,
    kinds: [
      ...['Service', 'Configuration', 'Revision', 'Route'].map((kind) => `serving.knative.dev/v1 ${kind}`),
      'serving.knative.dev/v1beta1 DomainMapping',
    ],
  },
  {
    name: 'kuberay',
    upstream: 'kuberay',
    module: 'github.com/ray-project/kuberay/ray-operator',
    // The newest one that the module proxy has.
    version: 'v1.6.2',
    rules: /^ray\//,
    elsewhere: {
      'ray/worker-group-names-unique': 'the webhook of RayClusters',
      'ray/job-submitter-restart-policy': 'the API server, when the controller creates the Job',
      'ray/job-submission-mode-fits': 'the controller, which submits nothing in an unknown mode',
      'ray/service-upgrade-fits': 'KubeRay 1.7, for a step that is larger than the surge',
      'ray/group-settings-need-autoscaler-v2': 'KubeRay 1.7, for the priority of a group',
    },
    // Of a RayCronJob, this version knows neither the time zone nor the limit of the name.
    kinds: ['RayCluster', 'RayJob', 'RayService'].map((kind) => `ray.io/v1 ${kind}`),
  },
  {
    name: 'prometheus-operator',
    upstream: 'prometheus-operator',
    module: 'github.com/prometheus-operator/prometheus-operator',
    rules: /^monitoring\//,
    kinds: ['monitoring.coreos.com/v1 PrometheusRule'],
  },
  {
    name: 'node-feature-discovery',
    upstream: 'node-feature-discovery',
    module: 'sigs.k8s.io/node-feature-discovery',
    rules: /^networking\/nfd-/,
    elsewhere: { 'networking/nfd-expression-evaluates': 'the master, when it evaluates the rule for a node' },
    kinds: ['nfd.k8s-sigs.io/v1alpha1 NodeFeatureRule'],
  },
  {
    name: 'dra-driver',
    upstream: 'nvidia-dra-driver-gpu',
    module: 'sigs.k8s.io/dra-driver-nvidia-gpu',
    rules: /^devices\//,
    kinds: ['resource.k8s.io/v1 ResourceClaim', 'resource.k8s.io/v1 ResourceClaimTemplate'],
    judges: (object) => JSON.stringify(object).includes('resource.nvidia.com/'),
  },
  {
    name: 'volcano',
    upstream: 'volcano',
    module: 'volcano.sh/volcano',
    added: MISSING_OF_VOLCANO,
    rules: /^volcano\//,
    elsewhere: {
      'volcano/job-flow-job-names-fit': 'the webhook of Jobs, when the controller creates the Job',
      'volcano/job-name-serves-as-host': 'the API server, when the controller creates the Service and the pods',
      'volcano/job-plugin-role-tasks-exist': 'the controller, which creates no pod of a Ray job without a head',
    },
    // The parent of a queue may exist in the cluster.
    absent: /failed to get parent queue|parent queue \S+ not found/,
    beside: ['scheduling.volcano.sh/v1beta1 Queue'],
    kinds: [
      ...['Job', 'CronJob'].map((kind) => `batch.volcano.sh/v1alpha1 ${kind}`),
      ...['Queue', 'PodGroup'].map((kind) => `scheduling.volcano.sh/v1beta1 ${kind}`),
      'flow.volcano.sh/v1alpha1 JobFlow',
      'topology.volcano.sh/v1alpha1 HyperNode',
    ],
  },
  {
    name: 'volcano-scheduler',
    upstream: 'volcano',
    module: 'volcano.sh/volcano',
    added: MISSING_OF_VOLCANO,
    rules: /^volcano\/scheduler-/,
    kinds: ['v1 ConfigMap'],
    embedded: {
      key: SCHEDULER_CONF_KEY,
      isConfig: (text) => /^\s*(actions|tiers|configurations)\s*:/m.test(text),
      files: [
        'installer/volcano-development.yaml',
        'installer/helm/chart/volcano/config/volcano-scheduler.conf',
        'installer/helm/chart/volcano/config/volcano-scheduler-ci.conf',
        ...['how_to_use_nodegroup_plugin', 'how_to_use_capacity_plugin', 'how_to_use_volcano_vgpu'].map(
          (guide) => `docs/user-guide/${guide}.md`,
        ),
      ],
      keys: VOLCANO_SCHEDULER_KEYS,
    },
  },
  {
    name: 'lws',
    upstream: 'lws',
    module: 'sigs.k8s.io/lws',
    // The newest one that the module proxy has.
    version: UPSTREAM.lws.code,
    rules: /^batch\/lws-/,
    elsewhere: { 'batch/lws-pods-restart-always': 'the API server, when the controller creates the StatefulSets' },
    kinds: ['leaderworkerset.x-k8s.io/v1 LeaderWorkerSet'],
  },
  {
    name: 'sriov-network-operator',
    upstream: 'sriov-network-operator',
    module: 'github.com/k8snetworkplumbingwg/sriov-network-operator',
    rules: /^networking\/sriov-/,
    beside: ['sriovnetwork.openshift.io/v1 SriovNetworkNodePolicy'],
    kinds: ['SriovNetworkNodePolicy', 'SriovNetworkPoolConfig', 'SriovOperatorConfig'].map(
      (kind) => `sriovnetwork.openshift.io/v1 ${kind}`,
    ),
  },
  {
    name: 'device-plugin',
    upstream: 'k8s-device-plugin',
    module: 'github.com/NVIDIA/k8s-device-plugin',
    rules: /^gpu-operator\/(device-plugin|sharing)-/,
    elsewhere: {
      'gpu-operator/device-plugin-flag-known': 'the main package of the plugin, which cannot be imported',
      'gpu-operator/sharing-mps-whole-gpus':
        'the main package of the plugin, and its resource manager when it finds GPUs',
    },
    kinds: ['v1 ConfigMap'],
    embedded: {
      component: 'devicePlugin',
      key: 'config.yaml',
      isConfig: isDevicePluginConfig,
      files: ['README.md'],
      keys: DEVICE_PLUGIN_KEYS,
    },
  },
  {
    name: 'mig-parted',
    upstream: 'mig-parted',
    module: 'github.com/NVIDIA/mig-parted',
    // The newest one that the module proxy has.
    version: 'v0.13.1',
    cgo: true,
    rules: /^gpu-operator\/mig-/,
    elsewhere: { 'gpu-operator/mig-layout-fits-gpu': 'the MIG manager, when it asks the GPU' },
    kinds: ['v1 ConfigMap'],
    embedded: {
      component: 'migManager',
      key: 'config.yaml',
      isConfig: isMigConfig,
      files: [
        'examples/config.yaml',
        'examples/dgx-station-80gb-config.yaml',
        'deployments/systemd/config-default.yaml',
        'deployments/container/nvidia-mig-manager-example.yaml',
        'deployments/container/nvidia-mig-manager-example-hopper-blackwell.yaml',
      ],
      keys: ['version', 'mig-configs', 'device-filter', 'devices', 'mig-enabled', 'mig-devices', '1g.5gb', '7g.80gb'],
    },
  },
];

const QUEUE_NAME = 'kueue.x-k8s.io/queue-name';

function metadataOf(object: JsonObject): JsonObject {
  return asObject(object.metadata);
}

/** The version of the project's module. */
export function moduleVersion({ upstream, version: asked }: WebhookProject): string {
  const { version, moduleVersion: own }: UpstreamRelease = UPSTREAM[upstream];
  return asked ?? own ?? version;
}

export function webhookProject(name: string): WebhookProject {
  const found = WEBHOOK_PROJECTS.find((project) => project.name === name);
  if (found === undefined) {
    throw new Error(`unknown project "${name}": one of ${WEBHOOK_PROJECTS.map((project) => project.name).join(', ')}`);
  }
  return found;
}

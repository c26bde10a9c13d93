/**
 * Which collections of a cluster a snapshot contains, and the ConfigMaps among them. The ClusterRole that a snapshot needs follows from it.
 *
 * Secrets are not in this table and must never be.
 */

/** A collection that a snapshot lists. */
export interface SnapshotCollection {
  /** Empty for the core group. */
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  /** What of `status` is kept. @default - nothing */
  readonly status?: readonly string[];
  /**
   * What is kept beside the metadata: `names` nothing, so that references to the object can be checked; `event` what an event says, of the
   * events that `events.ts` names.
   * @default 'spec'
   */
  readonly keep?: 'names' | 'spec' | 'event';
}

const CONDITIONS = ['conditions'];

export const SNAPSHOT_COLLECTIONS: readonly SnapshotCollection[] = [
  { group: '', plural: 'namespaces', kind: 'Namespace', keep: 'names', status: ['phase'] },
  { group: '', plural: 'resourcequotas', kind: 'ResourceQuota', status: ['used'] },
  { group: '', plural: 'limitranges', kind: 'LimitRange' },
  { group: '', plural: 'serviceaccounts', kind: 'ServiceAccount', keep: 'names' },
  { group: '', plural: 'nodes', kind: 'Node', status: ['allocatable', 'capacity', 'conditions'] },
  {
    group: '',
    plural: 'pods',
    kind: 'Pod',
    status: [
      'phase',
      'conditions',
      'startTime',
      'nominatedNodeName',
      'resourceClaimStatuses',
      'extendedResourceClaimStatus',
    ],
  },
  { group: '', plural: 'events', kind: 'Event', keep: 'event' },
  { group: '', plural: 'persistentvolumeclaims', kind: 'PersistentVolumeClaim', status: ['phase'] },
  { group: '', plural: 'persistentvolumes', kind: 'PersistentVolume', status: ['phase'] },
  { group: 'scheduling.k8s.io', plural: 'priorityclasses', kind: 'PriorityClass' },
  { group: 'scheduling.k8s.io', plural: 'podgroups', kind: 'PodGroup', status: CONDITIONS },
  { group: 'node.k8s.io', plural: 'runtimeclasses', kind: 'RuntimeClass' },
  { group: 'storage.k8s.io', plural: 'storageclasses', kind: 'StorageClass' },
  { group: 'policy', plural: 'poddisruptionbudgets', kind: 'PodDisruptionBudget', status: ['disruptionsAllowed'] },
  { group: 'resource.k8s.io', plural: 'deviceclasses', kind: 'DeviceClass' },
  { group: 'resource.k8s.io', plural: 'resourceslices', kind: 'ResourceSlice' },
  { group: 'resource.k8s.io', plural: 'resourceclaims', kind: 'ResourceClaim', status: ['allocation', 'reservedFor'] },
  { group: 'resource.k8s.io', plural: 'resourceclaimtemplates', kind: 'ResourceClaimTemplate' },
  {
    group: 'apiextensions.k8s.io',
    plural: 'customresourcedefinitions',
    kind: 'CustomResourceDefinition',
    status: ['storedVersions'],
  },
  {
    group: 'admissionregistration.k8s.io',
    plural: 'validatingadmissionpolicies',
    kind: 'ValidatingAdmissionPolicy',
  },
  {
    group: 'admissionregistration.k8s.io',
    plural: 'validatingadmissionpolicybindings',
    kind: 'ValidatingAdmissionPolicyBinding',
  },
  { group: 'admissionregistration.k8s.io', plural: 'mutatingadmissionpolicies', kind: 'MutatingAdmissionPolicy' },
  {
    group: 'admissionregistration.k8s.io',
    plural: 'mutatingadmissionpolicybindings',
    kind: 'MutatingAdmissionPolicyBinding',
  },
  {
    group: 'admissionregistration.k8s.io',
    plural: 'validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
  },
  {
    group: 'admissionregistration.k8s.io',
    plural: 'mutatingwebhookconfigurations',
    kind: 'MutatingWebhookConfiguration',
  },
  { group: 'kueue.x-k8s.io', plural: 'clusterqueues', kind: 'ClusterQueue', status: CONDITIONS },
  { group: 'kueue.x-k8s.io', plural: 'localqueues', kind: 'LocalQueue', status: CONDITIONS },
  { group: 'kueue.x-k8s.io', plural: 'cohorts', kind: 'Cohort' },
  { group: 'kueue.x-k8s.io', plural: 'resourceflavors', kind: 'ResourceFlavor' },
  { group: 'kueue.x-k8s.io', plural: 'topologies', kind: 'Topology' },
  { group: 'kueue.x-k8s.io', plural: 'admissionchecks', kind: 'AdmissionCheck', status: CONDITIONS },
  { group: 'kueue.x-k8s.io', plural: 'multikueueconfigs', kind: 'MultiKueueConfig' },
  { group: 'kueue.x-k8s.io', plural: 'provisioningrequestconfigs', kind: 'ProvisioningRequestConfig' },
  { group: 'kueue.x-k8s.io', plural: 'workloadpriorityclasses', kind: 'WorkloadPriorityClass' },
  {
    group: 'kueue.x-k8s.io',
    plural: 'workloads',
    kind: 'Workload',
    status: ['conditions', 'admission', 'requeueState'],
  },
  { group: 'scheduling.volcano.sh', plural: 'queues', kind: 'Queue', status: ['state', 'allocated'] },
  { group: 'scheduling.volcano.sh', plural: 'podgroups', kind: 'PodGroup', status: ['phase', 'conditions', 'running'] },
  { group: 'topology.volcano.sh', plural: 'hypernodes', kind: 'HyperNode' },
  { group: 'scheduling.run.ai', plural: 'queues', kind: 'Queue' },
  { group: 'scheduling.run.ai', plural: 'podgroups', kind: 'PodGroup' },
  { group: 'kai.scheduler', plural: 'topologies', kind: 'Topology' },
  { group: 'scheduling.x-k8s.io', plural: 'podgroups', kind: 'PodGroup', status: ['phase'] },
  { group: 'karpenter.sh', plural: 'nodepools', kind: 'NodePool', status: ['resources', 'conditions'] },
  { group: 'karpenter.sh', plural: 'nodeclaims', kind: 'NodeClaim', status: CONDITIONS },
  { group: 'autoscaling.x-k8s.io', plural: 'provisioningrequests', kind: 'ProvisioningRequest', status: CONDITIONS },
  { group: 'trainer.kubeflow.org', plural: 'clustertrainingruntimes', kind: 'ClusterTrainingRuntime' },
  { group: 'trainer.kubeflow.org', plural: 'trainingruntimes', kind: 'TrainingRuntime' },
  {
    group: 'k8s.cni.cncf.io',
    plural: 'network-attachment-definitions',
    kind: 'NetworkAttachmentDefinition',
    keep: 'names',
  },
];

/** A ConfigMap that configures how work is placed. */
export interface SnapshotConfigMap {
  readonly name: string;
  /** Where projects install it by default; it is also looked for in namespaces in which the operator's pods run. */
  readonly namespaces: readonly string[];
  /** Name of the operator, as in `OPERATORS`. */
  readonly operator: string;
}

/** The only ConfigMaps that a snapshot reads without being asked. */
export const SNAPSHOT_CONFIG_MAPS: readonly SnapshotConfigMap[] = [
  { name: 'gantry-scheduler', namespaces: ['gantry-system'], operator: 'gantry-scheduler' },
  { name: 'volcano-scheduler-configmap', namespaces: ['volcano-system'], operator: 'volcano' },
  { name: 'kueue-manager-config', namespaces: ['kueue-system'], operator: 'kueue' },
  { name: 'scheduler-config', namespaces: ['kube-system', 'scheduler-plugins'], operator: 'scheduler-plugins' },
  { name: 'device-plugin-config', namespaces: ['gpu-operator', 'nvidia-device-plugin'], operator: 'gpu-operator' },
  { name: 'default-mig-parted-config', namespaces: ['gpu-operator'], operator: 'gpu-operator' },
];

/** Programs whose version decides how work is placed: by the last part of an image's repository. */
export const OPERATORS: Readonly<Record<string, string>> = {
  'vc-scheduler': 'volcano',
  'vc-controller-manager': 'volcano',
  'vc-webhook-manager': 'volcano',
  kueue: 'kueue',
  jobset: 'jobset',
  lws: 'lws',
  'training-operator': 'training-operator',
  'trainer-controller-manager': 'trainer',
  'mpi-operator': 'mpi-operator',
  'kuberay-operator': 'kuberay',
  operator: 'kuberay',
  keda: 'keda',
  'keda-operator': 'keda',
  'gpu-operator': 'gpu-operator',
  'k8s-device-plugin': 'nvidia-device-plugin',
  'k8s-dra-driver-gpu': 'nvidia-dra-driver',
  'dcgm-exporter': 'dcgm-exporter',
  'network-operator': 'network-operator',
  'node-feature-discovery': 'node-feature-discovery',
  'prometheus-operator': 'prometheus-operator',
  'kube-scheduler': 'kube-scheduler',
  'scheduler-plugins': 'scheduler-plugins',
  'cluster-autoscaler': 'cluster-autoscaler',
  controller: 'karpenter',
};

/** Images whose last part says too little: the part before it that it must have. */
export const OPERATOR_PARENTS: Readonly<Record<string, string>> = { operator: 'kuberay', controller: 'karpenter' };

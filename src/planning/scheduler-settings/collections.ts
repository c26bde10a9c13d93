/**
 * The collections that the scheduler keeps a copy of: some are served by every cluster, some only where a project is installed.
 */

export const COLLECTION_NAMES = [
  'nodes',
  'pods',
  'namespaces',
  'priorityClasses',
  'persistentVolumeClaims',
  'persistentVolumes',
  'storageClasses',
  'podDisruptionBudgets',
  'volcanoQueues',
  'volcanoPodGroups',
  'nativePodGroups',
  'schedulerPluginsPodGroups',
  'kueueTopologies',
  'kueueLocalQueues',
  'hyperNodes',
  'resourceSlices',
  'deviceClasses',
  'resourceClaims',
] as const;

export type CollectionName = (typeof COLLECTION_NAMES)[number];

export interface Collection {
  /** Empty for the core group. */
  readonly group: string;
  readonly plural: string;
  /** Versions that the program can read, best first; absent where every cluster of a covered minor serves it. */
  readonly versions: readonly string[];
  readonly optional?: true;
}

/** Dynamic resource allocation: stable from Kubernetes 1.34 on, and before that only where it is switched on. */
const DEVICES = { group: 'resource.k8s.io', versions: ['v1', 'v1beta2', 'v1beta1'], optional: true } as const;

export const COLLECTIONS: Readonly<Record<CollectionName, Collection>> = {
  nodes: { group: '', plural: 'nodes', versions: ['v1'] },
  pods: { group: '', plural: 'pods', versions: ['v1'] },
  namespaces: { group: '', plural: 'namespaces', versions: ['v1'] },
  priorityClasses: { group: 'scheduling.k8s.io', plural: 'priorityclasses', versions: ['v1'] },
  persistentVolumeClaims: { group: '', plural: 'persistentvolumeclaims', versions: ['v1'] },
  persistentVolumes: { group: '', plural: 'persistentvolumes', versions: ['v1'] },
  storageClasses: { group: 'storage.k8s.io', plural: 'storageclasses', versions: ['v1'] },
  podDisruptionBudgets: { group: 'policy', plural: 'poddisruptionbudgets', versions: ['v1'] },
  volcanoQueues: { group: 'scheduling.volcano.sh', plural: 'queues', versions: ['v1beta1'], optional: true },
  volcanoPodGroups: { group: 'scheduling.volcano.sh', plural: 'podgroups', versions: ['v1beta1'], optional: true },
  nativePodGroups: {
    group: 'scheduling.k8s.io',
    plural: 'podgroups',
    versions: ['v1beta1', 'v1alpha3', 'v1alpha2'],
    optional: true,
  },
  schedulerPluginsPodGroups: {
    group: 'scheduling.x-k8s.io',
    plural: 'podgroups',
    versions: ['v1alpha1'],
    optional: true,
  },
  kueueTopologies: {
    group: 'kueue.x-k8s.io',
    plural: 'topologies',
    versions: ['v1beta2', 'v1beta1', 'v1alpha1'],
    optional: true,
  },
  kueueLocalQueues: {
    group: 'kueue.x-k8s.io',
    plural: 'localqueues',
    versions: ['v1beta2', 'v1beta1'],
    optional: true,
  },
  hyperNodes: { group: 'topology.volcano.sh', plural: 'hypernodes', versions: ['v1alpha1'], optional: true },
  resourceSlices: { ...DEVICES, plural: 'resourceslices' },
  deviceClasses: { ...DEVICES, plural: 'deviceclasses' },
  resourceClaims: { ...DEVICES, plural: 'resourceclaims' },
};

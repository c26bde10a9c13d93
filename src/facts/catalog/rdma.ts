/**
 * RDMA for pods: how the resource is named, and what a pod needs beside it.
 *
 * Sources: network-operator (example resources), sriov-network-operator (chart values), multus.
 */
import { frozen } from './frozen';

/** How RDMA reaches a pod. */
export type RdmaKind = 'shared' | 'sriov' | 'efa';

/** One way to give pods an RDMA device. */
export interface RdmaFact {
  /** Short name of the way. */
  readonly kind: RdmaKind;
  /** How pods get the device, and which network carries the data. */
  readonly meaning: string;
  /** Resource names start with one of these; what follows is what the plugin on the cluster is configured with. */
  readonly resourcePrefixes: readonly string[];
  /** An example of a resource name. */
  readonly example: string;
  /** A pod needs a network attachment beside the resource. */
  readonly needsNetworkAttachment: boolean;
}

/** The ways to give pods an RDMA device. */
export const RDMA: Readonly<Record<RdmaKind, RdmaFact>> = frozen({
  shared: {
    kind: 'shared',
    meaning:
      'pods share an RDMA device (k8s-rdma-shared-dev-plugin); data goes over a macvlan or IPoIB attachment, or the host network',
    resourcePrefixes: ['rdma/'],
    example: 'rdma/rdma_shared_device_a',
    needsNetworkAttachment: true,
  },
  sriov: {
    kind: 'sriov',
    meaning: 'each pod has its own virtual functions (SR-IOV network device plugin)',
    resourcePrefixes: ['nvidia.com/', 'openshift.io/', 'mellanox.com/', 'intel.com/'],
    example: 'nvidia.com/mlx5_rdma',
    needsNetworkAttachment: true,
  },
  efa: {
    kind: 'efa',
    meaning: 'Elastic Fabric Adapter of AWS',
    resourcePrefixes: ['vpc.amazonaws.com/efa'],
    example: 'vpc.amazonaws.com/efa',
    needsNetworkAttachment: false,
  },
});

/** Pod annotation that attaches networks by name, and annotation of a NetworkAttachmentDefinition that names its resource. */
export const NETWORKS_ANNOTATION = 'k8s.v1.cni.cncf.io/networks';
/** Annotation of a NetworkAttachmentDefinition: the extended resource whose device the attachment uses. */
export const NETWORK_RESOURCE_ANNOTATION = 'k8s.v1.cni.cncf.io/resourceName';

/** The capability that lets a container pin memory. It has effect for containers that run as root only. */
export const RDMA_CAPABILITY = 'IPC_LOCK';

/**
 * Whether a resource is certainly an RDMA device: the shared plugin's prefix, or EFA. SR-IOV names are free, so only the words in a name such
 * as `nvidia.com/mlx5_rdma` suggest it.
 */
export function isRdmaResource(name: string): boolean {
  return (
    name.startsWith('rdma/') ||
    name === 'vpc.amazonaws.com/efa' ||
    /^[a-z0-9.-]+\/.*(?:rdma|mlx|mlnx|roce|(?:^|_)ib(?:_|\d|$))/i.test(name)
  );
}

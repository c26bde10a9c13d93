/**
 * How RDMA reaches a pod: which resource, which network attachment, and the right to pin memory.
 *
 * `IPC_LOCK` is effective for containers that run as root only; others need a runtime or a node whose memlock limit is raised.
 */
import { NETWORKS_ANNOTATION, RDMA_CAPABILITY } from '../catalog';
import { type Quantity } from '../api/scalars';
import { type PodContext, type PodContribution, type PodPart } from './pod-part';
import { type NamedReference, nameOf, referencesIn } from '../resources/references';

/** A NetworkAttachmentDefinition: `name` of the pod's namespace, `namespace/name`, or a construct. */
export type NetworkReference = NamedReference;

export interface SharedRdmaOptions {
  /** Attachment over which the pod reaches the device's network. @default - none, which is right on the host network only */
  readonly network?: NetworkReference;
}

export interface SriovRdmaOptions {
  /** The attachment. A pod with several virtual functions gets it as often. */
  readonly network: NetworkReference;
  /** What the device plugin on the cluster calls the virtual functions: `<prefix>/<resourceName>`, for example `nvidia.com/mlx5_rdma`. */
  readonly resource: string;
  /** Virtual functions of each pod. Their best number is that of the GPUs. @default 1 */
  readonly count?: number;
}

export interface HostNetworkRdmaOptions {
  /** Resource that brings `/dev/infiniband`, which the host network alone does not. @default - none: it comes in another way */
  readonly resource?: string;
  /** @default 1 */
  readonly count?: number;
}

export interface EfaOptions {
  /** EFA interfaces of each pod. */
  readonly count: number;
  /** Huge pages of 2 MiB that libfabric uses, in total. @default 5120Mi */
  readonly hugepages?: Quantity;
}

export class Rdma implements PodPart {
  /** A share of a device that many pods use (k8s-rdma-shared-dev-plugin). The name is the one that the plugin is configured with. */
  static shared(resource: `rdma/${string}`, count = 1, options: SharedRdmaOptions = {}): Rdma {
    return new Rdma(resource, { limits: { [resource]: whole(count) }, ...attachment(options.network, 1) });
  }

  /** Virtual functions of the pod's own. */
  static sriov(options: SriovRdmaOptions): Rdma {
    const count = whole(options.count ?? 1);
    return new Rdma(options.resource, { limits: { [options.resource]: count }, ...attachment(options.network, count) });
  }

  /** The network of the node, for all roles of a job alike. Cluster names are still resolved. */
  static hostNetwork(options: HostNetworkRdmaOptions = {}): Rdma {
    const limits = options.resource === undefined ? {} : { [options.resource]: whole(options.count ?? 1) };
    return new Rdma(options.resource, { limits, pod: { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' } });
  }

  /** Elastic Fabric Adapter of AWS. */
  static efa(options: EfaOptions): Rdma {
    const resource = 'vpc.amazonaws.com/efa';
    return new Rdma(resource, { limits: { [resource]: whole(options.count), 'hugepages-2Mi': options.hugepages ?? '5120Mi' } });
  }

  private constructor(
    /** The extended resource, where there is one. */
    readonly resource: string | undefined,
    private readonly contribution: PodContribution,
  ) {}

  /** Whether pods share the network of their node. */
  get hostNetwork(): boolean {
    return this.contribution.pod?.hostNetwork === true;
  }

  toPod(_context: PodContext): PodContribution {
    return { ...this.contribution, capabilities: [RDMA_CAPABILITY] };
  }
}

function attachment(network: NetworkReference | undefined, count: number): PodContribution {
  if (network === undefined) return {};
  const value = Array.from({ length: count }, () => nameOf(network)).join(',');
  return { annotations: { [NETWORKS_ANNOTATION]: value }, references: referencesIn(network) };
}

function whole(count: number): number {
  if (!Number.isInteger(count) || count < 1) throw new Error(`count ${count}: expected a whole number of RDMA devices, at least 1.`);
  return count;
}

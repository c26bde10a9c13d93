/**
 * How RDMA reaches a pod: which resource, which network attachment, and the right to pin memory.
 *
 * `IPC_LOCK` is effective for containers that run as root only; others need a runtime or a node whose memlock limit is raised.
 */
import { known } from '../../manifests/values/deferred';
import { bytesText, type ByteSize } from '../resources/quantities';
import { NETWORKS_ANNOTATION, RDMA_CAPABILITY } from '../../facts/catalog';
import { NcclProfile } from './nccl';
import { type PodContext, type PodContribution, type PodPart } from './pod-part';
import { type NamedReference, referencesIn } from '../resources/references';
import { publicClass } from '../resources/public-class';

/** A NetworkAttachmentDefinition: `name` of the pod's namespace, `namespace/name`, or a construct. */
export type NetworkReference = NamedReference<'NetworkAttachmentDefinition'> | RdmaNetwork;

/**
 * A network: the attachment, its device, and the fabric. The constructs of `networking` implement this interface, so that a pod repeats
 * neither name.
 */
export interface RdmaNetwork {
  /** Name of the NetworkAttachmentDefinition. */
  readonly name: string;
  /** Namespace of the NetworkAttachmentDefinition; `undefined` if it is that of the pod. */
  readonly networkNamespace: string | undefined;
  /** The extended resource that a pod asks for beside the attachment; `undefined` where the network has no device. */
  readonly deviceResource: string | undefined;
  /** The fabric for NCCL; `undefined` if it is not set. */
  readonly fabric: Fabric | undefined;
}

/** What carries RDMA: InfiniBand, or Ethernet (RDMA over Converged Ethernet). */
export type Fabric = 'infiniband' | 'roce';

/** Options of every kind of RDMA. */
export interface RdmaOptions {
  /** How NCCL finds the network; the `nccl` of the pod wins. @default - left to NCCL and to the pod's `nccl` */
  readonly nccl?: NcclProfile;
}

/** Options of `Rdma.over`. */
export interface NetworkRdmaOptions {
  /** Devices of each pod on each of the networks, and attachments as many. @default 1 */
  readonly count?: number;
  /** How NCCL finds the network; the `nccl` of the pod wins. @default - the profile of the networks' fabric */
  readonly nccl?: NcclProfile;
}

/** Options of `Rdma.shared`. */
export interface SharedRdmaOptions extends RdmaOptions {
  /** Attachment over which the pod reaches the device's network. @default - none, which is right on the host network only */
  readonly network?: NetworkReference;
}

/** Options of `Rdma.sriov`. */
export interface SriovRdmaOptions extends RdmaOptions {
  /** The attachment. A pod with several virtual functions gets it as often. */
  readonly network: NetworkReference;
  /** What the device plugin on the cluster calls the virtual functions: `<prefix>/<resourceName>`, for example `nvidia.com/mlx5_rdma`. */
  readonly resource: string;
  /** Virtual functions of each pod. Their best number is that of the GPUs. @default 1 */
  readonly count?: number;
}

/** Options of `Rdma.hostNetwork`. */
export interface HostNetworkRdmaOptions extends RdmaOptions {
  /** Resource that brings `/dev/infiniband`, which the host network alone does not. @default - none: it comes in another way */
  readonly resource?: string;
  /** Number of devices of each pod. @default 1 */
  readonly count?: number;
}

/** Options of `Rdma.efa`. */
export interface EfaOptions {
  /** EFA interfaces of each pod. */
  readonly count: number;
  /** Huge pages of 2 MiB that libfabric uses, in total. @default 5120Mi */
  readonly hugepages?: ByteSize;
}

/**
 * RDMA devices of a pod: the resource, the network attachments, the right to pin memory, and the NCCL profile that
 * belongs to them.
 *
 * @example
 * new kubeflow.PyTorchJob(chart, 'train', {
 *   nodes: 2,
 *   image: 'registry.example.com/train:1',
 *   accelerators: Accelerator.nvidia({ count: 8 }),
 *   rdma: Rdma.shared('rdma/rdma_shared_device_a'),
 * });
 */
@publicClass('Rdma')
export class Rdma implements PodPart {
  /** A share of a device that many pods use (k8s-rdma-shared-dev-plugin). The name is the one that the plugin is configured with. */
  static shared(resource: `rdma/${string}`, count = 1, options: SharedRdmaOptions = {}): Rdma {
    return new Rdma(resource, { limits: { [resource]: whole(count) } }, options, attachmentsOf(options.network, 1));
  }

  /**
   * One network, or one per rail: the attachment, the device that belongs to it, the right to pin memory and NCCL's profile, all as the
   * network says.
   *
   * @throws if a network names no device, or networks of two fabrics meet
   */
  static over(networks: RdmaNetwork | readonly RdmaNetwork[], options: NetworkRdmaOptions = {}): Rdma {
    const all = Array.isArray(networks) ? (networks as readonly RdmaNetwork[]) : [networks as RdmaNetwork];
    const count = whole(options.count ?? 1);
    const limits: Record<string, number> = {};
    for (const { name, deviceResource } of all) {
      if (name === undefined) {
        throw new Error(
          'networks must be a network, or a list of networks. Pass the construct, or the value of fromName.',
        );
      }
      if (deviceResource === undefined) {
        throw new Error(`network ${name} has no device resource. Set the device of the network where you define it.`);
      }
      // A share of a device serves all attachments of its pool; virtual functions are one for each.
      limits[deviceResource] = deviceResource.startsWith('rdma/') ? count : (limits[deviceResource] ?? 0) + count;
    }
    const [resource] = Object.keys(limits);
    if (resource === undefined) {
      throw new Error('networks must contain at least one network.');
    }
    const attachments = all.flatMap((network) => attachmentsOf(network, count));
    return new Rdma(resource, { limits }, { nccl: options.nccl ?? profileOf(all) }, attachments);
  }

  /** Virtual functions of the pod's own. */
  static sriov(options: SriovRdmaOptions): Rdma {
    const count = whole(options.count ?? 1);
    return new Rdma(
      options.resource,
      { limits: { [options.resource]: count } },
      options,
      attachmentsOf(options.network, count),
    );
  }

  /** The network of the node, for all roles of a job alike. Cluster names are still resolved. */
  static hostNetwork(options: HostNetworkRdmaOptions = {}): Rdma {
    const limits = options.resource === undefined ? {} : { [options.resource]: whole(options.count ?? 1) };
    return new Rdma(
      options.resource,
      { limits, pod: { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' } },
      options,
    );
  }

  /** Elastic Fabric Adapter of AWS. */
  static efa(options: EfaOptions): Rdma {
    const resource = 'vpc.amazonaws.com/efa';
    return new Rdma(resource, {
      limits: {
        [resource]: whole(options.count),
        'hugepages-2Mi': bytesText('hugepages', options.hugepages ?? '5120Mi'),
      },
    });
  }

  /** The settings for NCCL that the pod does not set itself. */
  readonly nccl: NcclProfile | undefined;

  private constructor(
    /** The extended resource, where there is one; the first of several networks. */
    readonly resource: string | undefined,
    private readonly contribution: PodContribution,
    options: RdmaOptions = {},
    private readonly attachments: readonly NetworkReference[] = [],
  ) {
    this.nccl = options.nccl;
  }

  /** Whether pods share the network of their node. */
  get hostNetwork(): boolean {
    return this.contribution.pod?.hostNetwork === true;
  }

  toPod({ namespace }: PodContext): PodContribution {
    const { attachments } = this;
    return {
      ...this.contribution,
      ...(attachments.length === 0
        ? {}
        : {
            annotations: {
              [NETWORKS_ANNOTATION]: attachments.map((network) => networkText(network, namespace)).join(','),
            },
          }),
      references: referencesIn(...attachments),
      capabilities: [RDMA_CAPABILITY],
    };
  }
}

function attachmentsOf(network: NetworkReference | undefined, count: number): readonly NetworkReference[] {
  return network === undefined ? [] : Array.from({ length: count }, () => network);
}

/** A bare name means the pod's own namespace, so a network of another one is named with its own. */
function networkText(network: NetworkReference, podNamespace: string | undefined): string {
  const namespace = typeof network === 'object' && 'networkNamespace' in network ? network.networkNamespace : undefined;
  known('networks', network, 'Name the networks, or pass their constructs');
  const name = typeof network === 'string' ? network : (network as { readonly name: string }).name;
  return namespace === undefined || namespace === podNamespace ? name : `${namespace}/${name}`;
}

/** @throws if the networks are not of one fabric */
function profileOf(networks: readonly RdmaNetwork[]): NcclProfile | undefined {
  const fabrics = new Set(networks.map(({ fabric }) => fabric));
  if (fabrics.size > 1) {
    throw new Error(
      `networks ${networks.map(({ name }) => name).join(', ')} have different fabrics. Set nccl, or use networks of one fabric.`,
    );
  }
  const [fabric] = fabrics;
  if (fabric === undefined) {
    return undefined;
  }
  return fabric === 'infiniband' ? NcclProfile.infiniband() : NcclProfile.roce();
}

function whole(count: number): number {
  if (!Number.isInteger(count) || count < 1) {
    throw new Error(`count must be a whole number greater than or equal to 1, not ${count}.`);
  }
  return count;
}

/**
 * PlatformNetwork: the fast network beside the cluster's, as a closed choice: rails of InfiniBand functions, one RDMA device that pods of
 * a node share, or none.
 */
import { type Carried, type CarriedList } from '../../manifests/values/deferred';
import { type Construct } from 'constructs';
import {
  type Ipam,
  MacvlanNetwork,
  NicClusterPolicy,
  type NicClusterPolicyProps,
  SriovIBNetwork,
  SriovNetworkNodePolicy,
} from '../networking';
import { type RdmaNetwork } from '../pods/rdma';
import { type NamedReference, nameOf } from '../resources/references';
import { Namespace } from '../tenancy';
import { type PlatformPool } from './node-pool';
import { publicClass } from '../resources/public-class';

/** Options of `PlatformNetwork.infiniband`. */
export interface InfinibandOptions {
  /** Physical functions of the cards in their order, one rail each: `ibp24s0`. */
  readonly interfaces: readonly string[];
  /** Virtual functions of each card: as many pods of a node can be on a rail. @default 8 */
  readonly virtualFunctions?: number;
  /** Namespace of the SR-IOV network operator, where its policies must lie. @default - a new one, `network-operator` */
  readonly namespace?: NamedReference<'Namespace'>;
  /** Prefix of the devices, a setting of the operator. @default nvidia.com */
  readonly resourcePrefix?: string;
}

/** Options of `PlatformNetwork.roce`. */
export interface RoceOptions extends Omit<NicClusterPolicyProps, 'rdmaSharedDevices' | 'name' | 'global'> {
  /** Repository and version of the parts of the network operator. */
  readonly global: {
    /** Registry and path of the images. */
    readonly repository: Carried<string>;
    /** Tag of the images. */
    readonly version: Carried<string>;
    /** Names of Secrets for pulling the images. @default - none */
    readonly imagePullSecrets?: CarriedList<string>;
  };
  /** The Ethernet interface of the cards, for example `ens1f0`. */
  readonly interface: string;
  /** How attached pods get their addresses. */
  readonly ipam: Ipam;
  /** MTU of the interfaces, in bytes. @default - that of the interface */
  readonly mtu?: number;
  /** Pods of a node that can have the device at the same time. @default 63, as the device plugin has it */
  readonly pods?: number;
}

/** A network as it is installed. */
export interface InstalledNetwork {
  /** What pods can have of it on one node, by resource. */
  readonly perNode: Readonly<Record<string, number>>;
  /** Makes it reachable from a namespace. */
  attach(scope: Construct, namespace: NamedReference<'Namespace'>): readonly RdmaNetwork[];
}

const SHARED_PODS = 63;

/**
 * The network of a platform's training nodes, beside that of the cluster.
 *
 * @example
 * new GpuPlatform(app, 'platform', {
 *   pools: { training: { nodes: 64, accelerator: 'H100-SXM-80GB', devices: 8, cpu: 160, memory: '1536Gi' } },
 *   teams: { research: { deserved: { training: 64 } } },
 *   network: PlatformNetwork.infiniband({ interfaces: ['ibp24s0', 'ibp64s0'] }),
 * });
 */
@publicClass('PlatformNetwork')
export class PlatformNetwork {
  /** InfiniBand rails by SR-IOV: a whole-node pod gets a function of each card. */
  static infiniband(options: InfinibandOptions): PlatformNetwork {
    const { interfaces, virtualFunctions = 8, resourcePrefix = 'nvidia.com' } = options;
    if (interfaces.length === 0) {
      throw new Error('interfaces must not be empty. List the physical function of each card.');
    }
    return new PlatformNetwork((scope, pools) => {
      const namespace =
        options.namespace ??
        new Namespace(scope, 'network-operator', { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } });
      // A policy selects nodes by labels that must all hold, so each pool has its own; the device is called alike on all.
      const policies = pools.flatMap((pool) =>
        interfaces.map(
          (pfName, rail) =>
            new SriovNetworkNodePolicy(scope, `${pool.name}-rail${rail}`, {
              namespace,
              resourceName: `rail${rail}`,
              resourcePrefix,
              nodeSelector: pool.profile.nodeSelector,
              nics: { vendor: '15b3', pfNames: [pfName] },
              virtualFunctions,
              linkType: 'ib',
            }),
        ),
      );
      return {
        perNode: Object.fromEntries(interfaces.map((_, rail) => [`${resourcePrefix}/rail${rail}`, virtualFunctions])),
        attach: (into, networkNamespace) =>
          policies.slice(0, interfaces.length).map(
            (policy, rail) =>
              new SriovIBNetwork(into, `rail${rail}`, {
                name: `rail${rail}-${nameOf(networkNamespace)}`,
                namespace,
                policy,
                networkNamespace,
                linkState: 'enable',
              }),
          ),
      };
    });
  }

  /** One RDMA device over Ethernet that the pods of a node share. */
  static roce(options: RoceOptions): PlatformNetwork {
    const { interface: master, ipam, mtu, pods = SHARED_PODS, ...policy } = options;
    return new PlatformNetwork((scope) => {
      const nics = new NicClusterPolicy(scope, 'nics', {
        ...policy,
        name: 'nic-cluster-policy',
        rdmaSharedDevices: { pools: [{ name: 'rdma_shared', interfaces: [master], shares: pods }] },
      });
      const device = nics.device('rdma_shared');
      return {
        perNode: { [device.deviceResource]: pods },
        attach: (into, networkNamespace) => [
          new MacvlanNetwork(into, 'rdma', {
            name: `rdma-${nameOf(networkNamespace)}`,
            master,
            mtu,
            device,
            networkNamespace,
            ipam,
          }),
        ],
      };
    });
  }

  private constructor(
    /** Installs the network on the nodes of these pools. */
    readonly install: (scope: Construct, pools: readonly PlatformPool[]) => InstalledNetwork,
  ) {}
}

/**
 * NicClusterPolicy and NicNodePolicy: NVIDIA's network operator, which drives the cards, offers them to pods, and brings what secondary
 * networks need.
 */
import { type Carried, type CarriedList } from '../../manifests/values/deferred';
import { definedJson } from '../../manifests/values/members';
import { optionalSecondsOf } from '../resources/durations';
import { type Duration, type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { type NodeAffinity, type Toleration } from '../../facts/api/types/core/v1';
import {
  NicClusterPolicy as ClusterPolicyKind,
  type NicClusterPolicySpec,
  type NicClusterPolicySpecOfedDriver,
  type NicClusterPolicySpecRdmaSharedDevicePlugin,
  NicNodePolicy as NodePolicyKind,
  type NicNodePolicySpec,
} from '../../facts/api/types/mellanox.com/v1alpha1';
import { type OpenPartial } from '../resources/merge';
import { clusterMetadata, type ClusterObjectProps } from '../resources/object-props';
import { type NamedReference, nameOf } from '../resources/references';
import { Resource } from '../resources/resource';
import { type OperatorImage, renderImage } from './operator-image';
import {
  type SharedDevicePool,
  sharedDeviceConfig,
  sharedResourceName,
  type SriovDevicePool,
  sriovDeviceConfig,
  sriovResourceName,
} from './shared-device';
import { publicClass } from '../resources/public-class';

/** The network driver that the operator installs. */
export interface OfedDriverOptions extends OperatorImage {
  /** DOCA-OFED, for example `doca3.3.0-26.01-1.0.0.0-0`. */
  readonly version: string;
  /** Environment of the driver's container. @default - none */
  readonly env?: Readonly<Record<string, string>>;
  /** Never compile on the node. @default false */
  readonly precompiledOnly?: boolean;
  /** How nodes get a new driver: `safeLoad` also keeps pods away until the first one is loaded. @default - by hand */
  readonly upgrade?: {
    /** Whether the operator upgrades the driver by itself. @default false */
    readonly auto?: boolean;
    /** Needs `auto`. @default false */
    readonly safeLoad?: boolean;
    /** Nodes at the same time, 0 for all. @default 1 */
    readonly maxParallel?: number;
    /** Pods are drained first. @default true */
    readonly drain?: boolean;
    /** Labels of pods whose end is waited for. @default - none */
    readonly waitFor?: string;
  };
  /** ConfigMap of package repositories. @default - none */
  readonly repoConfig?: NamedReference<'ConfigMap'>;
  /** ConfigMap with the certificates of package repositories. @default - none */
  readonly certConfig?: NamedReference<'ConfigMap'>;
}

/** RDMA devices that pods share. */
export interface SharedDevicesOptions extends OperatorImage {
  /** The pools of cards, each with a resource name. */
  readonly pools: readonly SharedDevicePool[];
  /** Time between looks at the node's cards; 0 for one look only. @default - the plugin's 60 */
  readonly updateInterval?: Duration;
  /** Devices are passed by the Container Device Interface. @default false */
  readonly cdi?: boolean;
}

/** Virtual functions, or whole cards, that pods have for themselves. */
export interface SriovDevicesOptions extends OperatorImage {
  /** The pools of cards, each with a resource name. */
  readonly pools: readonly SriovDevicePool[];
  /** Devices are passed by the Container Device Interface. @default false */
  readonly cdi?: boolean;
}

/** What both policies say. */
export interface NicPolicyProps extends ClusterObjectProps {
  /** The network driver. @default - the nodes' own driver */
  readonly ofedDriver?: OfedDriverOptions;
  /** RDMA devices that many pods share. @default - none */
  readonly rdmaSharedDevices?: SharedDevicesOptions;
  /** Virtual or physical functions of the pod's own; not beside the SR-IOV operator, which runs a plugin itself. @default - none */
  readonly sriovDevices?: SriovDevicesOptions;
  /** Tolerations of the operator's pods on the nodes. @default - those of the operator */
  readonly tolerations?: readonly Toleration[];
}

/** Props of a NicClusterPolicy. */
export interface NicClusterPolicyProps extends NicPolicyProps {
  /** Repository and version of all parts that set none of their own. @default - none: each part sets its own */
  readonly global?: {
    /** Registry and path of the images. @default - none: each part sets its own */
    readonly repository?: Carried<string>;
    /** Tag of the images. @default - none: each part sets its own */
    readonly version?: Carried<string>;
    /** Names of Secrets for pulling the images. @default - none */
    readonly imagePullSecrets?: CarriedList<string>;
  };
  /**
   * What attachments need on every node: Multus, the reference plugins (macvlan, host-device, tuning), IPoIB.
   * @default - none: they are there already
   */
  readonly secondaryNetwork?: {
    /** Multus, which attaches pods to further networks. @default - not installed */
    readonly multus?: OperatorImage;
    /** The reference plugins (macvlan, host-device, tuning). @default - not installed */
    readonly cniPlugins?: OperatorImage;
    /** The plugin for IPoIB. @default - not installed */
    readonly ipoib?: OperatorImage;
  };
  /** NVIDIA's IPAM, for `Ipam.nvIpam`. @default - off */
  readonly nvIpam?: OperatorImage & {
    /** Whether a webhook validates the pools. @default false */
    readonly webhook?: boolean;
  };
  /** Node labels of what the cards can do. @default - off */
  readonly nicFeatureDiscovery?: OperatorImage;
  /** InfiniBand partitions by a subnet manager (UFM). @default - off */
  readonly ibKubernetes?: OperatorImage & {
    /** First and last GUID to assign: `02:00:00:00:00:00:00:00`. */
    readonly guids: {
      /** First GUID to assign. */
      readonly from: string;
      /** Last GUID to assign. */
      readonly to: string;
    };
    /** Secret with the address and the login of UFM. */
    readonly ufmSecret: NamedReference<'Secret'>;
    /** Time between updates of the subnet manager. @default - 5 seconds */
    readonly updateInterval?: Duration;
  };
  /** Nodes that the policy applies to. @default - every node with a card */
  readonly nodeAffinity?: NodeAffinity;
  /** Whatever has no property of its own. @default - none */
  readonly overrides?: OpenPartial<NicClusterPolicySpec>;
}

/** Props of a NicNodePolicy. */
export interface NicNodePolicyProps extends NicPolicyProps {
  /** Labels of the nodes that the policy applies to. */
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** Whatever has no property of its own. @default - none */
  readonly overrides?: OpenPartial<NicNodePolicySpec>;
}

/** A device that a policy offers, as a network or a pod takes it. */
export interface OfferedDevice {
  /** What pods ask for. */
  readonly deviceResource: string;
  /** The policy, which is written first. */
  readonly resource: ApiObject;
}

/** A policy of NVIDIA's network operator: the driver and the devices of nodes. */
@publicClass('networking.NicPolicy')
abstract class NicPolicy extends Construct {
  /** The policy object. */
  abstract readonly resource: ApiObject;
  protected abstract readonly offers: NicPolicyProps;

  /** A device of this policy's pools. @throws if no pool has the name */
  device(name: string): OfferedDevice {
    const { rdmaSharedDevices, sriovDevices } = this.offers;
    const shared = rdmaSharedDevices?.pools.find((pool) => pool.name === name);
    const own = sriovDevices?.pools.find((pool) => pool.name === name);
    if (shared !== undefined) {
      return { deviceResource: sharedResourceName(shared), resource: this.resource };
    }
    if (own !== undefined) {
      return { deviceResource: sriovResourceName(own), resource: this.resource };
    }
    const names = [...(rdmaSharedDevices?.pools ?? []), ...(sriovDevices?.pools ?? [])].map((pool) => pool.name);
    throw new Error(
      `${this.node.path}: unknown pool "${name}". The pools are ${names.length === 0 ? 'none' : names.join(', ')}.`,
    );
  }
}

/**
 * The one NicClusterPolicy of a cluster; the operator follows no other name.
 *
 * Rules: `networking/nic-*`, `networking/rdma-shared-*`. Source: network-operator v26.4.1.
 *
 * @example
 * const nics = new networking.NicClusterPolicy(chart, 'nics', {
 *   global: { repository: 'nvcr.io/nvidia/mellanox', version: 'network-operator-v26.4.1' },
 *   rdmaSharedDevices: { pools: [{ name: 'rdma_shared_device_a', vendors: ['15b3'], linkTypes: ['infiniband'] }] },
 * });
 * const device = nics.device('rdma_shared_device_a');
 * const network = new networking.IPoIBNetwork(chart, 'rdma', { master: 'ibs3f1', device, networkNamespace: 'research' });
 */
@publicClass('networking.NicClusterPolicy')
export class NicClusterPolicy extends NicPolicy {
  /** The NicClusterPolicy object. */
  readonly resource: Resource<ClusterPolicyKind>;

  constructor(
    scope: Construct,
    id: string,
    protected readonly offers: NicClusterPolicyProps,
  ) {
    super(scope, id);
    const { secondaryNetwork, nvIpam, nicFeatureDiscovery, ibKubernetes, global: usual, overrides } = offers;
    const spec: NicClusterPolicySpec = definedJson({
      global: usual,
      ...sections(offers),
      secondaryNetwork:
        secondaryNetwork &&
        definedJson({
          multus: secondaryNetwork.multus && renderImage(secondaryNetwork.multus, 'multus-cni'),
          cniPlugins: secondaryNetwork.cniPlugins && renderImage(secondaryNetwork.cniPlugins, 'plugins'),
          ipoib: secondaryNetwork.ipoib && renderImage(secondaryNetwork.ipoib, 'ipoib-cni'),
        }),
      nvIpam: nvIpam && definedJson({ ...renderImage(nvIpam, 'nvidia-k8s-ipam'), enableWebhook: nvIpam.webhook }),
      nicFeatureDiscovery: nicFeatureDiscovery && renderImage(nicFeatureDiscovery, 'nic-feature-discovery'),
      ibKubernetes:
        ibKubernetes &&
        definedJson({
          ...renderImage(ibKubernetes, 'ib-kubernetes'),
          pKeyGUIDPoolRangeStart: ibKubernetes.guids.from,
          pKeyGUIDPoolRangeEnd: ibKubernetes.guids.to,
          ufmSecret: nameOf(ibKubernetes.ufmSecret),
          periodicUpdateSeconds: optionalSecondsOf('ibKubernetes.updateInterval', ibKubernetes.updateInterval),
        }),
      nodeAffinity: offers.nodeAffinity,
      tolerations: offers.tolerations,
    });
    this.resource = new Resource(
      this,
      'Resource',
      ClusterPolicyKind,
      {
        metadata: clusterMetadata('nic-cluster-policy', offers),
        spec,
      },
      overrides,
    );
  }

  /** Name of the object. */
  get name(): string {
    return this.resource.name;
  }
}

/**
 * Driver and devices of some nodes, where they differ; what it says, the NicClusterPolicy does not.
 *
 * @example
 * new networking.NicNodePolicy(chart, 'rail0', {
 *   nodeSelector: { 'example.com/pool': 'h100' },
 *   sriovDevices: {
 *     repository: 'nvcr.io/nvidia/mellanox',
 *     image: 'sriov-network-device-plugin',
 *     version: 'network-operator-v26.4.1',
 *     pools: [{ name: 'rail0', pfNames: ['ens2f0'] }],
 *   },
 * });
 */
@publicClass('networking.NicNodePolicy')
export class NicNodePolicy extends NicPolicy {
  /** The NicNodePolicy object. */
  readonly resource: Resource<NodePolicyKind>;

  constructor(
    scope: Construct,
    id: string,
    protected readonly offers: NicNodePolicyProps,
  ) {
    super(scope, id);
    const spec: NicNodePolicySpec = definedJson({
      nodeSelector: offers.nodeSelector,
      ...sections(offers),
      tolerations: offers.tolerations,
    });
    this.resource = new Resource(
      this,
      'Resource',
      NodePolicyKind,
      {
        metadata: clusterMetadata(id, offers),
        spec,
      },
      offers.overrides,
    );
  }

  /** Name of the object. */
  get name(): string {
    return this.resource.name;
  }
}

interface Sections {
  readonly ofedDriver?: NicClusterPolicySpecOfedDriver;
  readonly rdmaSharedDevicePlugin?: NicClusterPolicySpecRdmaSharedDevicePlugin;
  readonly sriovDevicePlugin?: NicClusterPolicySpecRdmaSharedDevicePlugin;
}

function sections({ ofedDriver, rdmaSharedDevices, sriovDevices }: NicPolicyProps): Sections {
  return {
    ofedDriver: ofedDriver && renderDriver(ofedDriver),
    rdmaSharedDevicePlugin: rdmaSharedDevices && {
      ...renderImage(rdmaSharedDevices, 'k8s-rdma-shared-dev-plugin'),
      ...definedJson({ useCdi: rdmaSharedDevices.cdi }),
      config: JSON.stringify(
        sharedDeviceConfig(
          rdmaSharedDevices.pools,
          optionalSecondsOf('rdmaSharedDevices.updateInterval', rdmaSharedDevices.updateInterval),
        ),
        null,
        2,
      ),
    },
    sriovDevicePlugin: sriovDevices && {
      ...renderImage(sriovDevices, 'sriov-network-device-plugin'),
      ...definedJson({ useCdi: sriovDevices.cdi }),
      config: JSON.stringify(sriovDeviceConfig(sriovDevices.pools), null, 2),
    },
  };
}

function renderDriver(options: OfedDriverOptions): NicClusterPolicySpecOfedDriver {
  const { env, precompiledOnly, upgrade, repoConfig, certConfig } = options;
  return {
    ...renderImage(options, 'doca-driver'),
    ...definedJson({
      env: env && Object.entries(env).map(([name, value]) => ({ name, value })),
      forcePrecompiled: precompiledOnly,
      repoConfig: repoConfig === undefined ? undefined : { name: nameOf(repoConfig) },
      certConfig: certConfig === undefined ? undefined : { name: nameOf(certConfig) },
      upgradePolicy:
        upgrade &&
        definedJson({
          autoUpgrade: upgrade.auto,
          safeLoad: upgrade.safeLoad,
          maxParallelUpgrades: upgrade.maxParallel,
          drain: upgrade.drain === undefined ? undefined : { enable: upgrade.drain },
          waitForCompletion: upgrade.waitFor === undefined ? undefined : { podSelector: upgrade.waitFor },
        }),
    }),
  };
}

/**
 * NicClusterPolicy and NicNodePolicy: NVIDIA's network operator, which drives the cards, offers them to pods, and brings what secondary
 * networks need.
 */
import { definedJson } from '../../manifests/members';
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

export interface OfedDriverOptions extends OperatorImage {
  /** DOCA-OFED, for example `doca3.3.0-26.01-1.0.0.0-0`. */
  readonly version: string;
  /** @default - none */
  readonly env?: Readonly<Record<string, string>>;
  /** Never compile on the node. @default false */
  readonly precompiledOnly?: boolean;
  /** How nodes get a new driver: `safeLoad` also keeps pods away until the first one is loaded. @default - by hand */
  readonly upgrade?: {
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
  /** ConfigMaps of package repositories and of their certificates. @default - none */
  readonly repoConfig?: NamedReference<'ConfigMap'>;
  readonly certConfig?: NamedReference<'ConfigMap'>;
}

export interface SharedDevicesOptions extends OperatorImage {
  readonly pools: readonly SharedDevicePool[];
  /** Time between looks at the node's cards; 0 for one look only. @default - the plugin's 60 */
  readonly updateInterval?: Duration;
  /** Devices are passed by the Container Device Interface. @default false */
  readonly cdi?: boolean;
}

export interface SriovDevicesOptions extends OperatorImage {
  readonly pools: readonly SriovDevicePool[];
  /** Devices are passed by the Container Device Interface. @default false */
  readonly cdi?: boolean;
}

/** What both policies say. */
export interface NicPolicyProps extends ClusterObjectProps {
  /** @default - the nodes' own driver */
  readonly ofedDriver?: OfedDriverOptions;
  /** RDMA devices that many pods share. @default - none */
  readonly rdmaSharedDevices?: SharedDevicesOptions;
  /** Virtual or physical functions of the pod's own; not beside the SR-IOV operator, which runs a plugin itself. @default - none */
  readonly sriovDevices?: SriovDevicesOptions;
  /** @default - those of the operator */
  readonly tolerations?: readonly Toleration[];
}

export interface NicClusterPolicyProps extends NicPolicyProps {
  /** Repository and version of all parts that set none of their own. @default - none: each part sets its own */
  readonly global?: {
    readonly repository?: string;
    readonly version?: string;
    readonly imagePullSecrets?: readonly string[];
  };
  /**
   * What attachments need on every node: Multus, the reference plugins (macvlan, host-device, tuning), IPoIB.
   * @default - none: they are there already
   */
  readonly secondaryNetwork?: {
    readonly multus?: OperatorImage;
    readonly cniPlugins?: OperatorImage;
    readonly ipoib?: OperatorImage;
  };
  /** NVIDIA's IPAM, for `Ipam.nvIpam`. @default - off */
  readonly nvIpam?: OperatorImage & { readonly webhook?: boolean };
  /** Node labels of what the cards can do. @default - off */
  readonly nicFeatureDiscovery?: OperatorImage;
  /** InfiniBand partitions by a subnet manager (UFM). @default - off */
  readonly ibKubernetes?: OperatorImage & {
    /** First and last GUID to give out: `02:00:00:00:00:00:00:00`. */
    readonly guids: { readonly from: string; readonly to: string };
    /** Secret with the address and the login of UFM. */
    readonly ufmSecret: NamedReference<'Secret'>;
    readonly updateInterval?: Duration;
  };
  /** @default - every node with a card */
  readonly nodeAffinity?: NodeAffinity;
  /** Whatever has no property of its own. @default - none */
  readonly overrides?: OpenPartial<NicClusterPolicySpec>;
}

export interface NicNodePolicyProps extends NicPolicyProps {
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

abstract class NicPolicy extends Construct {
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
      `${this.node.path}: no pool is called "${name}". There is ${names.length === 0 ? 'none' : names.join(', ')}.`,
    );
  }
}

/**
 * The one NicClusterPolicy of a cluster; the operator follows no other name.
 *
 * Rules: `networking/nic-*`, `networking/rdma-shared-*`. Source: network-operator v26.4.1.
 *
 * @example
 * const nics = new NicClusterPolicy(chart, 'nics', {
 *   global: { repository: 'nvcr.io/nvidia/mellanox', version: 'network-operator-v26.4.1' },
 *   rdmaSharedDevices: { pools: [{ name: 'rdma_shared_device_a', vendors: ['15b3'], linkTypes: ['infiniband'] }] },
 * });
 * const device = nics.device('rdma_shared_device_a');
 * const network = new IPoIBNetwork(chart, 'rdma', { master: 'ibs3f1', device, networkNamespace: 'research' });
 */
export class NicClusterPolicy extends NicPolicy {
  readonly resource: ApiObject;

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

/** Driver and devices of some nodes, where they differ; what it says, the NicClusterPolicy does not. */
export class NicNodePolicy extends NicPolicy {
  readonly resource: ApiObject;

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

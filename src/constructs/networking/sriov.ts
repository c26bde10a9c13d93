/**
 * The SR-IOV network operator: virtual functions of the nodes' cards, and networks of them.
 */
import { definedJson } from '../../manifests/members';
import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { type JsonObject } from '../../facts/api/schema';
import {
  SriovIBNetwork as SriovIBNetworkKind,
  type SriovIBNetworkSpec,
  SriovNetwork as SriovNetworkKind,
  SriovNetworkNodePolicy as NodePolicyKind,
  type SriovNetworkNodePolicySpec,
  type SriovNetworkSpec,
} from '../../facts/api/types/sriovnetwork.openshift.io/v1';
import { type Fabric, type RdmaNetwork } from '../pods';
import { type OpenPartial } from '../resources/merge';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps } from '../resources/object-props';
import { type NamedReference, nameOf } from '../resources/references';
import { Resource } from '../resources/resource';
import { type LinkState, onOff } from './cni';
import { type Ipam } from './ipam';

/** Which cards: all that are stated must hold. */
export interface NicSelector {
  /** PCI vendor, for example `15b3`. */
  readonly vendor?: string;
  /** PCI device id, for example `1021`. */
  readonly deviceId?: string;
  /** Physical functions, for example `ens2f0`, or `ens2f0#0-3` for some of their virtual functions. */
  readonly pfNames?: readonly string[];
  /** PCI addresses. */
  readonly rootDevices?: readonly string[];
  /** Network of a virtual platform, `openstack/NetworkID:<id>`. */
  readonly netFilter?: string;
}

export interface SriovNetworkNodePolicyProps extends NamespacedObjectProps {
  /** The name after the prefix: letters, digits and underscores. */
  readonly resourceName: string;
  /** Setting of the operator for all its resources; `nvidia.com` where the network operator brings it. @default openshift.io */
  readonly resourcePrefix?: string;
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly nics: NicSelector;
  /** Virtual functions of each card. */
  readonly virtualFunctions: number;
  /** @default - left to the card; `ib` for InfiniBand */
  readonly linkType?: 'eth' | 'ib';
  /** Pods get the RDMA device of the function. @default true */
  readonly rdma?: boolean;
  /** Driver of the functions: the kernel's, or `vfio-pci` for virtual machines and DPDK. @default netdevice */
  readonly deviceType?: 'netdevice' | 'vfio-pci';
  /** @default - that of the card */
  readonly mtu?: number;
  /** 0 is the strongest, where policies overlap. @default 99 */
  readonly priority?: number;
  /** @default legacy */
  readonly eSwitchMode?: 'legacy' | 'switchdev';
  /** Functions are not counted by NUMA node. @default false */
  readonly excludeTopology?: boolean;
  /** Whatever has no property of its own. @default - none */
  readonly overrides?: OpenPartial<SriovNetworkNodePolicySpec>;
}

/**
 * Virtual functions on the cards of some nodes. Lies in the operator's namespace.
 *
 * Rules: `networking/sriov-*`. Source: sriov-network-operator v1.6.0.
 */
export class SriovNetworkNodePolicy extends Construct {
  readonly resource: ApiObject;
  /** What pods ask for. */
  readonly deviceResource: string;
  readonly resourceName: string;
  readonly fabric: Fabric | undefined;

  constructor(scope: Construct, id: string, props: SriovNetworkNodePolicyProps) {
    super(scope, id);
    const { resourceName, resourcePrefix = 'openshift.io', nics, linkType } = props;
    this.resourceName = resourceName;
    this.deviceResource = `${resourcePrefix}/${resourceName}`;
    this.fabric = linkType === undefined ? undefined : linkType === 'ib' ? 'infiniband' : 'roce';
    const { deviceType } = props;
    const spec: SriovNetworkNodePolicySpec = {
      resourceName,
      nodeSelector: props.nodeSelector,
      nicSelector: definedJson({
        vendor: nics.vendor,
        deviceID: nics.deviceId,
        pfNames: nics.pfNames,
        rootDevices: nics.rootDevices,
        netFilter: nics.netFilter,
      }),
      numVfs: props.virtualFunctions,
      isRdma: props.rdma ?? deviceType !== 'vfio-pci',
      ...definedJson({
        deviceType,
        linkType,
        mtu: props.mtu,
        priority: props.priority,
        eSwitchMode: props.eSwitchMode,
        excludeTopology: props.excludeTopology,
      }),
    };
    this.resource = new Resource(
      this,
      'Resource',
      NodePolicyKind,
      {
        metadata: namespacedMetadata(id, props),
        spec,
      },
      props.overrides,
    );
    dependOn(this.resource, props.namespace);
  }

  /** Name of the object. */
  get name(): string {
    return this.resource.name;
  }
}

interface SriovNetworkBaseProps<Spec> extends NamespacedObjectProps {
  /** Whose virtual functions. */
  readonly policy: SriovNetworkNodePolicy | SriovResourceReference;
  /** Namespace whose pods attach; the network itself lies in the operator's. @default - that of the network */
  readonly networkNamespace?: NamedReference<'Namespace'>;
  /** @default - no addresses */
  readonly ipam?: Ipam;
  /** @default - the plugin's */
  readonly linkState?: LinkState;
  /** What the pod's annotation may ask of the plugin: `ips`, `mac`, `infinibandGUID`. @default - nothing */
  readonly capabilities?: Readonly<Record<string, boolean>>;
  /** Plugins that are run after it; `[{ type: 'rdma' }]` moves the RDMA device into the pod. @default - none */
  readonly metaPlugins?: readonly JsonObject[];
  /** Whatever has no property of its own. @default - none */
  readonly overrides?: OpenPartial<Spec>;
}

/** Virtual functions of a policy that lives in the cluster. */
export interface SriovResourceReference {
  readonly resourceName: string;
  /** `<prefix>/<resourceName>`: what pods ask for. */
  readonly deviceResource: string;
}

export interface SriovNetworkProps extends SriovNetworkBaseProps<SriovNetworkSpec> {
  /** 0 for untagged. @default 0 */
  readonly vlan?: number;
  readonly vlanQoS?: number;
  readonly spoofCheck?: boolean;
  readonly trust?: boolean;
  /** Mbit/s. @default - no limit */
  readonly maxTxRate?: number;
  /** Mbit/s. @default - none */
  readonly minTxRate?: number;
}

export type SriovIBNetworkProps = SriovNetworkBaseProps<SriovIBNetworkSpec>;

abstract class OperatorNetwork extends Construct implements RdmaNetwork {
  abstract readonly resource: ApiObject;
  abstract readonly fabric: Fabric;
  readonly deviceResource: string;

  protected constructor(
    scope: Construct,
    id: string,
    private readonly base: SriovNetworkBaseProps<object>,
  ) {
    super(scope, id);
    this.deviceResource = base.policy.deviceResource;
  }

  get name(): string {
    return this.resource.name;
  }

  get networkNamespace(): string | undefined {
    const { networkNamespace } = this.base;
    return networkNamespace === undefined ? this.resource.metadata.namespace : nameOf(networkNamespace);
  }
}

/**
 * An Ethernet network of virtual functions. The operator creates a NetworkAttachmentDefinition from it.
 *
 * @example
 * const policy = new SriovNetworkNodePolicy(chart, 'rail0-functions', {
 *   resourceName: 'rail0', nodeSelector, nics: { pfNames: ['ens2f0'] }, virtualFunctions: 8,
 * });
 * const ipam = Ipam.whereabouts({ range: '10.10.0.0/16' });
 * const rail = new SriovNetwork(chart, 'rail0', { policy, networkNamespace: 'research', ipam });
 * new PodTemplate({ image, rdma: Rdma.over(rail) });
 */
export class SriovNetwork extends OperatorNetwork {
  readonly resource: ApiObject;
  readonly fabric = 'roce';

  constructor(scope: Construct, id: string, props: SriovNetworkProps) {
    super(scope, id, props);
    const { vlan, vlanQoS, spoofCheck, trust, maxTxRate, minTxRate } = props;
    const spec: SriovNetworkSpec = {
      ...networkSpec(props),
      ...definedJson({ vlan, vlanQoS, spoofChk: onOff(spoofCheck), trust: onOff(trust), maxTxRate, minTxRate }),
    };
    this.resource = new Resource(
      this,
      'Resource',
      SriovNetworkKind,
      {
        metadata: namespacedMetadata(id, props),
        spec,
      },
      props.overrides,
    );
    dependOn(this.resource, props.policy, props.namespace, props.networkNamespace);
  }
}

/** An InfiniBand network of virtual functions. The operator creates a NetworkAttachmentDefinition from it. */
export class SriovIBNetwork extends OperatorNetwork {
  readonly resource: ApiObject;
  readonly fabric = 'infiniband';

  constructor(scope: Construct, id: string, props: SriovIBNetworkProps) {
    super(scope, id, props);
    this.resource = new Resource(
      this,
      'Resource',
      SriovIBNetworkKind,
      {
        metadata: namespacedMetadata(id, props),
        spec: networkSpec(props),
      },
      props.overrides,
    );
    dependOn(this.resource, props.policy, props.namespace, props.networkNamespace);
  }
}

function networkSpec(props: SriovNetworkBaseProps<object>): SriovIBNetworkSpec {
  const { policy, networkNamespace, ipam, linkState, capabilities, metaPlugins } = props;
  return {
    resourceName: policy.resourceName,
    ...definedJson({
      networkNamespace: networkNamespace === undefined ? undefined : nameOf(networkNamespace),
      ipam: ipam && JSON.stringify(ipam.toIpam()),
      linkState,
      capabilities: capabilities && JSON.stringify(capabilities),
      // The operator writes this text between two commas of a list.
      metaPlugins: metaPlugins?.map((plugin) => JSON.stringify(plugin)).join(','),
    }),
  };
}

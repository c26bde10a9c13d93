/**
 * The SR-IOV network operator: virtual functions of the nodes' cards, and networks of them.
 */
import { embedded } from '../../manifests/values/deferred';
import { definedJson } from '../../manifests/values/members';
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
import { publicClass } from '../resources/public-class';

/** Which cards: all that are stated must hold. */
export interface NicSelector {
  /** PCI vendor, for example `15b3`. @default - any */
  readonly vendor?: string;
  /** PCI device id, for example `1021`. @default - any */
  readonly deviceId?: string;
  /** Physical functions, for example `ens2f0`, or `ens2f0#0-3` for some of their virtual functions. @default - any */
  readonly pfNames?: readonly string[];
  /** PCI addresses of the physical functions. @default - any */
  readonly rootDevices?: readonly string[];
  /** Network of a virtual platform, `openstack/NetworkID:<id>`. @default - any */
  readonly netFilter?: string;
}

/** Props of an SriovNetworkNodePolicy. */
export interface SriovNetworkNodePolicyProps extends NamespacedObjectProps {
  /** The name after the prefix: letters, digits and underscores. */
  readonly resourceName: string;
  /** Setting of the operator for all its resources; `nvidia.com` where the network operator brings it. @default openshift.io */
  readonly resourcePrefix?: string;
  /** Labels of the nodes that the policy applies to. */
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** The cards of the nodes. */
  readonly nics: NicSelector;
  /** Virtual functions of each card. */
  readonly virtualFunctions: number;
  /** Link type of the cards. @default - left to the card; `ib` for InfiniBand */
  readonly linkType?: 'eth' | 'ib';
  /** Pods get the RDMA device of the function. @default true */
  readonly rdma?: boolean;
  /** Driver of the functions: the kernel's, or `vfio-pci` for virtual machines and DPDK. @default netdevice */
  readonly deviceType?: 'netdevice' | 'vfio-pci';
  /** MTU of the virtual functions, in bytes. @default - that of the card */
  readonly mtu?: number;
  /** 0 is the strongest, where policies overlap. @default 99 */
  readonly priority?: number;
  /** Mode of the switch in the card. @default legacy */
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
 *
 * @example
 * new networking.SriovNetworkNodePolicy(chart, 'rail0-functions', {
 *   resourceName: 'rail0',
 *   nodeSelector: { 'feature.node.kubernetes.io/network-sriov.capable': 'true' },
 *   nics: { pfNames: ['ens2f0'] },
 *   virtualFunctions: 8,
 * });
 */
@publicClass('networking.SriovNetworkNodePolicy')
export class SriovNetworkNodePolicy extends Construct {
  /** The SriovNetworkNodePolicy object. */
  readonly resource: Resource<NodePolicyKind>;
  /** What pods ask for. */
  readonly deviceResource: string;
  /** The resource name without its domain. */
  readonly resourceName: string;
  /** What the cards carry; `undefined` where it is not known. */
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

/** Props of every network of virtual functions. */
interface SriovNetworkBaseProps<Spec> extends NamespacedObjectProps {
  /** Whose virtual functions. */
  readonly policy: SriovNetworkNodePolicy | SriovResourceReference;
  /** Namespace whose pods attach; the network itself lies in the operator's. @default - that of the network */
  readonly networkNamespace?: NamedReference<'Namespace'>;
  /** How attached pods get their addresses. @default - no addresses */
  readonly ipam?: Ipam;
  /** State of the link of the virtual function. @default - the plugin's */
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
  /** The resource name without its domain. */
  readonly resourceName: string;
  /** `<prefix>/<resourceName>`: what pods ask for. */
  readonly deviceResource: string;
}

/** Props of an SriovNetwork. */
export interface SriovNetworkProps extends SriovNetworkBaseProps<SriovNetworkSpec> {
  /** 0 for untagged. @default 0 */
  readonly vlan?: number;
  /** Priority of the VLAN, from 0 to 7. @default 0 */
  readonly vlanQoS?: number;
  /**
   * Whether the card drops packets with a source address that is not the function's own.
   * @default - the card's setting
   */
  readonly spoofCheck?: boolean;
  /** Whether the pod may change the function's address and receive all packets. @default - the card's setting */
  readonly trust?: boolean;
  /** Mbit/s. @default - no limit */
  readonly maxTxRate?: number;
  /** Mbit/s. @default - none */
  readonly minTxRate?: number;
}

/** Props of an SriovIBNetwork. */
export type SriovIBNetworkProps = SriovNetworkBaseProps<SriovIBNetworkSpec>;

/** A network of the SR-IOV network operator, which creates a NetworkAttachmentDefinition from it. */
abstract class OperatorNetwork extends Construct implements RdmaNetwork {
  /** The network object. */
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
 * const policy = new networking.SriovNetworkNodePolicy(chart, 'rail0-functions', {
 *   resourceName: 'rail0',
 *   nodeSelector: { 'feature.node.kubernetes.io/network-sriov.capable': 'true' },
 *   nics: { pfNames: ['ens2f0'] },
 *   virtualFunctions: 8,
 * });
 * const ipam = networking.Ipam.whereabouts({ range: '10.10.0.0/16' });
 * const rail = new networking.SriovNetwork(chart, 'rail0', { policy, networkNamespace: 'research', ipam });
 * new PodTemplate({ image, rdma: Rdma.over(rail) });
 */
@publicClass('networking.SriovNetwork')
export class SriovNetwork extends OperatorNetwork {
  /** The SriovNetwork object. */
  readonly resource: Resource<SriovNetworkKind>;
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

/**
 * An InfiniBand network of virtual functions. The operator creates a NetworkAttachmentDefinition from it.
 *
 * @example
 * const policy = new networking.SriovNetworkNodePolicy(chart, 'rail0-functions', {
 *   resourceName: 'rail0',
 *   nodeSelector: { 'feature.node.kubernetes.io/network-sriov.capable': 'true' },
 *   nics: { pfNames: ['ibs3f1'] },
 *   linkType: 'ib',
 *   virtualFunctions: 8,
 * });
 * new networking.SriovIBNetwork(chart, 'rail0', {
 *   policy,
 *   networkNamespace: 'research',
 *   ipam: networking.Ipam.whereabouts({ range: '10.10.0.0/16' }),
 * });
 */
@publicClass('networking.SriovIBNetwork')
export class SriovIBNetwork extends OperatorNetwork {
  /** The SriovIBNetwork object. */
  readonly resource: Resource<SriovIBNetworkKind>;
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
      ipam: ipam && embedded(ipam.toIpam(), (plain) => JSON.stringify(plain)),
      linkState,
      capabilities: capabilities && JSON.stringify(capabilities),
      // The operator writes this text between two commas of a list.
      metaPlugins: metaPlugins?.map((plugin) => JSON.stringify(plugin)).join(','),
    }),
  };
}

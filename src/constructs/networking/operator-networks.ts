/**
 * Networks of NVIDIA's network operator, which makes a NetworkAttachmentDefinition of each: whole interfaces, macvlan, IPoIB. They are
 * cluster-wide objects; the attachment lies in the namespace that they name.
 */
import { embedded } from '../../manifests/values/deferred';
import { definedJson } from '../../manifests/values/members';
import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import {
  HostDeviceNetwork as HostDeviceKind,
  type HostDeviceNetworkSpec,
  IPoIBNetwork as IPoIBKind,
  type IPoIBNetworkSpec,
  MacvlanNetwork as MacvlanKind,
  type MacvlanNetworkSpec,
} from '../../facts/api/types/mellanox.com/v1alpha1';
import { type ResourceKind } from '../../facts/api/resource-kind';
import { type Fabric, type RdmaNetwork } from '../pods';
import { merged, type OpenPartial } from '../resources/merge';
import { dependOn } from '../resources/depend-on';
import { clusterMetadata, type ClusterObjectProps } from '../resources/object-props';
import { type NamedReference, nameOf } from '../resources/references';
import { Resource } from '../resources/resource';
import { type DeviceReference, deviceResourceOf } from './device-reference';
import { Ipam } from './ipam';
import { publicClass } from '../resources/public-class';

/** Props of every network of NVIDIA's network operator. */
interface OperatorNetworkProps<Spec> extends ClusterObjectProps {
  /** Namespace whose pods attach. @default default, as the operator has it */
  readonly networkNamespace?: NamedReference<'Namespace'>;
  /** How attached pods get their addresses. @default - no addresses */
  readonly ipam?: Ipam;
  /** Whatever has no property of its own. @default - none */
  readonly overrides?: OpenPartial<Spec>;
}

/** What pods ask for beside the attachment. */
interface OverSharedDevice {
  /** The shared device, for example `nics.device('rdma_shared_device_a')`. @default - none: the network carries no RDMA */
  readonly device?: DeviceReference;
}

/** Props of a HostDeviceNetwork. */
export interface HostDeviceNetworkProps extends OperatorNetworkProps<HostDeviceNetworkSpec> {
  /** Pool of the SR-IOV device plugin (`nics.device('hostdev')`), or its name without the prefix `nvidia.com/`. */
  readonly device: DeviceReference;
  /** What the interfaces carry. @default - not said: NCCL looks itself */
  readonly fabric?: Fabric;
}

/** Props of a MacvlanNetwork. */
export interface MacvlanNetworkProps extends OperatorNetworkProps<MacvlanNetworkSpec>, OverSharedDevice {
  /** Ethernet interface of the nodes, for example `ens2f0`. @default - that of the default route */
  readonly master?: string;
  /** How interfaces of one master reach each other. @default bridge */
  readonly mode?: 'bridge' | 'private' | 'vepa' | 'passthru';
  /** MTU of the interfaces, in bytes. @default - that of the master */
  readonly mtu?: number;
}

/** Props of an IPoIBNetwork. */
export interface IPoIBNetworkProps extends OperatorNetworkProps<IPoIBNetworkSpec>, OverSharedDevice {
  /** InfiniBand interface of the nodes, for example `ibs3f1`. */
  readonly master: string;
}

/** Prefix of what a HostDeviceNetwork names. Source: network-operator, pkg/state/state_hostdevice_network.go. */
const HOST_DEVICE_PREFIX = 'nvidia.com/';

/** A network of NVIDIA's network operator, which creates a NetworkAttachmentDefinition from it. */
@publicClass('networking.OperatorNetwork')
abstract class OperatorNetwork extends Construct implements RdmaNetwork {
  /** The network object. */
  readonly resource: ApiObject;
  readonly networkNamespace: string;

  protected constructor(
    scope: Construct,
    id: string,
    kind: ResourceKind<unknown>,
    props: OperatorNetworkProps<object>,
    spec: object,
    readonly deviceResource: string | undefined,
    readonly fabric: Fabric | undefined,
    device: DeviceReference | undefined,
  ) {
    super(scope, id);
    const { networkNamespace, ipam = Ipam.none() } = props;
    this.networkNamespace = networkNamespace === undefined ? 'default' : nameOf(networkNamespace);
    const all = merged(
      {
        networkNamespace: this.networkNamespace,
        ...spec,
        ipam: embedded(ipam.toIpam(), (plain) => JSON.stringify(plain)),
      },
      props.overrides,
    );
    const object = { metadata: clusterMetadata(id, props), spec: all };
    this.resource = new Resource<unknown>(this, 'Resource', kind, object);
    dependOn(this.resource, networkNamespace, typeof device === 'object' ? device : undefined);
  }

  get name(): string {
    return this.resource.name;
  }
}

/**
 * Whole interfaces of the nodes, which a pod has for itself.
 *
 * @example
 * const network = new networking.HostDeviceNetwork(chart, 'rail0', {
 *   device: 'hostdev',
 *   fabric: 'infiniband',
 *   networkNamespace: 'research',
 * });
 * new PodTemplate({ image, rdma: Rdma.over(network) });
 */
@publicClass('networking.HostDeviceNetwork')
export class HostDeviceNetwork extends OperatorNetwork {
  constructor(scope: Construct, id: string, props: HostDeviceNetworkProps) {
    const named = deviceResourceOf(props.device);
    const resourceName = named.startsWith(HOST_DEVICE_PREFIX) ? named.slice(HOST_DEVICE_PREFIX.length) : named;
    super(
      scope,
      id,
      HostDeviceKind,
      props,
      { resourceName },
      `${HOST_DEVICE_PREFIX}${resourceName}`,
      props.fabric,
      props.device,
    );
  }
}

/**
 * Interfaces of their own on an Ethernet interface of the nodes; RDMA goes over a shared device.
 *
 * @example
 * new networking.MacvlanNetwork(chart, 'storage', {
 *   master: 'ens2f0',
 *   networkNamespace: 'research',
 *   ipam: networking.Ipam.whereabouts({ range: '192.168.100.0/24' }),
 * });
 */
@publicClass('networking.MacvlanNetwork')
export class MacvlanNetwork extends OperatorNetwork {
  constructor(scope: Construct, id: string, props: MacvlanNetworkProps) {
    const { master, mode = 'bridge', mtu, device } = props;
    super(
      scope,
      id,
      MacvlanKind,
      props,
      definedJson({ master, mode, mtu }),
      device && deviceResourceOf(device),
      'roce',
      device,
    );
  }
}

/**
 * IP interfaces over InfiniBand; RDMA goes over a shared device.
 *
 * @example
 * new networking.IPoIBNetwork(chart, 'rdma', {
 *   master: 'ibs3f1',
 *   networkNamespace: 'research',
 *   ipam: networking.Ipam.nvIpam('pool'),
 * });
 */
@publicClass('networking.IPoIBNetwork')
export class IPoIBNetwork extends OperatorNetwork {
  constructor(scope: Construct, id: string, props: IPoIBNetworkProps) {
    const { master, device } = props;
    super(scope, id, IPoIBKind, props, { master }, device && deviceResourceOf(device), 'infiniband', device);
  }
}

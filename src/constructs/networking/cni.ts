/**
 * The CNI plugins that make the interface of an attachment: a closed choice, rendered as the JSON of a
 * NetworkAttachmentDefinition.
 *
 * Sources: sriov-cni, ib-sriov-cni, ipoib-cni, rdma-cni; containernetworking/plugins; CNI specification 1.0.
 */
import { definedJson } from '../../manifests/values/members';
import { type JsonObject } from '../../facts/api/schema';
import { type Fabric } from '../pods';
import { type Ipam } from './ipam';
import { publicClass } from '../resources/public-class';

/** State of the link of a virtual function; `auto` follows the physical function. */
export type LinkState = 'auto' | 'enable' | 'disable';

/** Options of every CNI plugin that adds an interface. */
interface InterfaceOptions {
  /** Addresses of the interface. @default - no addresses */
  readonly ipam?: Ipam;
  /** What the pod's annotation may ask of the plugin: `ips`, `mac`, `infinibandGUID`. @default - nothing */
  readonly capabilities?: Readonly<Record<string, boolean>>;
  /** Whatever has no property of its own. @default - none */
  readonly more?: JsonObject;
}

/** Options of `Cni.sriov`. */
export interface SriovCniOptions extends InterfaceOptions {
  /** 0 for untagged. @default - left to the plugin */
  readonly vlan?: number;
  /** Priority within the VLAN, 0 to 7; needs a `vlan`. @default 0 */
  readonly vlanQoS?: number;
  /**
   * Whether the card drops packets with a source address that is not the function's own.
   * @default - the card's setting
   */
  readonly spoofCheck?: boolean;
  /** Whether the pod may change the function's address and receive all packets. @default - the card's setting */
  readonly trust?: boolean;
  /** State of the link. @default - the card's setting */
  readonly linkState?: LinkState;
  /** Mbit/s. @default - no limit */
  readonly maxTxRate?: number;
  /** Mbit/s. @default - none */
  readonly minTxRate?: number;
}

/** Options of `Cni.ibSriov`. */
export interface IbSriovCniOptions extends InterfaceOptions {
  /** Partition key, for example `0x8001`. @default - the default partition */
  readonly pkey?: string;
  /** State of the link. @default - the card's setting */
  readonly linkState?: LinkState;
}

/** Options of `Cni.ipoib`. */
export interface IpoibCniOptions extends InterfaceOptions {
  /** InfiniBand interface of the node, for example `ibs3f1`. */
  readonly master: string;
}

/** Options of `Cni.macvlan`. */
export interface MacvlanCniOptions extends InterfaceOptions {
  /** Ethernet interface of the node. @default - that of the default route */
  readonly master?: string;
  /** How interfaces of one master reach each other. @default 'bridge' */
  readonly mode?: 'bridge' | 'private' | 'vepa' | 'passthru';
  /** At most that of the master. @default - that of the master */
  readonly mtu?: number;
}

/** Options of `Cni.hostDevice`. */
export interface HostDeviceCniOptions extends InterfaceOptions {
  /** Interface of the node. @default - the device that the device plugin gave, which needs a `resource` on the attachment */
  readonly device?: string;
  /** PCI address of the interface. @default - as above */
  readonly pciBusId?: string;
}

/**
 * A CNI plugin with its configuration, for a NetworkAttachmentDefinition.
 *
 * @example
 * new networking.NetworkAttachmentDefinition(chart, 'rdma', {
 *   device: 'nvidia.com/mlx5_rdma',
 *   cni: networking.Cni.macvlan({ master: 'ens2f0', ipam: networking.Ipam.whereabouts({ range: '192.168.100.0/24' }) }),
 * });
 */
@publicClass('networking.Cni')
export class Cni {
  /** A virtual function of an Ethernet card. */
  static sriov(options: SriovCniOptions = {}): Cni {
    const { vlan, vlanQoS, spoofCheck, trust, linkState, minTxRate, maxTxRate } = options;
    return Cni.interface(
      'sriov',
      options,
      {
        vlan,
        vlanQoS,
        spoofchk: onOff(spoofCheck),
        trust: onOff(trust),
        link_state: linkState,
        min_tx_rate: minTxRate,
        max_tx_rate: maxTxRate,
      },
      'roce',
    );
  }

  /** A virtual function of an InfiniBand card. */
  static ibSriov(options: IbSriovCniOptions = {}): Cni {
    return Cni.interface('ib-sriov', options, { pkey: options.pkey, link_state: options.linkState }, 'infiniband');
  }

  /** An IP interface over InfiniBand; the device itself comes from the shared device plugin. */
  static ipoib(options: IpoibCniOptions): Cni {
    return Cni.interface('ipoib', options, { master: options.master }, 'infiniband');
  }

  /** An interface of its own on an Ethernet interface of the node; the device itself comes from the shared device plugin. */
  static macvlan(options: MacvlanCniOptions = {}): Cni {
    return Cni.interface(
      'macvlan',
      options,
      { master: options.master, mode: options.mode ?? 'bridge', mtu: options.mtu },
      'roce',
    );
  }

  /** A whole interface of the node, which the node does not have meanwhile. */
  static hostDevice(options: HostDeviceCniOptions = {}): Cni {
    return Cni.interface('host-device', options, { device: options.device, pciBusID: options.pciBusId }, undefined);
  }

  /** Another plugin, or a configuration as its plugin reads it. `type` names the plugin. */
  static of(plugin: JsonObject & { readonly type: string }, fabric?: Fabric): Cni {
    return new Cni([plugin], fabric);
  }

  private static interface(
    type: string,
    { ipam, capabilities, more }: InterfaceOptions,
    own: Readonly<Record<string, unknown>>,
    fabric: Fabric | undefined,
  ): Cni {
    return new Cni([definedJson({ type, ...own, capabilities, ...more, ipam: ipam?.toIpam() })], fabric);
  }

  private constructor(
    private readonly plugins: readonly JsonObject[],
    /** The network settings for NCCL; `undefined` if they do not follow from the plugin. */
    readonly fabric: Fabric | undefined,
  ) {}

  /**
   * Moves the RDMA device into the pod with its interface, and leaves others none. The nodes must be in RDMA network namespace mode
   * `exclusive`, in which the shared device plugin does not start.
   */
  withRdma(): Cni {
    return this.then({ type: 'rdma' });
  }

  /** Sysctls and such of the interface (`net.ipv4.conf.IFNAME.arp_ignore`); `IFNAME` represents its name. */
  withTuning(options: { readonly sysctl?: Readonly<Record<string, string>>; readonly mtu?: number }): Cni {
    return this.then(definedJson({ type: 'tuning', ...options }));
  }

  /** A further plugin, which is run after the others. */
  then(plugin: JsonObject & { readonly type?: string }): Cni {
    return new Cni([...this.plugins, plugin], this.fabric);
  }

  /** The configuration of a network with this name: one plugin, or a list of them. */
  toConfig(name: string, cniVersion: string): JsonObject {
    const [first, ...others] = this.plugins;
    return others.length === 0 ? { cniVersion, name, ...first } : { cniVersion, name, plugins: [...this.plugins] };
  }
}

export function onOff(value: boolean | undefined): 'on' | 'off' | undefined {
  return value === undefined ? undefined : value ? 'on' : 'off';
}

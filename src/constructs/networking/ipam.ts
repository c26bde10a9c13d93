/**
 * Who gives addresses to the interfaces of a network: a closed choice, rendered as the `ipam` of a CNI configuration.
 *
 * Sources: containernetworking/plugins (host-local, static, dhcp), whereabouts, nvidia-k8s-ipam.
 */
import { definedJson } from '../../manifests/values/members';
import { type JsonObject } from '../../facts/api/schema';
import { publicClass } from '../resources/public-class';

/** A route that attached pods get. */
export interface Route {
  /** CIDR, for example `10.0.0.0/8`. */
  readonly to: string;
  /** Address of the next hop. @default - the gateway of the network */
  readonly via?: string;
}

/** Options of `Ipam.whereabouts`. */
export interface WhereaboutsOptions {
  /** Network, or the first address with the length of the network: `192.168.100.0/24`. */
  readonly range: string;
  /** First address to assign. @default - the first of the range */
  readonly rangeStart?: string;
  /** Last address to assign. @default - the last of the range */
  readonly rangeEnd?: string;
  /** Networks within the range that are left out. @default - none */
  readonly exclude?: readonly string[];
  /** Address of the gateway. @default - none */
  readonly gateway?: string;
  /** Routes that attached pods get. @default - none */
  readonly routes?: readonly Route[];
  /** Whatever has no property of its own. @default - none */
  readonly more?: JsonObject;
}

/** Options of `Ipam.hostLocal`. */
export interface HostLocalOptions {
  /** Every node assigns the same addresses of it, so no two nodes may share the network. */
  readonly subnet: string;
  /** First address to assign. @default - the first address of the subnet */
  readonly rangeStart?: string;
  /** Last address to assign. @default - the last address of the subnet */
  readonly rangeEnd?: string;
  /** Address of the gateway. @default - the first address of the network */
  readonly gateway?: string;
  /** Routes that attached pods get. @default - none */
  readonly routes?: readonly Route[];
  /** Whatever has no property of its own. @default - none */
  readonly more?: JsonObject;
}

/**
 * How the interfaces of attached pods get their addresses.
 *
 * @example
 * new networking.MacvlanNetwork(chart, 'storage', {
 *   networkNamespace: 'research',
 *   ipam: networking.Ipam.whereabouts({ range: '192.168.100.0/24', exclude: ['192.168.100.0/28'] }),
 * });
 */
@publicClass('networking.Ipam')
export class Ipam {
  /** Addresses unique in the whole cluster, kept in Kubernetes (whereabouts). */
  static whereabouts(options: WhereaboutsOptions): Ipam {
    const { range, rangeStart, rangeEnd, exclude, gateway, routes, more } = options;
    return new Ipam(
      definedJson({
        type: 'whereabouts',
        range,
        range_start: rangeStart,
        range_end: rangeEnd,
        exclude,
        gateway,
        routes: routesOf(routes),
        ...more,
      }),
    );
  }

  /** Addresses unique on one node only. */
  static hostLocal(options: HostLocalOptions): Ipam {
    const { subnet, rangeStart, rangeEnd, gateway, routes, more } = options;
    return new Ipam(
      definedJson({ type: 'host-local', subnet, rangeStart, rangeEnd, gateway, routes: routesOf(routes), ...more }),
    );
  }

  /** A pool of NVIDIA's IPAM: an IPPool or a CIDRPool (`nv-ipam.nvidia.com`), which is made beside it. */
  static nvIpam(poolName: string, poolType: 'ippool' | 'cidrpool' = 'ippool'): Ipam {
    return new Ipam({ type: 'nv-ipam', poolName, ...(poolType === 'ippool' ? {} : { poolType }) });
  }

  /** These addresses with the length of their network, or those that the pod's annotation states. */
  static static(addresses: readonly string[] = [], routes?: readonly Route[]): Ipam {
    const list = addresses.map((address) => ({ address }));
    return new Ipam(
      definedJson({ type: 'static', addresses: list.length === 0 ? undefined : list, routes: routesOf(routes) }),
    );
  }

  /** Addresses of a DHCP server on the network; needs the CNI's dhcp daemon on every node. */
  static dhcp(): Ipam {
    return new Ipam({ type: 'dhcp' });
  }

  /** No addresses: enough for InfiniBand verbs, not for RoCE, which goes by the address of the interface. */
  static none(): Ipam {
    return new Ipam({});
  }

  /** Another plugin, or a configuration as its plugin reads it. */
  static of(config: JsonObject): Ipam {
    return new Ipam(config);
  }

  private constructor(private readonly config: JsonObject) {}

  /** The value of `ipam`. */
  toIpam(): JsonObject {
    return this.config;
  }
}

function routesOf(routes: readonly Route[] | undefined): readonly JsonObject[] | undefined {
  return routes?.map(({ to, via }) => definedJson({ dst: to, gw: via }));
}

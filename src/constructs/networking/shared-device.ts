/**
 * Configurations of the two device plugins for network cards: which cards form a pool, and under which resource name pods get a share
 * of one (RDMA shared devices) or a function of their own (SR-IOV).
 *
 * Sources: k8s-rdma-shared-dev-plugin, pkg/types; sriov-network-device-plugin, pkg/types; network-operator v26.4.1.
 */
import { definedJson } from '../../manifests/values/members';
import { type JsonObject } from '../../facts/api/schema';

/** Which cards: all that are stated must hold, each by any of its values. */
export interface CardSelectors {
  /** PCI vendors, for example `15b3`. @default - any */
  readonly vendors?: readonly string[];
  /** PCI device ids, for example `1021`. @default - any */
  readonly deviceIds?: readonly string[];
  /** Kernel drivers, for example `mlx5_core`. @default - any */
  readonly drivers?: readonly string[];
  /** Link types, for example `ether` or `infiniband`. @default - any */
  readonly linkTypes?: readonly string[];
}

/** Cards whose RDMA device pods share. */
export interface SharedDevicePool extends CardSelectors {
  /** The name after the prefix: letters, digits and underscores. */
  readonly name: string;
  /** Domain of the resource name. @default rdma */
  readonly prefix?: string;
  /** Pods that may share the cards of the pool. @default 63 */
  readonly shares?: number;
  /** Interfaces of the nodes, for example `ens2f0`. @default - any */
  readonly interfaces?: readonly string[];
}

/** Cards, or virtual functions, that pods have for themselves. */
export interface SriovDevicePool extends CardSelectors {
  /** The name after the prefix: letters, digits and underscores. */
  readonly name: string;
  /** Domain of the resource name. @default - that of the plugin: `nvidia.com` under the network operator */
  readonly prefix?: string;
  /** Physical functions, for example `ens2f0`, or `ens2f0#0-3` for some of their virtual functions. @default - any */
  readonly pfNames?: readonly string[];
  /** PCI addresses of the devices, for example `0000:3b:00.0`. @default - any */
  readonly pciAddresses?: readonly string[];
  /** PCI addresses of the physical functions, whose virtual functions are selected. @default - any */
  readonly rootDevices?: readonly string[];
  /** Pods get the RDMA device of the function. @default true */
  readonly rdma?: boolean;
}

const SHARED_PREFIX = 'rdma';
const SRIOV_PREFIX = 'nvidia.com';
/** As many as network-operator's examples give out. */
const SHARES = 63;

/** What pods ask for to get of this pool. */
export function sharedResourceName({ name, prefix = SHARED_PREFIX }: SharedDevicePool): string {
  return `${prefix}/${name}`;
}

export function sriovResourceName({ name, prefix = SRIOV_PREFIX }: SriovDevicePool): string {
  return `${prefix}/${name}`;
}

/** @throws if a pool selects nothing, or two have one name */
export function sharedDeviceConfig(pools: readonly SharedDevicePool[], updateSeconds?: number): JsonObject {
  requirePools(
    'rdmaSharedDevices',
    pools,
    pools.map((pool) => [pool.vendors, pool.deviceIds, pool.drivers, pool.linkTypes, pool.interfaces]),
  );
  return definedJson({
    periodicUpdateInterval: updateSeconds,
    configList: pools.map(({ name, prefix, shares = SHARES, vendors, deviceIds, drivers, linkTypes, interfaces }) =>
      definedJson({
        resourceName: name,
        resourcePrefix: prefix,
        rdmaHcaMax: shares,
        selectors: definedJson({ vendors, deviceIDs: deviceIds, drivers, ifNames: interfaces, linkTypes }),
      }),
    ),
  });
}

/** @throws if a pool selects nothing, or two have one name */
export function sriovDeviceConfig(pools: readonly SriovDevicePool[]): JsonObject {
  requirePools(
    'sriovDevices',
    pools,
    pools.map((pool) => [
      pool.vendors,
      pool.deviceIds,
      pool.drivers,
      pool.linkTypes,
      pool.pfNames,
      pool.pciAddresses,
      pool.rootDevices,
    ]),
  );
  return {
    resourceList: pools.map(({ name, prefix, vendors, deviceIds: devices, drivers, linkTypes, rdma = true, ...more }) =>
      definedJson({
        resourcePrefix: prefix,
        resourceName: name,
        selectors: definedJson({
          vendors,
          devices,
          drivers,
          linkTypes,
          isRdma: rdma,
          pfNames: more.pfNames,
          pciAddresses: more.pciAddresses,
          rootDevices: more.rootDevices,
        }),
      }),
    ),
  };
}

function requirePools(
  prop: string,
  pools: readonly { readonly name: string }[],
  selectors: readonly (readonly (readonly string[] | undefined)[])[],
): void {
  if (pools.length === 0) {
    throw new Error(`${prop} must contain at least one pool.`);
  }
  const names = new Set<string>();
  for (const [index, { name }] of pools.entries()) {
    if (names.has(name)) {
      throw new Error(`${prop}: duplicate pool "${name}". Give each pool a unique name.`);
    }
    names.add(name);
    if (!(selectors[index] ?? []).some((list) => list !== undefined && list.length > 0)) {
      throw new Error(
        `${prop}: the pool "${name}" selects no card. Set at least one selector, such as vendors, deviceIds, or interfaces.`,
      );
    }
  }
}

/**
 * The devices of a cluster, as far as its nodes or the pools of an app state them.
 */

/** What the nodes of a cluster, or of one of its pools, offer. */
export interface OfferedDevices {
  /** Extended resources that pods can request on the nodes. */
  readonly resources: ReadonlySet<string>;
  /** Catalog names of the accelerators in the nodes. @default - not known of all nodes */
  readonly products?: ReadonlySet<string>;
}

/** All that several pools offer; `undefined` if there are none. */
export function offeredTogether(pools: readonly OfferedDevices[]): OfferedDevices | undefined {
  if (pools.length === 0) {
    return undefined;
  }
  const resources = new Set(pools.flatMap((pool) => [...pool.resources]));
  return pools.some(({ products }) => products === undefined)
    ? { resources }
    : { resources, products: new Set(pools.flatMap(({ products = [] }) => [...products])) };
}

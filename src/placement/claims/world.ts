/**
 * Which devices each node can use, worked out once for all decisions on the same slices. A slice that comes, changes, or goes costs the nodes
 * of its pool alone.
 *
 * Slices that name one node are found by it; the others are asked for each node: O(nodes × pools that several nodes can use).
 */
import { type AllocatedDevice, type Device, type DeviceClaim, deviceKey, type DeviceSlice } from '../model/claims';
import { candidatesOf, type CandidateLists } from './candidates';
import { type DevicePool, poolsOf } from './pools';

/** The slices of one pool of a driver, in all generations. */
interface Group {
  readonly slices: Set<DeviceSlice>;
  /** Slices that name each node; `undefined`: those that name none. */
  readonly nodes: Map<string | undefined, number>;
}

export class DeviceWorld {
  private readonly byName = new Map<string, DeviceSlice>();
  private readonly groups = new Map<string, Group>();
  /** Pools that a node has for itself. */
  private readonly ofNode = new Map<string, Set<Group>>();
  /** Pools that several nodes may use. */
  private readonly ofMany = new Set<Group>();
  private readonly pools = new Map<string, readonly DevicePool[]>();
  private readonly visible = new Map<string, ReadonlySet<string>>();
  private readonly scopes = new WeakMap<Device, string>();

  constructor(slices: Iterable<readonly [string, DeviceSlice]>) {
    for (const [name, slice] of slices) {
      this.put(name, slice);
    }
  }

  get slices(): readonly DeviceSlice[] {
    return [...this.byName.values()];
  }

  /** @param slice `undefined`: there is none of this name any more */
  put(name: string, slice: DeviceSlice | undefined): void {
    const before = this.byName.get(name);
    if (before !== undefined) {
      this.byName.delete(name);
      this.regroup(before, -1);
    }
    if (slice !== undefined) {
      this.byName.set(name, slice);
      this.regroup(slice, 1);
      for (const device of slice.devices) {
        this.scopes.set(device, device.nodes === undefined ? slice.name : `${slice.name}\0${device.name}`);
      }
    }
  }

  poolsAt(node: string): readonly DevicePool[] {
    let pools = this.pools.get(node);
    if (pools === undefined) {
      const groups = [...(this.ofNode.get(node) ?? []), ...this.ofMany];
      pools = poolsOf(
        groups.flatMap(({ slices }) => [...slices]),
        node,
      );
      this.pools.set(node, pools);
    }
    return pools;
  }

  /** Whether the node can use all of these devices. */
  sees(node: string, devices: readonly AllocatedDevice[]): boolean {
    let keys = this.visible.get(node);
    if (keys === undefined) {
      keys = new Set(
        this.poolsAt(node).flatMap(({ driver, pool, devices: all }) =>
          all.map(({ name }) => deviceKey({ driver, pool, device: name })),
        ),
      );
      this.visible.set(node, keys);
    }
    return devices.every((device) => keys.has(deviceKey(device)));
  }

  /** The candidates for claims that are chosen together, also for pods on other nodes. */
  candidatesAt(node: string, claims: readonly DeviceClaim[]): CandidateLists {
    return candidatesOf(claims, this.poolsAt(node), (device) => this.scopes.get(device) ?? '');
  }

  private regroup(slice: DeviceSlice, by: 1 | -1): void {
    const key = `${slice.driver}\0${slice.pool}`;
    const group: Group = this.groups.get(key) ?? { slices: new Set(), nodes: new Map() };
    this.list(group, false);
    if (by === 1) {
      group.slices.add(slice);
    } else {
      group.slices.delete(slice);
    }
    const count = (group.nodes.get(slice.node) ?? 0) + by;
    if (count === 0) {
      group.nodes.delete(slice.node);
    } else {
      group.nodes.set(slice.node, count);
    }
    if (group.slices.size === 0) {
      this.groups.delete(key);
    } else {
      this.groups.set(key, group);
      this.list(group, true);
    }
  }

  /** Lists the group where it belongs, or nowhere; what was worked out for its nodes is forgotten. */
  private list(group: Group, isListed: boolean): void {
    const [node] = group.nodes.keys();
    if (group.nodes.size === 1 && node !== undefined) {
      const groups = this.ofNode.get(node) ?? new Set<Group>();
      change(groups, group, isListed);
      this.ofNode.set(node, groups);
      this.pools.delete(node);
      this.visible.delete(node);
    } else if (group.nodes.size > 0) {
      change(this.ofMany, group, isListed);
      this.pools.clear();
      this.visible.clear();
    }
  }
}

function change<T>(set: Set<T>, value: T, isMember: boolean): void {
  if (isMember) {
    set.add(value);
  } else {
    set.delete(value);
  }
}

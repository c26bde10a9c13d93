/**
 * Which devices each node can use, worked out once for all decisions on the same slices.
 *
 * Slices that name one node are found by it; the others are asked for each node: O(nodes × pools that several nodes can use).
 */
import { addTo } from '../../facts/collections';
import { type AllocatedDevice, type Device, type DeviceClaim, deviceKey, type DeviceSlice } from '../model/claims';
import { candidatesOf, type CandidateLists } from './candidates';
import { type DevicePool, poolsOf } from './pools';

export class DeviceWorld {
  /** Slices of the pools that a node has for itself. */
  private readonly ofNode = new Map<string, DeviceSlice[]>();
  /** Slices of pools that several nodes may use. */
  private readonly ofMany: DeviceSlice[] = [];
  private readonly pools = new Map<string, readonly DevicePool[]>();
  private readonly visible = new Map<string, ReadonlySet<string>>();
  private readonly scopes = new Map<Device, string>();

  constructor(readonly slices: readonly DeviceSlice[]) {
    const groups = new Map<string, DeviceSlice[]>();
    for (const slice of slices) {
      addTo(groups, `${slice.driver}\0${slice.pool}`, slice);
      for (const device of slice.devices) {
        this.scopes.set(device, device.nodes === undefined ? slice.name : `${slice.name}\0${device.name}`);
      }
    }
    for (const group of groups.values()) {
      const nodes = new Set(group.map(({ node }) => node));
      const [node] = nodes;
      if (nodes.size === 1 && node !== undefined) {
        group.forEach((slice) => addTo(this.ofNode, node, slice));
      } else {
        group.forEach((slice) => this.ofMany.push(slice));
      }
    }
  }

  poolsAt(node: string): readonly DevicePool[] {
    let pools = this.pools.get(node);
    if (pools === undefined) {
      pools = poolsOf([...(this.ofNode.get(node) ?? []), ...this.ofMany], node);
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
}

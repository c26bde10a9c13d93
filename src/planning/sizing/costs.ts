/**
 * Who uses what is paid for: the price of a node is divided among the pods that hold its devices, or its CPU where it has no devices. The
 * rest is idle.
 */
import { type ClusterNode, DEFAULT_DEVICE_RESOURCE } from '../../placement';
import { type HeldPod } from '../simulation';
import { devicesOf } from '../simulation/amounts';
import { type Outage } from '../simulation/spot';

export interface PricedNode {
  readonly node: ClusterNode;
  readonly pool: string;
  readonly pricePerHour: number;
  /** Whether it runs from the beginning; a node of a pool that scales may start later. */
  readonly starts: boolean;
  readonly outages: readonly Outage[];
}

export interface Window {
  readonly from: number;
  readonly until: number;
}

/** What one pool cost. */
export interface PoolSpending {
  spent: number;
  /** Time in which nodes ran, summed over them; without the outages of spot nodes. */
  seconds: number;
  /** What gangs used of it, by name. */
  readonly byGang: Map<string, number>;
}

/** Money spent in the window. */
export class CostMeter {
  readonly pools = new Map<string, PoolSpending>();
  private readonly nodes: ReadonlyMap<string, PricedNode>;
  private readonly open = new Map<string, { readonly pod: HeldPod; readonly since: number }>();
  /** Nodes that run, and since when they are paid for. */
  private readonly running = new Map<string, number>();

  constructor(
    nodes: readonly PricedNode[],
    private readonly window: Window,
  ) {
    this.nodes = new Map(nodes.map((priced) => [priced.node.name, priced]));
    for (const { node, pool, pricePerHour, starts, outages } of nodes) {
      const down = outages.reduce((sum, { from, to }) => sum + this.within(from, to ?? Infinity), 0);
      this.poolOf(pool).spent -= (pricePerHour * down) / 3600;
      if (starts) {
        this.requested(node.name, 0);
      }
    }
  }

  /** A node is paid for from its request on. */
  requested(node: string, at: number): void {
    this.running.set(node, at);
  }

  ended(node: string, at: number): void {
    const since = this.running.get(node);
    const priced = this.nodes.get(node);
    if (since !== undefined && priced !== undefined) {
      this.running.delete(node);
      const pool = this.poolOf(priced.pool);
      const seconds = this.within(since, at);
      pool.seconds += seconds;
      pool.spent += (priced.pricePerHour * seconds) / 3600;
    }
  }

  held(pod: HeldPod, at: number): void {
    this.open.set(pod.name, { pod, since: at });
  }

  freed({ name }: HeldPod, at: number): void {
    const opened = this.open.get(name);
    if (opened === undefined) {
      return;
    }
    this.open.delete(name);
    const { pod, since } = opened;
    const priced = this.nodes.get(pod.node);
    if (priced !== undefined) {
      const cost = (priced.pricePerHour * shareOf(pod, priced.node) * this.within(since, at)) / 3600;
      add(this.poolOf(priced.pool).byGang, pod.gang, cost);
    }
  }

  /** Pods that still hold capacity, and nodes that run, are accounted for until now. */
  finish(at: number): void {
    [...this.running.keys()].forEach((node) => this.ended(node, at));
    [...this.open.values()].forEach(({ pod }) => this.freed(pod, at));
  }

  private poolOf(name: string): PoolSpending {
    const pool = this.pools.get(name) ?? { spent: 0, seconds: 0, byGang: new Map<string, number>() };
    this.pools.set(name, pool);
    return pool;
  }

  private within(from: number, to: number): number {
    return Math.max(0, Math.min(to, this.window.until) - Math.max(from, this.window.from));
  }
}

function shareOf({ template }: HeldPod, { deviceResource, allocatable, devices }: ClusterNode): number {
  const resource = deviceResource ?? DEFAULT_DEVICE_RESOURCE;
  const count = devices?.length ?? allocatable[resource] ?? 0;
  if (count > 0) {
    return devicesOf(template, resource) / count;
  }
  return (allocatable.cpu ?? 0) > 0 ? (template.request.cpu ?? 0) / allocatable.cpu : 0;
}

export function add(sums: Map<string, number>, key: string, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount);
}

/**
 * Writes down, at every moment at which something changes, what is in use, by whom, and how much of what is free is of no use.
 */
import { type ClusterNode, type PodTemplate, type Queue } from '../../placement';
import { amountOf, devicesOf } from './amounts';
import { type GangRun } from './gang-run';
import { type Samples } from './result';

interface NodeAccount {
  readonly node: ClusterNode;
  readonly devices: number;
  readonly used: Map<string, number>;
  up: boolean;
  /** Free devices, and the part of them that is of no use; kept until something changes on the node. */
  free: number;
  lost: number;
}

interface Kind {
  readonly template: PodTemplate;
  readonly devices: number;
  /** Part of all pods that ask for devices. */
  readonly weight: number;
}

export class Recorder {
  readonly at: number[] = [];
  readonly used: Record<string, number[]> = {};
  readonly ready: Record<string, number[]> = {};
  readonly runningGangs: number[] = [];
  readonly waitingGangs: number[] = [];
  readonly fragmentation: number[] = [];
  readonly fairness: number[] = [];
  /** By queue: seconds below what it deserves with gangs waiting. */
  readonly belowDeserved = new Map<string, number>();
  private short: ReadonlySet<string> = new Set();
  /** By resource, then by queue. */
  readonly queues = new Map<string, Map<string, number[]>>();
  private readonly nodes = new Map<string, NodeAccount>();
  private readonly queueUse = new Map<string, Map<string, number>>();
  private readonly parents: ReadonlyMap<string, string | undefined>;
  private readonly kinds: readonly Kind[];
  private readonly readyNow = new Map<string, number>();
  private readonly usedNow = new Map<string, number>();
  private freeNow = 0;
  private lostNow = 0;

  constructor(
    nodes: readonly ClusterNode[],
    queues: readonly Queue[],
    gangs: readonly GangRun[],
    readonly device: string,
    readonly resources: readonly string[],
  ) {
    this.parents = new Map(queues.map(({ name, parent }) => [name, parent]));
    this.kinds = kindsOf(gangs, device);
    for (const resource of resources) {
      this.used[resource] = [];
      this.ready[resource] = [];
      this.usedNow.set(resource, 0);
      this.readyNow.set(resource, 0);
      this.queueUse.set(resource, new Map(queues.map(({ name }) => [name, 0])));
      this.queues.set(resource, new Map(queues.map(({ name }) => [name, []])));
    }
    for (const node of nodes) {
      const devices = node.devices?.filter(({ healthy }) => healthy !== false).length ?? node.allocatable[device] ?? 0;
      const account = { node, devices, used: new Map(Object.entries(node.used ?? {})), up: false, free: 0, lost: 0 };
      this.nodes.set(node.name, account);
      if (node.ready !== false) {
        this.nodeIs(node.name, true);
      }
    }
  }

  nodeIs(name: string, up: boolean): void {
    const account = this.nodes.get(name)!;
    if (account.up === up) {
      return;
    }
    account.up = up;
    for (const resource of this.resources) {
      this.grow(this.readyNow, resource, (up ? 1 : -1) * this.capacity(account, resource));
    }
    this.refresh(account);
  }

  /** `sign` is 1 when the pod starts, -1 when its room is free again. */
  pod(node: string, queue: string, template: PodTemplate, sign: 1 | -1): void {
    const account = this.nodes.get(node);
    for (const resource of this.resources) {
      const amount = sign * amountOf(template, resource, this.device);
      this.grow(this.usedNow, resource, amount);
      if (account !== undefined) {
        this.grow(account.used, resource, amount);
      }
      const uses = this.queueUse.get(resource)!;
      for (let at: string | undefined = queue; at !== undefined && uses.has(at); at = this.parents.get(at)) {
        this.grow(uses, at, amount);
      }
    }
    if (account !== undefined) {
      this.refresh(account);
    }
  }

  /** @param waitingIn queues with waiting gangs, and the devices that each of them deserves */
  sample(now: number, running: number, waiting: number, waitingIn: ReadonlyMap<string, number>): void {
    const last = this.at.length - 1;
    this.pass(now);
    const i = this.at[last] === now ? last : last + 1;
    this.at[i] = now;
    for (const resource of this.resources) {
      this.used[resource][i] = tidy(this.usedNow.get(resource)!);
      this.ready[resource][i] = this.readyNow.get(resource)!;
      const columns = this.queues.get(resource)!;
      for (const [queue, amount] of this.queueUse.get(resource)!) {
        columns.get(queue)![i] = tidy(amount);
      }
    }
    this.runningGangs[i] = running;
    this.waitingGangs[i] = waiting;
    const used = this.queueUse.get(this.device)!;
    const parts = [...waitingIn].map(([queue, deserved]) => [queue, (used.get(queue) ?? 0) / deserved] as const);
    this.fairness[i] = tidy(Math.min(1, ...parts.map(([, part]) => part)));
    this.short = new Set(parts.flatMap(([queue, part]) => (part < 1 - 1e-6 ? [queue] : [])));
    this.fragmentation[i] = this.freeNow > 1e-6 ? tidy(this.lostNow / this.freeNow) : 0;
  }

  /** Time goes by as things were at the last sample. */
  pass(now: number): void {
    const seconds = now - (this.at.at(-1) ?? now);
    this.short.forEach((queue) => this.belowDeserved.set(queue, (this.belowDeserved.get(queue) ?? 0) + seconds));
  }

  samples(): Samples {
    return {
      at: this.at,
      used: this.used,
      ready: this.ready,
      runningGangs: this.runningGangs,
      waitingGangs: this.waitingGangs,
      fragmentation: this.fragmentation,
      fairness: this.fairness,
      queues: Object.fromEntries(this.queues.get(this.device)!),
    };
  }

  /** Mean of a column over a window. */
  mean(column: readonly number[], from: number, until: number): number {
    let sum = 0;
    this.windows(from, until, (i, seconds) => (sum += column[i] * seconds));
    return until > from ? sum / (until - from) : (column.at(-1) ?? 0);
  }

  /** Use as a part of what is ready, over a window. */
  utilization(resource: string, from: number, until: number): number {
    const ready = this.mean(this.ready[resource] ?? [], from, until);
    return ready > 0 ? this.mean(this.used[resource], from, until) / ready : 0;
  }

  /** What a column says at a moment. */
  valueAt(column: readonly number[], at: number): number {
    let low = 0;
    let high = this.at.length - 1;
    if (high < 0 || this.at[0] > at) {
      return 0;
    }
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.at[middle] <= at) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return column[low];
  }

  private windows(from: number, until: number, visit: (i: number, seconds: number) => void): void {
    for (let i = 0; i < this.at.length; i++) {
      const seconds = Math.min(this.at[i + 1] ?? until, until) - Math.max(this.at[i], from);
      if (seconds > 0) {
        visit(i, seconds);
      }
    }
  }

  private capacity({ node, devices }: NodeAccount, resource: string): number {
    return resource === this.device ? devices : (node.allocatable[resource] ?? 0);
  }

  private grow(amounts: Map<string, number>, key: string, by: number): void {
    amounts.set(key, (amounts.get(key) ?? 0) + by);
  }

  /** As published for FGD: all that is free where a kind does not fit, else what is free on devices in use; weighted by kind. */
  private refresh(account: NodeAccount): void {
    this.freeNow -= account.free;
    this.lostNow -= account.lost;
    const { node, used } = account;
    const free = account.up ? Math.max(0, account.devices - (used.get(this.device) ?? 0)) : 0;
    const whole = Math.floor(free + 1e-9);
    const left = (name: string): number => (node.allocatable[name] ?? 0) - (used.get(name) ?? 0);
    const fits = ({ template, devices }: Kind): boolean =>
      (devices < 1 ? free >= devices : whole >= devices) &&
      Object.entries(template.request).every(([name, amount]) => name === this.device || amount <= left(name));
    let lost = 0;
    for (const kind of this.kinds) {
      lost += kind.weight * (fits(kind) ? (kind.devices < 1 ? 0 : free - whole) : free);
    }
    account.free = free;
    account.lost = lost;
    this.freeNow += free;
    this.lostNow += lost;
  }
}

function kindsOf(gangs: readonly GangRun[], device: string): Kind[] {
  const counts = new Map<string, { template: PodTemplate; count: number }>();
  for (const { spec } of gangs) {
    for (const { template, count } of spec.gang.roles) {
      if (devicesOf(template, device) > 0) {
        const key = JSON.stringify([template.request, template.accelerator]);
        const kind = counts.get(key) ?? { template, count: 0 };
        kind.count += count;
        counts.set(key, kind);
      }
    }
  }
  const all = [...counts.values()].reduce((sum, { count }) => sum + count, 0);
  return [...counts.values()].map(({ template, count }) => ({
    template,
    devices: devicesOf(template, device),
    weight: count / all,
  }));
}

/** Sums of parts of devices leave dust. */
function tidy(amount: number): number {
  return Math.round(amount * 1e6) / 1e6;
}

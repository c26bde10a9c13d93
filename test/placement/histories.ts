/**
 * A session that follows the world by deltas, held against a session built from scratch after every step of a random history: the books,
 * and the decision that follows.
 */
import * as fc from 'fast-check';
import { type ClusterNode, DEFAULT_POLICY, type Gang, type Pod, type Policy, type Queue } from '../../src/placement';
import { canonicalText } from '../../src/placement/model/canonical-text';
import { decideIn } from '../../src/placement/engine';
import { type Delta } from '../../src/placement/model/facts';
import { Session } from '../../src/placement/books/session';
import { snapshotOf, type World, worlds } from './worlds';

const STEPS = [
  'decide',
  'decide',
  'decide',
  'arrive',
  'arrive',
  'crowd',
  'leave',
  'change-gang',
  'end-pod',
  'end-pod',
  'evict-pod',
  'forget-devices',
  'foreign',
  'foreign-gone',
  'cordon',
  'change-node',
  'node-gone',
  'node-back',
  'report',
  'queue',
  'queue-gone',
  'queue-back',
  'policy',
  'time',
  'assume',
  'say',
  'confirm',
  'undo',
  'new-resource',
] as const;
type StepKind = (typeof STEPS)[number];

interface Step {
  readonly kind: StepKind;
  /** Chooses what the step is about. */
  readonly pick: number;
}

interface History {
  readonly world: World;
  readonly steps: readonly Step[];
}

export const histories = historiesOf(20);

/** Histories of up to so many steps. */
export function historiesOf(maxLength: number): fc.Arbitrary<History> {
  const step = fc.record({ kind: fc.constantFrom(...STEPS), pick: fc.nat(1_000_000) });
  return fc.record({ world: worlds, steps: fc.array(step, { minLength: 4, maxLength }) });
}

/** The property that `runs` random histories never lead a session astray. */
export function checkHistories(runs: number, seed: number): void {
  fc.assert(
    fc.property(histories, (history) => {
      const wrong = firstDifference(history);
      if (wrong !== undefined) {
        throw new Error(wrong);
      }
    }),
    { numRuns: runs, seed },
  );
}

/** The first step after which the two sessions differ, and in what. */
export function firstDifference({ world, steps }: History): string | undefined {
  const follower = new Follower(world);
  for (const [at, step] of steps.entries()) {
    follower.take(step);
    const { session } = follower;
    const scratch = new Session(session.snapshot, session.policy);
    session.rewind();
    const wrong =
      difference(booksOf(session, scratch.accounts), booksOf(scratch)) ??
      difference(rounded(decideIn(session)), rounded(decideIn(scratch))) ??
      difference(booksOf(session, scratch.accounts), booksOf(scratch));
    if (wrong !== undefined) {
      return `after step ${at} (${steps
        .slice(0, at + 1)
        .map(({ kind }) => kind)
        .join(', ')}): ${wrong}`;
    }
  }
  return undefined;
}

/** What a step is about; undefined where there is none. */
interface Choice {
  readonly pick: number;
  readonly gang: Gang | undefined;
  readonly node: ClusterNode | undefined;
  /** One of a gang. */
  readonly pod: Pod | undefined;
  readonly foreign: Pod | undefined;
  readonly queue: Queue | undefined;
  readonly policy: Partial<Policy>;
}

/** Turns steps into what a cluster would report. */
export class Follower {
  readonly session: Session;
  private readonly waiting: Gang[];
  private readonly removedNodes: ClusterNode[] = [];
  private readonly removedQueues: Queue[] = [];
  private readonly assumed: string[] = [];
  private names = 0;

  constructor(world: World) {
    this.session = new Session(snapshotOf(world, world.early, []), { ...DEFAULT_POLICY, staleGangSeconds: 0 });
    this.waiting = [...world.late];
  }

  take({ kind, pick }: Step): void {
    const world = this.session.snapshot;
    const of = <T>(list: readonly T[]): T | undefined => list[pick % Math.max(1, list.length)];
    this.steps[kind]({
      pick,
      gang: of(world.gangs),
      node: of(world.nodes),
      pod: of(world.pods.filter(({ gang }) => gang !== undefined)),
      foreign: of(world.pods.filter(({ gang }) => gang === undefined)),
      queue: of(world.queues),
      policy: of(POLICIES)!,
    });
  }

  private readonly steps: Readonly<Record<StepKind, (choice: Choice) => void>> = {
    decide: ({ pick }) => this.carryOut(pick % 3 === 0),
    arrive: ({ gang }) => {
      const arriving =
        this.waiting.pop() ?? (gang && { ...gang, name: `again${this.names++}`, arrival: this.session.now });
      this.apply(arriving && { kind: 'gang', gang: arriving });
    },
    crowd: ({ gang, pick }) =>
      this.apply(
        ...Array.from({ length: gang === undefined ? 0 : 6 }, (_, i): Delta => ({
          kind: 'gang',
          gang: crowdedGang(gang!, `crowd${this.names++}`, pick + i, this.session.now),
        })),
      ),
    leave: ({ gang }) => {
      const gone = this.session.snapshot.pods.filter((one) => gang !== undefined && one.gang === gang.name);
      this.apply(
        gang && { kind: 'gang-gone', name: gang.name },
        ...gone.map(({ name }) => ({ kind: 'pod-gone' as const, name })),
      );
    },
    'change-gang': ({ gang, pick }) => this.apply(gang && { kind: 'gang', gang: changedGang(gang, pick) }),
    'end-pod': ({ pod }) => this.apply(pod && { kind: 'pod-gone', name: pod.name }),
    'evict-pod': ({ pod }) => this.apply(pod && { kind: 'pod', pod: { ...pod, state: 'releasing' } }),
    'forget-devices': ({ pod, pick }) =>
      this.apply(pod && { kind: 'pod', pod: { ...pod, devices: pick % 2 === 0 ? undefined : [pick % 9] } }),
    foreign: ({ node, pick }) =>
      this.apply(node && { kind: 'pod', pod: foreignPod(`other${pick % 4}`, node.name, pick) }),
    'foreign-gone': ({ foreign }) => this.apply(foreign && { kind: 'pod-gone', name: foreign.name }),
    cordon: ({ node, pick }) => this.apply(node && { kind: 'node', node: { ...node, unschedulable: pick % 2 === 0 } }),
    'change-node': ({ node, pick }) => this.apply(node && { kind: 'node', node: changedNode(node, pick) }),
    'node-gone': ({ node }) => {
      this.removedNodes.push(...(node === undefined ? [] : [node]));
      this.apply(node && { kind: 'node-gone', name: node.name });
    },
    'node-back': () => {
      const back = this.removedNodes.pop();
      this.apply(back && { kind: 'node', node: back });
    },
    report: ({ node, pick }) =>
      this.apply(node && { kind: 'node', node: { ...node, capacityReport: reportOf(this.session.now, pick) } }),
    queue: ({ queue, pick }) =>
      this.apply(queue && { kind: 'queue', queue: { ...queue, weight: 1 + (pick % 3), priority: pick % 2 } }),
    'queue-gone': ({ queue }) => {
      this.removedQueues.push(...(queue === undefined ? [] : [queue]));
      this.apply(queue && { kind: 'queue-gone', name: queue.name });
    },
    'queue-back': () => {
      const back = this.removedQueues.pop();
      this.apply(back && { kind: 'queue', queue: { ...back, deserved: { widgets: 1, ...back.deserved } } });
    },
    policy: ({ policy }) => this.apply({ kind: 'policy', policy: { ...this.session.policy, ...policy } }),
    time: ({ pick }) => this.apply({ kind: 'time', now: this.session.now + 1000 * (pick % 4000) }),
    assume: ({ pick }) => this.assume(pick),
    say: ({ pod, gang, pick }) =>
      this.apply(
        pod && { kind: 'pod', pod: { ...pod, state: pick % 2 === 0 ? 'running' : 'releasing' } },
        gang && { kind: 'gang', gang: { ...gang } },
      ),
    confirm: () => this.settle((names) => this.session.confirm(...names)),
    undo: () => this.settle((names) => this.session.undo(...names)),
    'new-resource': ({ gang }) =>
      this.apply(
        gang && { kind: 'gang', gang: { ...gang, name: `rare${this.names++}`, roles: gang.roles.map(rareRole) } },
      ),
  };

  private apply(...deltas: readonly (Delta | undefined)[]): void {
    this.session.apply(...deltas.filter((delta) => delta !== undefined));
  }

  /** What was decided happens: at once, or with evicted pods on their way out for a while. */
  private carryOut(grace: boolean): void {
    const { session } = this;
    const { bindings, evictions } = decideIn(session);
    const pods = new Map(session.snapshot.pods.map((pod) => [pod.name, pod]));
    session.apply(
      ...evictions.map(({ pod }): Delta => {
        const evicted = pods.get(pod)!;
        return grace ? { kind: 'pod', pod: { ...evicted, state: 'releasing' } } : { kind: 'pod-gone', name: pod };
      }),
      ...bindings.map((binding): Delta => ({ kind: 'pod', pod: boundPod(binding, session.now) })),
      { kind: 'time', now: session.now + 60_000 },
    );
  }

  private assume(pick: number): void {
    const { session } = this;
    const { bindings, evictions } = decideIn(session);
    const pods = new Map(session.snapshot.pods.map((pod) => [pod.name, pod]));
    const acts = [
      ...bindings.map((binding) => boundPod(binding, session.now)),
      ...evictions.map(({ pod }): Pod => ({ ...pods.get(pod)!, state: 'releasing' })),
    ].filter((_, i) => (pick >> (i % 16)) % 2 === 0);
    session.assume(...acts);
    this.assumed.push(...acts.map(({ name }) => name));
  }

  private settle(how: (names: readonly string[]) => void): void {
    how(this.assumed.splice(0, 1 + (this.assumed.length >> 1)));
  }
}

/** Like the other, with a shape of its own: some never fit, some do once something has ended, some at once. */
function crowdedGang(gang: Gang, name: string, pick: number, arrival: number): Gang {
  const [{ template, ...role }] = gang.roles;
  const cpu = 500 * (1 + (pick % 37));
  const whole = { kind: 'whole' as const, count: 1 + (pick % 11) };
  return {
    ...gang,
    name,
    arrival,
    roles: [
      {
        ...role,
        count: 1 + (pick % 4),
        template: { ...template, request: { ...template.request, cpu }, ...(pick % 3 > 0 && { accelerator: whole }) },
      },
    ],
    minimum: undefined,
    subgroups: undefined,
  };
}

const POLICIES: readonly Partial<Policy>[] = [
  { nodeScore: 'binpack' },
  { nodeScore: 'fragmentation' },
  { nodeScore: 'fgd', queueOrder: 'drf' },
  { queueOrder: 'quota-then-surplus', gangOrder: 'share' },
  { queueOrder: 'proportion' },
  { victimOrder: 'cheapest-first', actions: ['allocate', 'preempt', 'reclaim'] },
];

function boundPod(
  {
    pod,
    gang,
    role,
    node,
    devices,
  }: { pod: string; gang: string; role: string; node: string; devices: readonly number[] },
  startedAt: number,
): Pod {
  return { name: pod, gang, role, node, devices, state: 'running', startedAt };
}

function changedGang(gang: Gang, pick: number): Gang {
  const [first, ...rest] = gang.roles;
  const changes: readonly Partial<Gang>[] = [
    { priority: pick % 3 === 0 ? 100 : 0 },
    { queue: `q${pick % 5}` },
    { roles: [{ ...first, count: 1 + (pick % 5) }, ...rest] },
    { preemptible: pick % 2 === 0 },
    { expectedSeconds: pick % 7 === 0 ? undefined : pick % 10_000 },
  ];
  return { ...gang, ...changes[pick % changes.length] };
}

function rareRole(role: Gang['roles'][number]): Gang['roles'][number] {
  return { ...role, template: { ...role.template, request: { ...role.template.request, gadgets: 1 } } };
}

function changedNode(node: ClusterNode, pick: number): ClusterNode {
  const { allocatable, devices = [], labels } = node;
  const changes: readonly Partial<ClusterNode>[] = [
    { allocatable: { ...allocatable, cpu: 2000 + (pick % 20_000) } },
    { ready: pick % 2 === 0 },
    { used: { cpu: pick % 3000, 'nvidia.com/gpu': pick % 3 } },
    { devices: devices.map((device, i) => ({ ...device, healthy: i !== pick % 8 })) },
    { labels: { ...labels, rack: `r${pick % 3}` } },
    { taints: pick % 2 === 0 ? [] : [{ key: 'maintenance', effect: 'NoSchedule' }] },
    { allocatable: { ...allocatable, gadgets: pick % 5 } },
  ];
  return { ...node, ...changes[pick % changes.length] };
}

/** A pod of somebody else; it may say that it holds devices that others hold. */
function foreignPod(name: string, on: string, pick: number): Pod {
  const whole = { request: { cpu: 500 }, accelerator: { kind: 'whole' as const, count: 1 } };
  const half = { request: { cpu: 500 }, accelerator: { kind: 'fraction' as const, milli: 500 } };
  return {
    name,
    state: pick % 5 === 0 ? 'releasing' : 'running',
    node: on,
    template: pick % 2 === 0 ? whole : half,
    ...(pick % 3 === 0 ? {} : { devices: [pick % 4] }),
  };
}

function reportOf(now: number, pick: number): string {
  return pick % 5 === 0
    ? 'nonsense'
    : JSON.stringify({ at: now - (pick % 3) * 50_000, devices: [{ index: 0, freeMemoryMiB: pick % 90_000 }] });
}

/**
 * The books by name, without anything that depends on what a session has seen before.
 *
 * @param names resources of which the cluster's totals are reported
 */
export function booksOf(session: Session, names: readonly string[] = session.accounts): Record<string, unknown> {
  const { table, queues, gangs, pods, accounts } = session;
  const amounts = (values: Float64Array): unknown =>
    Object.fromEntries(accounts.flatMap((name, i) => (values[i] === 0 ? [] : [[name, tidy(values[i])]])));
  const nameOf = (row: number): string | number => (row >= 0 ? table.nodes[row].name : row);
  const counts = new Map<string, number>();
  session.classCounts.forEach((count, { template: { labels: _, namespace: __, ...template } }) => {
    const key = canonicalText(template);
    counts.set(key, (counts.get(key) ?? 0) + count);
  });
  return {
    now: session.now,
    nodes: table.nodes.map((node, row) => ({
      node,
      free: Object.fromEntries(
        table.resources.flatMap((name, column) =>
          table.free[column][row] === 0 ? [] : [[name, table.free[column][row]]],
        ),
      ),
      devices: Array.from({ length: table.deviceStart[row + 1] - table.deviceStart[row] }, (_, i) => {
        const slot = table.deviceStart[row] + i;
        return [table.deviceFree[slot], table.deviceCapacity[slot], table.deviceReport[slot] ?? null];
      }),
      whole: table.wholeFree[row],
      milli: table.milliFree[row],
    })),
    reports: table.reports,
    queues: queues.map(({ queue, parent, requested, allocated, nonPreemptible }) => ({
      queue,
      parent: parent?.queue.name,
      requested: amounts(requested),
      allocated: amounts(allocated),
      nonPreemptible: amounts(nonPreemptible),
    })),
    gangs: gangs.map(({ gang, placed, size, needed, queue, roles }) => ({
      name: gang.name,
      placed,
      size,
      needed,
      queue: queue?.queue.name,
      roles: roles.map((role) => [role.role.name, role.placed, role.minimum]),
    })),
    order: gangs.every(({ index }, i) => i === 0 || gangs[i - 1].index < index),
    pods: pods.map((pod) => ({
      name: pod.name,
      gang: pod.role?.gang.gang.name,
      role: pod.role?.role.name,
      node: nameOf(pod.row),
      devices: pod.devices.map((slot) => slot - table.deviceStart[pod.row]),
      facts: [pod.existed, pod.releasing, pod.waits, pod.preemptible, pod.startedAt],
    })),
    short: [...session.short].map(({ gang }) => gang.name).sort(),
    leaving: session.leaving.map(({ name }) => name).sort(),
    ends: session.ends.map(({ pod, at }) => [pod.name, at]),
    classes: [...counts].sort(([a], [b]) => (a < b ? -1 : 1)),
    totals: names.map((name) => session.totals[accounts.indexOf(name)]),
  };
}

function rounded(value: unknown): Record<string, unknown> {
  const text = JSON.stringify(value, (_, member: unknown): unknown =>
    typeof member === 'number' ? tidy(member) : member,
  );
  return JSON.parse(text) as Record<string, unknown>;
}

/** Sums of shares in another order differ in the last bits. */
function tidy(value: number): number {
  return Number.isFinite(value) ? Math.round(value * 1e6) / 1e6 : value;
}

function difference(kept: Record<string, unknown>, scratch: Record<string, unknown>): string | undefined {
  for (const key of Object.keys(scratch)) {
    const [a, b] = [JSON.stringify(kept[key]), JSON.stringify(scratch[key])];
    if (a !== b) {
      const [x, y] = [kept[key], scratch[key]];
      if (Array.isArray(x) && Array.isArray(y)) {
        const at = y.findIndex((one, i) => JSON.stringify(one) !== JSON.stringify(x[i]));
        return `${key}[${at}] of ${x.length}/${y.length} is ${JSON.stringify(x[at])} instead of ${JSON.stringify(y[at])}`;
      }
      return `${key} is ${a} instead of ${b}`;
    }
  }
  return undefined;
}

/**
 * One gang as time goes by: its pods, how far its work is, and what happened to it.
 *
 * Work goes on while the gang has its minimum; with fewer pods than all it is slower in proportion, unless the scenario says it does not
 * scale. When the gang falls below its minimum, work since the last checkpoint is lost.
 */
import { type Gang } from '../../placement';
import { devicesOf } from './amounts';
import { type GangOutcome, type GangSpan, type GangState, type PendingReason, type SpanEnd } from './result';
import { type ScenarioGang } from './scenario';

export interface LivePod {
  readonly name: string;
  readonly role: string;
  readonly node: string;
  readonly devices: readonly number[];
  readonly startedAt: number;
  /** Keys of its claims. @default - it has none */
  readonly claims?: readonly string[];
  /** On its way out: it still holds its room, and works no more. */
  releasing: boolean;
}

/** A reason is looked for again after this many seconds. */
const EXPLAIN_SECONDS = 600;

export class GangRun {
  readonly pods = new Map<string, LivePod>();
  state: GangState = 'pending';
  /** Grows with every change of speed, so that an end that was foreseen before is known to be void. */
  generation = 0;
  evictions = 0;
  moves = 0;
  losses = 0;
  /** Seconds of work, at full size, that counted when it was last looked at. */
  private done = 0;
  private doneAt = 0;
  private speed = 0;
  /** It has its minimum; with a link that failed it may do so and get nowhere. */
  private working = false;
  private lost = 0;
  private interruptions = 0;
  private startedAt: number | undefined;
  private endedAt: number | undefined;
  private nodes: readonly string[] = [];
  private readonly spans: GangSpan[] = [];
  private open: { from: number; pods: number; stalled: boolean } | undefined;
  private readonly reasons: PendingReason[] = [];
  private reasonOpen = false;
  private explainedAt = 0;
  /** Since when it has some pods and less than its minimum. */
  staleSince: number | undefined;
  readonly size: number;
  readonly minimum: number;
  readonly devices: number;

  constructor(
    readonly spec: ScenarioGang,
    deviceResource: string,
  ) {
    const { roles } = spec.gang;
    this.size = roles.reduce((sum, { count }) => sum + count, 0);
    this.minimum = minimumOf(spec.gang);
    this.devices = roles.reduce((sum, { count, template }) => sum + count * devicesOf(template, deviceResource), 0);
  }

  get over(): boolean {
    return this.state === 'finished' || this.state === 'canceled';
  }

  get hasStarted(): boolean {
    return this.startedAt !== undefined;
  }

  get works(): boolean {
    return this.working;
  }

  /** Nodes of pods that are not on their way out. */
  get runsOn(): ReadonlySet<string> {
    return new Set([...this.pods.values()].flatMap(({ node, releasing }) => (releasing ? [] : [node])));
  }

  /** Pods that run and are not on their way out. */
  get running(): number {
    let count = 0;
    for (const { releasing } of this.pods.values()) {
      count += releasing ? 0 : 1;
    }
    return count;
  }

  /** When its work will be done if nothing changes; `undefined` while it does not run, or if it never ends. */
  get endsAt(): number | undefined {
    if (this.speed === 0 || this.spec.durationSeconds === Infinity) {
      return undefined;
    }
    return this.doneAt + Math.ceil(((this.spec.durationSeconds - this.done) / this.speed) * 1000) / 1000;
  }

  /**
   * Takes note of pods that came or went. `why` says how the time with the former number of pods ended.
   *
   * @param linkSpeed part of its speed that the links between its nodes allow
   */
  settle(now: number, why: SpanEnd, linkSpeed = 1): void {
    const running = this.running;
    const works = running > 0 && hasMinimum(this.spec.gang, this.pods.values());
    const speed = works ? (this.spec.scales ? running / this.size : 1) * linkSpeed : 0;
    this.account(now);
    if (this.working && !works) {
      this.interrupt();
    }
    if (works && this.startedAt === undefined) {
      this.startedAt = now;
      this.nodes = [...new Set([...this.pods.values()].map(({ node }) => node))].sort();
    }
    this.speed = speed;
    this.working = works;
    this.generation++;
    this.staleSince = running > 0 && !works ? (this.staleSince ?? now) : undefined;
    this.state = works ? 'running' : 'pending';
    this.span(now, running, works, why);
  }

  /** Its work is done, or it was withdrawn. */
  finish(now: number, state: 'finished' | 'canceled'): void {
    this.account(now);
    this.pods.clear();
    this.state = state;
    this.speed = 0;
    this.working = false;
    this.generation++;
    this.staleSince = undefined;
    this.endedAt = now;
    this.span(now, 0, true, state);
    this.reasonOpen = false;
  }

  /** Was its reason put into words not long ago? */
  isExplained(now: number): boolean {
    return this.reasonOpen && now - this.explainedAt < EXPLAIN_SECONDS;
  }

  explain(now: number, reason: Omit<PendingReason, 'from'> | undefined): void {
    const last = this.reasons.at(-1);
    this.explainedAt = now;
    if (reason === undefined) {
      this.reasonOpen = false;
    } else if (this.reasonOpen && last?.kind === reason.kind) {
      this.reasons[this.reasons.length - 1] = { from: last.from, ...reason };
    } else {
      this.reasons.push({ from: now, ...reason });
      this.reasonOpen = true;
    }
  }

  /** Why it waited at a moment; `undefined` when it did not. */
  waitsBecause(at: number): PendingReason | undefined {
    const since = this.reasons.filter(({ from }) => from <= at).at(-1);
    const started = this.spans.some(({ from, to, stalled }) => stalled !== true && from <= at && at < to);
    return started ? undefined : since;
  }

  podsAt(at: number): number {
    return this.spans.find(({ from, to }) => from <= at && at < to)?.pods ?? 0;
  }

  /** The gang as the placement core reads it. */
  snapshot(now: number): Gang {
    const { gang, arrivesAt, checkpointSeconds } = this.spec;
    return {
      ...gang,
      ...(checkpointSeconds === undefined ? {} : { checkpointSeconds }),
      arrival: arrivesAt * 1000,
      expectedSeconds: this.expectedSeconds(now),
      ...(this.staleSince === undefined ? {} : { staleSince: this.staleSince * 1000 }),
    };
  }

  /** Until when `snapshot` stays the same if nothing happens to the gang: work that takes longer than expected is expected to end now. */
  get sameUntil(): number {
    const { expectedSeconds } = this.spec;
    return expectedSeconds === undefined || this.speed === 0
      ? Infinity
      : this.doneAt + Math.max(0, expectedSeconds - this.done) / this.speed;
  }

  outcome(end: number): GangOutcome {
    const { gang, arrivesAt } = this.spec;
    if (this.open !== undefined) {
      this.span(end, 0, true, 'open');
    }
    return {
      name: gang.name,
      queue: gang.queue,
      priority: gang.priority ?? 0,
      pods: this.size,
      minimum: this.minimum,
      devices: this.devices,
      arrivedAt: arrivesAt,
      ...(this.startedAt === undefined ? {} : { startedAt: this.startedAt }),
      ...(this.endedAt === undefined ? {} : { endedAt: this.endedAt }),
      waitSeconds: Math.max(0, (this.startedAt ?? this.endedAt ?? end) - arrivesAt),
      state: this.state,
      evictions: this.evictions,
      moves: this.moves,
      losses: this.losses,
      interruptions: this.interruptions,
      lostSeconds: this.lost,
      nodes: this.nodes,
      spans: this.spans,
      reasons: this.reasons,
    };
  }

  /** Seconds from the start of its oldest pod to the end that its owner expects; for one that waits, with as few pods as it starts with. */
  private expectedSeconds(now: number): number | undefined {
    const { expectedSeconds, scales } = this.spec;
    if (expectedSeconds === undefined) {
      return undefined;
    }
    if (this.speed === 0 && !this.working) {
      return Math.max(0, expectedSeconds - this.done) * (scales ? this.size / this.minimum : 1);
    }
    const oldest = Math.min(
      ...[...this.pods.values()].filter(({ releasing }) => !releasing).map(({ startedAt }) => startedAt),
    );
    const remaining = Math.max(0, expectedSeconds - this.done) / (this.speed === 0 ? 1 : this.speed);
    return Math.max(now, this.doneAt + remaining) - oldest;
  }

  private account(now: number): void {
    this.done = Math.min(this.spec.durationSeconds, this.done + (now - this.doneAt) * this.speed);
    this.doneAt = now;
  }

  private interrupt(): void {
    const { checkpointSeconds } = this.spec;
    const every = checkpointSeconds ?? 0;
    const kept = every === 0 ? 0 : Math.floor(this.done / every) * every;
    this.lost += this.done - kept;
    this.done = kept;
    this.interruptions++;
  }

  private span(now: number, pods: number, works: boolean, why: SpanEnd): void {
    if (this.open?.pods === pods && this.open.stalled === !works) {
      return;
    }
    if (this.open !== undefined && now > this.open.from) {
      const { from, pods: had, stalled } = this.open;
      this.spans.push({ from, to: now, pods: had, ...(stalled ? { stalled } : {}), end: pods > had ? 'resized' : why });
    }
    this.open = pods === 0 ? undefined : { from: now, pods, stalled: !works };
  }
}

/** Pods that have to run for the gang to run, as the core counts them where roles and subgroups add up. */
function minimumOf({ minimum, roles, subgroups = [] }: ScenarioGang['gang']): number {
  const least = (role: Role): number => roleMinimum({ minimum, subgroups }, role);
  const ofRoles = roles.reduce((sum, role) => sum + least(role), 0);
  const inRoles = (name: string): number =>
    roles.reduce((sum, role) => sum + (role.subgroup === name ? least(role) : 0), 0);
  const ofSubgroups = subgroups.reduce((sum, { name, minimum: own = 0 }) => sum + Math.max(0, own - inRoles(name)), 0);
  return Math.max(1, minimum ?? 0, ofRoles + ofSubgroups);
}

type Minimums = Pick<ScenarioGang['gang'], 'minimum' | 'subgroups'>;
type Role = ScenarioGang['gang']['roles'][number];

function roleMinimum({ minimum, subgroups = [] }: Minimums, { minimum: own, count, subgroup }: Role): number {
  const stated = minimum !== undefined || subgroups.find(({ name }) => name === subgroup)?.minimum !== undefined;
  return own ?? (stated ? 0 : count);
}

function hasMinimum(gang: ScenarioGang['gang'], pods: Iterable<LivePod>): boolean {
  const counts = new Map<string, number>();
  let all = 0;
  for (const { role, releasing } of pods) {
    if (!releasing) {
      counts.set(role, (counts.get(role) ?? 0) + 1);
      all++;
    }
  }
  const { roles, subgroups = [] } = gang;
  const below = (name: string): number =>
    subgroups.reduce((sum, child) => sum + (child.parent === name ? below(child.name) : 0), 0) +
    roles.reduce((sum, role) => sum + (role.subgroup === name ? (counts.get(role.name) ?? 0) : 0), 0);
  return (
    all >= (gang.minimum ?? 0) &&
    roles.every((role) => (counts.get(role.name) ?? 0) >= roleMinimum(gang, role)) &&
    subgroups.every(({ name, minimum = 0 }) => below(name) >= minimum)
  );
}

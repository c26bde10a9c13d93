/**
 * Which nodes change their MIG configuration, and which must not change it now.
 *
 * What is known of a change is in the Node: the label, its state, and the annotation that the scheduler wrote with them. Here is only what a
 * Node does not say: requests whose result the watch has not shown, and that a change has taken too long. Time has effect in `settle` alone,
 * so that the same moment gives the same nodes.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asObject, asString } from '../../../manifests/read';
import { type ClusterNode } from '../../../placement';
import { devicesOf } from '../../../planning/cluster/objects/node-devices';
import { type MigChange, migChangeOf, MIG_CONFIG, MIG_STATE } from '../../../planning/cluster/objects/mig-manager';

/** How long changes may take, and how often a node may change. */
export interface MigLimits {
  readonly timeoutSeconds: number;
  readonly intervalSeconds: number;
}

/** How a change came to its end. */
export type MigOutcome = 'applied' | 'failed' | 'timed-out' | 'replaced';

/** A change that came to its end. */
export interface MigEnd {
  readonly node: string;
  readonly change: MigChange;
  readonly outcome: MigOutcome;
}

type Verdict =
  /** As its labels say. */
  | 'free'
  /** Its configuration stays as it is for the time being. */
  | 'resting'
  /** The change has taken too long: the devices that it offers count again. */
  | 'timed-out';

interface Known {
  readonly change?: MigChange;
  /** It is being applied, as far as the labels and resources of the node say. */
  readonly isChanging: boolean;
  readonly end: Exclude<MigOutcome, 'timed-out'>;
}

interface Asked {
  readonly config: string;
  readonly at: number;
  /** In the API server's time: when it no longer counts, unless the watch has shown it. */
  until: number;
}

/** By this much the API server's time is known too late at most, milliseconds. */
const AHEAD = 60_000;

const UNKNOWN: Known = { isChanging: false, end: 'replaced' };

export class MigChanges {
  private readonly known = new Map<string, Known>();
  private readonly asked = new Map<string, Asked>();
  private readonly restsUntil = new Map<string, number>();
  private readonly verdicts = new Map<string, Verdict>();
  /** Changes that this process has seen under way. */
  private readonly seen = new Map<string, MigChange>();
  private ends: MigEnd[] = [];
  private due = Infinity;

  /** Called when a node counts differently than before. */
  onChange: () => void = () => undefined;

  take(name: string, node: ClusterNode | undefined, object: JsonObject | undefined): void {
    const change = object === undefined ? undefined : migChangeOf(object);
    // Of a node that was never changed, time changes nothing.
    if (change !== undefined || this.known.has(name)) {
      this.due = -Infinity;
    }
    if (node === undefined || change === undefined) {
      this.known.delete(name);
    } else {
      this.known.set(name, { change, isChanging: node.migChange === change.config, end: endOf(change, object!) });
    }
    const asked = this.asked.get(name);
    if (asked !== undefined && change?.at === asked.at && change.config === asked.config) {
      this.asked.delete(name);
    }
  }

  /** The node counts as changing from now on. */
  ask(name: string, config: string, at: number, until: number): void {
    this.asked.set(name, { config, at, until });
    this.onChange();
  }

  /** The request came to nothing: the node stays as it is until then, in the API server's time. */
  rest(name: string, until: number): void {
    this.asked.delete(name);
    this.restsUntil.set(name, until);
    this.due = -Infinity;
    this.onChange();
  }

  /** This replica does not decide any more. */
  clear(): void {
    this.asked.clear();
    this.restsUntil.clear();
    this.due = -Infinity;
  }

  /** What follows from time. */
  settle(now: number, limits: MigLimits): void {
    if (now < this.due) {
      return;
    }
    this.due = Infinity;
    const before = new Map(this.verdicts);
    this.verdicts.clear();
    this.forget(now);
    for (const name of new Set([...this.known.keys(), ...this.restsUntil.keys(), ...this.seen.keys()])) {
      const known = this.known.get(name) ?? UNKNOWN;
      const verdict = this.verdictOn(name, known, now, limits);
      if (verdict !== 'free') {
        this.verdicts.set(name, verdict);
      }
      this.follow(name, known, verdict);
    }
    if (
      before.size !== this.verdicts.size ||
      [...before].some(([name, verdict]) => this.verdicts.get(name) !== verdict)
    ) {
      this.onChange();
    }
  }

  /** Requests that the watch should have shown by now, and pauses that are over. */
  private forget(now: number): void {
    for (const [name, { until }] of this.asked) {
      if (until <= now) {
        this.asked.delete(name);
        this.onChange();
      }
      this.dueAt(until, now);
    }
    for (const [name, until] of this.restsUntil) {
      if (until <= now) {
        this.restsUntil.delete(name);
      }
      this.dueAt(until, now);
    }
  }

  private verdictOn(name: string, { change, isChanging }: Known, now: number, limits: MigLimits): Verdict {
    // A moment that has not come yet says nothing about how long the change takes.
    if (change !== undefined && change.at <= now + AHEAD) {
      const { timeoutSeconds, intervalSeconds } = limits;
      const timeout = change.at + timeoutSeconds * 1000;
      const interval = change.at + intervalSeconds * 1000;
      this.dueAt(timeout, now);
      this.dueAt(interval, now);
      if (isChanging) {
        return now < timeout ? 'free' : 'timed-out';
      }
      if (now < interval) {
        return 'resting';
      }
    }
    return isChanging && change !== undefined && change.at > now + AHEAD
      ? 'timed-out'
      : this.restsUntil.has(name)
        ? 'resting'
        : 'free';
  }

  private follow(name: string, { change, isChanging, end }: Known, verdict: Verdict): void {
    const before = this.seen.get(name);
    const isSame = before !== undefined && before.at === change?.at && before.config === change.config;
    if (before !== undefined && !(isSame && isChanging && verdict === 'free')) {
      this.seen.delete(name);
      const outcome = !isSame ? 'replaced' : isChanging ? 'timed-out' : end;
      this.ends.push({ node: name, change: before, outcome });
    }
    if (change !== undefined && isChanging && verdict === 'free') {
      this.seen.set(name, change);
    }
  }

  private dueAt(at: number, now: number): void {
    if (at > now) {
      this.due = Math.min(this.due, at);
    }
  }

  /** Milliseconds until time alone changes something. */
  nextIn(now: number): number {
    return Math.max(0, this.due - now);
  }

  /** Nodes that change, as far as is known. */
  get underWay(): number {
    return this.seen.size;
  }

  /** The node as decisions see it. */
  shown(node: ClusterNode): ClusterNode {
    const asked = this.asked.get(node.name);
    if (asked !== undefined && node.migConfigs !== undefined && Object.hasOwn(node.migConfigs, asked.config)) {
      return { ...node, migChange: asked.config };
    }
    const verdict = this.verdicts.get(node.name);
    if (verdict === undefined || node.migConfigs === undefined) {
      return node;
    }
    if (node.migChange === undefined) {
      return { ...node, migConfigs: undefined };
    }
    const { allocatable, labels = {} } = node;
    const own = { devices: undefined, deviceResource: undefined, ...devicesOf(allocatable, labels) };
    return verdict === 'timed-out' ? { ...node, ...own, migConfigs: undefined, migChange: undefined } : node;
  }

  /** Changes that came to their end since the last call. */
  takeEnds(): readonly MigEnd[] {
    const { ends } = this;
    this.ends = [];
    return ends;
  }
}

/** How the change ended, if it did. */
function endOf({ config }: MigChange, object: JsonObject): Known['end'] {
  const { labels } = asObject(object.metadata);
  const { [MIG_CONFIG]: wanted, [MIG_STATE]: state } = asObject(labels);
  return asString(wanted) !== config ? 'replaced' : asString(state) === 'failed' ? 'failed' : 'applied';
}

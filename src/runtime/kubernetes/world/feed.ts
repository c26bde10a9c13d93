/**
 * The question to the placement core, kept from cycle to cycle: what has changed since the last one, as changes of the session's world.
 *
 * Only what was touched is worked out again: gangs whose pods, group, queue, or assumptions changed, or for which a time has come. What comes
 * out as before is no change. `question` in `snapshot.ts` works the same out from scratch; the scheduler compares the two from time to time.
 */
import { areEqual } from '../../../placement/books/catch-up';
import { type DeviceClaims } from '../../../placement/model/claims';
import { type Delta } from '../../../placement/model/facts';
import { Heap } from '../../../facts/collections/heap';
import { type ClusterNode, type Gang, type Pod, type Queue, type Snapshot, type Topology } from '../../../placement';
import { type Assumptions } from '../assumptions';
import { type GangMembers } from './gang-members';
import { claimsOf, foreignPod, type GangPart, gangPart, type HeldGang, type Moment, usableNodes } from './snapshot';
import { type World } from './world';

interface Part {
  readonly pods: ReadonlyMap<string, Pod>;
  readonly gang?: Gang;
  /** In the API server's time. */
  readonly due: number;
}

interface Due {
  readonly at: number;
  readonly id: string;
}

const NO_PART: Part = { pods: new Map(), due: Infinity };

export class Feed {
  private readonly parts = new Map<string, Part>();
  private readonly heldGangs = new Map<string, HeldGang>();
  private readonly foreign = new Map<string, Pod>();
  private readonly nodes = new Map<string, ClusterNode>();
  private readonly queues = new Map<string, Queue>();
  private topologies: readonly Topology[] = [];
  private claims: DeviceClaims | undefined;
  /** Names of slices and keys of claims that the core knows. */
  private readonly slicesKnown = new Set<string>();
  private readonly claimsKnown = new Set<string>();
  private readonly dues = new Heap<Due>((a, b) => a.at - b.at);
  /** Ids of gangs that were looked at since `takeTouched` was called. */
  private touched = new Set<string>();
  /** Names of gangs that were looked at since `takeNames` was called, and whether anything is different. */
  private names = new Map<string, boolean>();
  /** Gangs that have pods without a node, by id. */
  private readonly withWaiting = new Map<string, GangMembers>();

  constructor(
    private readonly world: World,
    private readonly assumptions: Assumptions,
  ) {
    assumptions.onPod = (uid) => world.touchPod(uid);
    assumptions.onGang = (gang) => world.touches.gang(gang);
    assumptions.onClear = () => {
      world.migChanges.clear();
      world.devices.assumed.clear();
      world.devices.forget();
      world.touches.everything();
    };
  }

  /** Changes of the world since the last call. */
  deltas(moment: Moment): Delta[] {
    const { world } = this;
    world.settle(moment.now);
    this.callDue(moment.now);
    const { touches } = world;
    // First of all, as the names of others may change by it.
    world.sweep();
    const gone: Delta[] = [{ kind: 'time', now: moment.now }];
    const put: Delta[] = [];
    if (touches.all || touches.places) {
      this.bringPlaces(gone, put);
    }
    if (touches.all || touches.queues) {
      compare(this.queues, world.queues, gone, put, { put: (queue) => ({ kind: 'queue', queue }), gone: 'queue-gone' });
    }
    const pods = new Set(touches.all ? [...world.pods.keys(), ...this.foreign.keys()] : touches.pods);
    const gangs = new Set(touches.all ? [...world.gangs.keys(), ...this.parts.keys()] : touches.gangs);
    touches.clear();
    for (const key of pods) {
      this.bringForeign(key, gone, put);
    }
    for (const id of gangs) {
      this.bringGang(id, moment, gone, put);
    }
    this.bringClaims(gone, put);
    return [...gone, ...put];
  }

  /** The world as of the last call of `deltas`. O(everything). */
  snapshot(moment: Moment): Snapshot {
    const parts = [...this.parts.values()];
    return {
      now: moment.now,
      nodes: [...this.nodes.values()],
      queues: [...this.queues.values()],
      topologies: this.topologies,
      gangs: parts.flatMap(({ gang }) => (gang === undefined ? [] : [gang])),
      pods: [...parts.flatMap(({ pods }) => [...pods.values()]), ...this.foreign.values()],
      ...(this.claims !== undefined && { deviceClaims: this.claims }),
    };
  }

  get held(): readonly HeldGang[] {
    return [...this.heldGangs.values()];
  }

  /** Milliseconds until time alone changes something. */
  nextIn(now: number): number {
    return Math.min(this.world.migChanges.nextIn(now), Math.max(0, (this.dues.top()?.at ?? Infinity) - now));
  }

  /** Queue of a gang, by its name; `''` where there is none. */
  queueOf(name: string): string {
    const members = this.world.gangNamed(name);
    return members === undefined ? '' : (this.parts.get(members.key)?.gang?.queue ?? '');
  }

  /** Gangs that have pods without a node. */
  get waiting(): ReadonlyMap<string, GangMembers> {
    return this.withWaiting;
  }

  /** Forgets what is known: the next call of `deltas` brings everything. */
  reset(): void {
    [this.parts, this.heldGangs, this.foreign, this.nodes, this.queues, this.withWaiting].forEach((map) => map.clear());
    this.topologies = [];
    this.claims = undefined;
    this.slicesKnown.clear();
    this.claimsKnown.clear();
    this.world.touches.everything();
  }

  /** Ids of gangs that were looked at since the last call. */
  takeTouched(): ReadonlySet<string> {
    const { touched } = this;
    this.touched = new Set();
    return touched;
  }

  /** Names of gangs that were looked at since the last call, also of those that do not exist any more; `true`: something is different. */
  takeNames(): ReadonlyMap<string, boolean> {
    const { names } = this;
    this.names = new Map();
    return names;
  }

  private callDue(now: number): void {
    for (let due = this.dues.top(); due !== undefined && due.at <= now; due = this.dues.top()) {
      this.dues.pop();
      if (this.parts.get(due.id)?.due === due.at) {
        this.world.touches.gang(due.id);
      }
    }
  }

  private bringPlaces(gone: Delta[], put: Delta[]): void {
    const { world } = this;
    compare(this.nodes, usableNodes(world), gone, put, { put: (node) => ({ kind: 'node', node }), gone: 'node-gone' });
    if (!areEqual(this.topologies, world.topologies)) {
      this.topologies = world.topologies;
      put.push({ kind: 'topologies', topologies: this.topologies });
    }
  }

  /** Slices and claims keep their values as long as they say the same. O(what changed). */
  private bringClaims(gone: Delta[], put: Delta[]): void {
    const { world, slicesKnown, claimsKnown } = this;
    const before = this.claims;
    const claims = claimsOf(world, this.assumptions);
    const news = world.devices.takeNews();
    if (claims === before) {
      return;
    }
    this.claims = claims;
    // With the first of them, all are new, and with the last one, none is left.
    const isWhole = before === undefined || claims === undefined;
    const slices = new Map(isWhole ? claims?.slices.map((slice) => [slice.name, slice]) : []);
    bring(slicesKnown, isWhole ? [...slices.keys(), ...slicesKnown] : news.slices, gone, put, {
      value: (name) => (isWhole ? slices.get(name) : world.devices.sliceNamed(name)),
      put: (_, slice) => ({ kind: 'slice', slice }),
      gone: (name) => ({ kind: 'slice-gone', name }),
    });
    bring(claimsKnown, isWhole ? [...(claims?.claims.keys() ?? []), ...claimsKnown] : news.claims, gone, put, {
      value: (key) => claims?.claims.get(key),
      put: (key, claim) => ({ kind: 'claim', key, claim }),
      gone: (key) => ({ kind: 'claim-gone', key }),
    });
  }

  private bringForeign(key: string, gone: Delta[], put: Delta[]): void {
    const entry = this.world.pods.get(key);
    const pod = entry?.gang === undefined && entry !== undefined ? foreignPod(this.world, entry) : undefined;
    const before = this.foreign.get(key);
    if (pod !== undefined && !areEqual(before, pod)) {
      this.foreign.set(key, pod);
      put.push({ kind: 'pod', pod });
    } else if (pod === undefined && this.foreign.delete(key)) {
      gone.push({ kind: 'pod-gone', name: key });
    }
  }

  private bringGang(id: string, moment: Moment, gone: Delta[], put: Delta[]): void {
    const { world, assumptions } = this;
    this.touched.add(id);
    const members = world.gangs.get(id);
    const before = this.parts.get(id) ?? NO_PART;
    const found: GangPart | undefined =
      members === undefined ? undefined : gangPart(world, assumptions, moment, members);
    const due = found === undefined ? Infinity : moment.now + Math.ceil(found.again);
    const part: Part = {
      pods: new Map(found?.pods.map((pod) => [pod.name, pod])),
      ...(found?.gang !== undefined && { gang: found.gang }),
      due,
    };
    const known = gone.length + put.length;
    changesOf(before, part, gone, put);
    const isDifferent = gone.length + put.length > known;
    for (const { gang } of [before, part]) {
      if (gang !== undefined) {
        this.names.set(gang.name, isDifferent || this.names.get(gang.name) === true);
      }
    }
    if (due < Infinity) {
      this.dues.push({ at: due, id });
    }
    this.keep(id, found === undefined ? undefined : part, found?.held);
    if (members !== undefined && [...members.pods.values()].some(({ state }) => state === 'waiting')) {
      this.withWaiting.set(id, members);
    } else {
      this.withWaiting.delete(id);
    }
  }

  private keep(id: string, part: Part | undefined, held: HeldGang | undefined): void {
    if (part === undefined) {
      this.parts.delete(id);
    } else {
      this.parts.set(id, part);
    }
    if (held === undefined) {
      this.heldGangs.delete(id);
    } else {
      this.heldGangs.set(id, held);
    }
  }
}

/** What one gang adds now, against what it added before. */
function changesOf(before: Part, after: Part, gone: Delta[], put: Delta[]): void {
  for (const name of before.pods.keys()) {
    if (!after.pods.has(name)) {
      gone.push({ kind: 'pod-gone', name });
    }
  }
  for (const [name, pod] of after.pods) {
    if (!areEqual(before.pods.get(name), pod)) {
      put.push({ kind: 'pod', pod });
    }
  }
  if (before.gang !== undefined && before.gang.name !== after.gang?.name) {
    gone.push({ kind: 'gang-gone', name: before.gang.name });
  }
  if (after.gang !== undefined && !areEqual(before.gang, after.gang)) {
    put.push({ kind: 'gang', gang: after.gang });
  }
}

interface News<T> {
  readonly value: (name: string) => T | undefined;
  readonly put: (name: string, value: T) => Delta;
  readonly gone: (name: string) => Delta;
}

/** What each of these is now; `known` are the names of those that were brought before. */
function bring<T>(
  known: Set<string>,
  names: Iterable<string>,
  gone: Delta[],
  put: Delta[],
  { value: valueOf, put: putOf, gone: goneOf }: News<T>,
): void {
  for (const name of names) {
    const value = valueOf(name);
    if (value !== undefined) {
      known.add(name);
      put.push(putOf(name, value));
    } else if (known.delete(name)) {
      gone.push(goneOf(name));
    }
  }
}

interface Kind<T> {
  readonly put: (value: T) => Delta;
  readonly gone: 'node-gone' | 'queue-gone';
}

/** Brings what is known to the list, and notes what that took. */
function compare<T extends { readonly name: string }>(
  known: Map<string, T>,
  list: readonly T[],
  gone: Delta[],
  put: Delta[],
  kind: Kind<T>,
): void {
  const names = new Set(list.map(({ name }) => name));
  for (const name of known.keys()) {
    if (!names.has(name)) {
      known.delete(name);
      gone.push({ kind: kind.gone, name });
    }
  }
  for (const value of list) {
    if (!areEqual(known.get(value.name), value)) {
      known.set(value.name, value);
      put.push(kind.put(value));
    }
  }
}

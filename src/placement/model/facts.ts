/**
 * What a session knows of the world: nodes, queues, gangs and pods by name, as plain values, and the changes to them.
 *
 * A pod may be assumed to be what it is about to become (placed, or on its way out). Until that is confirmed or undone the assumption counts,
 * and what is said of the pod meanwhile is kept beside it.
 */
import { type ClaimFacts, type DeviceClaims, type DeviceSlice } from './claims';
import { type ClusterNode, type Gang, type Pod, type Queue, type Snapshot, type Topology } from './model';
import { type Policy } from './policy';

/**
 * Thrown for a snapshot that contradicts itself. The message names the pod or gang, and what is missing.
 *
 * @example
 * try {
 *   placement.decide({ now: 0, nodes: [], queues: [], gangs: [], pods: [] });
 * } catch (error) {
 *   if (error instanceof placement.SnapshotError) {
 *     console.error(error.message);
 *   }
 * }
 */
export class SnapshotError extends Error {
  /** Always `SnapshotError`. */
  override readonly name = 'SnapshotError';
}

/** One change of the world. A value that is there already is replaced by the new one of the same name. */
export type Delta =
  | { readonly kind: 'time'; readonly now: number }
  | { readonly kind: 'node'; readonly node: ClusterNode }
  | { readonly kind: 'node-gone'; readonly name: string }
  | { readonly kind: 'queue'; readonly queue: Queue }
  | { readonly kind: 'queue-gone'; readonly name: string }
  | { readonly kind: 'gang'; readonly gang: Gang }
  | { readonly kind: 'gang-gone'; readonly name: string }
  | { readonly kind: 'pod'; readonly pod: Pod }
  | { readonly kind: 'pod-gone'; readonly name: string }
  | { readonly kind: 'topologies'; readonly topologies: readonly Topology[] }
  | { readonly kind: 'slice'; readonly slice: DeviceSlice }
  | { readonly kind: 'slice-gone'; readonly name: string }
  | { readonly kind: 'claim'; readonly key: string; readonly claim: ClaimFacts }
  | { readonly kind: 'claim-gone'; readonly key: string }
  | { readonly kind: 'policy'; readonly policy: Policy };

/** Names of what has changed since the books were last brought up to date. */
export interface Touched {
  readonly nodes: Set<string>;
  readonly gangs: Set<string>;
  /** Pods without a gang. */
  readonly pods: Set<string>;
  /** By name. */
  readonly slices: Set<string>;
  /** By key. */
  readonly claims: Set<string>;
  queues: boolean;
  time: boolean;
  /** Everything has to be worked out again. */
  all: boolean;
}

export function untouched(): Touched {
  return {
    nodes: new Set(),
    gangs: new Set(),
    pods: new Set(),
    slices: new Set(),
    claims: new Set(),
    queues: false,
    time: false,
    all: false,
  };
}

/** What was said of an assumed pod; undefined where it does not exist. */
interface Assumed {
  said: Pod | undefined;
}

type DeviceDelta = 'slice' | 'slice-gone' | 'claim' | 'claim-gone';

const NO_PODS: ReadonlyMap<string, Pod> = new Map();

export class Facts {
  now: number;
  topologies: readonly Topology[];
  readonly slices = new Map<string, DeviceSlice>();
  readonly claims = new Map<string, ClaimFacts>();
  readonly nodes = new Map<string, ClusterNode>();
  readonly queues = new Map<string, Queue>();
  readonly gangs = new Map<string, Gang>();
  readonly pods = new Map<string, Pod>();
  private readonly byGang = new Map<string, Map<string, Pod>>();
  private readonly assumed = new Map<string, Assumed>();

  // Destructured in the body: the declaration of the constructor must not name a member that is internal.
  constructor(
    snapshot: Snapshot,
    public policy: Policy,
  ) {
    const { now, nodes, queues, gangs, pods, topologies = [], deviceClaims } = snapshot;
    this.now = now;
    this.topologies = topologies;
    deviceClaims?.slices.forEach((slice) => this.slices.set(freeKey(this.slices, slice.name), slice));
    deviceClaims?.claims.forEach((claim, key) => this.claims.set(key, claim));
    nodes.forEach((node) => this.nodes.set(node.name, node));
    queues.forEach((queue) => this.queues.set(queue.name, queue));
    gangs.forEach((gang) => this.gangs.set(gang.name, gang));
    for (const pod of pods) {
      // Each of two pods of one name takes its room.
      this.set(freeKey(this.pods, pod.name), pod);
    }
  }

  snapshot(): Snapshot {
    const { now, nodes, queues, gangs, pods, topologies, deviceClaims } = this;
    return {
      now,
      nodes: [...nodes.values()],
      queues: [...queues.values()],
      gangs: [...gangs.values()],
      pods: [...pods.values()],
      topologies,
      ...(deviceClaims !== undefined && { deviceClaims }),
    };
  }

  /** `undefined` while there are neither devices nor claims. */
  get deviceClaims(): DeviceClaims | undefined {
    const { slices, claims } = this;
    return slices.size + claims.size === 0 ? undefined : { slices: [...slices.values()], claims: new Map(claims) };
  }

  podsOf(gang: string): ReadonlyMap<string, Pod> {
    return this.byGang.get(gang) ?? NO_PODS;
  }

  /** Names of gangs that pods name. */
  gangsOfPods(): Iterable<string> {
    return this.byGang.keys();
  }

  take(delta: Delta, touched: Touched): void {
    switch (delta.kind) {
      case 'time':
        touched.time ||= delta.now !== this.now;
        this.now = delta.now;
        return;
      case 'node':
        this.nodes.set(delta.node.name, delta.node);
        touched.nodes.add(delta.node.name);
        return;
      case 'node-gone':
        if (this.nodes.delete(delta.name)) {
          touched.nodes.add(delta.name);
        }
        return;
      case 'queue':
        this.queues.set(delta.queue.name, delta.queue);
        touched.queues = true;
        return;
      case 'queue-gone':
        touched.queues = this.queues.delete(delta.name) || touched.queues;
        return;
      case 'gang':
        this.gangs.set(delta.gang.name, delta.gang);
        touched.gangs.add(delta.gang.name);
        return;
      case 'gang-gone':
        if (this.gangs.delete(delta.name)) {
          touched.gangs.add(delta.name);
        }
        return;
      case 'topologies':
        this.topologies = delta.topologies;
        touched.all = true;
        return;
      case 'slice':
      case 'slice-gone':
      case 'claim':
      case 'claim-gone':
        this.takeDevices(delta, touched);
        return;
      case 'policy':
        this.policy = delta.policy;
        touched.all = true;
        return;
      case 'pod':
      case 'pod-gone':
        this.takePod(delta, touched);
    }
  }

  private takeDevices(delta: Extract<Delta, { readonly kind: DeviceDelta }>, touched: Touched): void {
    switch (delta.kind) {
      case 'slice':
        this.slices.set(delta.slice.name, delta.slice);
        touched.slices.add(delta.slice.name);
        return;
      case 'slice-gone':
        if (this.slices.delete(delta.name)) {
          touched.slices.add(delta.name);
        }
        return;
      case 'claim':
        this.claims.set(delta.key, delta.claim);
        touched.claims.add(delta.key);
        return;
      case 'claim-gone':
        if (this.claims.delete(delta.key)) {
          touched.claims.add(delta.key);
        }
    }
  }

  private takePod(delta: Extract<Delta, { readonly kind: 'pod' | 'pod-gone' }>, touched: Touched): void {
    if (delta.kind === 'pod-gone') {
      this.assumed.delete(delta.name);
      this.change(delta.name, undefined, touched);
      return;
    }
    const assumed = this.assumed.get(delta.pod.name);
    if (assumed === undefined) {
      this.change(delta.pod.name, delta.pod, touched);
    } else {
      assumed.said = delta.pod;
    }
  }

  /** The pod counts as it is given here until `confirm` or `undo`. */
  assume(pod: Pod, touched: Touched): void {
    const { name } = pod;
    if (!this.assumed.has(name)) {
      this.assumed.set(name, { said: this.pods.get(name) });
    }
    this.change(name, pod, touched);
  }

  isAssumed(name: string): boolean {
    return this.assumed.has(name);
  }

  /** What was assumed has come true: from now on the pod is what is said of it. */
  confirm(name: string): void {
    this.assumed.delete(name);
  }

  /** What was assumed did not happen: the pod is what was last said of it. */
  undo(name: string, touched: Touched): void {
    const assumed = this.assumed.get(name);
    if (assumed !== undefined) {
      this.assumed.delete(name);
      this.change(name, assumed.said, touched);
    }
  }

  private change(name: string, pod: Pod | undefined, touched: Touched): void {
    for (const one of [this.pods.get(name), pod]) {
      if (one?.gang !== undefined) {
        touched.gangs.add(one.gang);
      } else if (one !== undefined) {
        touched.pods.add(name);
      }
    }
    this.set(name, pod);
  }

  private set(key: string, pod: Pod | undefined): void {
    const old = this.pods.get(key);
    if (old?.gang !== undefined) {
      const siblings = this.byGang.get(old.gang)!;
      siblings.delete(key);
      if (siblings.size === 0) {
        this.byGang.delete(old.gang);
      }
    }
    if (pod === undefined) {
      this.pods.delete(key);
      return;
    }
    this.pods.set(key, pod);
    if (pod.gang !== undefined) {
      const siblings = this.byGang.get(pod.gang);
      if (siblings === undefined) {
        this.byGang.set(pod.gang, new Map([[key, pod]]));
      } else {
        siblings.set(key, pod);
      }
    }
  }
}

/** The name, with spaces after it where that is taken: neither of two values of one name is lost. */
function freeKey(known: ReadonlyMap<string, unknown>, name: string): string {
  let key = name;
  while (known.has(key)) {
    key += ' ';
  }
  return key;
}

/**
 * Writes of this replica that the watch has not shown yet. Decisions count them as done, so that no capacity is assigned twice and no pod is
 * evicted twice; an entry is dropped when the watch shows the result, or when the write failed.
 *
 * Nothing here has to survive the process: the next leader reads the results from the API server.
 */
import { type Clock, SYSTEM_CLOCK } from '../api/clock';

export interface AssumedPlace {
  readonly node: string;
  readonly devices: readonly number[];
}

export class Assumptions {
  private readonly places = new Map<string, AssumedPlace>();
  private readonly leaving = new Set<string>();
  /** By uid, until when on the monotonic clock. */
  private readonly protectedUntil = new Map<string, number>();
  private readonly refusedUntil = new Map<string, { readonly until: number; readonly message: string }>();

  /** By gang and node. */
  private readonly avoidedUntil = new Map<string, Map<string, number>>();

  /** Called with the uid of each pod whose assumptions changed. */
  onPod: (uid: string) => void = () => undefined;
  /** Called with each gang that avoids other nodes now. */
  onGang: (gang: string) => void = () => undefined;
  /** Called when nothing is assumed any more. */
  onClear: () => void = () => undefined;

  constructor(private readonly clock: Clock = SYSTEM_CLOCK) {}

  place(uid: string, place: AssumedPlace): void {
    this.places.set(uid, place);
    this.onPod(uid);
  }

  placeOf(uid: string): AssumedPlace | undefined {
    return this.places.get(uid);
  }

  /** With `place`: only that one, and not a later one of the same pod. */
  unplace(uid: string, place = this.places.get(uid)): void {
    if (this.places.get(uid) === place) {
      this.places.delete(uid);
      this.onPod(uid);
    }
  }

  leave(uid: string): void {
    this.leaving.add(uid);
    this.onPod(uid);
  }

  isLeaving(uid: string): boolean {
    return this.leaving.has(uid);
  }

  stay(uid: string): void {
    this.leaving.delete(uid);
    this.onPod(uid);
  }

  /** An eviction was refused: not to be tried again for some time. */
  protect(uid: string, milliseconds: number): void {
    this.protectedUntil.set(uid, this.clock.monotonic() + milliseconds);
    this.onPod(uid);
  }

  isProtected(uid: string): boolean {
    return (this.protectedUntil.get(uid) ?? 0) > this.clock.monotonic();
  }

  /** A placement was refused: not to be tried again for some time. */
  refuse(uid: string, milliseconds: number, message: string): void {
    this.refusedUntil.set(uid, { until: this.clock.monotonic() + milliseconds, message });
    this.onPod(uid);
  }

  refusalOf(uid: string): string | undefined {
    const refused = this.refusedUntil.get(uid);
    return refused !== undefined && refused.until > this.clock.monotonic() ? refused.message : undefined;
  }

  /** The cluster's own scheduler would not have pods of this gang on this node: not to be tried again for some time. */
  avoid(gang: string, node: string, milliseconds: number): void {
    const nodes = this.avoidedUntil.get(gang) ?? new Map<string, number>();
    nodes.set(node, this.clock.monotonic() + milliseconds);
    this.avoidedUntil.set(gang, nodes);
    this.onGang(gang);
  }

  /** Milliseconds until something that is assumed of the pod ends by itself; `Infinity` where nothing does. */
  endsIn(uid: string): number {
    const now = this.clock.monotonic();
    const left = (until: number | undefined): number => (until === undefined || until <= now ? Infinity : until - now);
    return Math.min(left(this.protectedUntil.get(uid)), left(this.refusedUntil.get(uid)?.until));
  }

  /** The same for the nodes that a gang avoids. */
  avoidanceEndsIn(gang: string): number {
    const now = this.clock.monotonic();
    return Math.min(Infinity, ...[...(this.avoidedUntil.get(gang)?.values() ?? [])].map((until) => until - now));
  }

  /** In order; mostly none. */
  avoidedBy(gang: string): readonly string[] {
    const nodes = this.avoidedUntil.get(gang);
    if (nodes === undefined) {
      return [];
    }
    nodes.forEach((until, node) => until > this.clock.monotonic() || nodes.delete(node));
    if (nodes.size === 0) {
      this.avoidedUntil.delete(gang);
    }
    return [...nodes.keys()].sort();
  }

  /** The pod was deleted. */
  forget(uid: string): void {
    this.places.delete(uid);
    this.leaving.delete(uid);
    this.protectedUntil.delete(uid);
    this.refusedUntil.delete(uid);
  }

  /** This replica does not decide any more: what it had in mind is void. */
  clear(): void {
    this.places.clear();
    this.leaving.clear();
    this.protectedUntil.clear();
    this.refusedUntil.clear();
    this.avoidedUntil.clear();
    this.onClear();
  }

  get size(): number {
    return this.places.size + this.leaving.size;
  }
}

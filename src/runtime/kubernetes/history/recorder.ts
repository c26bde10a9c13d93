/**
 * Turns what the world shows of gangs into events of the history.
 *
 * Only gangs with pods that changed are looked at. A gang that loses all its pods by an eviction has not ended: its controller recreates
 * them, and the gang counts as ended only when none appear in time.
 */
import { describeGang, type HistoryEvent, type RecordedGang, Replay } from '../../../planning/history';
import { type GangMembers, gangId } from '../world/gang-members';
import { type PodEntry } from '../world/pod-entry';
import { type World } from '../world/world';

/** Seconds within which the pods of an evicted gang are recreated. */
const RETURN = 120;
/** Events that wait to be written, at most: more are counted, and dropped. */
const MOST_EVENTS = 20_000;

type SeenWorld = Pick<World, 'gangs' | 'contextOf'>;

export class Recorder {
  private replay = new Replay();
  /** Numbers of the gangs that have not ended, by their keys. */
  private readonly ids = new Map<string, number>();
  private readonly changed = new Set<string>();
  /** Pods that were evicted since gangs were last looked at, by gang. */
  private readonly evictedPods = new Map<string, number>();
  /** Gangs whose pods may be recreated, because the scheduler evicted some: since when they have none, once they have none. */
  private readonly returning = new Map<string, number | undefined>();
  private events: HistoryEvent[] = [];
  private dropped = 0;
  private isFirstLook = true;
  private isActive = false;

  constructor(private readonly world: SeenWorld) {}

  /** Nothing is recorded until `resume`. */
  pause(): void {
    this.isActive = false;
    [this.ids, this.changed, this.evictedPods, this.returning].forEach((known) => known.clear());
    this.events = [];
  }

  /** Continues a history. What happened meanwhile follows from what exists now. */
  resume(from: Pick<Replay, 'open' | 'nextId'>): void {
    this.pause();
    this.replay = new Replay(from);
    from.open.forEach(({ gang }, id) => this.ids.set(gang.key, id));
    [...this.ids.keys(), ...this.world.gangs.keys()].forEach((key) => this.changed.add(key));
    this.isFirstLook = true;
    this.isActive = true;
  }

  /** The pod was added, changed, or deleted. */
  touch({ gang }: PodEntry): void {
    if (this.isActive && gang !== undefined) {
      this.changed.add(gangId(gang));
    }
  }

  /** The scheduler evicted the pod. */
  evicted({ gang }: PodEntry): void {
    if (this.isActive && gang !== undefined) {
      const key = gangId(gang);
      this.changed.add(key);
      this.evictedPods.set(key, (this.evictedPods.get(key) ?? 0) + 1);
    }
  }

  /** @param now seconds since the epoch */
  look(now: number): void {
    for (const [key, since = Infinity] of this.returning) {
      if (now - since >= RETURN) {
        this.changed.add(key);
      }
    }
    for (const key of this.changed) {
      // A gang that cannot be described costs itself alone.
      this.changed.delete(key);
      this.lookAt(key, now);
    }
    this.isFirstLook = false;
  }

  /** Events that were not taken before. */
  take(now: number): readonly HistoryEvent[] {
    const { events, dropped } = this;
    this.events = [];
    this.dropped = 0;
    return dropped === 0 ? events : [...events, { kind: 'lost', at: now, events: dropped }];
  }

  /** Events that could not be written, which are taken again. */
  giveBack(events: readonly HistoryEvent[]): void {
    const all = [...events, ...this.events];
    this.events = all.slice(0, MOST_EVENTS);
    this.dropped += all.length - this.events.length;
  }

  private emit(event: HistoryEvent): void {
    this.replay.apply(event);
    if (this.events.length < MOST_EVENTS) {
      this.events.push(event);
    } else {
      this.dropped++;
    }
  }

  private lookAt(key: string, now: number): void {
    const members = this.world.gangs.get(key);
    const pods = [...(members?.pods.values() ?? [])];
    const live = pods.filter(({ state }) => state === 'waiting' || state === 'placed');
    const id = this.ids.get(key) ?? (live.length > 0 ? this.arrive(key, live, now) : undefined);
    if (id === undefined) {
      return;
    }
    this.noteEvictions(key, id, now);
    if (members !== undefined && live.length > 0) {
      this.returning.delete(key);
      this.noteProgress(members, id, live, now);
    } else if (!pods.some(({ state }) => state === 'leaving')) {
      this.withoutPods(key, id, now);
    } else {
      this.stop(id, now);
    }
  }

  private arrive(key: string, live: readonly PodEntry[], now: number): number {
    const id = this.replay.nextId;
    this.ids.set(key, id);
    const created = Math.min(...live.map(({ createdAt }) => createdAt)) / 1000;
    const members = this.world.gangs.get(key);
    const gang = members === undefined ? { key } : this.recorded(members);
    this.emit({ kind: 'arrive', at: Math.min(now, Math.floor(created)), id, gang });
    return id;
  }

  private recorded(members: GangMembers): RecordedGang {
    const described = describeGang(members.gang(this.world.contextOf(members), false));
    return { key: members.key, ...(described !== undefined && { members: described }) };
  }

  private noteEvictions(key: string, id: number, now: number): void {
    const pods = this.evictedPods.get(key);
    if (pods !== undefined) {
      this.evictedPods.delete(key);
      this.returning.set(key, undefined);
      this.emit({ kind: 'evict', at: now, id, pods });
    }
  }

  private noteProgress(members: GangMembers, id: number, live: readonly PodEntry[], now: number): void {
    const placed = live.filter(({ state }) => state === 'placed');
    const { minimum = live.length } = members.gang(this.world.contextOf(members), false);
    const open = this.replay.open.get(id);
    if (placed.length < Math.max(1, minimum)) {
      this.stop(id, now);
    } else if (open !== undefined && open.progress.since === undefined) {
      // A new leader takes the time of the start from the pods.
      const started = this.isFirstLook
        ? Math.max(...placed.map(({ startedAt }) => Math.floor((startedAt ?? now * 1000) / 1000)))
        : now;
      const gang = this.recorded(members);
      const isSame = JSON.stringify(gang) === JSON.stringify(open.gang);
      this.emit({
        kind: 'start',
        at: Math.max(open.progress.arrived, Math.min(now, started)),
        id,
        ...(!isSame && { gang }),
      });
    }
  }

  private stop(id: number, now: number): void {
    if (this.replay.open.get(id)?.progress.since !== undefined) {
      this.emit({ kind: 'stop', at: now, id });
    }
  }

  /** The gang has ended, unless it was evicted a short time ago. */
  private withoutPods(key: string, id: number, now: number): void {
    const since = this.returning.get(key) ?? now;
    if (this.returning.has(key) && now - since < RETURN) {
      this.stop(id, now);
      this.returning.set(key, since);
      return;
    }
    this.returning.delete(key);
    this.ids.delete(key);
    this.emit(this.isFirstLook ? { kind: 'unseen', at: now, id } : { kind: 'end', at: since, id });
  }
}

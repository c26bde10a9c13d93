/**
 * What a sequence of events amounts to: the gangs that have not ended, and how those that have ended ran. The scheduler, which continues a
 * history, and the command that reads it use the same function.
 */
import { type GangProgress, type HistoryEvent, type RecordedGang } from './events';

/** A gang that has not ended. */
export interface OpenGang {
  readonly gang: RecordedGang;
  readonly progress: GangProgress;
}

/** A gang that has ended. Times are in seconds since the epoch. */
export interface EndedGang extends OpenGang {
  readonly ended: number;
}

export class Replay {
  /** By the number of the gang. */
  private readonly gangs: Map<number, OpenGang>;
  private last: number;
  private unknownEnds = 0;
  private lostEvents = 0;

  /** @param from the history that this one continues */
  constructor(from?: Pick<Replay, 'open' | 'nextId'>) {
    this.gangs = new Map(from?.open);
    this.last = (from?.nextId ?? 1) - 1;
  }

  get open(): ReadonlyMap<number, OpenGang> {
    return this.gangs;
  }

  /** A number that no gang of the history has. */
  get nextId(): number {
    return this.last + 1;
  }

  /** Gangs that ended at an unknown time. */
  get unseen(): number {
    return this.unknownEnds;
  }

  /** Events that were not written. */
  get lost(): number {
    return this.lostEvents;
  }

  /** @returns the gang that ended by the event */
  apply(event: HistoryEvent): EndedGang | undefined {
    switch (event.kind) {
      case 'segment':
        return undefined;
      case 'lost':
        this.lostEvents += event.events;
        return undefined;
      case 'open':
        this.put(event.id, { gang: event.gang, progress: event.progress });
        return undefined;
      case 'arrive':
        this.put(event.id, { gang: event.gang, progress: { arrived: event.at, ran: 0, evicted: 0 } });
        return undefined;
      case 'unseen':
        this.unknownEnds += this.gangs.delete(event.id) ? 1 : 0;
        return undefined;
      case 'start':
      case 'stop':
      case 'evict':
      case 'end':
        return this.change(event);
    }
  }

  /** A segment was overwritten or is missing: the gangs that the next one does not name ended at an unknown time. */
  keepOnly(ids: ReadonlySet<number>): void {
    for (const id of [...this.gangs.keys()].filter((known) => !ids.has(known))) {
      this.gangs.delete(id);
      this.unknownEnds++;
    }
  }

  private put(id: number, gang: OpenGang): void {
    this.last = Math.max(this.last, id);
    this.gangs.set(id, gang);
  }

  private change(event: Extract<HistoryEvent, { kind: 'start' | 'stop' | 'evict' | 'end' }>): EndedGang | undefined {
    const known = this.gangs.get(event.id);
    if (known === undefined) {
      return undefined;
    }
    const { progress } = known;
    switch (event.kind) {
      case 'start':
        this.gangs.set(event.id, {
          gang: event.gang ?? known.gang,
          progress: { ...progress, started: progress.started ?? event.at, since: progress.since ?? event.at },
        });
        return undefined;
      case 'stop':
        this.gangs.set(event.id, { ...known, progress: stopped(progress, event.at) });
        return undefined;
      case 'evict':
        this.gangs.set(event.id, { ...known, progress: { ...progress, evicted: progress.evicted + event.pods } });
        return undefined;
      case 'end':
        this.gangs.delete(event.id);
        return { ...known, progress: stopped(progress, event.at), ended: event.at };
    }
  }
}

function stopped({ since, ...progress }: GangProgress, at: number): GangProgress {
  return since === undefined ? progress : { ...progress, ran: progress.ran + Math.max(0, at - since) };
}

/**
 * Gangs that wait, ordered once for all the allocations that one decision tries.
 *
 * Fresh gangs of one queue that ask for the same with the same right form a line: as long as less and less is free, what the first of them
 * does not get the others do not get either. Thousands of gangs are in some tens of lines.
 */
import { type GangOrderName } from '../model/policy';
import { type GangRecord, type QueueRecord } from '../books/records';

/** Gangs that ask for the same: the highest priority first, then by age. */
export interface Line {
  readonly gangs: readonly GangRecord[];
  /** The shortest duration that any of them states, seconds; Infinity where none does. */
  readonly shortest: number;
}

export type Lines = ReadonlyMap<QueueRecord, readonly Line[]>;

export interface Waiting {
  readonly lines: Lines;
  /** Gangs with pods that run or ran, whose pods have constraints on one another, or that are overdue. */
  readonly singles: readonly GangRecord[];
}

/**
 * O(gangs log gangs).
 *
 * @param isSingle gangs that are in no line, whatever they ask for
 */
export function waitingOf(
  gangs: Iterable<GangRecord>,
  order: GangOrderName,
  isSingle: (gang: GangRecord) => boolean,
): Waiting {
  const lines = new Map<QueueRecord, Map<number, GangRecord[]>>();
  const singles: GangRecord[] = [];
  for (const gang of gangs) {
    if (gang.kind === undefined || gang.placed > 0 || gang.queue === undefined || isSingle(gang)) {
      singles.push(gang);
      continue;
    }
    let ofQueue = lines.get(gang.queue);
    if (ofQueue === undefined) {
      ofQueue = new Map();
      lines.set(gang.queue, ofQueue);
    }
    const right = 2 * gang.kind + (gang.preemptible ? 1 : 0);
    const line = ofQueue.get(right);
    if (line === undefined) {
      ofQueue.set(right, [gang]);
    } else {
      line.push(gang);
    }
  }
  return {
    lines: new Map(
      [...lines].map(([queue, ofQueue]) => [queue, [...ofQueue.values()].map((line) => lineOf(line, order))]),
    ),
    singles,
  };
}

export function lineOf(gangs: GangRecord[], order: GangOrderName): Line {
  const shortest = gangs.reduce((least, { gang }) => Math.min(least, gang.expectedSeconds ?? Infinity), Infinity);
  return {
    gangs: gangs.sort((a, b) => b.priority - a.priority || rankOf(a, order) - rankOf(b, order) || a.index - b.index),
    shortest,
  };
}

/**
 * What gangs of one queue and priority are ordered by, smaller first: their arrival. Under `shortest-first` `AGING` times the expected
 * duration is added to it, so a gang is overtaken only by those that arrive within that time of it, and nothing starves.
 */
export function rankOf({ arrival, gang }: GangRecord, order: GangOrderName): number {
  return order === 'shortest-first' ? arrival + AGING * 1000 * (gang.expectedSeconds ?? UNKNOWN_SECONDS) : arrival;
}

/** Seconds of waiting that outweigh a second of duration. */
const AGING = 2;
/** What a gang of unknown duration is taken to run, seconds. */
const UNKNOWN_SECONDS = 86_400;

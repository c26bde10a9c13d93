/**
 * The history that the scheduler writes: one JSON array for each event, one event on a line, in segments of bounded size. Each segment
 * begins with the gangs that had not ended before it, so that a reader needs no segment that was overwritten.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { isObject } from '../../manifests/read';

/** Format of the lines. A reader rejects a segment of a later one. */
export const HISTORY_FORMAT = 1;
/** Longest line, in characters: what a tenant writes about a gang takes no more of the history than this. */
export const LONGEST_LINE = 2048;

/** How long a gang that has not ended has waited and run. Times are in seconds since the epoch. */
export interface GangProgress {
  /** When its first pod was created. */
  readonly arrived: number;
  /** When it first had its minimum. */
  readonly started?: number;
  /** Since when it has its minimum. */
  readonly since?: number;
  /** Seconds that it had its minimum, up to `since`. */
  readonly ran: number;
  /** Its pods that the scheduler evicted. */
  readonly evicted: number;
}

/** A gang: how the scheduler finds it again, and its members as in a scenario; absent where they cannot be described. */
export interface RecordedGang {
  readonly key: string;
  readonly members?: JsonObject;
}

/** Times are in seconds since the epoch; `id` is the number of the gang in the history. */
export type HistoryEvent =
  /** A segment begins. `sequence` grows by one with each segment. */
  | { readonly kind: 'segment'; readonly at: number; readonly sequence: number }
  /** A gang that had not ended when the segment began. */
  | {
      readonly kind: 'open';
      readonly at: number;
      readonly id: number;
      readonly gang: RecordedGang;
      readonly progress: GangProgress;
    }
  /** The first pod of the gang was created at `at`. */
  | { readonly kind: 'arrive'; readonly at: number; readonly id: number; readonly gang: RecordedGang }
  /** The gang has its minimum; `gang` if more is known of it than on its arrival. */
  | { readonly kind: 'start'; readonly at: number; readonly id: number; readonly gang?: RecordedGang }
  /** The gang lost its minimum and has not ended. */
  | { readonly kind: 'stop'; readonly at: number; readonly id: number }
  /** The scheduler evicted pods of the gang. */
  | { readonly kind: 'evict'; readonly at: number; readonly id: number; readonly pods: number }
  /** All pods of the gang have ended or were deleted. */
  | { readonly kind: 'end'; readonly at: number; readonly id: number }
  /** The gang ended at an unknown time, while no scheduler led. */
  | { readonly kind: 'unseen'; readonly at: number; readonly id: number }
  /** Events that were not written, because more happened than the history may hold. */
  | { readonly kind: 'lost'; readonly at: number; readonly events: number };

const LETTERS = {
  segment: 'h',
  open: 'o',
  arrive: 'a',
  start: 's',
  stop: 'p',
  evict: 'v',
  end: 'e',
  unseen: 'u',
  lost: 'l',
} as const satisfies Readonly<Record<HistoryEvent['kind'], string>>;

/** The event as a line, without its line end. */
export function lineOf(event: HistoryEvent): string {
  const line = JSON.stringify(valuesOf(event));
  if (line.length <= LONGEST_LINE || !('gang' in event) || event.gang?.members === undefined) {
    return line;
  }
  const { key } = event.gang;
  return JSON.stringify(valuesOf({ ...event, gang: { key } }));
}

function valuesOf(event: HistoryEvent): readonly (JsonValue | undefined)[] {
  const first = [LETTERS[event.kind], event.at];
  switch (event.kind) {
    case 'segment':
      return [...first, event.sequence, HISTORY_FORMAT];
    case 'open': {
      const { arrived, started, since, ran, evicted } = event.progress;
      return [...first, event.id, ...gangValues(event.gang), arrived, started ?? null, since ?? null, ran, evicted];
    }
    case 'arrive':
      return [...first, event.id, ...gangValues(event.gang)];
    case 'start':
      return [...first, event.id, ...(event.gang === undefined ? [] : gangValues(event.gang))];
    case 'evict':
      return [...first, event.id, event.pods];
    case 'lost':
      return [...first, event.events];
    case 'stop':
    case 'end':
    case 'unseen':
      return [...first, event.id];
  }
}

function gangValues({ key, members }: RecordedGang): readonly JsonValue[] {
  return [key, members ?? null];
}

/** A segment of the history. */
export interface Segment {
  readonly sequence: number;
  readonly events: readonly HistoryEvent[];
  /** Lines that cannot be read. */
  readonly unreadable: number;
}

/** @throws if the text is of a later format, or does not begin as a segment */
export function readSegment(text: string): Segment {
  const lines = text.split('\n').filter((line) => line !== '');
  const first = parsed(lines[0] ?? '');
  const header = eventOf(first ?? []);
  if (first === undefined || header?.kind !== 'segment') {
    throw new Error('is not a history of the scheduler');
  }
  if (first[3] !== HISTORY_FORMAT) {
    throw new Error(`has format ${JSON.stringify(first[3])}, which this version of Gantry cannot read`);
  }
  const events = lines.flatMap((line) => eventOf(parsed(line) ?? []) ?? []);
  return { sequence: header.sequence, events, unreadable: lines.length - events.length };
}

function parsed(line: string): readonly JsonValue[] | undefined {
  try {
    const value = JSON.parse(line) as JsonValue;
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function eventOf([letter, at, number, ...rest]: readonly JsonValue[]): HistoryEvent | undefined {
  if (typeof letter !== 'string' || !isCount(at) || !isCount(number)) {
    return undefined;
  }
  switch (letter) {
    case LETTERS.segment:
      return { kind: 'segment', at, sequence: number };
    case LETTERS.lost:
      return { kind: 'lost', at, events: number };
    case LETTERS.stop:
      return { kind: 'stop', at, id: number };
    case LETTERS.end:
      return { kind: 'end', at, id: number };
    case LETTERS.unseen:
      return { kind: 'unseen', at, id: number };
    case LETTERS.evict:
      return isCount(rest[0]) ? { kind: 'evict', at, id: number, pods: rest[0] } : undefined;
    case LETTERS.arrive: {
      const gang = gangIn(rest);
      return gang && { kind: 'arrive', at, id: number, gang };
    }
    case LETTERS.start: {
      const gang = gangIn(rest);
      return { kind: 'start', at, id: number, ...(gang && { gang }) };
    }
    case LETTERS.open: {
      const gang = gangIn(rest);
      const progress = progressIn(rest.slice(2));
      return gang && progress && { kind: 'open', at, id: number, gang, progress };
    }
    default:
      return undefined;
  }
}

function gangIn([key, members]: readonly JsonValue[]): RecordedGang | undefined {
  return typeof key === 'string' ? { key, ...(isObject(members) && { members }) } : undefined;
}

function progressIn([arrived, started, since, ran, evicted]: readonly JsonValue[]): GangProgress | undefined {
  return isCount(arrived) && isCount(ran) && isCount(evicted)
    ? { arrived, ...(isCount(started) && { started }), ...(isCount(since) && { since }), ran, evicted }
    : undefined;
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

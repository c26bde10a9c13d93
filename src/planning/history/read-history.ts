/**
 * The segments of a history as the list of jobs that `gantry size` and `gantry simulate` read.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { asString } from '../../manifests/read';
import { type Segment } from './events';
import { type EndedGang, Replay } from './replay';

export interface History {
  /** Gangs that ran and ended, in the order of their arrival. */
  readonly ended: readonly EndedGang[];
  /** Gangs that run. */
  readonly running: number;
  /** Gangs that have not started. */
  readonly waiting: number;
  /** Gangs that ended without having started. */
  readonly neverStarted: number;
  /** Gangs that ended while no scheduler led, or in a part of the history that is missing. */
  readonly unseen: number;
  /** Events that were not recorded, and lines that cannot be read. */
  readonly lost: number;
  /** Seconds since the epoch at which the history begins; absent where it is empty. */
  readonly from?: number;
}

/** @param segments in any order */
export function readHistory(segments: readonly Segment[]): History {
  const read = [...segments].sort((a, b) => a.sequence - b.sequence);
  const replay = new Replay();
  const ended: EndedGang[] = [];
  for (const { events } of read) {
    replay.keepOnly(new Set(events.flatMap((event) => (event.kind === 'open' ? [event.id] : []))));
    ended.push(...events.flatMap((event) => replay.apply(event) ?? []));
  }
  const open = [...replay.open.values()];
  const running = open.filter(({ progress }) => progress.started !== undefined).length;
  const started = ended.filter(({ progress }) => progress.started !== undefined);
  const from = read[0]?.events[0]?.at;
  return {
    ended: started.sort((a, b) => a.progress.arrived - b.progress.arrived),
    running,
    waiting: open.length - running,
    neverStarted: ended.length - started.length,
    unseen: replay.unseen,
    lost: replay.lost + read.reduce((sum, { unreadable }) => sum + unreadable, 0),
    ...(from !== undefined && { from }),
  };
}

/** Jobs of a history, and how many gangs cannot be jobs. */
export interface HistoryJobs {
  /** What was submitted, what happened, and the members of the gang, for each gang. */
  readonly jobs: readonly JsonObject[];
  /** Gangs that a scenario cannot describe. */
  readonly undescribed: number;
}

/**
 * The gangs of a history as a list of jobs.
 *
 * @param since seconds since the epoch: only gangs that arrived at it or later
 */
export function jobsOf({ ended }: History, since = 0): HistoryJobs {
  const named = new Map<string, number>();
  const recent = ended.filter(({ progress }) => progress.arrived >= since);
  const jobs = recent.flatMap((gang) => {
    const { members } = gang.gang;
    if (members === undefined) {
      return [];
    }
    const name = asString(members.name) ?? gang.gang.key;
    const count = (named.get(name) ?? 0) + 1;
    named.set(name, count);
    // Names tell the jobs of a list apart.
    return [{ ...timesOf(gang), ...members, name: count === 1 ? name : `${name}#${count}`, ...outcomeOf(gang) }];
  });
  return { jobs, undescribed: recent.length - jobs.length };
}

function timesOf({ progress }: EndedGang): JsonObject {
  // The scheduler sees ends to the second.
  return { submitted: timeOf(progress.arrived), duration: Math.max(1, progress.ran) };
}

function outcomeOf({ progress, ended }: EndedGang): JsonObject {
  const { started, evicted } = progress;
  return { ...(started !== undefined && { started: timeOf(started) }), ended: timeOf(ended), evictions: evicted };
}

/** RFC 3339, to the second. */
function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}

/** One object on each line. */
export function jobsAsJsonLines(jobs: readonly JsonObject[]): string {
  return jobs.map((job) => `${JSON.stringify(job)}\n`).join('');
}

/** Whether each member of the job fits into a field of a table. */
export function isFlat(job: JsonObject): boolean {
  return Object.values(job).every((value) => typeof value !== 'object');
}

/** A table with a header: `submitted` and `duration`, then every member that some job has. */
export function jobsAsCsv(jobs: readonly JsonObject[]): string {
  const columns = [...new Set(['submitted', 'duration', ...jobs.flatMap((job) => Object.keys(job))])];
  const rows = jobs.map((job) => columns.map((column) => cellOf(job[column])).join(','));
  return [columns.join(','), ...rows].map((row) => `${row}\n`).join('');
}

/** In double quotes where a reader would take a part of it for something else. */
function cellOf(value: JsonValue | undefined): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value ?? '');
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

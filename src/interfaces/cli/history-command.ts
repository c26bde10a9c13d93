/**
 * `gantry history`: what Gantry's scheduler recorded, as the list of jobs that `gantry size` and `gantry simulate` read.
 */
import { type JsonObject } from '../../facts/api/schema';
import { allOf, counted, printable } from '../../facts/words';
import { asObject, asString } from '../../manifests/read';
import { parseDuration } from '../../planning/cluster/files/durations';
import {
  type History,
  isFlat,
  jobsAsCsv,
  jobsAsJsonLines,
  jobsOf,
  readHistory,
  readSegment,
  segmentIn,
} from '../../planning/history';
import { oneOf } from './check/check-options';
import { readHistoryOf } from './live-cluster';
import { type Terminal, UsageError } from './terminal';
import { writeWhole } from './whole-file';

/** As commander hands them over. */
export interface HistoryFlags {
  readonly context?: string;
  readonly kubeconfig?: string;
  readonly namespace: string;
  readonly scheduler: string;
  readonly since?: string;
  readonly format?: string;
  readonly output?: string;
}

/** @returns the exit status */
export async function historyCommand(flags: HistoryFlags, terminal: Terminal): Promise<number> {
  const { output } = flags;
  const format = oneOf('--format', flags.format ?? formatOf(output), ['jsonl', 'csv'], 'format');
  const since = sinceOf(flags.since);
  const history = historyIn(await readHistoryOf(flags));
  const { jobs, undescribed } = jobsOf(history, since);
  const flat = format === 'csv' ? jobs.filter(isFlat) : jobs;
  const text = format === 'csv' ? jobsAsCsv(flat) : jobsAsJsonLines(flat);
  if (output === undefined) {
    terminal.out(text);
  } else {
    writeWhole(output, text, terminal.cwd);
    terminal.out(`${output}: ${counted(flat.length, 'gang')}${beginning(history)}\n`);
  }
  for (const note of notesOf(history, undescribed, jobs.length - flat.length)) {
    terminal.err(`gantry: ${note}\n`);
  }
  return 0;
}

function formatOf(output = ''): string {
  return output.endsWith('.csv') ? 'csv' : 'jsonl';
}

/** Seconds since the epoch. */
function sinceOf(text: string | undefined): number {
  if (text === undefined) {
    return 0;
  }
  const age = parseDuration(text);
  const moment = age === undefined ? Date.parse(text) / 1000 : Date.now() / 1000 - age;
  if (!Number.isFinite(moment)) {
    throw new UsageError(`--since ${text}: must be a duration such as 36h or 30d, or a date and time`);
  }
  return moment;
}

function historyIn(configMaps: readonly JsonObject[]): History {
  const segments = configMaps.flatMap((configMap) => {
    const { namespace, name } = asObject(configMap.metadata);
    const where = printable(`ConfigMap ${asString(namespace)}/${asString(name)}`);
    return explained(where, () => {
      const text = segmentIn(configMap);
      return text === undefined ? [] : readSegment(text);
    });
  });
  return readHistory(segments);
}

function explained<T>(where: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UsageError(`${where}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function beginning({ from }: History): string {
  return from === undefined ? '' : `, recorded since ${new Date(from * 1000).toISOString().replace('.000Z', 'Z')}`;
}

/** What is not among the jobs, and why. */
function notesOf(history: History, undescribed: number, structured: number): readonly string[] {
  const { running, waiting, neverStarted, unseen, lost } = history;
  const open = [
    ...(running > 0 ? [counted(running, 'running gang')] : []),
    ...(waiting > 0 ? [counted(waiting, 'waiting gang')] : []),
    ...(neverStarted > 0 ? [`${counted(neverStarted, 'gang')} that never started`] : []),
    ...(unseen > 0 ? [`${counted(unseen, 'gang')} that ended while no scheduler led`] : []),
    ...(undescribed > 0 ? [`${counted(undescribed, 'gang')} that a scenario cannot describe`] : []),
    ...(structured > 0 ? [`${counted(structured, 'gang')} that only JSON lines can describe`] : []),
  ];
  return [
    ...(open.length > 0 ? [`not in the list: ${allOf(open)}`] : []),
    ...(lost > 0 ? [`${counted(lost, 'event')} of the history ${lost === 1 ? 'is' : 'are'} missing`] : []),
  ];
}

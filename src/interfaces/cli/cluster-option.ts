/**
 * The option `--cluster`, the same on every command: a file, standard input, or the running cluster of a context.
 */
import { type JsonObject } from '../../facts/api/schema';
import {
  type ClusterSnapshot,
  objectsOfSnapshot,
  readSnapshot,
  SnapshotFileError,
  textOfFile,
} from '../../manifests/snapshot/cluster-snapshot';
import { type ObjectId } from '../../manifests/manifest';
import { type LiveObject } from '../../manifests/snapshot/live-object';
import { ClusterFileError, type ClusterState, readCluster, sampleCluster } from '../../planning/cluster';
import { clusterObjects, clusterOfSnapshot } from '../../planning/cluster/read-cluster';
import { readBytes } from '../checks/read-files';
import { readLive } from './live-cluster';
import { printable } from '../../facts/words';
import { Progress, UsageError, type Terminal } from './terminal';

/** The name by which `--cluster` means the sample. */
const SAMPLE = 'sample';
const LIVE = /^live(?::(.+))?$/s;
/** Days after which a snapshot is reported as old. */
const DEFAULT_AGE = 7;
const DAY = 86_400_000;

/** What `--cluster` named. */
export interface ClusterInput {
  /** How messages name it. */
  readonly file: string;
  /** Absent for a cluster file, for objects that kubectl printed, and for the sample. */
  readonly snapshot?: ClusterSnapshot;
  /** The objects that were asked for, in the same order. Absent where the cluster is not a running one. */
  readonly live?: readonly LiveObject[];
  /** The cluster as plans take it. */
  readonly state: () => ClusterState;
  /** All objects that were read, the pods among them. Empty for a cluster file and for the sample. */
  readonly objects: () => readonly JsonObject[];
}

export interface ClusterFlags {
  readonly cluster?: string;
  /** Days. */
  readonly maxAge?: string;
}

/**
 * Reads what the option names, and reports a snapshot that is old.
 *
 * @param ids objects to read whole, if it is a running cluster
 * @throws UsageError where it cannot be read
 */
export async function readClusterOption(
  { cluster, maxAge }: ClusterFlags & { readonly cluster: string },
  terminal: Pick<Terminal, 'stdin' | 'cwd' | 'err' | 'canProgress'>,
  ids: readonly ObjectId[] = [],
): Promise<ClusterInput> {
  const days = daysOf(maxAge);
  if (cluster === SAMPLE) {
    return { file: SAMPLE, state: sampleCluster, objects: () => [] };
  }
  const live = LIVE.exec(cluster);
  if (live !== null) {
    const progress = new Progress(terminal as Terminal);
    try {
      const { snapshot, objects } = await readLive({
        context: live[1],
        objects: ids,
        progress: (text) => progress.say(text),
      });
      reportGaps(snapshot, terminal);
      return { ...ofSnapshot(snapshot, cluster), live: objects };
    } finally {
      progress.done();
    }
  }
  const file = cluster === '-' ? 'standard input' : cluster;
  const bytes = cluster === '-' ? await terminal.stdin() : readBytes(cluster, terminal.cwd);
  return asUsage(() => {
    const text = textOfFile(bytes, file);
    const snapshot = readSnapshot(text, file);
    if (snapshot === undefined) {
      return {
        file,
        state: () => asUsage(() => readCluster(text, file)),
        objects: () => clusterObjects(text, file),
      };
    }
    reportAge(snapshot, days, file, terminal);
    return ofSnapshot(snapshot, file);
  });
}

function ofSnapshot(snapshot: ClusterSnapshot, file: string): ClusterInput {
  return {
    file,
    snapshot,
    state: () => clusterOfSnapshot(snapshot),
    objects: () => objectsOfSnapshot(snapshot),
  };
}

function daysOf(text: string | undefined): number {
  const found = text === undefined ? [String(DEFAULT_AGE)] : /^\d{1,5}(?=d?$)/.exec(text);
  if (found === null) {
    throw new UsageError(`--max-age ${text}: must be a number of days, for example 7d`);
  }
  return Number(found[0]);
}

function reportAge({ takenAt }: ClusterSnapshot, days: number, file: string, { err }: Pick<Terminal, 'err'>): void {
  const age = Date.now() - Date.parse(takenAt);
  if (age > days * DAY) {
    err(
      `gantry: warning: ${file} was taken ${Math.floor(age / DAY)} days ago (${takenAt}); take a new snapshot, or allow the age with --max-age\n`,
    );
  }
}

function reportGaps({ gaps }: ClusterSnapshot, { err }: Pick<Terminal, 'err'>): void {
  if (gaps.length > 0) {
    err(
      `gantry: not read from the cluster: ${printable(gaps.map(({ what, why }) => `${what} (${why})`).join(', '))}\n`,
    );
  }
}

/** What is wrong with the file is the caller's to correct. */
function asUsage<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const known = error instanceof SnapshotFileError || error instanceof ClusterFileError;
    throw known ? new UsageError(error.message) : error;
  }
}

/**
 * Reads a sizing file. All mistakes are reported together, with the field names of the file.
 */
import { type ManifestSet } from '../../manifests/manifest-set';
import { type Queue } from '../../placement';
import { type ClusterState } from '../cluster/cluster-state';
import { type Fields } from '../cluster/files/fields';
import { gangsOfManifests } from '../cluster/gangs/manifest-gangs';
import { readQueue } from '../cluster/files/queue-terms';
import { withCountedDevices } from '../cluster/nodes/further-nodes';
import { deviceClaimsFor, haveClaims, withCharges } from '../simulation/scenario-claims';
import { type GangKind, readGangKind, readTiming } from '../simulation/read-gangs';
import {
  checkQueues,
  checkUnique,
  type ClusterSource,
  commonDevice,
  jobsOf,
  mergedQueues,
  policyOf,
  readCluster,
  readDocument,
} from '../simulation/read-world';
import { checkBounds } from './bounds';
import { blockCount } from './draw';
import { clusterWithoutPods, readPools } from './read-pools';
import { type SearchOptions, type Sizing, type SizingRun, type WaitTarget } from './sizing';

/** What a sizing file may name. */
export interface SizingSources {
  /** Finds a file beside the sizing file. */
  readonly text: ClusterSource;
  /** Reads a file or folder of manifests. */
  readonly manifests: (name: string) => ManifestSet;
  /** The cluster of the command line, instead of that of the file. */
  readonly cluster?: ClusterState;
}

const DAY = 86_400;
/** A history of fewer blocks is replayed as it was. */
const LEAST_BLOCKS = 4;
const MOST_PODS = 10_000;

/**
 * @param text YAML or JSON
 * @param file how messages name it
 * @throws ScenarioError
 */
export function readSizing(text: string, file: string, sources: SizingSources): Sizing {
  return readDocument(text, file, (fields) => sizingOf(fields, file, sources));
}

function sizingOf(fields: Fields, file: string, sources: SizingSources): Sizing {
  const name = fields.text('name') ?? file.replace(/^.*[/\\]/, '').replace(/\.[^.]*$/, '');
  const about = fields.text('about');
  const currency = fields.text('currency');
  const ofFile = fields.has('cluster') ? readCluster(fields, file, sources.text) : undefined;
  const cluster = sources.cluster === undefined ? ofFile : clusterWithoutPods(sources.cluster);
  const { pools, others, topologies, objects } = readPools(fields, cluster);
  const device = commonDevice([...pools.flatMap(({ nodes }) => nodes), ...others]);
  const own = fields.list('queues').map((queue) => readQueue(queue, device));
  const horizon = horizonOf(fields);
  const work = readKinds(fields, device, horizon.seconds ?? DAY, sources);
  const queues = withDefault(mergedQueues(mergedQueues(cluster?.queues ?? [], work.queues), own), work.kinds);
  const history = [...jobsOf(fields, queues, device, sources.text)].sort((a, b) => a.arrivesAt - b.arrivesAt);
  if (work.kinds.length + history.length === 0 && fields.problems.length === 0) {
    fields.wrongAt('gangs', 'is required unless jobs is set; set the work that arrives');
  }
  checkUnique(
    fields,
    'gangs',
    work.kinds.map(({ gang }) => gang.name),
  );
  const named = [...work.kinds, ...history].map(({ gang }) => gang.queue);
  checkQueues(fields, queues, new Set(named));
  const kinds = withCharges(work.kinds, objects);
  const replayed = withCharges(history, objects);
  const all = [...kinds, ...replayed];
  const hasClaims = haveClaims(all);
  const nodes = [...pools.flatMap((pool) => pool.nodes), ...others];
  const shown = hasClaims ? (list: Sizing['nodes']): Sizing['nodes'] => list : withCountedDevices;
  const sizing: Sizing = {
    name,
    ...(about !== undefined && { about: about.trim() }),
    ...(currency !== undefined && { currency }),
    pools: pools.map((pool) => ({ ...pool, nodes: shown(pool.nodes) })),
    nodes: shown(others),
    ...(hasClaims && { deviceClaims: deviceClaimsFor(all, objects, nodes, fields) }),
    topologies,
    queues,
    kinds,
    history: replayed,
    policy: policyOf(fields),
    targets: readTargets(fields, queues),
    run: runOf(horizon, history),
    search: readSearch(fields.fields('search')),
  };
  checkBounds(fields, sizing);
  fields.done();
  return sizing;
}

interface Kinds {
  readonly kinds: readonly GangKind[];
  readonly queues: readonly Queue[];
}

/** Entries of `gangs`: fields as in a scenario, or manifests with the time of their arrivals. */
function readKinds(fields: Fields, device: string, until: number, { manifests }: SizingSources): Kinds {
  const queues: Queue[] = [];
  const kinds = fields.list('gangs').flatMap((entry): readonly GangKind[] => {
    const named = entry.text('manifests');
    if (named === undefined) {
      return [readGangKind(entry, device, until)];
    }
    const timing = readTiming(entry, until);
    entry.done();
    const found = gangsOfManifests(manifests(named), MOST_PODS);
    if (found.gangs.length === 0) {
      entry.wrong('manifests', named, 'a file or folder that contains workloads');
    }
    queues.push(...found.queues);
    return found.gangs.map(({ arrival: _, ...gang }) => ({ gang, ...timing }));
  });
  return { kinds, queues };
}

/** Work of manifests that names no queue is in `default`, which every scheduler has. */
function withDefault(queues: readonly Queue[], kinds: readonly GangKind[]): readonly Queue[] {
  const isNamed = kinds.some(({ gang }) => gang.queue === 'default');
  return isNamed && !queues.some(({ name }) => name === 'default') ? [...queues, { name: 'default' }] : queues;
}

function readTargets(fields: Fields, queues: readonly Queue[]): readonly WaitTarget[] {
  const targets = fields.list('targets').map((target): WaitTarget => {
    const percentile = target.number('percentile', { least: 1, most: 100 }) ?? 95;
    const seconds = target.duration('wait');
    const queue = target.text('queue');
    if (!target.has('wait')) {
      target.wrongAt('wait', 'is required; set how long gangs may wait, such as 15m');
    }
    if (queue !== undefined && !queues.some(({ name }) => name === queue)) {
      target.wrong('queue', queue, `the name of a queue: ${queues.map(({ name }) => name).join(', ')}`);
    }
    target.done();
    return { percentile, seconds: seconds ?? 0, ...(queue !== undefined && { queue }) };
  });
  if (targets.length === 0) {
    fields.wrongAt('targets', 'is required; set how long gangs may wait, such as [{percentile: 95, wait: 15m}]');
  }
  return targets;
}

interface Horizon {
  readonly fields: Fields | undefined;
  /** Time in which work arrives; `undefined` if the file does not say. */
  readonly seconds: number | undefined;
}

function horizonOf(fields: Fields): Horizon {
  const run = fields.fields('run');
  return { fields: run, seconds: positive(run, 'for') };
}

/** A duration that is not zero. */
function positive(fields: Fields | undefined, key: string): number | undefined {
  const seconds = fields?.duration(key);
  if (seconds === 0) {
    fields?.wrong(key, 0, 'more than 0');
    return undefined;
  }
  return seconds;
}

function runOf({ fields, seconds: stated }: Horizon, history: Sizing['history']): SizingRun {
  const { length, blockSeconds } = historyTerms(fields, history);
  const seconds = stated ?? length;
  const warmupSeconds = fields?.duration('warmup') ?? 0;
  if (warmupSeconds >= seconds) {
    fields?.wrong('warmup', warmupSeconds, `less than the length of the run, ${seconds} seconds`);
  }
  const cycleSeconds = positive(fields, 'cycle') ?? 1;
  const graceSeconds = fields?.duration('grace') ?? 30;
  fields?.done();
  return { seconds, warmupSeconds, blockSeconds, cycleSeconds, graceSeconds };
}

interface HistoryTerms {
  /** Length of a run that the file does not state. */
  readonly length: number;
  readonly blockSeconds: number | undefined;
}

/** A history is drawn in blocks if it has enough of them. */
function historyTerms(fields: Fields | undefined, history: Sizing['history']): HistoryTerms {
  const block = positive(fields, 'block') ?? DAY;
  const replays = fields?.flag('replay') ?? false;
  const last = history.at(-1);
  if (last === undefined) {
    return { length: DAY, blockSeconds: undefined };
  }
  const blocks = blockCount(history, block);
  return replays || blocks < LEAST_BLOCKS
    ? { length: last.arrivesAt + 1, blockSeconds: undefined }
    : { length: blocks * block, blockSeconds: block };
}

function readSearch(fields: Fields | undefined): SearchOptions {
  const confidence = fields?.number('confidence', { least: 50, most: 99.9 }) ?? 95;
  const search: SearchOptions = {
    seed: fields?.number('seed', { least: 0, whole: true }) ?? 1,
    replications: fields?.number('replications', { least: 2, most: 1000, whole: true }) ?? 8,
    confidence: confidence / 100,
    evaluations: fields?.number('evaluations', { least: 1, most: 100_000, whole: true }) ?? 100,
  };
  fields?.done();
  return search;
}

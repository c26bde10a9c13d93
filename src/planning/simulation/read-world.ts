/**
 * What scenarios and sizing files have in common: the cluster, the queues, the policy, and the jobs.
 */
import { oneOf } from '../../facts/words';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { parseValue, parseYaml } from '../../manifests/yaml';
import {
  type ClusterNode,
  DEFAULT_DEVICE_RESOURCE,
  DEFAULT_POLICY,
  type Policy,
  type Queue,
  type Topology,
} from '../../placement';
import { ClusterFileError, clusterOfValue, readClusterFile } from '../cluster/files/cluster-file';
import { Fields, foremost, meant, type Problem } from '../cluster/files/fields';
import { type ClusterState } from '../cluster/cluster-state';
import { clusterOfObjects } from '../cluster/from-objects';
import { NAMED_POLICIES, readPolicy } from '../cluster/files/policy-file';
import { sampleCluster } from '../cluster/files/sample';
import { type NodeGroup, readNodes } from './read-nodes';
import { readJobs } from './read-jobs';
import { REPARTITION_SECONDS, type RunOptions, type Scenario, type ScenarioGang } from './scenario';

/** A scenario or sizing file that cannot be read; each line of the message names the place and what to write there. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
}

/** Text of the cluster file that a scenario names, and what messages call it. */
export type ClusterSource = (name: string) => { readonly text: string; readonly file: string };

type ScenarioCluster = Pick<Scenario, 'nodes' | 'topologies' | 'queues'> & Pick<ClusterState, 'objects'>;

export interface ReadCluster extends ScenarioCluster {
  /** Entries of `nodes`. */
  readonly groups: readonly NodeGroup[];
}

/**
 * Reads a document, and reports all of its mistakes together.
 *
 * @throws ScenarioError
 */
export function readDocument<T>(text: string, file: string, read: (fields: Fields) => T): T {
  const parsed = parseValue(text, file);
  if ('problem' in parsed) {
    const { position, message } = parsed.problem;
    throw new ScenarioError(`${file}:${position.line}:${position.column}: ${message}`);
  }
  const problems: Problem[] = [];
  const value = read(new Fields(parsed.value, '', problems));
  if (problems.length > 0) {
    throw new ScenarioError(
      foremost(problems)
        .map(({ path, message }) => `${file}: ${path}${path === '' ? '' : ' '}${message}`)
        .join('\n'),
    );
  }
  return value;
}

/** The jobs of a CSV file: its name, or the name and the queue of jobs that name none. */
export function jobsOf(
  fields: Fields,
  queues: readonly Queue[],
  device: string,
  source: ClusterSource,
): readonly ScenarioGang[] {
  const value = fields.raw('jobs');
  if (value === undefined) {
    return [];
  }
  const members = typeof value === 'string' ? undefined : fields.fields('jobs');
  const name = typeof value === 'string' ? value : members?.required('file');
  const queue = members?.text('queue') ?? queues[0]?.name;
  members?.done();
  if (name === undefined || name === '') {
    return [];
  }
  const { text, file } = source(name);
  return readJobs(text, file, { queue, device }, fields.problems);
}

export function readCluster(fields: Fields, file: string, source: ClusterSource): ReadCluster {
  const value = fields.raw('cluster');
  const groups = fields.list('nodes').map(readNodes);
  const topologies = fields.list('topologies').map(readTopology);
  if (value === undefined && groups.length === 0) {
    fields.wrongAt('cluster', 'is required; set a cluster file, an inline cluster, or a list of nodes');
  }
  const cluster =
    value === undefined ? { nodes: [], topologies: [], queues: [], objects: [] } : clusterOf(value, file, source);
  return {
    nodes: [...cluster.nodes, ...groups.flatMap(({ nodes }) => nodes)],
    topologies: [...topologies, ...cluster.topologies],
    queues: cluster.queues,
    objects: cluster.objects,
    groups,
  };
}

/** `sample`, the name of a cluster file, or what such a file has in it. */
function clusterOf(value: JsonValue, file: string, source: ClusterSource): ScenarioCluster {
  if (value === 'sample') {
    return sampleCluster();
  }
  try {
    if (typeof value !== 'string') {
      return clusterOfValue(value, `${file}: cluster`);
    }
    const { text, file: named } = source(value);
    const objects = parseYaml(text, named).manifests.map(({ object }) => object);
    return objects.length > 0 ? ofObjects(objects, named) : readClusterFile(text, named);
  } catch (error) {
    if (error instanceof ClusterFileError) {
      throw new ScenarioError(error.message);
    }
    throw error;
  }
}

/** What `kubectl get nodes,queues -o json` printed. What runs there is left out: a scenario says what runs. */
function ofObjects(objects: readonly JsonObject[], file: string): ScenarioCluster {
  const state = clusterOfObjects(objects, file);
  if (state.nodes.length === 0) {
    throw new ScenarioError(`${file}: contains no Node`);
  }
  return state;
}

function readTopology(fields: Fields): Topology {
  const topology = { name: fields.required('name'), levels: fields.texts('levels') ?? [] };
  if (topology.levels.length === 0) {
    fields.wrongAt('levels', 'is required; list node labels, outermost first');
  }
  fields.done();
  return topology;
}

/** Queues of the scenario replace those of the same name in its cluster. */
export function mergedQueues(ofCluster: readonly Queue[], own: readonly Queue[]): readonly Queue[] {
  const names = new Set(own.map(({ name }) => name));
  return [...ofCluster.filter(({ name }) => !names.has(name)), ...own].map((queue, arrival) => ({ arrival, ...queue }));
}

/** Reports names that appear twice. */
export function checkUnique(fields: Fields, what: string, names: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) {
      fields.wrongAt(what, `has two entries named "${name}"; names must be unique`);
    }
    seen.add(name);
  }
}

/** @param named the queues that gangs name */
export function checkQueues(fields: Fields, queues: readonly Queue[], named: ReadonlySet<string>): void {
  const names = queues.map(({ name }) => name);
  checkUnique(fields, 'queues', names);
  for (const { name, parent } of queues) {
    if (parent !== undefined && !names.includes(parent)) {
      fields.wrongAt('queues', `"${name}" has the parent "${parent}", which does not exist${meant(parent, names)}`);
    }
  }
  for (const queue of named) {
    if (queue !== '' && !names.includes(queue)) {
      fields.wrongAt('gangs', `name the queue "${queue}", which does not exist${meant(queue, names)}`);
    }
  }
}

/** The name of a policy, or what differs from the default. */
export function policyOf(fields: Fields): Policy {
  const value = fields.raw('policy');
  if (value === undefined) {
    return DEFAULT_POLICY;
  }
  if (typeof value !== 'string') {
    return readPolicy(fields.fields('policy')!);
  }
  const named = NAMED_POLICIES.get(value);
  const names = [...NAMED_POLICIES.keys()];
  if (named === undefined) {
    fields.wrong('policy', value, `a map, ${oneOf(names)}`, meant(value, names));
  }
  return named ?? DEFAULT_POLICY;
}

export function readRun(fields: Fields | undefined): RunOptions {
  const run = {
    seconds: fields?.duration('for'),
    cycleSeconds: fields?.duration('cycle') ?? 1,
    graceSeconds: fields?.duration('grace') ?? 30,
    repartitionSeconds: fields?.duration('repartition') ?? REPARTITION_SECONDS,
  };
  if (run.cycleSeconds <= 0) {
    fields?.wrong('cycle', run.cycleSeconds, 'more than 0');
  }
  fields?.done();
  return run;
}

/** The resource of most of the cluster's devices. */
export function commonDevice(nodes: readonly ClusterNode[]): string {
  const counts = new Map<string, number>();
  for (const { deviceResource = DEFAULT_DEVICE_RESOURCE, allocatable, devices } of nodes) {
    counts.set(
      deviceResource,
      (counts.get(deviceResource) ?? 0) + (devices?.length ?? allocatable[deviceResource] ?? 0),
    );
  }
  const [most] = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return most?.[0] ?? DEFAULT_DEVICE_RESOURCE;
}

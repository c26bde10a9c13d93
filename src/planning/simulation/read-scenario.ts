/**
 * Reads a scenario file. All mistakes are reported together, with the field names of the file.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { ClusterFileError, clusterOfValue, readClusterFile } from '../cluster/cluster-file';
import { clusterOfObjects } from '../cluster/from-objects';
import { NAMED_POLICIES, readPolicy } from '../cluster/policy-file';
import { readQueue, readQueueTerms } from '../cluster/queue-terms';
import { sampleCluster } from '../cluster/sample';
import { parseValue, parseYaml } from '../../manifests/yaml';
import {
  type ClusterNode,
  DEFAULT_DEVICE_RESOURCE,
  DEFAULT_POLICY,
  type Device,
  type Policy,
  type Queue,
  type Taint,
  type TaintEffect,
  type Topology,
} from '../../placement';
import { Fields, meant, type Problem } from '../cluster/fields';
import { matches, readExpectation } from './read-expectations';
import { readGang } from './read-gangs';
import { readJobs } from './read-jobs';
import { type RunOptions, type Scenario, type ScenarioEvent, type ScenarioGang } from './scenario';
import { oneOf } from '../../facts/words';

/** A scenario that cannot be read; each line of the message names the place and what to write there. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
}

/** Text of the cluster file that a scenario names, and what messages call it. */
export type ClusterSource = (name: string) => { readonly text: string; readonly file: string };

type ScenarioCluster = Pick<Scenario, 'nodes' | 'topologies' | 'queues'>;

/**
 * @param text YAML or JSON
 * @param file how messages name it
 * @param source finds the cluster file that the scenario names
 * @throws ScenarioError
 */
export function readScenario(text: string, file: string, source: ClusterSource): Scenario {
  const parsed = parseValue(text, file);
  if ('problem' in parsed) {
    const { position, message } = parsed.problem;
    throw new ScenarioError(`${file}:${position.line}:${position.column}: ${message}`);
  }
  const problems: Problem[] = [];
  const scenario = scenarioOf(new Fields(parsed.value, '', problems), file, source);
  if (problems.length > 0) {
    throw new ScenarioError(
      problems.map(({ path, message }) => `${file}: ${path}${path === '' ? '' : ' '}${message}`).join('\n'),
    );
  }
  return scenario;
}

function scenarioOf(fields: Fields, file: string, source: ClusterSource): Scenario {
  if (fields.has('podGroups')) {
    fields.wrongAt('podGroups', 'is a field of a conformance case; run these cases with `npm run conformance`');
  }
  const name = fields.text('name') ?? file.replace(/^.*[/\\]/, '').replace(/\.[^.]*$/, '');
  const about = fields.text('about');
  const cluster = readCluster(fields, file, source);
  const device = commonDevice(cluster.nodes);
  const queues = merged(
    cluster.queues,
    fields.list('queues').map((queue) => readQueue(queue, device)),
  );
  const gangs = byTime(
    [...fields.list('gangs').flatMap((gang) => readGang(gang, device)), ...jobsOf(fields, queues, device, source)],
    ({ arrivesAt }) => arrivesAt,
  );
  checkNames(fields, cluster.nodes, queues, gangs);
  const events = fields.list('events').flatMap((event) => readEvent(event, cluster.nodes, queues, gangs, device));
  const scenario: Scenario = {
    name,
    ...(about === undefined ? {} : { about: about.trim() }),
    ...cluster,
    queues,
    gangs,
    events: byTime(events, ({ at }) => at),
    policy: policyOf(fields),
    run: readRun(fields.fields('run')),
    expectations: fields.list('expect').map((expectation) =>
      readExpectation(expectation, {
        gangs: gangs.map(({ gang }) => gang.name),
        queues: queues.map((queue) => queue.name),
        nodes: cluster.nodes,
        device,
      }),
    ),
  };
  fields.done();
  return scenario;
}

/** The jobs of a CSV file: its name, or the name and the queue of jobs that name none. */
function jobsOf(
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

/** Of one moment, in the order of the file. */
function byTime<T>(list: readonly T[], timeOf: (item: T) => number): readonly T[] {
  return [...list].sort((a, b) => timeOf(a) - timeOf(b));
}

function readCluster(fields: Fields, file: string, source: ClusterSource): ScenarioCluster {
  const value = fields.raw('cluster');
  const nodes = fields.list('nodes').flatMap(readNodes);
  const topologies = fields.list('topologies').map(readTopology);
  if (value === undefined && nodes.length === 0) {
    fields.wrongAt('cluster', 'is required; set a cluster file, an inline cluster, or a list of nodes');
  }
  const cluster = value === undefined ? { nodes: [], topologies: [], queues: [] } : clusterOf(value, file, source);
  return {
    nodes: [...cluster.nodes, ...nodes],
    topologies: [...topologies, ...cluster.topologies],
    queues: cluster.queues,
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

/** One node, or `count` of them whose names end in their number. */
function readNodes(fields: Fields): ClusterNode[] {
  const name = fields.required('name');
  const count = fields.number('count', { least: 1, most: 100_000, whole: true });
  const device = fields.text('deviceResource') ?? DEFAULT_DEVICE_RESOURCE;
  const amounts = fields.amounts('allocatable', device) ?? {};
  if (!fields.has('allocatable')) {
    fields.wrongAt(
      'allocatable',
      'is required; set the resources of the node, such as {cpu: 96, memory: 1Ti, gpus: 8}',
    );
  }
  if ((amounts.cpu ?? 0) > 10_000_000) {
    fields.wrongAt(
      'allocatable.cpu',
      `is ${amounts.cpu / 1000} cores; write milli-CPU with the suffix m, such as 96000m`,
    );
  }
  const taints = fields.list('taints').map(readTaint);
  const gpu = fields.fields('gpu');
  const memoryMiB = gpu?.number('memoryMiBPerGpu', { least: 1 });
  const model = gpu?.text('model');
  gpu?.done();
  const shape: Device = {
    ...(memoryMiB === undefined ? {} : { memoryMiB }),
    ...(model === undefined ? {} : { model }),
  };
  const node: ClusterNode = {
    name,
    allocatable: { pods: 110, ...amounts },
    labels: fields.map('labels') ?? {},
    ...(taints.length === 0 ? {} : { taints }),
    ...(device === DEFAULT_DEVICE_RESOURCE ? {} : { deviceResource: device }),
    ...(gpu === undefined ? {} : { devices: Array.from({ length: amounts[device] ?? 0 }, () => shape) }),
    ready: fields.flag('ready'),
    unschedulable: fields.flag('unschedulable'),
  };
  fields.done();
  if (count === undefined) {
    return [node];
  }
  const digits = String(count).length;
  return Array.from({ length: count }, (_, i) => ({ ...node, name: `${name}-${String(i + 1).padStart(digits, '0')}` }));
}

function readTaint(fields: Fields): Taint {
  const taint: Taint = {
    key: fields.required('key'),
    value: fields.text('value'),
    effect: fields.oneOf<TaintEffect>('effect', ['NoSchedule', 'PreferNoSchedule', 'NoExecute']) ?? 'NoSchedule',
  };
  fields.done();
  return taint;
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
function merged(ofCluster: readonly Queue[], own: readonly Queue[]): readonly Queue[] {
  const names = new Set(own.map(({ name }) => name));
  return [...ofCluster.filter(({ name }) => !names.has(name)), ...own].map((queue, arrival) => ({ arrival, ...queue }));
}

function checkNames(
  fields: Fields,
  nodes: readonly ClusterNode[],
  queues: readonly Queue[],
  gangs: readonly ScenarioGang[],
): void {
  const twice = (what: string, names: readonly string[]): void => {
    const seen = new Set<string>();
    for (const name of names) {
      if (seen.has(name)) {
        fields.wrongAt(what, `has two entries named "${name}"; names tell them apart`);
      }
      seen.add(name);
    }
  };
  const queueNames = queues.map(({ name }) => name);
  twice(
    'nodes',
    nodes.map(({ name }) => name),
  );
  twice('queues', queueNames);
  twice(
    'gangs',
    gangs.map(({ gang }) => gang.name),
  );
  if (gangs.length === 0) {
    fields.wrongAt('gangs', 'must contain at least one gang');
  }
  for (const { name, parent } of queues) {
    if (parent !== undefined && !queueNames.includes(parent)) {
      fields.wrongAt(
        'queues',
        `"${name}" has the parent "${parent}", which does not exist${meant(parent, queueNames)}`,
      );
    }
  }
  for (const queue of new Set(gangs.map(({ gang }) => gang.queue))) {
    if (queue !== '' && !queueNames.includes(queue)) {
      fields.wrongAt('gangs', `name the queue "${queue}", which does not exist${meant(queue, queueNames)}`);
    }
  }
}

const NODE_EVENTS = ['fail', 'return', 'drain'] as const;

function readEvent(
  fields: Fields,
  nodes: readonly ClusterNode[],
  queues: readonly Queue[],
  gangs: readonly ScenarioGang[],
  device: string,
): ScenarioEvent[] {
  const at = fields.duration('at') ?? 0;
  if (!fields.has('at')) {
    fields.wrongAt('at', 'is required; set a time such as 30m');
  }
  const lasts = fields.duration('for');
  const events: ScenarioEvent[] = [];
  for (const kind of NODE_EVENTS) {
    const patterns = fields.texts(kind);
    if (patterns === undefined) {
      continue;
    }
    const names = nodes.map(({ name }) => name).filter((name) => patterns.some((pattern) => matches(pattern, name)));
    if (names.length === 0) {
      fields.wrong(kind, patterns.join(', '), 'names of nodes, or a pattern such as rack-2-* that matches a node');
    }
    events.push({ at, kind, nodes: names });
    if (lasts !== undefined && kind !== 'return') {
      events.push({ at: at + lasts, kind: 'return', nodes: names });
    }
  }
  const queue = fields.text('queue');
  if (queue !== undefined) {
    if (!queues.some(({ name }) => name === queue)) {
      fields.wrong('queue', queue, `the name of a queue: ${queues.map(({ name }) => name).join(', ')}`);
    }
    const set = fields.fields('set');
    if (set === undefined) {
      fields.wrongAt('set', 'is required; set the changes, such as {deserved: {gpus: 16}}');
    } else {
      events.push({ at, kind: 'queue', queue, set: readQueueTerms(set, device) });
    }
    set?.done();
  }
  const cancel = fields.text('cancel');
  if (cancel !== undefined) {
    const names = gangs.map(({ gang }) => gang.name).filter((name) => matches(cancel, name));
    if (names.length === 0) {
      fields.wrong('cancel', cancel, 'the name of a gang');
    }
    events.push(...names.map((gang): ScenarioEvent => ({ at, kind: 'cancel', gang })));
  }
  const before = fields.problems.length;
  fields.done();
  if (events.length === 0 && fields.problems.length === before) {
    fields.wrongAt('', 'must set one of fail, return, drain, queue, or cancel');
  }
  return events;
}

/** The name of a policy, or what differs from the default. */
function policyOf(fields: Fields): Policy {
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

function readRun(fields: Fields | undefined): RunOptions {
  const run = {
    seconds: fields?.duration('for'),
    cycleSeconds: fields?.duration('cycle') ?? 1,
    graceSeconds: fields?.duration('grace') ?? 30,
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

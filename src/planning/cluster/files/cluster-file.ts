/**
 * A cluster that a user describes by hand: pools of alike nodes, where they are, queues.
 *
 * All mistakes in a file are reported together, with the field names of the file.
 */
import { type JsonValue } from '../../../facts/api/schema';
import { parseValue } from '../../../manifests/yaml';
import { type ClusterNode, DEFAULT_DEVICE_RESOURCE, type Queue, type Topology } from '../../../placement';
import { type ClusterState } from '../cluster-state';
import { Fields, foremost, meant, type Problem } from './fields';
import { HOSTNAME, tiersOfLevels } from '../objects/topologies';
import { LEVELS, MOST_NODES, type Pool, readPool } from './pool-file';
import { readQueue } from './queue-terms';

/**
 * Thrown for a cluster file that cannot be read. Each line of the message names a place and what to write there.
 *
 * @example
 * try {
 *   cluster.readClusterFile('nodes: 8', 'cluster.yaml');
 * } catch (error) {
 *   if (error instanceof cluster.ClusterFileError) {
 *     console.error(error.message);
 *   }
 * }
 */
export class ClusterFileError extends Error {
  /** Always `ClusterFileError`. */
  override readonly name = 'ClusterFileError';
}

/**
 * Reads a cluster file: node pools, topology, queues, and gangs in a few lines.
 * @param text YAML or JSON
 * @param file how messages name it
 * @throws ClusterFileError with all mistakes of the file
 */
export function readClusterFile(text: string, file: string): ClusterState {
  const parsed = parseValue(text, file);
  if ('problem' in parsed) {
    const { position, message } = parsed.problem;
    throw new ClusterFileError(`${file}:${position.line}:${position.column}: ${message}`);
  }
  return clusterOfValue(parsed.value, file);
}

/**
 * The same, of a value that was read already.
 *
 * @throws ClusterFileError
 */
export function clusterOfValue(value: JsonValue, file: string): ClusterState {
  const problems: Problem[] = [];
  const fields = new Fields(value, '', problems);
  const state = clusterOf(fields, file);
  if (problems.length > 0) {
    throw new ClusterFileError(
      foremost(problems)
        .map(({ path, message }) => `${file}: ${path === '' ? 'the file' : path} ${message}`)
        .join('\n'),
    );
  }
  return state;
}

function clusterOf(fields: Fields, file: string): ClusterState {
  const name = fields.text('name') ?? file.replace(/^.*[/\\]/, '').replace(/\.[^.]*$/, '');
  let nodesLeft = MOST_NODES;
  const pools = fields.list('pools').map((pool) => {
    const read = readPool(pool, nodesLeft);
    nodesLeft -= read.nodes.length;
    return read;
  });
  if (pools.length === 0) {
    fields.wrongAt(
      'pools',
      'is required; list pools of nodes, for example {name: h100, count: 64, accelerator: H100-SXM-80GB}',
    );
  }
  const poolOf = new Map(pools.flatMap(({ name: pool, nodes }) => nodes.map((node) => [node.name, pool] as const)));
  const nodes = pools.flatMap((pool) => pool.nodes);
  checkNames(fields, pools, nodes);
  const levels = levelsOf(pools);
  const topologies = topologiesOf(fields, levels);
  const queues = fields.list('queues').map((queue) => readQueue(queue, commonResource(nodes)));
  checkQueues(fields, queues);
  const priorities = fields.fields('priorityClasses');
  const classes =
    priorities === undefined
      ? []
      : Object.keys(fields.raw('priorityClasses') as object).map((className) => ({
          apiVersion: 'scheduling.k8s.io/v1',
          kind: 'PriorityClass',
          metadata: { name: className },
          value: priorities.number(className, { whole: true }) ?? 0,
        }));
  fields.done();
  return {
    name,
    nodes,
    poolOf: (node) => poolOf.get(node.name) ?? '',
    topologies,
    levels: topologies[0]?.levels.filter((level) => level !== HOSTNAME) ?? levels,
    ...(topologies.length > 0 && { tiers: tiersOfLevels(topologies[0]) }),
    queues,
    gangs: [],
    nodePods: [],
    objects: [...classes, ...pools.flatMap(({ slices }) => slices)],
    notes: [],
  };
}

/** Levels of all pools, each in the order of its own pool; well-known ones in their order. */
function levelsOf(pools: readonly Pool[]): readonly string[] {
  const labels = new Set(pools.flatMap(({ levels }) => levels.map(({ label }) => label)));
  const known = LEVELS.map(({ label }): string => label).filter((label) => labels.has(label));
  const named = [...labels].filter((label) => !known.includes(label));
  return [...known, ...named];
}

function topologiesOf(fields: Fields, levels: readonly string[]): readonly Topology[] {
  const named = fields.list('topologies').map((topology): Topology => {
    const found = { name: topology.required('name'), levels: topology.texts('levels') ?? [] };
    if (found.levels.length === 0) {
      topology.wrongAt('levels', 'is required; list node labels, outermost first');
    }
    topology.done();
    return found;
  });
  return named.length > 0 || levels.length === 0 ? named : [{ name: 'cluster', levels: [...levels, HOSTNAME] }];
}

/** The resource of most of the devices: what `gpus` means in queues. */
function commonResource(nodes: readonly ClusterNode[]): string {
  const counts = new Map<string, number>();
  for (const { deviceResource = DEFAULT_DEVICE_RESOURCE, devices = [] } of nodes) {
    counts.set(deviceResource, (counts.get(deviceResource) ?? 0) + devices.length);
  }
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))[0]?.[0] ?? DEFAULT_DEVICE_RESOURCE;
}

function checkNames(fields: Fields, pools: readonly Pool[], nodes: readonly ClusterNode[]): void {
  const twice = (what: string, names: readonly string[]): void => {
    const seen = new Set<string>();
    for (const name of names) {
      if (seen.has(name)) {
        fields.wrongAt('pools', `has two ${what} named "${name}"; names must be unique`);
      }
      seen.add(name);
    }
  };
  twice(
    'pools',
    pools.map(({ name }) => name),
  );
  twice(
    'nodes',
    nodes.map(({ name }) => name),
  );
}

function checkQueues(fields: Fields, queues: readonly Queue[]): void {
  const names = queues.map(({ name }) => name);
  for (const [index, { name, parent }] of queues.entries()) {
    if (parent === undefined || names.includes(parent)) {
      continue;
    }
    fields.wrongAt(
      `queues[${index}].parent`,
      `must name a queue of the file; queue "${parent}" not found${meant(
        parent,
        names.filter((other) => other !== name),
      )}`,
    );
  }
  for (const name of new Set(names.filter((one, index) => names.indexOf(one) !== index))) {
    fields.wrongAt('queues', `has two entries named "${name}"; names must be unique`);
  }
}

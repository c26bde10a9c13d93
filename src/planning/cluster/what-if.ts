/**
 * What would be if: a node drained, a pool larger, some jobs more. A changed cluster, and what differs between two plans.
 */
import { type JsonValue } from '../../facts/api/schema';
import { parseValue } from '../../manifests/yaml';
import { type Pod } from '../../placement';
import { compareNames } from '../../placement/model/names';
import { type ClusterState } from './cluster-state';
import { ClusterFileError, clusterOfValue } from './files/cluster-file';
import { meant } from './files/fields';
import { furtherNodes, withFurtherNodes } from './nodes/further-nodes';
import { type ClusterView, type ViewGang, type ViewPool } from './view/view';
import { oneOf } from '../../facts/words';

/** One change. */
export type WhatIf =
  /** Nodes by name; `*` matches any text. */
  | { readonly kind: 'drain'; readonly nodes: string }
  /** A number of further nodes like those of an existing pool. */
  | { readonly kind: 'grow'; readonly pool: string; readonly nodes: number }
  /** A pool as a cluster file describes one. */
  | { readonly kind: 'add-pool'; readonly pool: JsonValue }
  | { readonly kind: 'copies'; readonly gang: string; readonly copies: number };

/** A change that cannot be read or made; the message says what to write. */
export class WhatIfError extends Error {
  override readonly name = 'WhatIfError';
}

const FORMS = 'drain=NODE, add-pool=POOL:N, add-pool={name: …, count: …, accelerator: …}, or copies=JOB:N';

/**
 * Reads `drain=h100-0*`, `add-pool=h100:16`, `add-pool={name: b200, count: 8, accelerator: B200}`, `copies=research/llama:2`.
 *
 * @throws WhatIfError
 */
export function readWhatIf(text: string): WhatIf {
  const [, key = '', value = ''] = /^([a-z-]+)=(.*)$/s.exec(text.trim()) ?? [];
  const counted = /^(.+):(\d+)$/.exec(value);
  const count = Number(counted?.[2] ?? NaN);
  if (key === 'drain' && value !== '') {
    return { kind: 'drain', nodes: value };
  }
  if (key === 'copies' && counted !== null && count > 0) {
    return { kind: 'copies', gang: counted[1], copies: count };
  }
  if (key === 'add-pool' && value.trimStart().startsWith('{')) {
    const parsed = parseValue(value, 'add-pool');
    if ('value' in parsed) {
      return { kind: 'add-pool', pool: parsed.value };
    }
    throw new WhatIfError(`${text}: ${parsed.problem.message}`);
  }
  if (key === 'add-pool' && counted !== null && count > 0) {
    return { kind: 'grow', pool: counted[1], nodes: count };
  }
  throw new WhatIfError(`${text}: expected ${FORMS}`);
}

export interface ChangedCluster {
  readonly cluster: ClusterState;
  /** How many more of each gang, by its name. */
  readonly copies: ReadonlyMap<string, number>;
}

/**
 * The cluster after all changes.
 *
 * @param gangs names that `copies` may name; the part behind the namespace is enough where it is the only one
 * @throws WhatIfError where a change names what is not there
 */
export function changed(cluster: ClusterState, changes: readonly WhatIf[], gangs: readonly string[]): ChangedCluster {
  const copies = new Map<string, number>();
  let state = cluster;
  for (const change of changes) {
    switch (change.kind) {
      case 'drain':
        state = drained(state, change.nodes);
        break;
      case 'grow':
        state = grown(state, change.pool, change.nodes);
        break;
      case 'add-pool':
        state = withPool(state, change.pool);
        break;
      case 'copies': {
        const name = gangNamed(change.gang, gangs);
        copies.set(name, (copies.get(name) ?? 0) + change.copies);
      }
    }
  }
  return { cluster: state, copies };
}

/** Cordoned, and what runs there waits again; what belongs to the node stays. */
function drained(cluster: ClusterState, pattern: string): ClusterState {
  const expression = new RegExp(
    `^${pattern
      .split('*')
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
  );
  const names = new Set(cluster.nodes.map(({ name }) => name).filter((name) => expression.test(name)));
  if (names.size === 0) {
    throw new WhatIfError(
      `drain=${pattern}: node not found${
        meant(
          pattern,
          cluster.nodes.map(({ name }) => name),
        ) || `; ${nodeExamples(cluster)}`
      }`,
    );
  }
  const released = (pod: Pod): Pod => {
    if (pod.node === undefined || !names.has(pod.node)) {
      return pod;
    }
    return { ...pod, state: 'pending', node: undefined, devices: undefined, startedAt: undefined };
  };
  return {
    ...cluster,
    nodes: cluster.nodes.map((node) => (names.has(node.name) ? { ...node, unschedulable: true } : node)),
    gangs: cluster.gangs.map((gang) => ({ ...gang, pods: gang.pods.map(released) })),
  };
}

function nodeExamples({ nodes }: ClusterState): string {
  return `node names are ${nodes[0].name}${nodes.length > 1 ? ` to ${nodes[nodes.length - 1].name}` : ''}`;
}

function grown(cluster: ClusterState, pool: string, count: number): ClusterState {
  const own = cluster.nodes.filter((node) => cluster.poolOf(node) === pool);
  const pools = [...new Set(cluster.nodes.map((node) => cluster.poolOf(node)))];
  if (own.length === 0) {
    throw new WhatIfError(
      `add-pool=${pool}:${count}: pool not found${meant(pool, pools) || `; pools are ${pools.join(', ')}`}; to add a new pool, write add-pool={name: …, count: …, accelerator: …}`,
    );
  }
  const nodes = furtherNodes(own, { pool, levels: cluster.levels, count });
  return withFurtherNodes(cluster, nodes, () => pool);
}

function withPool(cluster: ClusterState, pool: JsonValue): ClusterState {
  try {
    const added = clusterOfValue({ pools: [pool] }, 'add-pool');
    const names = new Set(cluster.nodes.map(({ name }) => name));
    const twice = added.nodes.find(({ name }) => names.has(name));
    if (twice !== undefined) {
      throw new WhatIfError(`add-pool: the cluster already has a node "${twice.name}"; set another name for the pool`);
    }
    return {
      ...cluster,
      nodes: [...cluster.nodes, ...added.nodes],
      poolOf: (node) => added.poolOf(node) || cluster.poolOf(node),
      objects: [...cluster.objects, ...added.objects],
    };
  } catch (error) {
    if (error instanceof ClusterFileError) {
      throw new WhatIfError(error.message.replaceAll('add-pool: pools[0].', 'add-pool: '));
    }
    throw error;
  }
}

function gangNamed(name: string, gangs: readonly string[]): string {
  if (gangs.includes(name)) {
    return name;
  }
  const short = gangs.filter((gang) => gang.endsWith(`/${name}`));
  if (short.length === 1) {
    return short[0];
  }
  const known = gangs.length <= 8 ? gangs.join(', ') : `${gangs.slice(0, 8).join(', ')} and ${gangs.length - 8} more`;
  if (short.length > 1) {
    throw new WhatIfError(`copies=${name}: ambiguous name; use ${oneOf(short)}`);
  }
  throw new WhatIfError(
    `copies=${name}: job not found in the manifests${meant(name, gangs) || (gangs.length === 0 ? '; the manifests contain no jobs' : `; jobs are ${known}`)}`,
  );
}

/** What something was, and what it would be; absent where it is not there. */
export interface Changed<T> {
  readonly name: string;
  readonly before?: T;
  readonly after?: T;
}

/** What differs between two plans. */
export interface PlanDifference {
  /** Gangs that are in another state, or only in one of the plans. */
  readonly gangs: readonly Changed<ViewGang['state']>[];
  /** Gangs that have their places in both, and others. */
  readonly moved: readonly string[];
  readonly pools: readonly Changed<ViewPool>[];
  readonly freeWhole: { readonly before: number; readonly after: number };
}

export function differenceOf(before: ClusterView, after: ClusterView): PlanDifference {
  const names = [...new Set([...before.gangs, ...after.gangs].map(({ name }) => name))];
  const byName = ({ gangs }: ClusterView): ReadonlyMap<string, ViewGang> =>
    new Map(gangs.map((gang) => [gang.name, gang]));
  const [old, now] = [byName(before), byName(after)];
  const pools = [...new Set([...before.pools, ...after.pools].map(({ name }) => name))].sort(compareNames);
  const poolIn = (view: ClusterView, name: string): ViewPool | undefined =>
    view.pools.find((pool) => pool.name === name);
  return {
    gangs: names
      .filter((name) => old.get(name)?.state !== now.get(name)?.state)
      .map((name) => ({
        name,
        ...(old.has(name) && { before: old.get(name)!.state }),
        ...(now.has(name) && { after: now.get(name)!.state }),
      })),
    moved: names.filter((name) => {
      const [one, other] = [old.get(name), now.get(name)];
      return one !== undefined && one.state === other?.state && placesOf(before, one) !== placesOf(after, other);
    }),
    pools: pools
      .map((name) => ({ name, before: poolIn(before, name), after: poolIn(after, name) }))
      .filter((pool) =>
        (['nodes', 'devicesUsed', 'unavailable'] as const).some(
          (member) => pool.before?.[member] !== pool.after?.[member],
        ),
      ),
    freeWhole: { before: before.fragmentation.freeWhole, after: after.fragmentation.freeWhole },
  };
}

function placesOf({ nodes }: ClusterView, { where }: ViewGang): string {
  return where
    .map(([node, pods]) => `${nodes[node].name} ${pods}`)
    .sort()
    .join();
}

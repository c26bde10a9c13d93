/**
 * What queues and quotas are asked for, in both sets: which sums move.
 */
import { quotaUses } from '../../constructs/tenancy/rules/admission';
import { describeId } from '../../manifests/manifest';
import { type ManifestSet } from '../../manifests/manifest-set';
import { type ClusterState, type ClusterView, planOf, type ViewQueue } from '../../planning/cluster';
import { amountText } from '../../planning/cluster/words';

/** What is requested of an amount, and the amount itself. */
export interface Sum {
  /** With its unit where it has one: `48`, `512Gi`. */
  readonly requested: string;
  /** Absent where nothing limits it. */
  readonly limit?: string;
}

/** A sum that is not the same in both sets. */
export interface SumChange {
  /** Name of the queue, or identity of the quota. */
  readonly name: string;
  readonly of: 'queue' | 'quota';
  readonly resource: string;
  /** Absent where the old set does not have it. */
  readonly before?: Sum;
  /** Absent where the new set does not have it. */
  readonly after?: Sum;
}

type Sums = ReadonlyMap<string, Sum & Pick<SumChange, 'name' | 'of' | 'resource'>>;

/** The sums that move from one set to the other; those of queues as a plan on the cluster sees them. */
export function sumChanges(old: ManifestSet, now: ManifestSet, cluster: ClusterState = NOTHING): readonly SumChange[] {
  const [before, after] = [sumsOf(old, cluster), sumsOf(now, cluster)];
  const changes: SumChange[] = [];
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [left, right] = [before.get(key), after.get(key)];
    const some = left ?? right;
    if (some === undefined || (left?.requested === right?.requested && left?.limit === right?.limit)) {
      continue;
    }
    const { name, of, resource } = some;
    changes.push({
      name,
      of,
      resource,
      ...(left !== undefined && { before: sumOf(left) }),
      ...(right !== undefined && { after: sumOf(right) }),
    });
  }
  return changes;
}

function sumOf({ requested, limit }: Sum): Sum {
  return { requested, ...(limit !== undefined && { limit }) };
}

/**
 * A cluster for counting: nothing runs on its one node, but a plan considers no more pods than all nodes together can have. What queues are
 * asked for does not depend on nodes.
 */
const NOTHING: ClusterState = {
  name: '',
  nodes: [{ name: 'none', allocatable: { pods: 250_000 } }],
  poolOf: () => '',
  topologies: [],
  levels: [],
  queues: [],
  gangs: [],
  nodePods: [],
  objects: [],
  notes: [],
};

function sumsOf(set: ManifestSet, cluster: ClusterState): Sums {
  const sums = new Map<string, Sum & Pick<SumChange, 'name' | 'of' | 'resource'>>();
  for (const queue of leaves(planOf(set, cluster, { actions: [] }).view)) {
    for (const resource of new Set([...Object.keys(queue.requested), ...Object.keys(limitsOf(queue))])) {
      const limit = limitsOf(queue)[resource];
      const requested = queue.requested[resource] ?? 0;
      if (requested === 0 && limit === undefined) {
        continue;
      }
      sums.set(`queue\n${queue.name}\n${resource}`, {
        name: queue.name,
        of: 'queue',
        resource,
        requested: amountText(resource, requested),
        ...(typeof limit === 'number' && { limit: amountText(resource, limit) }),
      });
    }
  }
  for (const { manifest, key, hard, total } of quotaUses(set)) {
    const name = describeId(manifest.id);
    sums.set(`quota\n${name}\n${key}`, {
      name,
      of: 'quota',
      resource: key,
      requested: total.toString(),
      limit: hard.toString(),
    });
  }
  return sums;
}

/** A parent repeats what its children are asked for. */
function leaves({ queues }: ClusterView): readonly ViewQueue[] {
  const parents = new Set(queues.map(({ parent }) => parent));
  return queues.filter(({ name }) => !parents.has(name));
}

/** What a queue may have: its ceiling, else its quota. */
function limitsOf({ capability, deserved }: ViewQueue): Readonly<Record<string, number | 'unlimited'>> {
  return { ...deserved, ...capability };
}

/**
 * Gangs against the limits of their queue: what can never start, by the least that the gang asks for.
 */
import { cite } from '../../../facts/upstream';
import { type JsonObject } from '../../../facts/api/schema';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { Quantity } from '../../../manifests/values/quantity';
import { asInteger, asObject, asString, isObject, objectsAt } from '../../../manifests/read';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { type ObjectRule, type Rule, type Violation } from '../../../checks/rules/rule';
import { type JobView, type TaskView } from '../job-spec';
import { type Amounts, amountsIn } from '../queue-resources';
import { DEFAULT_QUEUE, QueueTree } from '../queue-tree';
import { POD_GROUP_KIND } from './job-queue';
import { jobRule } from './job-rule';

const SOURCE = `${cite('volcano')}, pkg/scheduler/plugins/capacity/capacity.go and proportion/proportion.go, JobEnqueueable and Allocatable`;

interface Limit {
  readonly amount: Quantity;
  /** The queue that states it. */
  readonly of: string;
}

type Limits = ReadonlyMap<string, Limit>;

const limitsBySet = new WeakMap<ManifestSet, Map<string, Limits>>();

/** The most that a queue may hold of each resource: its own capability, or that of the nearest ancestor that names the resource. */
function limitsOf(set: ManifestSet, queue: string): Limits {
  const known = limitsBySet.get(set) ?? new Map<string, Limits>();
  limitsBySet.set(set, known);
  const limits = known.get(queue) ?? readLimits(set, queue);
  known.set(queue, limits);
  return limits;
}

function readLimits(set: ManifestSet, queue: string): Limits {
  const tree = QueueTree.of(set);
  const node = tree.get(queue);
  const limits = new Map<string, Limit>();
  for (const { name, capability } of node === undefined ? [] : [node, ...tree.ancestors(node).queues]) {
    for (const [resource, amount] of capability) {
      if (amount.isPositive() && !limits.has(resource)) {
        limits.set(resource, { amount, of: name });
      }
    }
  }
  return limits;
}

/** At least what one pod of a task asks for: its containers together. Init containers and overhead could only add to it. */
function leastOf({ podSpec }: TaskView): Amounts {
  const total = new Map<string, Quantity>();
  for (const { value } of objectsAt(podSpec, '/containers')) {
    const { requests, limits } = asObject(value.resources);
    for (const [resource, amount] of new Map([...amountsIn(limits), ...amountsIn(requests)])) {
      total.set(resource, (total.get(resource) ?? Quantity.ZERO).add(amount));
    }
  }
  return total;
}

/**
 * The least that the gang asks for of a resource: what its tasks need, where Volcano looks at tasks, or the pods that ask for least.
 */
function leastOfGang(job: JobView, amounts: readonly Amounts[], resource: string): Quantity {
  const tasks = job.tasks.map((task, index) => ({ ...task, each: amounts[index]?.get(resource) ?? Quantity.ZERO }));
  const needed = tasks.reduce((sum, { minAvailable }) => sum + minAvailable, 0);
  const minimum = asInteger(job.spec.minAvailable) ?? 0;
  if (minimum <= 0 || minimum >= needed) {
    return tasks.reduce((sum, { each, minAvailable }) => sum.add(each.multiply(minAvailable)), Quantity.ZERO);
  }
  let [left, sum] = [minimum, Quantity.ZERO];
  for (const { each, replicas } of tasks.sort((one, other) => one.each.compare(other.each))) {
    const taken = Math.min(left, replicas);
    sum = sum.add(each.multiply(taken));
    left -= taken;
  }
  return sum;
}

/** `Set capability["nvidia.com/gpu"] of the queue "team" to at least 16`: the beginning of a fix. */
function largerQueue(resource: string, asked: Quantity, limit: Limit): string {
  return `Set ${fieldOf(pointer('/capability', resource))} of the queue "${limit.of}" to at least ${asked.toString()}`;
}

function beyond(resource: string, asked: Quantity, limit: Limit, path: string, instead: string): Violation {
  return {
    path,
    message: `the requests of the gang exceed the capability of the queue "${limit.of}" (${asked.toString()} > ${limit.amount.toString()} ${resource})`,
    found: asked.toString(),
    expected: `at most ${limit.amount.toString()} ${resource}`,
    fix: `${largerQueue(resource, asked, limit)}, or decrease ${instead}.`,
  };
}

const jobFits = jobRule(
  {
    id: 'volcano/job-fits-its-queue',
    tier: 'advice',
    severity: 'error',
    summary: 'The pods with which a job starts must fit within the capability of its queue.',
    why: 'The gang is never admitted: the job stays pending forever, and its status says only that the queue is full.',
    source: SOURCE,
    fix: 'Increase spec.capability of the queue, or decrease the requests or minAvailable of the job.',
  },
  function* (job, { set }) {
    const limits = limitsOf(set, asString(job.spec.queue) ?? DEFAULT_QUEUE);
    if (limits.size === 0) {
      return;
    }
    const amounts = job.tasks.map(leastOf);
    for (const [resource, limit] of limits) {
      const asked = leastOfGang(job, amounts, resource);
      if (asked.isGreaterThan(limit.amount)) {
        yield beyond(resource, asked, limit, `${job.path}/tasks`, 'the requests or minAvailable of the job');
      }
    }
  },
);

const groupFits: ObjectRule = {
  id: 'volcano/pod-group-fits-its-queue',
  tier: 'advice',
  severity: 'error',
  on: 'object',
  kinds: [POD_GROUP_KIND],
  summary: 'The minResources of a PodGroup must fit within the capability of its queue.',
  why: 'The group is never admitted, and its pods stay pending forever.',
  source: SOURCE,
  fix: 'Increase spec.capability of the queue, or decrease spec.minResources.',
  *check({ object }, { set }) {
    const spec: JsonObject = asObject(object.spec);
    const limits = limitsOf(set, asString(spec.queue) ?? DEFAULT_QUEUE);
    for (const [resource, asked] of amountsIn(spec.minResources)) {
      const limit = limits.get(resource);
      if (limit !== undefined && asked.isGreaterThan(limit.amount)) {
        yield beyond(resource, asked, limit, '/spec/minResources', 'spec.minResources');
      }
    }
  },
};

/** What all pods of a job ask for of a resource, if they run at a time. */
function allOf(job: JobView, amounts: readonly Amounts[], resource: string): Quantity {
  return job.tasks.reduce(
    (sum, { replicas }, index) => sum.add((amounts[index]?.get(resource) ?? Quantity.ZERO).multiply(replicas)),
    Quantity.ZERO,
  );
}

const replicasFit = jobRule(
  {
    id: 'volcano/job-replicas-fit-its-queue',
    tier: 'advice',
    severity: 'info',
    summary: 'All replicas of a job, or of its partitions, should fit within the capability of its queue.',
    why: 'The gang starts with fewer pods; the others stay pending until some finish, and the partitions that they belong to never start.',
    source: SOURCE,
    fix: 'Increase spec.capability of the queue, or decrease replicas, or totalPartitions and partitionSize, of the tasks.',
  },
  function* (job, { set }) {
    const limits = limitsOf(set, asString(job.spec.queue) ?? DEFAULT_QUEUE);
    const amounts = limits.size === 0 ? [] : job.tasks.map(leastOf);
    for (const [resource, limit] of limits) {
      const all = allOf(job, amounts, resource);
      if (!all.isGreaterThan(limit.amount) || leastOfGang(job, amounts, resource).isGreaterThan(limit.amount)) {
        continue;
      }
      const parted = job.tasks.some(
        ({ value }, index) => isObject(value.partitionPolicy) && amounts[index]?.get(resource)?.isPositive() === true,
      );
      yield {
        path: `${job.path}/tasks`,
        message: `the requests of all ${job.totalReplicas} pods exceed the capability of the queue "${limit.of}" (${all.toString()} > ${limit.amount.toString()} ${resource}), so they cannot all run at the same time`,
        found: all.toString(),
        expected: `at most ${limit.amount.toString()} ${resource}`,
        fix: `${largerQueue(resource, all, limit)}, or decrease ${parted ? 'totalPartitions or partitionSize' : 'replicas'} of the tasks.`,
        // The pods of a partition wait for each other; independent pods take turns.
        ...(parted ? { severity: 'warning' as const } : {}),
      };
    }
  },
);

export const queueRoomRules: readonly Rule[] = [jobFits, replicasFit, groupFits];

/**
 * What the job webhook demands of tasks, gangs, volumes and topology, and what it takes although it will not do.
 */
import { fieldOf } from '../../../manifests/pointer';
import { oneOfStrings } from '../../../facts/words';
import { cite } from '../../../facts/upstream';
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { parseQuantity } from '../../../manifests/values/quantity';
import { asArray, asInteger, asObject, asString, isObject, objectsAt, stringsIn } from '../../../manifests/read';
import { type ObjectRule, type Violation } from '../../../checks/rules/rule';
import { type JobView, type TaskView } from '../job-spec';
import { JOB_WEBHOOK, jobRule, taskRule } from './job-rule';

const hasTasks = jobRule(
  {
    id: 'volcano/job-has-tasks',
    row: 'VJ1',
    tier: 'webhook',
    severity: 'error',
    summary: 'A job must have at least one task.',
    why: 'The webhook rejects the job.',
    source: `${JOB_WEBHOOK}, validateJobCreate`,
    fix: 'Add a task to spec.tasks.',
  },
  function* (job) {
    if (asArray(job.spec.tasks).length === 0) {
      yield { path: job.path, message: 'the job has no tasks', expected: 'at least one task' };
    }
  },
);

const taskNamesUnique = jobRule(
  {
    id: 'volcano/job-task-names-unique',
    row: 'VJ1',
    tier: 'webhook',
    severity: 'error',
    summary: 'The tasks of a job must have different names.',
    why: 'The webhook rejects the job, because pods are named after their task.',
    source: `${JOB_WEBHOOK}, validateJobCreate`,
    fix: 'Set name of each entry of spec.tasks to a unique name.',
  },
  function* (job) {
    const first = new Map<string, number>();
    for (const task of job.tasks) {
      const other = first.get(task.name);
      if (other === undefined) {
        first.set(task.name, task.index);
      } else {
        yield {
          path: `${task.path}/name`,
          message: `duplicate task name "${task.name}" in tasks[${other}] and tasks[${task.index}]`,
          found: task.name,
          fix: `Set tasks[${task.index}].name to a unique name.`,
        };
      }
    }
  },
);

const taskMinAvailable = taskRule(
  {
    id: 'volcano/task-min-available-within-replicas',
    concerns: ['minAvailable'],
    row: 'VJ2',
    tier: 'webhook',
    severity: 'error',
    summary: "A task's minAvailable must be less than or equal to its replicas.",
    why: 'The webhook rejects the job, because the gang could never be complete.',
    source: `${JOB_WEBHOOK}, validateJobCreate`,
    fix: 'Decrease minAvailable of the task in spec.tasks, or increase its replicas.',
  },
  function* (task) {
    const minimum = asInteger(task.value.minAvailable);
    if (minimum === undefined || minimum <= task.replicas) {
      return;
    }
    yield {
      path: '/minAvailable',
      message: `minAvailable must be less than or equal to replicas in the task "${task.name}" (${minimum} > ${task.replicas})`,
      found: minimum,
      expected: `at most ${task.replicas}`,
      fix: `Set tasks[${task.index}].minAvailable to at most ${task.replicas}, or replicas to at least ${minimum}.`,
    };
  },
);

const jobMinAvailable = jobRule(
  {
    id: 'volcano/job-min-available-within-replicas',
    concerns: ['minAvailable'],
    row: 'VJ2',
    tier: 'webhook',
    severity: 'error',
    summary: "A job's minAvailable must be less than or equal to the number of its pods.",
    why: 'The webhook rejects the job, because the gang could never be complete.',
    source: `${JOB_WEBHOOK}, validateJobCreate`,
    fix: 'Decrease minAvailable of the job, or remove it, so that it defaults to the total minAvailable of the tasks.',
  },
  function* (job) {
    const minimum = asInteger(job.spec.minAvailable);
    if (minimum === undefined || minimum <= job.totalReplicas) {
      return;
    }
    yield {
      path: `${job.path}/minAvailable`,
      message: `the job's minAvailable must be less than or equal to the total replicas of its tasks (${minimum} > ${job.totalReplicas})`,
      found: minimum,
      expected: `at most ${job.totalReplicas}`,
      fix:
        job.totalReplicas > 0
          ? `Set ${fieldOf(`${job.path}/minAvailable`)} to at most ${job.totalReplicas}, or remove it, so that it defaults to the total minAvailable of the tasks.`
          : `Set replicas in the tasks to a total of at least ${minimum}, or remove ${fieldOf(`${job.path}/minAvailable`)}.`,
    };
  },
);

const gangComplete = jobRule(
  {
    id: 'volcano/job-min-available-covers-tasks',
    concerns: ['minAvailable'],
    row: 'VJ2',
    tier: 'advice',
    severity: 'warning',
    summary: 'The minAvailable of a job with several tasks must be at least the sum of the minAvailable of its tasks.',
    why: 'Below that sum the scheduler skips the check for each task, so the job may start without the pods that one of its tasks needs.',
    source: `${cite('volcano')}, pkg/scheduler/api/job_info.go CheckTaskValid`,
    fix: 'Remove spec.minAvailable, or set it to the total minAvailable of the tasks.',
  },
  function* (job) {
    const minimum = asInteger(job.spec.minAvailable) ?? 0;
    const needed = job.tasks.reduce((sum, task) => sum + task.minAvailable, 0);
    // With one task, minAvailable can only mean pods of that task.
    if (minimum <= 0 || minimum >= needed || job.tasks.length < 2) {
      return;
    }
    yield {
      path: `${job.path}/minAvailable`,
      // A job whose tasks state no minimum of their own is elastic on purpose.
      severity: job.tasks.some(({ value }) => value.minAvailable !== undefined) ? 'warning' : 'info',
      message: `the job's minAvailable is less than the total minAvailable of its tasks (${minimum} < ${needed})`,
      found: minimum,
      expected: `at least ${needed}`,
      fix: `Remove ${fieldOf(`${job.path}/minAvailable`)}, set it to ${needed}, or decrease minAvailable in the tasks to a total of ${minimum}.`,
    };
  },
);

const taskHasReplicas = taskRule(
  {
    id: 'volcano/task-states-replicas',
    tier: 'advice',
    severity: 'warning',
    summary: 'A task must set replicas.',
    why: 'There is no default: a task without replicas has no pods.',
    source: `${cite('volcano')}, batch.volcano.sh_jobs CRD and pkg/webhooks/admission/jobs/mutate/mutate_job.go`,
    fix: 'Set spec.tasks[].replicas to at least 1.',
  },
  function* (task) {
    if (task.value.replicas === undefined) {
      yield {
        message: `replicas must be set in the task "${task.name}": without replicas, the task has no pods`,
        expected: 'at least 1',
        fix: `Set tasks[${task.index}].replicas to at least 1.`,
      };
    }
  },
);

const volumesValid = jobRule(
  {
    id: 'volcano/job-volumes-valid',
    concerns: ['volumes'],
    row: 'VJ11',
    tier: 'webhook',
    severity: 'error',
    summary: 'Each volume of a job must have its own mount path and exactly one of volumeClaim and volumeClaimName.',
    why: 'The webhook rejects the job.',
    source: `${cite('volcano')}, pkg/webhooks/admission/jobs/validate/util.go, validateIO`,
    fix: 'Set volumeClaimName to an existing claim, or volumeClaim to a new one, and mountPath to a unique path, in each entry of spec.volumes.',
  },
  function* (job) {
    const paths = new Set<string>();
    for (const { value, path: place } of objectsAt(job.spec, '/volumes')) {
      const path = `${job.path}${place}`;
      const mountPath = asString(value.mountPath) ?? '';
      if (mountPath === '') {
        yield { path, message: 'mountPath must be set in the volume', expected: 'mountPath' };
      } else if (paths.has(mountPath)) {
        yield {
          path: `${path}/mountPath`,
          message: `duplicate mountPath "${mountPath}"`,
          found: mountPath,
          fix: `Set ${fieldOf(`${path}/mountPath`)} to a unique path.`,
        };
      }
      paths.add(mountPath);
      const claim = isObject(value.volumeClaim);
      const claimName = (asString(value.volumeClaimName) ?? '') !== '';
      if (claim && claimName) {
        yield {
          path,
          message: 'volumeClaim must not be set when volumeClaimName is set',
          expected: 'volumeClaim or volumeClaimName, not both',
          fix: `Remove volumeClaim or volumeClaimName from ${fieldOf(path)}.`,
        };
      } else if (!claim && !claimName) {
        yield {
          path,
          message: 'volumeClaim or volumeClaimName must be set in the volume',
          expected: 'volumeClaim or volumeClaimName',
          fix: `Set volumeClaim or volumeClaimName in ${fieldOf(path)}.`,
        };
      }
    }
  },
);

const dependenciesAcyclic = jobRule(
  {
    id: 'volcano/job-task-dependencies-acyclic',
    concerns: ['dependsOn'],
    row: 'VJ13',
    tier: 'webhook',
    severity: 'error',
    summary: 'The dependsOn of a task must name tasks of the job, each only once, and must not form a cycle.',
    why: 'The webhook rejects the job; it also treats an unknown or duplicate name as a cycle.',
    source: `${cite('volcano')}, pkg/webhooks/admission/jobs/validate/util.go, topoSort`,
    fix: 'Set dependsOn.name to other tasks of this job, each once and without a cycle.',
  },
  function* (job) {
    const dependencies = new Map(job.tasks.map((task) => [task.name, stringsIn(asObject(task.value.dependsOn).name)]));
    let unknown = false;
    for (const task of job.tasks) {
      const seen = new Set<string>();
      for (const [index, name] of asArray(asObject(task.value.dependsOn).name).entries()) {
        if (typeof name !== 'string') {
          continue;
        }
        const path = `${task.path}/dependsOn/name/${index}`;
        if (!dependencies.has(name)) {
          unknown = true;
          yield {
            path,
            message: `the task "${task.name}" depends on the unknown task "${name}"`,
            found: name,
            ...dependencyFix(
              `tasks[${task.index}].dependsOn.name[${index}]`,
              [...dependencies.keys()].filter((other) => other !== '' && other !== task.name),
            ),
          };
        } else if (seen.has(name)) {
          yield {
            path,
            message: `duplicate name "${name}" in dependsOn of the task "${task.name}"`,
            found: name,
            fix: `Remove tasks[${task.index}].dependsOn.name[${index}].`,
          };
        }
        seen.add(name);
      }
    }
    const circle = unknown ? undefined : findCircle(dependencies);
    if (circle !== undefined) {
      const start = job.tasks.find((task) => task.name === circle[0]);
      yield {
        path: `${start?.path ?? job.path}/dependsOn`,
        message: `the tasks depend on each other in a cycle: ${circle.join(' → ')}`,
        fix: 'Remove one of the tasks in the cycle from dependsOn.name of the task that precedes it.',
      };
    }
  },
);

/** What to write for a task that does not exist, where other tasks may be meant. */
function dependencyFix(field: string, others: readonly string[]): Pick<Violation, 'expected' | 'fix'> {
  const names = oneOfStrings(others.slice(0, 6));
  return names === ''
    ? { fix: `Remove ${field}.` }
    : { expected: names, fix: `Set ${field} to ${names}, or remove it.` };
}

/** A circle in a graph of names, first name repeated at the end; `undefined` where there is none. Without recursion: graphs may be long. */
export function findCircle(graph: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>();
  for (const root of graph.keys()) {
    const way: { readonly name: string; next: number }[] = [];
    const onWay = new Set<string>();
    const enter = (name: string): void => {
      way.push({ name, next: 0 });
      onWay.add(name);
    };
    if (!done.has(root)) {
      enter(root);
    }
    for (let top = way.at(-1); top !== undefined; top = way.at(-1)) {
      const next = graph.get(top.name)?.[top.next];
      top.next += 1;
      if (next === undefined) {
        done.add(top.name);
        onWay.delete(top.name);
        way.pop();
      } else if (onWay.has(next)) {
        const names = way.map(({ name }) => name);
        return [...names.slice(names.indexOf(next)), next];
      } else if (!done.has(next)) {
        enter(next);
      }
    }
  }
  return undefined;
}

const partitionsAddUp = taskRule(
  {
    id: 'volcano/task-partitions-add-up',
    concerns: ['partitionPolicy'],
    row: 'VJ14',
    tier: 'webhook',
    severity: 'error',
    summary:
      'The replicas of a partitioned task must be totalPartitions × partitionSize, and minAvailable must be minPartitions × partitionSize.',
    why: 'The webhook rejects the job.',
    source: `${JOB_WEBHOOK}, validatePartitionPolicy`,
    fix: 'Set replicas to totalPartitions × partitionSize, and remove minAvailable if minPartitions is set.',
  },
  function* (task): Iterable<Violation> {
    if (!isObject(task.value.partitionPolicy)) {
      return;
    }
    const policy = task.value.partitionPolicy;
    const total = asInteger(policy.totalPartitions) ?? 0;
    const size = asInteger(policy.partitionSize) ?? 0;
    if (total <= 0 || size <= 0) {
      yield {
        path: '/partitionPolicy',
        message: `totalPartitions and partitionSize must be greater than 0 (${total}, ${size})`,
        fix: 'Set totalPartitions and partitionSize in partitionPolicy to numbers greater than 0.',
        expected: 'numbers greater than 0',
      };
      return;
    }
    if (task.replicas !== total * size) {
      yield {
        path: '/partitionPolicy',
        message: `replicas of the task "${task.name}" must equal totalPartitions × partitionSize (${task.replicas} != ${total} × ${size})`,
        found: task.replicas,
        expected: `replicas: ${total * size}`,
        fix: `Set tasks[${task.index}].replicas to ${total * size}, or change totalPartitions or partitionSize.`,
      };
      return;
    }
    const minPartitions = asInteger(policy.minPartitions) ?? 0;
    const minAvailable = asInteger(task.value.minAvailable);
    if (minPartitions > 0 && minAvailable !== undefined && minAvailable !== minPartitions * size) {
      yield {
        path: '/minAvailable',
        message: `minAvailable of the task "${task.name}" must equal minPartitions × partitionSize (${minAvailable} != ${minPartitions} × ${size})`,
        found: minAvailable,
        expected: `${minPartitions * size}`,
        fix: `Remove tasks[${task.index}].minAvailable, or set it to ${minPartitions * size}.`,
      };
    }
  },
);

const wholeCpus = taskRule(
  {
    id: 'volcano/task-topology-needs-whole-cpus',
    concerns: ['topologyPolicy'],
    row: 'VJ15',
    tier: 'webhook',
    severity: 'error',
    summary: 'Each container of a task with a topologyPolicy must request a whole number of CPUs.',
    why: 'The webhook rejects the job, because only whole CPUs can be pinned to a NUMA node.',
    source: `${JOB_WEBHOOK}, validateTaskTopoPolicy`,
    fix: 'Set resources.requests.cpu to a whole number in every container, including init containers.',
  },
  function* (task) {
    const policy = asString(task.value.topologyPolicy) ?? '';
    if (policy === '' || policy === 'none') {
      return;
    }
    for (const list of ['containers', 'initContainers']) {
      for (const { value, path } of objectsAt(task.podSpec, `/${list}`)) {
        const cpu = cpuRequest(value);
        const amount = typeof cpu === 'string' || typeof cpu === 'number' ? parseQuantity(cpu) : undefined;
        if (amount !== undefined && amount.isPositive() && amount.isInteger()) {
          continue;
        }
        yield {
          path: `/template/spec${path}/resources`,
          message:
            `the container "${asString(value.name) ?? path}" must request a whole number of CPUs, because topologyPolicy is ${policy}` +
            (amount === undefined ? '' : `: ${amount.toString()}`),
          found: amount?.toString() ?? null,
          expected: 'a whole number of CPUs, at least 1',
        };
      }
    }
  },
);

/** Like upstream: the limits count only where there are no requests at all. */
function cpuRequest(container: JsonObject): JsonValue | undefined {
  const resources = asObject(container.resources);
  const requests = asObject(resources.requests);
  return Object.keys(requests).length > 0 ? requests.cpu : asObject(resources.limits).cpu;
}

const topologyTier = jobRule(
  {
    id: 'volcano/job-network-topology-names-one-tier',
    concerns: ['highestTierName'],
    row: 'VJ16',
    tier: 'webhook',
    severity: 'error',
    summary: 'A networkTopology must set its highest tier either by number or by name.',
    why: 'The webhook rejects the job.',
    source: `${JOB_WEBHOOK}, validateNetworkTopology`,
    fix: 'Remove highestTierAllowed or highestTierName.',
  },
  function* (job) {
    yield* tierNamedTwice(job.spec.networkTopology, `${job.path}/networkTopology`);
    for (const task of job.tasks) {
      yield* tierNamedTwice(
        asObject(task.value.partitionPolicy).networkTopology,
        `${task.path}/partitionPolicy/networkTopology`,
      );
    }
  },
);

export function* tierNamedTwice(topology: JsonValue | undefined, path: string): Iterable<Violation> {
  const { highestTierAllowed, highestTierName } = asObject(topology);
  if (
    highestTierAllowed === undefined ||
    highestTierAllowed === null ||
    typeof highestTierName !== 'string' ||
    highestTierName === ''
  ) {
    return;
  }
  yield {
    path,
    message: 'highestTierAllowed must not be set when highestTierName is set',
    expected: 'highestTierAllowed or highestTierName',
    fix: `Remove highestTierAllowed or highestTierName from ${fieldOf(path)}.`,
  };
}

const restartPolicy = taskRule(
  {
    id: 'volcano/task-restart-policy-lets-finish',
    row: 'VJ19',
    tier: 'advice',
    severity: 'warning',
    summary: 'The pods of a task that finishes should have restartPolicy OnFailure or Never.',
    why: 'The default in Kubernetes is Always: a container that succeeds is started again, so the task never completes. That is right only for a task that runs until the job is deleted or another task ends it.',
    source: `Kubernetes PodSpec default; ${cite('volcano')}, pkg/controllers/job`,
    fix: 'Set restartPolicy in the pod template to OnFailure, or to Never if the policies of the job handle failures.',
  },
  function* (task, job) {
    const policy = task.podSpec.restartPolicy;
    // A task that serves the others may well run on where the end of another task ends the job.
    if (policy === 'OnFailure' || policy === 'Never' || endsWithAnotherTask(job, task)) {
      return;
    }
    yield {
      path: '/template/spec',
      // Always says that the task does not finish. Left out, it may be meant as well, unless the job says what follows when it finishes.
      severity: policy === undefined && endOf(job).isExpected ? 'warning' : 'info',
      message:
        policy === undefined || policy === '' || policy === 'Always'
          ? `restartPolicy of the task "${task.name}" is Always${policy === 'Always' ? '' : ' by default'}, so its pods never complete`
          : `unsupported restartPolicy ${JSON.stringify(policy)} in the task "${task.name}"`,
      found: policy ?? null,
      expected: 'OnFailure or Never',
      fix: 'Set restartPolicy in the pod template to OnFailure, or to Never if the policies of the job handle failures.',
    };
  },
);

/** What a job says of its end. Read once for all of its tasks, which may be many. */
interface JobEnd {
  /** Whether the job speaks of its end: a time to live after it, a maximum of attempts, a dependency, or ranks of one training. */
  readonly isExpected: boolean;
  /** Tasks whose completion ends the job. */
  readonly endedBy: ReadonlySet<TaskView>;
}

const endsByJob = new WeakMap<JobView, JobEnd>();

function endOf(job: JobView): JobEnd {
  let end = endsByJob.get(job);
  if (end === undefined) {
    end = { isExpected: expectsToFinish(job), endedBy: new Set(job.tasks.filter(endsJob)) };
    endsByJob.set(job, end);
  }
  return end;
}

function expectsToFinish({ spec, tasks, running }: JobView): boolean {
  return (
    spec.ttlSecondsAfterFinished !== undefined ||
    spec.maxRetry !== undefined ||
    tasks.some(({ value }) => value.dependsOn !== undefined || value.maxRetry !== undefined) ||
    ['mpi', 'pytorch', 'tensorflow'].some((plugin) => running.has(plugin))
  );
}

function endsJob({ value }: TaskView): boolean {
  return asArray(value.policies).some((policy) => {
    const { action, event, events } = asObject(policy);
    return (
      (action === 'CompleteJob' || action === 'TerminateJob') &&
      (event === 'TaskCompleted' || stringsIn(events).includes('TaskCompleted'))
    );
  });
}

function endsWithAnotherTask(job: JobView, task: TaskView): boolean {
  const { endedBy } = endOf(job);
  return endedBy.size > (endedBy.has(task) ? 1 : 0);
}

export const jobRules: readonly ObjectRule[] = [
  hasTasks,
  taskNamesUnique,
  taskMinAvailable,
  jobMinAvailable,
  gangComplete,
  taskHasReplicas,
  volumesValid,
  dependenciesAcyclic,
  partitionsAddUp,
  wholeCpus,
  topologyTier,
  restartPolicy,
];

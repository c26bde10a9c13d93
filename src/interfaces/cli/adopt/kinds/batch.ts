/**
 * Jobs and CronJobs of Kubernetes, JobSets, LeaderWorkerSets, and Deployments.
 */
import { duration, type Expression, type Fields } from '../expression';
import { changesOf, podProps } from '../pods';
import {
  all,
  at,
  fieldsOf,
  flag,
  type Inverse,
  listOf,
  oneOf,
  present,
  priorityOf,
  type Proposal,
  whole,
  workload,
} from '../proposal';

interface JobParts {
  readonly props: Fields;
  readonly priority: Fields;
}

function jobProps(spec: Expression): JobParts | undefined {
  const pods = podProps(at(spec, 'template'), { namesContainer: true, restartPolicy: true });
  if (pods === undefined) {
    return undefined;
  }
  const parallelism = whole(at(spec, 'parallelism'));
  const completions = whole(at(spec, 'completions'));
  const isIndexed = at(spec, 'completionMode') === 'Indexed';
  const isIndexedByDefault = (parallelism ?? 1) > 1;
  const failure = at(spec, 'podFailurePolicy');
  const success = at(spec, 'successPolicy', 'rules');
  const props: Fields = {
    ...pods.props,
    parallelism: parallelism === 1 ? undefined : parallelism,
    completions: completions === (parallelism ?? 1) ? undefined : completions,
    indexed: isIndexed === isIndexedByDefault ? undefined : isIndexed,
    backoffLimit: whole(at(spec, 'backoffLimit')),
    backoffLimitPerIndex: whole(at(spec, 'backoffLimitPerIndex')),
    maxFailedIndexes: whole(at(spec, 'maxFailedIndexes')),
    podFailurePolicy: failure,
    succeedsWith: success,
    activeDeadline: duration(at(spec, 'activeDeadlineSeconds')),
    ttlAfterFinished: duration(at(spec, 'ttlSecondsAfterFinished')),
    podReplacement: oneOf(at(spec, 'podReplacementPolicy'), 'TerminatingOrFailed', 'Failed'),
    restartPolicy: oneOf(pods.restartPolicy, 'OnFailure'),
    containerName: pods.containerName === 'main' ? undefined : pods.containerName,
  };
  return { props, priority: priorityOf([pods]) };
}

const job: Inverse = (object) => {
  const { spec } = object;
  const parts = jobProps(spec);
  return (
    parts &&
    workload('batch.Job', {
      ...parts.props,
      ...parts.priority,
      suspend: flag(at(spec, 'suspend')),
      managedBy: at(spec, 'managedBy'),
    })
  );
};

const cronJob: Inverse = (object) => {
  const { spec } = object;
  const parts = jobProps(at(spec, 'jobTemplate', 'spec'));
  const concurrency = oneOf(at(spec, 'concurrencyPolicy') ?? 'Allow', 'Allow', 'Replace');
  return (
    parts &&
    workload('batch.CronJob', {
      schedule: at(spec, 'schedule'),
      timeZone: at(spec, 'timeZone'),
      concurrency,
      startingDeadline: duration(at(spec, 'startingDeadlineSeconds')),
      suspend: flag(at(spec, 'suspend')),
      successfulJobsHistoryLimit: whole(at(spec, 'successfulJobsHistoryLimit')),
      failedJobsHistoryLimit: whole(at(spec, 'failedJobsHistoryLimit')),
      ...parts.props,
      ...parts.priority,
    })
  );
};

const EXCLUSIVE = 'alpha.jobset.sigs.k8s.io/exclusive-topology';

const jobSet: Inverse = (object) => {
  const { spec, metadata } = object;
  const priorities: Fields[] = [];
  const jobs = all(at(spec, 'replicatedJobs'), (replicated) => {
    const name = at(replicated, 'name');
    const ofJob = fieldsOf(at(replicated, 'template', 'spec'));
    const pods = podProps(at(ofJob, 'template'), { namesContainer: true, restartPolicy: true });
    if (pods === undefined || typeof name !== 'string' || at(replicated, 'template', 'metadata') !== undefined) {
      return undefined;
    }
    priorities.push(priorityOf([pods]));
    const nodes = whole(ofJob.parallelism) ?? 1;
    const { backoffLimit, podFailurePolicy } = ofJob;
    const { completions, parallelism, completionMode, template, ...others } = ofJob;
    const more = present({
      ...present({ ...others, backoffLimit: undefined, podFailurePolicy: undefined }),
      completions: (completions ?? (parallelism === undefined ? nodes : undefined)) === nodes ? undefined : completions,
      completionMode: completionMode === 'Indexed' ? undefined : completionMode,
    });
    return (
      template &&
      ({
        jobName: name,
        nodes: nodes === 1 ? undefined : nodes,
        replicas: at(replicated, 'replicas') === 1 ? undefined : whole(at(replicated, 'replicas')),
        dependsOn: dependenciesOf(at(replicated, 'dependsOn')),
        ...pods.props,
        containerName: pods.containerName === name ? undefined : pods.containerName,
        backoffLimit: backoffLimit === 0 ? undefined : (whole(backoffLimit) ?? 6),
        restartPolicy: oneOf(pods.restartPolicy ?? 'OnFailure', 'OnFailure'),
        podFailurePolicy,
        jobOverrides: more,
      } satisfies Fields)
    );
  });
  if (jobs === undefined || jobs.length === 0) {
    return undefined;
  }
  const coordinator = at(spec, 'coordinator');
  const operator = at(spec, 'successPolicy', 'operator');
  return workload(
    'batch.JobSet',
    {
      jobs,
      succeedsWith: operator === 'Any' ? 'any' : operator === 'All' ? 'all' : undefined,
      successTargets: at(spec, 'successPolicy', 'targetReplicatedJobs'),
      maxRestarts: whole(at(spec, 'failurePolicy', 'maxRestarts')),
      restartStrategy: oneOf(at(spec, 'failurePolicy', 'restartStrategy'), 'Recreate', 'BlockingRecreate'),
      startInOrder: at(spec, 'startupPolicy', 'startupPolicyOrder') === 'InOrder' ? true : undefined,
      coordinator:
        coordinator === undefined
          ? undefined
          : {
              job: at(coordinator, 'replicatedJob'),
              jobIndex: whole(at(coordinator, 'jobIndex')),
              podIndex: whole(at(coordinator, 'podIndex')),
            },
      subdomain: at(spec, 'network', 'subdomain'),
      exclusiveTopology: at(metadata, 'annotations', EXCLUSIVE),
      ttlAfterFinished: duration(at(spec, 'ttlSecondsAfterFinished')),
      suspend: flag(at(spec, 'suspend')),
      managedBy: at(spec, 'managedBy'),
      ...(priorities.every((one) => JSON.stringify(one) === JSON.stringify(priorities[0])) ? priorities[0] : {}),
    },
    { taken: [EXCLUSIVE] },
  );
};

function dependenciesOf(list: Expression): readonly Expression[] | undefined {
  const made = listOf(list).map((one) => ({ job: at(one, 'name'), status: at(one, 'status') }));
  return made.length === 0 ? undefined : made;
}

const LWS = 'leaderworkerset.sigs.k8s.io/';
const RESTART: Readonly<Record<string, string>> = {
  RecreateGroupOnPodRestart: 'group',
  RecreateGroupAfterStart: 'group-after-start',
  None: 'pod',
};

const leaderWorkerSet: Inverse = (object) => {
  const { spec, metadata } = object;
  const template = at(spec, 'leaderWorkerTemplate');
  const workers = podProps(at(template, 'workerTemplate'), { namesContainer: true });
  const stated = at(template, 'leaderTemplate');
  const leader = stated === undefined ? undefined : podProps(stated, { container: workers?.containerName });
  const policy = oneOf(at(template, 'restartPolicy'), ...Object.keys(RESTART));
  const subGroups = at(template, 'subGroupPolicy');
  const rolling = at(spec, 'rolloutStrategy', 'rollingUpdateConfiguration');
  const subdomain = oneOf(at(spec, 'networkConfig', 'subdomainPolicy'), 'Shared', 'UniquePerReplica');
  if (workers === undefined || (stated !== undefined && leader === undefined)) {
    return undefined;
  }
  const annotation = (name: string): Expression => at(metadata, 'annotations', `${LWS}${name}`);
  return workload(
    'batch.LeaderWorkerSet',
    {
      groupSize: whole(at(template, 'size')) ?? 1,
      groups: whole(at(spec, 'replicas')),
      ...workers.props,
      leader: leader === undefined ? undefined : (changesOf(workers.props, leader.props) ?? {}),
      containerName: workers.containerName === 'main' ? undefined : workers.containerName,
      restart: policy === undefined ? undefined : RESTART[policy],
      startup: at(spec, 'startupPolicy') === 'LeaderReady' ? 'leader-ready' : undefined,
      maxSurge: at(rolling, 'maxSurge'),
      maxUnavailable: at(rolling, 'maxUnavailable'),
      subGroups:
        subGroups === undefined
          ? undefined
          : {
              size: whole(at(subGroups, 'subGroupSize')),
              leaderExcluded: at(subGroups, 'subGroupPolicyType') === 'LeaderExcluded' ? true : undefined,
              exclusiveTopology: annotation('subgroup-exclusive-topology'),
            },
      subdomain: subdomain === undefined ? undefined : subdomain === 'Shared' ? 'shared' : 'per-group',
      exclusiveTopology: annotation('exclusive-topology'),
      ...priorityOf(leader === undefined ? [workers] : [workers, leader]),
    },
    { taken: [`${LWS}exclusive-topology`, ...(subGroups === undefined ? [] : [`${LWS}subgroup-exclusive-topology`])] },
  );
};

const deployment: Inverse = (object): Proposal | undefined => {
  const { spec, metadata } = object;
  const labels = at(spec, 'selector', 'matchLabels');
  const pods = podProps(at(spec, 'template'), { namesContainer: true });
  if (pods === undefined || labels === undefined || at(spec, 'selector', 'matchExpressions') !== undefined) {
    return undefined;
  }
  const { podLabels, ...props } = pods.props;
  const more = Object.entries(fieldsOf(podLabels)).filter(([key, value]) => at(labels, key) !== value);
  const isDefault = JSON.stringify(labels) === JSON.stringify({ app: at(metadata, 'name') });
  return workload('serving.Deployment', {
    replicas: at(spec, 'replicas') === undefined ? 'autoscaler' : whole(at(spec, 'replicas')),
    ...props,
    podLabels: present(Object.fromEntries(more)),
    rollout: rolloutOf(at(spec, 'strategy'), pods.acceleratorCount !== undefined),
    progressDeadline: duration(at(spec, 'progressDeadlineSeconds')),
    selector: isDefault ? undefined : labels,
    containerName: pods.containerName === 'main' ? undefined : pods.containerName,
    ...priorityOf([pods]),
  });
};

/** Where pods have accelerators, the construct's own default is another than Kubernetes'. */
function rolloutOf(strategy: Expression, hasAccelerators: boolean): Expression {
  if (at(strategy, 'type') === 'Recreate') {
    return 'recreate';
  }
  const update = at(strategy, 'rollingUpdate');
  if (update === undefined && !hasAccelerators) {
    return undefined;
  }
  const maxSurge = at(update, 'maxSurge') ?? '25%';
  const maxUnavailable = at(update, 'maxUnavailable') ?? '25%';
  return hasAccelerators && maxSurge === 0 && maxUnavailable === 1 ? undefined : { maxSurge, maxUnavailable };
}

export const BATCH: Readonly<Record<string, Inverse>> = {
  'batch/v1/Job': job,
  'batch/v1/CronJob': cronJob,
  'jobset.x-k8s.io/v1alpha2/JobSet': jobSet,
  'leaderworkerset.x-k8s.io/v1/LeaderWorkerSet': leaderWorkerSet,
  'apps/v1/Deployment': deployment,
};

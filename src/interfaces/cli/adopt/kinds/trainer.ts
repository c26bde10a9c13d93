/**
 * TrainJobs and runtimes of Kubeflow Trainer.
 */
import { VOLCANO_QUEUE_ANNOTATION, VOLCANO_SCHEDULER } from '../../../../constructs/pods/scheduling-names';
import { BUILT_IN_RUNTIMES, INITIALIZER_VOLUME } from '../../../../manifests/trainer/trainer-facts';
import {
  wordOf,
  Call,
  duration,
  type Expression,
  type Fields,
  isFields,
  nonEmpty,
  Reference,
  referenceTo,
  namedReference,
  textOf,
  without,
} from '../expression';
import { podProps, type Pods } from '../pods';
import {
  at,
  fieldsOf,
  flag,
  type Inverse,
  listOf,
  type MethodCall,
  present,
  priorityOf,
  whole,
  workload,
} from '../proposal';

/** The manager under which the construct patches the runtime. */
const PATCH_MANAGER = 'gantry.dev/stack';

/** The scheduler of the scheduler plugins, as the construct names it. */
const COSCHEDULER = 'scheduler-plugins-scheduler';

/** An image where the job states none: the pod model asks for one. */
const NO_IMAGE = 'none';

const trainJob: Inverse = ({ spec }) => {
  const trainer = fieldsOf(at(spec, 'trainer'));
  const runtime = runtimeOf(at(spec, 'runtimeRef'));
  const { template, queue } = patchOf(spec);
  const container = {
    ...fieldsOf(listOf(at(template, 'spec', 'containers'))[0]),
    name: 'node',
    image: trainer.image ?? NO_IMAGE,
    command: trainer.command,
    args: trainer.args,
    env: trainer.env,
    resources: trainer.resourcesPerNode,
  };
  const pods = podProps(
    {
      metadata: at(template, 'metadata'),
      spec: { ...fieldsOf(at(template, 'spec')), containers: [present(container) ?? {}] },
    },
    { container: 'node' },
  );
  if (pods === undefined || runtime === undefined) {
    return undefined;
  }
  const processes = whole(trainer.numProcPerNode);
  const calls: readonly MethodCall[] =
    queue === undefined ? [] : [{ method: 'submitTo', args: [referenceTo(queue, 'volcano.Queue')] }];
  const props = {
    runtime,
    nodes: whole(trainer.numNodes),
    ...without(pods.props, 'image'),
    image: trainer.image,
    processesPerNode: processes === pods.acceleratorCount ? undefined : processes,
    dataset: initializerOf(at(spec, 'initializer', 'dataset')),
    model: initializerOf(at(spec, 'initializer', 'model')),
    suspend: flag(at(spec, 'suspend')),
    activeDeadline: duration(at(spec, 'activeDeadlineSeconds')),
    managedBy: at(spec, 'managedBy'),
  };
  return workload('trainer.TrainJob', props, { calls });
};

/** What the construct says of the pods in a patch of the runtime, and the queue of Volcano. */
function patchOf(spec: Expression): { readonly template: Expression; readonly queue: Expression } {
  const [patch, ...others] = listOf(at(spec, 'runtimePatches'));
  if (at(patch, 'manager') !== PATCH_MANAGER || others.length > 0) {
    return { template: undefined, queue: undefined };
  }
  const template = at(patch, 'trainingRuntimeSpec', 'template');
  const [job] = listOf(at(template, 'spec', 'replicatedJobs'));
  return {
    template: at(job, 'template', 'spec', 'template'),
    queue: at(template, 'metadata', 'annotations', VOLCANO_QUEUE_ANNOTATION),
  };
}

function runtimeOf(reference: Expression): Expression {
  const name = at(reference, 'name');
  const text = textOf(name);
  if (at(reference, 'kind') === 'TrainingRuntime') {
    return referenceTo(name, 'trainer.TrainingRuntime');
  }
  return text !== undefined && !(name instanceof Reference) && Object.hasOwn(BUILT_IN_RUNTIMES, text)
    ? new Call('trainer.ClusterTrainingRuntime.builtIn', [text])
    : referenceTo(name, 'trainer.ClusterTrainingRuntime');
}

function initializerOf(initializer: Expression): Fields | undefined {
  if (!isFields(initializer)) {
    return undefined;
  }
  const env = listOf(initializer.env).map((one): [string, Expression] => [wordOf(at(one, 'name')), at(one, 'value')]);
  const secret = at(initializer, 'secretRef', 'name');
  return {
    storageUri: initializer.storageUri,
    secret: secret === undefined ? undefined : namedReference(secret),
    env: env.every(([, value]) => typeof value === 'string') ? present(Object.fromEntries(env)) : undefined,
  };
}

const POLICIES = ['torch', 'jax', 'xgboost', 'mpi'];
const INITIALIZERS = ['dataset', 'model'] as const;
const SHARED = '/workspace';

/** Runtimes of one job, of nodes with a launcher of MPI, and of nodes that wait for initializers. */
const runtime =
  (className: string): Inverse =>
  ({ spec }) => {
    const policies = fieldsOf(at(spec, 'mlPolicy'));
    const [policy, ...otherPolicies] = Object.keys(policies).filter((name) => name !== 'numNodes');
    const jobs = new Map(
      listOf(at(spec, 'template', 'spec', 'replicatedJobs')).map((job) => [wordOf(at(job, 'name')), job]),
    );
    const initializers = initializersOf(spec, jobs);
    const expected = ['node', ...(policy === 'mpi' ? ['launcher'] : []), ...(initializers?.jobs ?? [])];
    const gang = gangOf(spec);
    const pods = podsOf(jobs.get(policy === 'mpi' ? 'launcher' : 'node'), 'node', {
      sharesClaim: initializers !== undefined,
      scheduler: gang?.schedulerName,
    });
    const isKnownPolicy = otherPolicies.length === 0 && (policy === undefined || POLICIES.includes(policy));
    const isKnown = isKnownPolicy && jobs.size === expected.length && expected.every((name) => jobs.has(name));
    if (pods === undefined || !isKnown) {
      return undefined;
    }
    const nodes = whole(at(spec, 'mlPolicy', 'numNodes'));
    const settings = fieldsOf(at(policies, policy ?? ''));
    const options = present({
      processesPerNode: whole(settings.numProcPerNode),
      sshAuthMountPath: settings.sshAuthMountPath,
    });
    return {
      className,
      overrides: 'spec',
      props: {
        policy:
          policy === undefined ? undefined : new Call(`trainer.MlPolicy.${policy}`, policy === 'mpi' ? [options] : []),
        nodes: nodes === 1 ? undefined : nodes,
        ...pods.props,
        ...priorityOf([pods]),
        ...gang?.props,
        initializers: initializers?.props,
      },
    };
  };

/** The jobs that fetch data, with the claim that they share with the nodes; `undefined` where there is none. */
function initializersOf(
  spec: Expression,
  jobs: ReadonlyMap<string, Expression>,
): { readonly jobs: readonly string[]; readonly props: Fields } | undefined {
  const [policy] = listOf(at(spec, 'template', 'spec', 'volumeClaimPolicies'));
  const [claim] = listOf(at(policy, 'templates'));
  const storage = at(claim, 'spec', 'resources', 'requests', 'storage');
  const steps = INITIALIZERS.filter((step) => jobs.has(`${step}-initializer`));
  if (storage === undefined || steps.length === 0) {
    return undefined;
  }
  const fetching = steps.map((step): [string, Expression] => {
    const name = `${step}-initializer`;
    return [step, podsOf(jobs.get(name), name, { sharesClaim: true })?.props];
  });
  return {
    jobs: steps.map((step) => `${step}-initializer`),
    props: { ...Object.fromEntries(fetching), storage, storageClass: at(claim, 'spec', 'storageClassName') },
  };
}

/** Who schedules the nodes together, and the scheduler that their pods name for it. */
function gangOf(spec: Expression): { readonly schedulerName: string; readonly props: Fields } | undefined {
  const { volcano, coscheduling } = fieldsOf(at(spec, 'podGroupPolicy'));
  const queue = at(spec, 'template', 'metadata', 'annotations', VOLCANO_QUEUE_ANNOTATION);
  if (volcano !== undefined && textOf(queue) !== undefined) {
    const topology = fieldsOf(at(volcano, 'networkTopology'));
    return {
      schedulerName: VOLCANO_SCHEDULER,
      props: {
        scheduling: new Call('Scheduling.volcano', [referenceTo(queue, 'volcano.Queue')]),
        networkTopology: present({ mode: topology.mode, highestTier: topology.highestTierAllowed }),
      },
    };
  }
  return coscheduling === undefined
    ? undefined
    : {
        schedulerName: COSCHEDULER,
        props: {
          scheduling: new Call('Scheduling.schedulerPlugins', []),
          scheduleTimeout: duration(at(coscheduling, 'scheduleTimeoutSeconds')),
        },
      };
}

interface JobOptions {
  readonly sharesClaim: boolean;
  readonly scheduler?: string;
}

/** The pods of a job; the mount of the shared claim and the scheduler's name are those of the construct. */
function podsOf(job: Expression, container: string, { sharesClaim, scheduler }: JobOptions): Pods | undefined {
  const stated = at(job, 'template', 'spec', 'template');
  const template = sharesClaim ? withoutSharedMount(stated) : stated;
  const spec = fieldsOf(at(template, 'spec'));
  const own = textOf(spec.schedulerName) === scheduler ? without(spec, 'schedulerName') : spec;
  return podProps({ ...fieldsOf(template), spec: own }, { container });
}

function withoutSharedMount(template: Expression): Expression {
  const spec = fieldsOf(at(template, 'spec'));
  const containers = listOf(spec.containers).map((container) => {
    const mounts = listOf(at(container, 'volumeMounts'));
    const others = mounts.filter(
      (mount) => at(mount, 'name') !== INITIALIZER_VOLUME || at(mount, 'mountPath') !== SHARED,
    );
    return { ...fieldsOf(container), volumeMounts: nonEmpty(others) };
  });
  return { ...fieldsOf(template), spec: { ...spec, containers } };
}

export const TRAINER: Readonly<Record<string, Inverse>> = {
  'trainer.kubeflow.org/v1alpha1/TrainJob': trainJob,
  'trainer.kubeflow.org/v1alpha1/TrainingRuntime': runtime('trainer.TrainingRuntime'),
  'trainer.kubeflow.org/v1alpha1/ClusterTrainingRuntime': runtime('trainer.ClusterTrainingRuntime'),
};

/**
 * TrainJobs and runtimes of Kubeflow Trainer.
 */
import { BUILT_IN_RUNTIMES, INITIALIZER_VOLUME } from '../../../../manifests/trainer/trainer-facts';
import { wordOf, Call, duration, type Expression, type Fields, isFields, nonEmpty, Reference, referenceTo, namedReference, textOf, without } from '../expression'; // prettier-ignore
import { podProps, type Pods } from '../pods';
import { at, fieldsOf, flag, type Inverse, listOf, present, priorityOf, whole, workload } from '../proposal';

/** An image where the job states none: the pod model asks for one. */
const NO_IMAGE = 'none';

const trainJob: Inverse = ({ spec }) => {
  const trainer = fieldsOf(at(spec, 'trainer'));
  const runtime = runtimeOf(at(spec, 'runtimeRef'));
  const container = {
    name: 'node',
    image: trainer.image ?? NO_IMAGE,
    command: trainer.command,
    args: trainer.args,
    env: trainer.env,
    resources: trainer.resourcesPerNode,
  };
  const pods = podProps({ spec: { containers: [present(container) ?? {}] } }, { container: 'node' });
  if (pods === undefined || runtime === undefined) {
    return undefined;
  }
  const processes = whole(trainer.numProcPerNode);
  return workload('trainer.TrainJob', {
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
  });
};

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
    const policy = Object.keys(policies).find((name) => POLICIES.includes(name));
    const jobs = new Map(
      listOf(at(spec, 'template', 'spec', 'replicatedJobs')).map((job) => [wordOf(at(job, 'name')), job]),
    );
    const initializers = initializersOf(spec, jobs);
    const expected = ['node', ...(policy === 'mpi' ? ['launcher'] : []), ...(initializers?.jobs ?? [])];
    const pods = podsOf(jobs.get(policy === 'mpi' ? 'launcher' : 'node'), 'node', initializers !== undefined);
    const isKnown = jobs.size === expected.length && expected.every((name) => jobs.has(name));
    if (policy === undefined || pods === undefined || !isKnown) {
      return undefined;
    }
    const nodes = whole(at(spec, 'mlPolicy', 'numNodes'));
    const settings = fieldsOf(policies[policy]);
    const options = present({
      processesPerNode: whole(settings.numProcPerNode),
      sshAuthMountPath: settings.sshAuthMountPath,
    });
    return {
      className,
      overrides: 'spec',
      props: {
        policy: new Call(`trainer.MlPolicy.${policy}`, policy === 'mpi' ? [options] : []),
        nodes: nodes === 1 ? undefined : nodes,
        ...pods.props,
        ...priorityOf([pods]),
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
    return [step, podsOf(jobs.get(name), name, true)?.props];
  });
  return {
    jobs: steps.map((step) => `${step}-initializer`),
    props: { ...Object.fromEntries(fetching), storage, storageClass: at(claim, 'spec', 'storageClassName') },
  };
}

/** The pods of a job; the mount of the shared claim is that of the construct. */
function podsOf(job: Expression, container: string, sharesClaim: boolean): Pods | undefined {
  const template = at(job, 'template', 'spec', 'template');
  return podProps(sharesClaim ? withoutSharedMount(template) : template, { container });
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

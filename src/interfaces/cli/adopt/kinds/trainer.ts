/**
 * TrainJobs and runtimes of Kubeflow Trainer.
 */
import { BUILT_IN_RUNTIMES } from '../../../../manifests/trainer/trainer-facts';
import { wordOf, Call, duration, type Expression, type Fields, isFields, Reference, referenceTo, namedReference, textOf, without } from '../expression'; // prettier-ignore
import { podProps } from '../pods';
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

const POLICIES = ['torch', 'jax', 'xgboost'];

/** Runtimes whose nodes are one job. */
const runtime =
  (className: string): Inverse =>
  ({ spec }) => {
    const policy = Object.keys(fieldsOf(at(spec, 'mlPolicy'))).find((name) => POLICIES.includes(name));
    const [node, ...others] = listOf(at(spec, 'template', 'spec', 'replicatedJobs'));
    const pods = podProps(at(node, 'template', 'spec', 'template'), { container: 'node' });
    if (policy === undefined || pods === undefined || others.length > 0 || at(node, 'name') !== 'node') {
      return undefined;
    }
    const nodes = whole(at(spec, 'mlPolicy', 'numNodes'));
    return {
      className,
      overrides: 'spec',
      props: {
        policy: new Call(`trainer.MlPolicy.${policy}`, []),
        nodes: nodes === 1 ? undefined : nodes,
        ...pods.props,
        ...priorityOf([pods]),
      },
    };
  };

export const TRAINER: Readonly<Record<string, Inverse>> = {
  'trainer.kubeflow.org/v1alpha1/TrainJob': trainJob,
  'trainer.kubeflow.org/v1alpha1/TrainingRuntime': runtime('trainer.TrainingRuntime'),
  'trainer.kubeflow.org/v1alpha1/ClusterTrainingRuntime': runtime('trainer.ClusterTrainingRuntime'),
};

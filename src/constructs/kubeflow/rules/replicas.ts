/**
 * KT2 to KT5 and KT14: which roles a job has, how many replicas of each, and the container that the operator looks for.
 */
import { type Rule, type Violation } from '../../../checks/rules/rule';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { asInteger, asObject, isObject } from '../../../manifests/read';
import { FRAMEWORKS } from '../frameworks';
import { roleNamed, type TrainingJob } from '../training-job';
import { jobRule, roleNames } from './job-rule';
import { oneOf } from '../../../facts/words';

const JUDGES = 'pkg/webhooks/*/*_webhook.go; pkg/apis/kubeflow.org/v1/mpi_validation.go';

const rolesPresent = jobRule(
  {
    id: 'roles-present',
    row: 'KT2',
    tier: 'advice',
    otherTiers: ['webhook'],
    severity: 'error',
    summary: 'A job must have at least one role.',
    why: 'A job without the map of roles is rejected. With an empty map it is accepted, creates no pods, and never completes.',
    source: JUDGES,
    fix: 'Add the roles of the job to its map of replica specs, for example pytorchReplicaSpecs.Worker in a PyTorchJob.',
  },
  function* (job) {
    const roles = job.spec[job.framework.replicaSpecs];
    const isAbsent = roles === undefined || roles === null;
    if (!isAbsent && (!isObject(roles) || Object.keys(roles).length > 0)) {
      return;
    }
    yield {
      path: pointer('/spec', job.framework.replicaSpecs),
      message: `${job.framework.replicaSpecs} must ${isAbsent ? 'be set' : 'not be empty'}`,
      found: roles,
      expected: `the role ${oneOf(roleNames(job.framework.kind))}`,
      fix: `Add ${exampleRole(job)} with a pod template.`,
      // The controller of MPIJob misses its launcher.
      tier: isAbsent || job.framework.judge === 'controller' ? 'webhook' : 'advice',
    };
  },
);

/** A role that the framework requires or else its Worker, as a field. */
function exampleRole({ framework }: TrainingJob): string {
  const names = roleNames(framework.kind);
  const required = framework.roles.find((role) => role.required)?.name;
  return `${framework.replicaSpecs}.${required ?? names.find((name) => name === 'Worker') ?? names[0] ?? ''}`;
}

const roleHasTemplate = jobRule(
  {
    id: 'role-has-template',
    row: 'KT2',
    tier: 'webhook',
    severity: 'error',
    summary: 'Each role must have a pod template.',
    why: 'The schema does not require one; a role without containers is rejected. The rules on pod templates check the template itself.',
    source: JUDGES,
    fix: 'Set template.spec.containers of the role to a list with at least one container.',
  },
  function* (job) {
    const stated = asObject(job.spec[job.framework.replicaSpecs]);
    for (const role of job.roles) {
      const isOfOtherType = !isObject(stated[role.name] ?? {});
      if (isOfOtherType || (role.value.template !== undefined && role.value.template !== null)) {
        continue;
      }
      yield {
        path: role.path,
        message: `the role "${role.name}" has no template`,
        expected: job.framework.requiresContainerName
          ? `a template with a container "${job.framework.container}"`
          : 'a template with a container',
        fix: `Set ${fieldOf(role.path)}.template.spec.containers to a list with the container "${job.framework.container}".`,
      };
    }
  },
);

const defaultContainerPresent = jobRule(
  {
    id: 'default-container-present',
    row: 'KT2',
    tier: 'webhook',
    severity: 'error',
    kinds: ['PyTorchJob', 'TFJob', 'XGBoostJob', 'PaddleJob', 'JAXJob'],
    summary:
      'Each role must have a container with the name of its framework: pytorch, tensorflow, xgboost, paddle, or jax.',
    why: 'The operator finds the port and the exit code by that name; the webhook rejects a role without it.',
    source: 'pkg/webhooks/*/*_webhook.go; pkg/apis/kubeflow.org/v1/*_types.go',
    fix: 'Set template.spec.containers[].name of the training container to the name of the framework.',
  },
  function* (job) {
    for (const role of job.roles) {
      if (role.containers.length === 0 || role.containers.some(({ value }) => value.name === job.framework.container)) {
        continue;
      }
      const names = role.containers.map((container) => JSON.stringify(container.value.name ?? ''));
      yield {
        path:
          role.containers.length === 1 ? `${role.containers[0]?.path ?? ''}/name` : `${role.podSpecPath}/containers`,
        message: `the role "${role.name}" has no container "${job.framework.container}", only ${names.join(', ')}`,
        found: role.containers.length === 1 ? role.containers[0]?.value.name : undefined,
        expected: job.framework.container,
        fix: `Set name: ${job.framework.container} on the training container of the role "${role.name}".`,
      };
    }
  },
);

const roleIsKnown = jobRule(
  {
    id: 'role-known',
    row: 'KT3',
    tier: 'webhook',
    otherTiers: ['advice'],
    severity: 'error',
    summary: 'The roles of a job must be roles of its framework, with the same spelling.',
    why: 'Other roles are rejected; TFJob accepts them, but their pods are not part of the cluster specification.',
    source: JUDGES,
    fix: 'Rename the key to a role of the framework, for example pytorchReplicaSpecs.Worker in a PyTorchJob.',
  },
  function* (job) {
    const known = roleNames(job.framework.kind);
    for (const role of job.roles) {
      if (role.facts !== undefined) {
        continue;
      }
      // TFJob is not checked and its defaults repair the case.
      if (!job.framework.refusesUnknownRoles && known.some((name) => name.toLowerCase() === role.name.toLowerCase())) {
        continue;
      }
      yield {
        path: role.path,
        message: `unknown role "${role.name}" in the ${job.framework.kind}`,
        found: role.name,
        expected: oneOf(known),
        fix: `Rename the key "${role.name}" in ${job.framework.replicaSpecs} to ${oneOf(known)}.`,
        tier: job.framework.refusesUnknownRoles ? 'webhook' : 'advice',
      };
    }
  },
);

const singleRoleHasOneReplica = jobRule(
  {
    id: 'master-replicas-is-one',
    row: 'KT4',
    tier: 'webhook',
    severity: 'error',
    kinds: ['PyTorchJob', 'XGBoostJob'],
    summary: 'The Master of a PyTorchJob or XGBoostJob must set replicas: 1.',
    why: 'The webhook runs before defaulting, so it rejects an unset number as well.',
    source: 'pkg/webhooks/pytorch/pytorchjob_webhook.go; pkg/webhooks/xgboost/xgboostjob_webhook.go',
    fix: 'Set Master.replicas to 1, and count all other pods in Worker.replicas.',
  },
  (job) => oneReplica(job, 'webhook'),
);

const launcherHasOneReplica = jobRule(
  {
    id: 'launcher-replicas-is-one',
    row: 'KT14',
    tier: 'webhook',
    severity: 'error',
    kinds: ['MPIJob'],
    summary: 'The Launcher of an MPIJob must have one replica.',
    why: 'Otherwise the controller does not reconcile the job and reports the event FailedValidation.',
    source: FRAMEWORKS.MPIJob.source,
    fix: 'Set Launcher.replicas to 1, or remove it.',
  },
  (job) => oneReplica(job, 'controller'),
);

function* oneReplica(job: TrainingJob, judge: 'webhook' | 'controller'): Iterable<Violation> {
  for (const role of job.roles) {
    if (role.facts?.exactlyOne !== judge) {
      continue;
    }
    const replicas = role.value.replicas;
    if (
      replicas === undefined ? judge === 'controller' : asInteger(replicas) === 1 || asInteger(replicas) === undefined
    ) {
      continue;
    }
    yield {
      path: replicas === undefined ? role.path : `${role.path}/replicas`,
      message:
        replicas === undefined
          ? `replicas of the role "${role.name}" must be set`
          : `replicas of the role "${role.name}" must be 1, but is ${JSON.stringify(replicas)}`,
      found: replicas,
      expected: 'replicas: 1',
    };
  }
}

const workerReplicasAtLeastOne = jobRule(
  {
    id: 'worker-replicas-at-least-one',
    row: 'KT4',
    tier: 'webhook',
    severity: 'error',
    kinds: ['PyTorchJob'],
    summary: 'The Worker role of a PyTorchJob must have at least one replica.',
    why: 'The webhook rejects 0; a job with one pod has a Master and no Worker role.',
    source: FRAMEWORKS.PyTorchJob.source,
    fix: 'Set pytorchReplicaSpecs.Worker.replicas to at least 1, or remove the Worker role.',
  },
  function* (job) {
    for (const role of job.roles) {
      const replicas = asInteger(role.value.replicas);
      const least = role.facts?.minReplicas;
      // A negative number is rejected before the webhook: schema/scale-replicas.
      if (least === undefined || replicas === undefined || replicas >= least || replicas < 0) {
        continue;
      }
      yield {
        path: `${role.path}/replicas`,
        message: `replicas of the role "${role.name}" must be greater than or equal to ${least}, but is ${replicas}`,
        found: replicas,
        expected: `at least ${least}`,
      };
    }
  },
);

const requiredRolePresent = jobRule(
  {
    id: 'required-role-present',
    row: 'KT5',
    tier: 'webhook',
    severity: 'error',
    kinds: ['XGBoostJob', 'MPIJob'],
    summary: 'An XGBoostJob must have a Master, and an MPIJob must have a Launcher.',
    why: 'The job is rejected without it.',
    source: 'pkg/webhooks/xgboost/xgboostjob_webhook.go; pkg/apis/kubeflow.org/v1/mpi_validation.go',
    fix: 'Add xgbReplicaSpecs.Master or mpiReplicaSpecs.Launcher, with replicas: 1.',
  },
  function* (job) {
    if (!isObject(job.spec[job.framework.replicaSpecs])) {
      return;
    }
    for (const { name } of job.framework.roles.filter((role) => role.required)) {
      if (roleNamed(job, name) !== undefined) {
        continue;
      }
      yield {
        path: pointer('/spec', job.framework.replicaSpecs),
        message: `the job has no role "${name}"`,
        expected: `a role "${name}" with replicas: 1`,
        fix: `Add ${job.framework.replicaSpecs}.${name} with replicas: 1.`,
      };
    }
  },
);

const oneChiefOrMaster = jobRule(
  {
    id: 'one-chief-or-master',
    row: 'KT5',
    tier: 'webhook',
    severity: 'error',
    kinds: ['TFJob'],
    summary: 'A TFJob must not have both a Chief and a Master.',
    why: 'The webhook rejects both: they are two names of the same role.',
    source: FRAMEWORKS.TFJob.source,
    fix: 'Remove either tfReplicaSpecs.Chief or tfReplicaSpecs.Master.',
  },
  function* (job) {
    const chiefs = job.roles.filter((role) => role.name === 'Chief' || role.name === 'Master');
    if (chiefs.length < 2) {
      return;
    }
    yield {
      path: chiefs[1]?.path,
      message: 'tfReplicaSpecs.Chief and tfReplicaSpecs.Master must not be set together',
      fix: 'Remove tfReplicaSpecs.Chief or tfReplicaSpecs.Master.',
      expected: 'one of Chief and Master',
    };
  },
);

const mpiHasWorkers = jobRule(
  {
    id: 'mpi-worker-replicas-stated',
    row: 'KT14',
    tier: 'advice',
    severity: 'warning',
    kinds: ['MPIJob'],
    summary: 'The Worker role of an MPIJob must set replicas.',
    why: 'The operator treats an unset number as 0, and the launcher then finds an empty host file.',
    source: 'pkg/apis/kubeflow.org/v1/mpi_defaults.go',
    fix: 'Set mpiReplicaSpecs.Worker.replicas to the number of workers.',
  },
  function* (job) {
    const worker = roleNamed(job, 'Worker');
    if (worker === undefined || worker.value.replicas !== undefined) {
      return;
    }
    yield {
      path: worker.path,
      message: 'the role "Worker" does not set replicas, which defaults to 0, so there are no workers',
      expected: 'replicas of at least 1',
    };
  },
);

export const replicaRules: readonly Rule[] = [
  rolesPresent,
  roleHasTemplate,
  defaultContainerPresent,
  roleIsKnown,
  singleRoleHasOneReplica,
  launcherHasOneReplica,
  workerReplicasAtLeastOne,
  requiredRolePresent,
  oneChiefOrMaster,
  mpiHasWorkers,
];

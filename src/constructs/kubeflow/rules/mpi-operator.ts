/**
 * KM1 to KM7: what the controller of the mpi-operator demands of an MPIJob `v2beta1`. There is no webhook: a job that fails here gets an
 * event ValidationError at reconcile, and no pod.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type ObjectRule, type Rule, type RuleFacts, type Violation } from '../../../checks/rule';
import { dns1035Label } from '../../../checks/server/syntax';
import { type Manifest } from '../../../manifests/manifest';
import { pointer } from '../../../manifests/pointer';
import { asArray, asInteger, asObject, asString, isObject } from '../../../manifests/read';
import { CLEAN_POD_POLICIES } from '../frameworks';
import {
  MPI_JOB_MANAGERS,
  MPI_LAUNCHER_CREATION_POLICIES,
  MPI_OPERATOR,
  MPI_OPERATOR_API_VERSION,
  MPI_RESTART_POLICIES,
} from '../mpi-operator-facts';
import { devicesOf } from './devices';
import { oneOf } from './job-rule';

const VALIDATION = `${MPI_OPERATOR}, pkg/apis/kubeflow/validation/validation.go`;

interface MpiRole {
  readonly name: string;
  readonly value: JsonObject;
  readonly path: string;
}

interface MpiJob {
  readonly manifest: Manifest;
  readonly spec: JsonObject;
  readonly runPolicy: JsonObject;
  readonly roles: readonly MpiRole[];
}

function mpiRule(
  facts: Omit<RuleFacts, 'source' | 'tier'> & Partial<Pick<RuleFacts, 'source' | 'tier'>>,
  check: (job: MpiJob) => Iterable<Violation>,
): ObjectRule {
  return {
    source: VALIDATION,
    tier: 'webhook',
    ...facts,
    on: 'object',
    kinds: ['kubeflow.org/MPIJob'],
    check: (manifest) => {
      if (manifest.id.apiVersion !== MPI_OPERATOR_API_VERSION) {
        return [];
      }
      const spec = asObject(manifest.object.spec);
      const roles = Object.entries(asObject(spec.mpiReplicaSpecs)).flatMap(([name, value]) =>
        isObject(value) ? [{ name, value, path: pointer('/spec/mpiReplicaSpecs', name) }] : [],
      );
      return check({ manifest, spec, runPolicy: asObject(spec.runPolicy), roles });
    },
  };
}

/** Roles that the operator looks at; of others it makes nothing. */
const ROLES = ['Launcher', 'Worker'];

const launcherPresent = mpiRule(
  {
    id: 'kubeflow/mpi-operator-launcher-present',
    row: 'KM1',
    severity: 'error',
    summary: 'An MPIJob of the mpi-operator has a Launcher with one replica.',
    why: 'The launcher runs mpirun; the controller refuses a job with none or with several.',
    fix: 'Add the role Launcher; leave its replicas out, or write 1.',
  },
  function* ({ spec, roles }) {
    if (!isObject(spec.mpiReplicaSpecs)) {
      return;
    }
    const launcher = roles.find(({ name }) => name === 'Launcher');
    if (launcher === undefined) {
      yield {
        path: '/spec/mpiReplicaSpecs',
        message: 'The job has no Launcher.',
        expected: 'a role Launcher with one replica',
      };
      return;
    }
    const replicas = asInteger(launcher.value.replicas);
    if (replicas === undefined || replicas === 1) {
      return;
    }
    yield {
      path: `${launcher.path}/replicas`,
      message: `Role Launcher has ${replicas} replicas.`,
      found: replicas,
      expected: '1',
    };
  },
);

const workerReplicas = mpiRule(
  {
    id: 'kubeflow/mpi-operator-worker-replicas',
    row: 'KM2',
    severity: 'error',
    summary: 'The Worker role of an MPIJob of the mpi-operator states at least one replica.',
    why: 'A missing number is taken as 0, and 0 is refused; a job without workers leaves the role out.',
    fix: 'Write the number of workers, or remove the role.',
  },
  function* ({ roles }) {
    const worker = roles.find(({ name }) => name === 'Worker');
    if (worker === undefined) {
      return;
    }
    const { replicas } = worker.value;
    if (replicas !== undefined && replicas !== null && (asInteger(replicas) ?? 1) > 0) {
      return;
    }
    yield {
      path: replicas === undefined ? worker.path : `${worker.path}/replicas`,
      message:
        replicas === undefined
          ? 'Role Worker does not state its replicas, which makes them 0.'
          : `Role Worker has ${JSON.stringify(replicas)} replicas.`,
      found: replicas,
      expected: 'at least 1',
    };
  },
);

const roleKnown = mpiRule(
  {
    id: 'kubeflow/mpi-operator-role-known',
    row: 'KM1',
    tier: 'advice',
    severity: 'error',
    summary: 'The roles of an MPIJob of the mpi-operator are Launcher and Worker, in this spelling.',
    why: 'Another role is accepted and no pod is ever made of it.',
    fix: 'Use Launcher or Worker.',
  },
  function* ({ roles }) {
    for (const { name, path } of roles) {
      if (ROLES.includes(name)) {
        continue;
      }
      yield {
        path,
        message: `The mpi-operator makes no pods of a role "${name}".`,
        found: name,
        expected: oneOf(ROLES),
      };
    }
  },
);

const roleHasContainer = mpiRule(
  {
    id: 'kubeflow/mpi-operator-role-has-container',
    row: 'KM3',
    severity: 'error',
    summary: 'Launcher and Worker have a template with at least one container.',
    why: 'The schema does not demand one; the controller refuses a role without.',
    fix: 'Give the role a template with a container.',
  },
  function* ({ roles }) {
    for (const { name, value, path } of roles) {
      // An empty list is said by the rules on pod templates.
      if (!ROLES.includes(name) || isObject(asObject(value.template).spec)) {
        continue;
      }
      yield { path, message: `Role ${name} has no pod template.`, expected: 'a template with a container' };
    }
  },
);

const restartPolicy = mpiRule(
  {
    id: 'kubeflow/mpi-operator-restart-policy',
    row: 'KM4',
    severity: 'error',
    summary: 'The restartPolicy of a role of the mpi-operator is Never or OnFailure.',
    why: 'The controller refuses Always and ExitCode, which the training-operator knows.',
    fix: 'Use Never or OnFailure, or leave it out.',
  },
  function* ({ roles }) {
    for (const { name, value, path } of roles) {
      const policy = asString(value.restartPolicy);
      if (
        !ROLES.includes(name) ||
        policy === undefined ||
        policy === '' ||
        MPI_RESTART_POLICIES.some((known) => known === policy)
      ) {
        continue;
      }
      yield {
        path: `${path}/restartPolicy`,
        message: `restartPolicy "${policy}" is not possible here.`,
        found: policy,
        expected: oneOf(MPI_RESTART_POLICIES),
      };
    }
  },
);

const runPolicyKnown = mpiRule(
  {
    id: 'kubeflow/mpi-operator-run-policy',
    row: 'KM5',
    severity: 'error',
    summary: 'The run policy of an MPIJob of the mpi-operator has known names and no negative numbers.',
    why: 'The schema takes any string and any number; the controller refuses the job.',
    fix: 'Use cleanPodPolicy None, Running or All, one of the two managers, and numbers of at least 0.',
  },
  function* ({ runPolicy }) {
    for (const [field, known] of [
      ['cleanPodPolicy', CLEAN_POD_POLICIES],
      ['managedBy', MPI_JOB_MANAGERS],
    ] as const) {
      const value = asString(runPolicy[field]);
      if (value === undefined || known.some((name) => name === value)) {
        continue;
      }
      yield {
        path: `/spec/runPolicy/${field}`,
        message: `"${value}" is no ${field} of the mpi-operator.`,
        found: value,
        expected: oneOf(known),
      };
    }
    for (const field of ['ttlSecondsAfterFinished', 'activeDeadlineSeconds', 'backoffLimit']) {
      const value = asInteger(runPolicy[field]);
      if (value === undefined || value >= 0) {
        continue;
      }
      yield {
        path: `/spec/runPolicy/${field}`,
        message: `${field} is ${value}.`,
        found: value,
        expected: 'at least 0',
      };
    }
  },
);

const specKnown = mpiRule(
  {
    id: 'kubeflow/mpi-operator-spec',
    row: 'KM6',
    otherTiers: ['advice'],
    severity: 'error',
    summary: 'slotsPerWorker is not negative, and launcherCreationPolicy is AtStartup or WaitForWorkersReady.',
    why: 'A negative number of slots is refused; another creation policy is taken as AtStartup without a word.',
    fix: 'Correct the value, or leave it out.',
  },
  function* ({ spec }) {
    const slots = asInteger(spec.slotsPerWorker);
    if (slots !== undefined && slots < 0) {
      yield {
        path: '/spec/slotsPerWorker',
        message: `slotsPerWorker is ${slots}.`,
        found: slots,
        expected: 'at least 0',
      };
    }
    const creation = asString(spec.launcherCreationPolicy);
    if (
      creation !== undefined &&
      creation !== '' &&
      !MPI_LAUNCHER_CREATION_POLICIES.some((known) => known === creation)
    ) {
      yield {
        path: '/spec/launcherCreationPolicy',
        message: `"${creation}" is no launcherCreationPolicy.`,
        found: creation,
        expected: oneOf(MPI_LAUNCHER_CREATION_POLICIES),
        tier: 'advice',
      };
    }
  },
);

const namesFit = mpiRule(
  {
    id: 'kubeflow/mpi-operator-worker-name-is-dns-1035',
    row: 'KM7',
    severity: 'error',
    summary: 'The name of the last worker, <job>-worker-<n-1>, is a DNS-1035 label of at most 63 characters.',
    why: 'It becomes a host name; the controller refuses the job.',
    fix: 'Begin the name of the job with a letter, use lower-case letters, digits and hyphens, and shorten it.',
  },
  function* ({ manifest, roles }) {
    const { name } = manifest.id;
    if (name === '') {
      return;
    }
    const workers = Math.max(1, asInteger(roles.find((role) => role.name === 'Worker')?.value.replicas) ?? 1);
    const longest = `${name}-worker-${workers - 1}`;
    const complaint = dns1035Label(longest);
    if (complaint === undefined) {
      return;
    }
    yield {
      path: '/metadata/name',
      message: `The last worker would be called "${longest}", which must ${complaint}.`,
      found: name,
      expected: 'a shorter DNS-1035 label',
    };
  },
);

const slotsAreDevices = mpiRule(
  {
    id: 'kubeflow/mpi-slots-are-devices',
    row: 'KM6',
    tier: 'advice',
    severity: 'warning',
    summary: 'slotsPerWorker equals the accelerators of a worker.',
    why: 'mpirun starts as many processes on a worker as it has slots: with the default of 1 the other devices stay idle, with too many two processes share one.',
    source: `${MPI_OPERATOR}, pkg/controller/mpi_job_controller.go (host file)`,
    fix: 'Set slotsPerWorker to the devices of a worker.',
  },
  function* ({ spec, roles }) {
    const worker = roles.find(({ name }) => name === 'Worker');
    const container = asObject(asArray(asObject(asObject(worker?.value.template).spec).containers)[0]);
    const devices = devicesOf(container);
    const slots = spec.slotsPerWorker === undefined ? 1 : asInteger(spec.slotsPerWorker);
    if (devices === undefined || slots === undefined || slots === devices) {
      return;
    }
    yield {
      path: spec.slotsPerWorker === undefined ? '/spec' : '/spec/slotsPerWorker',
      message: `Each worker has ${devices} devices and ${slots} ${slots === 1 ? 'slot' : 'slots'}.`,
      found: spec.slotsPerWorker,
      expected: `slotsPerWorker: ${devices}`,
    };
  },
);

export const mpiOperatorRules: readonly Rule[] = [
  launcherPresent,
  roleKnown,
  workerReplicas,
  roleHasContainer,
  restartPolicy,
  runPolicyKnown,
  specKnown,
  slotsAreDevices,
  namesFit,
];

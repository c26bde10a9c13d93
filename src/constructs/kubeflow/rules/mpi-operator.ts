/**
 * KM1 to KM7: what the controller of the mpi-operator demands of an MPIJob `v2beta1`. There is no webhook: a job that fails here gets an
 * event ValidationError at reconcile, and no pod.
 */
import { shortenBy } from '../../../checks/rules/field-fix';
import { type JsonObject } from '../../../facts/api/schema';
import { type ObjectRule, type Rule, type RuleFacts, type Violation } from '../../../checks/rules/rule';
import { dns1035Label } from '../../../manifests/values/name-syntax';
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
import { usesDevicesByThread } from './nccl-tests';
import { counted, oneOf } from '../../../facts/words';

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
    summary: 'An MPIJob of the mpi-operator must have a Launcher with one replica.',
    why: 'The launcher runs mpirun; the controller rejects a job with no launcher or several.',
    fix: 'Set mpiReplicaSpecs.Launcher.replicas to 1, or remove replicas.',
  },
  function* ({ roles }) {
    const launcher = roles.find(({ name }) => name === 'Launcher');
    if (launcher === undefined) {
      yield {
        path: '/spec/mpiReplicaSpecs',
        message: 'mpiReplicaSpecs.Launcher must be set',
        expected: 'a role "Launcher" with one replica',
        fix: 'Add mpiReplicaSpecs.Launcher with replicas: 1 and a pod template.',
      };
      return;
    }
    const replicas = asInteger(launcher.value.replicas);
    if (replicas === undefined || replicas === 1) {
      return;
    }
    yield {
      path: `${launcher.path}/replicas`,
      message: `replicas of the role "Launcher" must be 1, but is ${replicas}`,
      found: replicas,
      expected: 'replicas: 1',
    };
  },
);

const workerReplicas = mpiRule(
  {
    id: 'kubeflow/mpi-operator-worker-replicas',
    row: 'KM2',
    severity: 'error',
    summary: 'The Worker role of an MPIJob of the mpi-operator must set at least one replica.',
    why: 'Unset replicas count as 0, which is rejected; a job without workers has no Worker role.',
    fix: 'Set mpiReplicaSpecs.Worker.replicas to the number of workers, or remove the role.',
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
          ? 'the role "Worker" does not set replicas, which defaults to 0'
          : `replicas of the role "Worker" must be greater than or equal to 1, but is ${JSON.stringify(replicas)}`,
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
    summary: 'The roles of an MPIJob of the mpi-operator must be Launcher and Worker, with this spelling.',
    why: 'Another role is accepted, but the operator creates no pods for it.',
    fix: 'Rename the key in mpiReplicaSpecs to Launcher or Worker.',
  },
  function* ({ roles }) {
    for (const { name, path } of roles) {
      if (ROLES.includes(name)) {
        continue;
      }
      yield {
        path,
        message: `the mpi-operator creates no pods for the role "${name}"`,
        found: name,
        expected: oneOf(ROLES),
        fix: `Rename the key "${name}" in mpiReplicaSpecs to ${oneOf(ROLES)}, or remove it.`,
      };
    }
  },
);

const roleHasContainer = mpiRule(
  {
    id: 'kubeflow/mpi-operator-role-has-container',
    row: 'KM3',
    severity: 'error',
    summary: 'Launcher and Worker must have a template with at least one container.',
    why: 'The schema does not require a container; the controller rejects a role without one.',
    fix: 'Set template.spec.containers of the role to a list with at least one container.',
  },
  function* ({ roles }) {
    for (const { name, value, path } of roles) {
      // An empty list is said by the rules on pod templates.
      if (!ROLES.includes(name) || isObject(asObject(value.template).spec)) {
        continue;
      }
      yield {
        path,
        message: `the role "${name}" has no pod template`,
        expected: 'a template with a container',
        fix: `Set mpiReplicaSpecs.${name}.template.spec.containers to a list with at least one container.`,
      };
    }
  },
);

const restartPolicy = mpiRule(
  {
    id: 'kubeflow/mpi-operator-restart-policy',
    row: 'KM4',
    severity: 'error',
    summary: 'The restartPolicy of a role of the mpi-operator must be Never or OnFailure.',
    why: 'The controller rejects Always and ExitCode, which the training-operator supports.',
    fix: 'Set restartPolicy to Never or OnFailure, or remove it.',
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
        message: `unsupported restartPolicy "${policy}"`,
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
    summary: 'The run policy of an MPIJob of the mpi-operator must have supported values and no negative numbers.',
    why: 'The schema accepts any string and any number; the controller rejects the job.',
    fix: `Set cleanPodPolicy to ${oneOf(CLEAN_POD_POLICIES)}, managedBy to ${oneOf(MPI_JOB_MANAGERS)}, and numbers to at least 0.`,
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
        message: `unsupported ${field} "${value}"`,
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
        message: `${field} must be greater than or equal to 0, but is ${value}`,
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
    summary:
      'slotsPerWorker must not be negative, and launcherCreationPolicy must be AtStartup or WaitForWorkersReady.',
    why: 'A negative number of slots is rejected; any other creation policy silently means AtStartup.',
    fix: 'Set slotsPerWorker to at least 0, and launcherCreationPolicy to AtStartup or WaitForWorkersReady.',
  },
  function* ({ spec }) {
    const slots = asInteger(spec.slotsPerWorker);
    if (slots !== undefined && slots < 0) {
      yield {
        path: '/spec/slotsPerWorker',
        message: `slotsPerWorker must be greater than or equal to 0, but is ${slots}`,
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
        message: `unsupported launcherCreationPolicy "${creation}"`,
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
    summary: 'The name of the last worker, <job>-worker-<n-1>, must be a DNS-1035 label of no more than 63 characters.',
    why: 'It becomes a host name; the controller rejects the job.',
    fix: 'Set metadata.name to a shorter name of lowercase letters, digits, and hyphens that starts with a letter.',
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
      message: `the name of the last worker, "${longest}", must ${complaint}`,
      found: name,
      expected: 'a DNS-1035 label',
      ...(longest.length > 63 && {
        fix: shortenBy('metadata.name', longest, 63),
      }),
    };
  },
);

const slotsAreDevices = mpiRule(
  {
    id: 'kubeflow/mpi-slots-are-devices',
    row: 'KM6',
    tier: 'advice',
    severity: 'warning',
    summary: 'slotsPerWorker must equal the number of accelerators of a worker.',
    why: 'mpirun starts one process on a worker for each slot: with the default of 1 the other devices stay idle; with too many, two processes share a device.',
    source: `${MPI_OPERATOR}, pkg/controller/mpi_job_controller.go (host file)`,
    fix: 'Set spec.slotsPerWorker to the number of devices of a worker.',
  },
  function* ({ manifest, spec, roles }) {
    const worker = roles.find(({ name }) => name === 'Worker');
    const container = asObject(asArray(asObject(asObject(worker?.value.template).spec).containers)[0]);
    const devices = devicesOf(container);
    const slots = spec.slotsPerWorker === undefined ? 1 : asInteger(spec.slotsPerWorker);
    if (devices === undefined || slots === undefined || slots === devices || usesDevicesByThread(manifest.object)) {
      return;
    }
    yield {
      path: spec.slotsPerWorker === undefined ? '/spec' : '/spec/slotsPerWorker',
      message: `each worker has ${counted(devices, 'device')}, but slotsPerWorker is ${slots}`,
      found: spec.slotsPerWorker,
      expected: `slotsPerWorker: ${devices}`,
      fix: `Set spec.slotsPerWorker to ${devices}.`,
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

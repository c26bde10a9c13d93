/**
 * Jobs of the training-operator and the mpi-operator.
 */
import { FRAMEWORKS, type FrameworkKind } from '../../../../constructs/kubeflow/frameworks';
import { amounts } from '../container-resources';
import { wordOf, duration, type Expression, type Fields, isFields } from '../expression';
import { changesOf, podProps, type Pods } from '../pods';
import { at, fieldsOf, flag, type Inverse, listOf, oneOf, present, priorityOf, whole, workload } from '../proposal';

interface Role {
  readonly replicas: number;
  readonly pods: Pods;
  readonly restartPolicy: Expression;
}

interface Roles {
  readonly byName: ReadonlyMap<string, Role>;
  /** Props that all roles share. */
  readonly shared: Fields;
}

/** @returns undefined where a role is not one of the framework, or has no pods */
function rolesOf(object: Fields, kind: FrameworkKind, known: readonly string[]): Roles | undefined {
  const framework = FRAMEWORKS[kind];
  const byName = new Map<string, Role>();
  for (const [name, role] of Object.entries(fieldsOf(at(object.spec, framework.replicaSpecs)))) {
    const pods = podProps(at(role, 'template'), { container: framework.container });
    if (pods === undefined || !known.includes(name)) {
      return undefined;
    }
    const defaultReplicas = framework.roles.find((facts) => facts.name === name)?.defaultReplicas ?? 1;
    byName.set(name, {
      replicas: whole(at(role, 'replicas')) ?? defaultReplicas,
      pods,
      restartPolicy: at(role, 'restartPolicy') ?? framework.restartPolicy,
    });
  }
  const roles = [...byName.values()];
  const [restartPolicy] = roles.map((role) => role.restartPolicy);
  const same = roles.every((role) => role.restartPolicy === restartPolicy);
  const policy = at(object.spec, 'runPolicy', 'schedulingPolicy', 'priorityClass');
  return {
    byName,
    shared: {
      restartPolicy: same && restartPolicy !== framework.restartPolicy ? restartPolicy : undefined,
      ...runPolicy(object),
      ...priorityOf(
        roles.map(({ pods }) => pods),
        ...(policy === undefined ? [] : [policy]),
      ),
    },
  };
}

function runPolicy(object: Fields): Fields {
  const policy = at(object.spec, 'runPolicy');
  const scheduling = at(policy, 'schedulingPolicy');
  return {
    cleanPodPolicy: oneOf(at(policy, 'cleanPodPolicy'), 'None', 'Running', 'All'),
    ttlAfterFinished: duration(at(policy, 'ttlSecondsAfterFinished')),
    activeDeadline: duration(at(policy, 'activeDeadlineSeconds')),
    backoffLimit: whole(at(policy, 'backoffLimit')),
    suspend: flag(at(policy, 'suspend')),
    managedBy: at(policy, 'managedBy'),
    minAvailable: whole(at(scheduling, 'minAvailable')),
    minResources: amounts(at(scheduling, 'minResources')),
    scheduleTimeout: duration(at(scheduling, 'scheduleTimeoutSeconds')),
  };
}

/** A number of processes as the construct derives it is not stated. */
function processes(stated: Expression, count: number | undefined): Expression {
  const value = typeof stated === 'string' && /^[1-9]\d*$/.test(stated) ? Number(stated) : (stated ?? 'auto');
  return value === (count ?? 'auto') ? undefined : value;
}

const pytorch: Inverse = (object) => {
  const roles = rolesOf(object, 'PyTorchJob', ['Master', 'Worker']);
  const master = roles?.byName.get('Master');
  const worker = roles?.byName.get('Worker');
  const main = worker ?? master;
  const policy = at(object.spec, 'elasticPolicy');
  if (roles === undefined || main === undefined || (isFields(policy) ? master !== undefined : master === undefined)) {
    return undefined;
  }
  const elastic = isFields(policy) ? elasticOf(policy) : undefined;
  return workload('kubeflow.PyTorchJob', {
    nodes: isFields(policy) ? main.replicas : 1 + (worker?.replicas ?? 0),
    ...main.pods.props,
    master: master === undefined || worker === undefined ? undefined : changesOf(worker.pods.props, master.pods.props),
    processesPerNode: processes(at(object.spec, 'nprocPerNode'), main.pods.acceleratorCount),
    elastic,
    ...roles.shared,
  });
};

function elasticOf(policy: Fields): Fields {
  const conf = listOf(policy.rdzvConf).map((one): [string, Expression] => [wordOf(at(one, 'key')), at(one, 'value')]);
  return {
    min: whole(policy.minReplicas),
    max: whole(policy.maxReplicas),
    maxRestarts: whole(policy.maxRestarts),
    rdzvBackend: oneOf(policy.rdzvBackend, 'etcd', 'etcd-v2'),
    rdzvHost: policy.rdzvHost,
    rdzvPort: whole(policy.rdzvPort),
    rdzvId: policy.rdzvId,
    rdzvConf: present(Object.fromEntries(conf)),
    metrics: policy.metrics,
  };
}

const tensorflow: Inverse = (object) => {
  const roles = rolesOf(object, 'TFJob', ['Chief', 'PS', 'Worker', 'Evaluator']);
  const worker = roles?.byName.get('Worker');
  if (roles === undefined || worker === undefined) {
    return undefined;
  }
  const changes = (name: string): Fields | undefined => {
    const role = roles.byName.get(name);
    return role === undefined ? undefined : (changesOf(worker.pods.props, role.pods.props) ?? {});
  };
  const servers = roles.byName.get('PS');
  return workload('kubeflow.TFJob', {
    workers: worker.replicas,
    ...worker.pods.props,
    parameterServers: servers === undefined ? undefined : withReplicas(servers, changes('PS')),
    chief: changes('Chief'),
    evaluator: changes('Evaluator'),
    succeedsWith: at(object.spec, 'successPolicy') === 'AllWorkers' ? 'all-workers' : undefined,
    dynamicWorkers: flag(at(object.spec, 'enableDynamicWorker')),
    ...roles.shared,
  });
};

function withReplicas({ replicas }: Role, changes: Fields | undefined): Fields {
  return { replicas: replicas === 1 ? undefined : replicas, ...changes };
}

const jax: Inverse = (object) => {
  const roles = rolesOf(object, 'JAXJob', ['Worker']);
  const worker = roles?.byName.get('Worker');
  return (
    roles && worker && workload('kubeflow.JAXJob', { nodes: worker.replicas, ...worker.pods.props, ...roles.shared })
  );
};

const paddle: Inverse = (object) => {
  const roles = rolesOf(object, 'PaddleJob', ['Master', 'Worker']);
  const worker = roles?.byName.get('Worker');
  const servers = roles?.byName.get('Master');
  const policy = at(object.spec, 'elasticPolicy');
  if (roles === undefined || worker === undefined) {
    return undefined;
  }
  return workload('kubeflow.PaddleJob', {
    nodes: worker.replicas,
    ...worker.pods.props,
    servers:
      servers === undefined ? undefined : withReplicas(servers, changesOf(worker.pods.props, servers.pods.props)),
    elastic: isFields(policy)
      ? {
          min: whole(policy.minReplicas),
          max: whole(policy.maxReplicas),
          maxRestarts: whole(policy.maxRestarts),
          metrics: policy.metrics,
        }
      : undefined,
    ...roles.shared,
  });
};

const xgboost: Inverse = (object) => {
  const roles = rolesOf(object, 'XGBoostJob', ['Master', 'Worker']);
  const master = roles?.byName.get('Master');
  const worker = roles?.byName.get('Worker');
  const main = worker ?? master;
  if (roles === undefined || master === undefined || main === undefined) {
    return undefined;
  }
  return workload('kubeflow.XGBoostJob', {
    nodes: 1 + (worker?.replicas ?? 0),
    ...main.pods.props,
    master: worker === undefined ? undefined : changesOf(worker.pods.props, master.pods.props),
    ...roles.shared,
  });
};

const mpi =
  (className: 'kubeflow.MPIJob' | 'kubeflow.MPIJobV1'): Inverse =>
  (object) => {
    const roles = rolesOf(object, 'MPIJob', ['Launcher', 'Worker']);
    const launcher = roles?.byName.get('Launcher');
    const worker = roles?.byName.get('Worker');
    const { spec } = object;
    if (roles === undefined || launcher === undefined || worker === undefined) {
      return undefined;
    }
    const slots = whole(at(spec, 'slotsPerWorker')) ?? 1;
    const own = className === 'kubeflow.MPIJob';
    const computes = own && at(spec, 'runLauncherAsWorker') === true;
    const { command, args, ...common } = worker.pods.props;
    const { command: launches, args: withArgs, ...ofLauncher } = launcher.pods.props;
    return workload(className, {
      workers: worker.replicas,
      slotsPerWorker: slots === (worker.pods.acceleratorCount ?? 1) ? undefined : slots,
      ...common,
      command: launches,
      args: withArgs,
      launcher: launcherOf(common, ofLauncher, computes),
      worker: present({ command, args }),
      ...(own
        ? {
            implementation: oneOf(at(spec, 'mpiImplementation'), 'OpenMPI', 'Intel', 'MPICH'),
            sshAuthMountPath: at(spec, 'sshAuthMountPath'),
            launcherComputes: flag(at(spec, 'runLauncherAsWorker')),
            launcherCreation: oneOf(at(spec, 'launcherCreationPolicy'), 'AtStartup', 'WaitForWorkersReady'),
          }
        : {}),
      ...roles.shared,
    });
  };

/** What the construct gives a launcher that does not compute. */
const IDLE: Fields = {
  accelerators: undefined,
  rdma: undefined,
  sharedMemory: undefined,
  resources: { cpu: 1, memory: '2Gi' },
};

function launcherOf(common: Fields, launcher: Fields, computes: boolean): Fields | undefined {
  const before = computes ? common : (present({ ...common, ...IDLE }) ?? {});
  return changesOf(before, launcher);
}

export const KUBEFLOW: Readonly<Record<string, Inverse>> = {
  'kubeflow.org/v1/PyTorchJob': pytorch,
  'kubeflow.org/v1/TFJob': tensorflow,
  'kubeflow.org/v1/JAXJob': jax,
  'kubeflow.org/v1/PaddleJob': paddle,
  'kubeflow.org/v1/XGBoostJob': xgboost,
  'kubeflow.org/v1/MPIJob': mpi('kubeflow.MPIJobV1'),
  'kubeflow.org/v2beta1/MPIJob': mpi('kubeflow.MPIJob'),
};

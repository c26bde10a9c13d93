/**
 * The six job kinds of the Kubeflow training-operator v1, as data: roles, container, port and defaults of each.
 *
 * The CRDs contain none of this (role names, `restartPolicy`, and the container name are free strings there). The source is the
 * operator's Go code: `pkg/apis/kubeflow.org/v1/*_types.go`, `*_defaults.go` and `pkg/webhooks/`, v1.9.4.
 */
import { cite } from '../../facts/upstream';

/** API version of the training-operator's kinds. MPIJob also exists as `kubeflow.org/v2beta1`, of another project. */
export const TRAINING_OPERATOR_API_VERSION = 'kubeflow.org/v1';

/** What the rules cite. */
export const TRAINING_OPERATOR = cite('training-operator-v1');

export const REPLICA_RESTART_POLICIES = ['Always', 'OnFailure', 'Never', 'ExitCode'] as const;
/** When the operator restarts a pod. */
export type ReplicaRestartPolicy = (typeof REPLICA_RESTART_POLICIES)[number];

export const CLEAN_POD_POLICIES = ['None', 'Running', 'All'] as const;
/** Which pods are deleted when the job ends. */
export type CleanPodPolicy = (typeof CLEAN_POD_POLICIES)[number];

export const JOB_MANAGERS = ['kubeflow.org/training-operator', 'kueue.x-k8s.io/multikueue'] as const;
/** The controller that runs a job. */
export type JobManager = (typeof JOB_MANAGERS)[number];

export const RENDEZVOUS_BACKENDS = ['c10d', 'etcd', 'etcd-v2'] as const;
/** How the workers of an elastic job find each other. */
export type RendezvousBackend = (typeof RENDEZVOUS_BACKENDS)[number];

export type FrameworkKind = 'PyTorchJob' | 'TFJob' | 'MPIJob' | 'XGBoostJob' | 'PaddleJob' | 'JAXJob';

export interface RoleFacts {
  readonly name: string;
  /** `replicas` that the operator fills in after the webhook has run. */
  readonly defaultReplicas: number;
  /**
   * Who refuses another number of replicas than 1: the webhook (which also refuses a missing one, since defaults come after it),
   * or the controller (which takes a missing one as 1). Absent where any number is taken.
   */
  readonly exactlyOne?: 'webhook' | 'controller';
  /** Fewest replicas that the webhook takes, where it looks. */
  readonly minReplicas?: number;
  /** The job is refused without this role. */
  readonly required?: boolean;
}

export interface Framework {
  readonly kind: FrameworkKind;
  /** Name of the map of roles in `spec`. */
  readonly replicaSpecs: string;
  readonly roles: readonly RoleFacts[];
  /** Name of the container that the operator looks for. */
  readonly container: string;
  /** The port that the operator adds to that container when it has none of this name. */
  readonly port: number;
  readonly portName: string;
  /** `restartPolicy` of a role that states none. */
  readonly restartPolicy: ReplicaRestartPolicy;
  /** What looks at the job: MPIJob has no webhook, its controller reports the same faults at reconcile. */
  readonly judge: 'webhook' | 'controller';
  /** Whether an unknown role, a wrong manager or a missing container of the framework's name is refused. */
  readonly refusesUnknownRoles: boolean;
  readonly refusesUnknownManager: boolean;
  readonly requiresContainerName: boolean;
  /** Pods and Services are named `<job>-<role>-<index>`; MPIJob makes no Services. */
  readonly makesServices: boolean;
  /** Roles whose pods do the same work and so should look alike; others differ by design (parameter servers, launchers). */
  readonly alikeRoles: readonly string[];
  /** Path of the code that judges the job. */
  readonly source: string;
}

const PYTORCH: Framework = {
  kind: 'PyTorchJob',
  replicaSpecs: 'pytorchReplicaSpecs',
  roles: [
    { name: 'Master', defaultReplicas: 1, exactlyOne: 'webhook' },
    { name: 'Worker', defaultReplicas: 1, minReplicas: 1 },
  ],
  container: 'pytorch',
  port: 23456,
  portName: 'pytorchjob-port',
  restartPolicy: 'OnFailure',
  judge: 'webhook',
  refusesUnknownRoles: true,
  refusesUnknownManager: true,
  requiresContainerName: true,
  makesServices: true,
  alikeRoles: ['Master', 'Worker'],
  source: 'pkg/webhooks/pytorch/pytorchjob_webhook.go',
};

const TENSORFLOW: Framework = {
  kind: 'TFJob',
  replicaSpecs: 'tfReplicaSpecs',
  roles: [
    { name: 'Chief', defaultReplicas: 1 },
    { name: 'Master', defaultReplicas: 1 },
    { name: 'PS', defaultReplicas: 1 },
    { name: 'Worker', defaultReplicas: 1 },
    { name: 'Evaluator', defaultReplicas: 1 },
  ],
  container: 'tensorflow',
  port: 2222,
  portName: 'tfjob-port',
  restartPolicy: 'Never',
  judge: 'webhook',
  refusesUnknownRoles: false,
  refusesUnknownManager: true,
  requiresContainerName: true,
  makesServices: true,
  alikeRoles: [],
  source: 'pkg/webhooks/tensorflow/tfjob_webhook.go',
};

const MPI: Framework = {
  kind: 'MPIJob',
  replicaSpecs: 'mpiReplicaSpecs',
  roles: [
    { name: 'Launcher', defaultReplicas: 1, exactlyOne: 'controller', required: true },
    { name: 'Worker', defaultReplicas: 0 },
  ],
  container: 'mpi',
  port: 9999,
  portName: 'mpi-port',
  restartPolicy: 'Never',
  judge: 'controller',
  refusesUnknownRoles: true,
  refusesUnknownManager: false,
  requiresContainerName: false,
  makesServices: false,
  alikeRoles: [],
  source: 'pkg/apis/kubeflow.org/v1/mpi_validation.go',
};

const XGBOOST: Framework = {
  kind: 'XGBoostJob',
  replicaSpecs: 'xgbReplicaSpecs',
  roles: [
    { name: 'Master', defaultReplicas: 1, exactlyOne: 'webhook', required: true },
    { name: 'Worker', defaultReplicas: 1 },
  ],
  container: 'xgboost',
  port: 9999,
  portName: 'xgboostjob-port',
  restartPolicy: 'Never',
  judge: 'webhook',
  refusesUnknownRoles: true,
  refusesUnknownManager: true,
  requiresContainerName: true,
  makesServices: true,
  alikeRoles: ['Master', 'Worker'],
  source: 'pkg/webhooks/xgboost/xgboostjob_webhook.go',
};

const PADDLE: Framework = {
  kind: 'PaddleJob',
  replicaSpecs: 'paddleReplicaSpecs',
  roles: [
    { name: 'Master', defaultReplicas: 1 },
    { name: 'Worker', defaultReplicas: 1 },
  ],
  container: 'paddle',
  port: 36543,
  portName: 'master',
  restartPolicy: 'OnFailure',
  judge: 'webhook',
  refusesUnknownRoles: true,
  refusesUnknownManager: true,
  requiresContainerName: true,
  makesServices: true,
  alikeRoles: [],
  source: 'pkg/webhooks/paddlepaddle/paddlepaddle_webhook.go',
};

const JAX: Framework = {
  kind: 'JAXJob',
  replicaSpecs: 'jaxReplicaSpecs',
  roles: [{ name: 'Worker', defaultReplicas: 1 }],
  container: 'jax',
  port: 6666,
  portName: 'jaxjob-port',
  restartPolicy: 'Never',
  judge: 'webhook',
  refusesUnknownRoles: true,
  // Its webhook never looks at the run policy.
  refusesUnknownManager: false,
  requiresContainerName: true,
  makesServices: true,
  alikeRoles: ['Worker'],
  source: 'pkg/webhooks/jax/jaxjob_webhook.go',
};

export const FRAMEWORKS: Readonly<Record<FrameworkKind, Framework>> = {
  PyTorchJob: PYTORCH,
  TFJob: TENSORFLOW,
  MPIJob: MPI,
  XGBoostJob: XGBOOST,
  PaddleJob: PADDLE,
  JAXJob: JAX,
};

/** The kinds as rules name them, `kubeflow.org/PyTorchJob` and so on. */
export const TRAINING_JOB_KINDS: readonly string[] = Object.keys(FRAMEWORKS).map((kind) => `kubeflow.org/${kind}`);

export function frameworkOf(kind: string): Framework | undefined {
  return Object.values(FRAMEWORKS).find((framework) => framework.kind === kind);
}

/** Name of the pod (and Service) of one replica. Source: `pkg/core/utils.go` GenGeneralName. */
export function replicaName(job: string, role: string, index: number): string {
  return `${job}-${role.toLowerCase()}-${index}`;
}

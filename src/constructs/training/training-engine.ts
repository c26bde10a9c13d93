/**
 * What a distributed training is rendered as: a closed choice. An engine says which frameworks it can start, and refuses by name what its
 * kind has no field for.
 */
import { known } from '../../manifests/values/deferred';
import { type TrainJob as TrainJobKind } from '../../facts/api/types/trainer.kubeflow.org/v1alpha1';
import { optionalSecondsOf } from '../resources/durations';
import { type Overridable } from '../resources/object-props';
import { type ApiObject } from 'cdk8s';
import { type Construct } from 'constructs';
import { JobSet, type JobSetProps, LeaderWorkerSet, type LeaderWorkerSetProps } from '../batch';
import {
  JAXJob,
  type JAXJobProps,
  MPIJob,
  type MPIJobProps,
  MPIJobV1,
  type MPIJobV1Props,
  PaddleJob,
  type PaddleJobProps,
  PyTorchJob,
  type PyTorchJobProps,
  TFJob,
  type TFJobProps,
  XGBoostJob,
  type XGBoostJobProps,
} from '../kubeflow';
import { type PodProps, PodTemplate, type Scheduling } from '../pods';
import { type RayHeadProps, RayJob, type RayJobProps } from '../ray';
import { type BuiltInRuntimeName, ClusterTrainingRuntime, type RuntimeReference, TrainJob } from '../trainer';
import { Job as VolcanoJob, JobPlugin, type JobProps as VolcanoJobProps, Policy } from '../volcano';
import { podField, processesOf, rendezvousEnv } from './rendezvous';
import { type TrainingFramework, type TrainingStatement } from './statement';
import { TRAINING_LABEL } from './topology';
import { allOf } from '../../facts/words';
import { publicClass } from '../resources/public-class';

const SEPARATE = 'Give a list of words; each may be an Output';

/** What came out, whatever its kind. */
export interface TrainingWorkload {
  /** The workload object. */
  readonly resource: ApiObject;
  /** Sets the scheduling of the workload. @throws if it is scheduled already, or its kind cannot be scheduled so */
  scheduleBy(scheduling: Scheduling<never>): unknown;
}

/** The statement with the name that it will have and the pods as they will be. */
export interface NamedStatement extends Omit<TrainingStatement, 'scheduling'> {
  readonly name: string;
  /** Of any engine; the workload refuses one that cannot schedule its kind. @default - the cluster's own scheduler */
  readonly scheduling?: Scheduling<never>;
}

/** Members of a statement that not every kind has a field for. */
type Optional = 'elastic' | 'retries' | 'activeDeadline' | 'ttlAfterFinished' | 'suspend' | 'port';

interface EngineFacts {
  readonly name: string;
  readonly frameworks: readonly TrainingFramework[];
  readonly supports: readonly Optional[];
  readonly make: (scope: Construct, id: string, statement: NamedStatement) => TrainingWorkload;
}

/** Options of an engine: the escape hatch of the kind that the training becomes. */
export type EngineOptions<P extends { readonly overrides?: unknown }> = Pick<P, 'overrides'>;

/** Options of `TrainingEngine.rayJob`. */
export interface RayJobEngineOptions extends EngineOptions<RayJobProps> {
  /** Version of Ray in the image. */
  readonly rayVersion: string;
  /** What is different in the head. @default - no accelerators and shared memory, 2 CPUs and 8 GiB */
  readonly head?: Partial<RayHeadProps>;
}

const RUN_POLICY = ['retries', 'activeDeadline', 'ttlAfterFinished', 'suspend'] as const;

/**
 * What a distributed training is rendered as.
 *
 * @example
 * new DistributedTraining(chart, 'llama', {
 *   framework: 'pytorch',
 *   as: TrainingEngine.trainJob(),
 *   nodes: 8,
 *   image,
 *   accelerators: Accelerator.nvidia({ count: 8 }),
 * });
 */
@publicClass('TrainingEngine')
export class TrainingEngine {
  /** PyTorchJob of the training-operator. */
  static pyTorchJob(options: EngineOptions<PyTorchJobProps> = {}): TrainingEngine {
    return new TrainingEngine({
      name: 'PyTorchJob',
      frameworks: ['pytorch'],
      supports: [...RUN_POLICY, 'elastic', 'port'],
      make: (scope, id, statement) => new PyTorchJob(scope, id, { ...withRetries(statement), ...options }),
    });
  }

  /** TFJob of the training-operator: workers only. */
  static tfJob(options: EngineOptions<TFJobProps> = {}): TrainingEngine {
    return new TrainingEngine({
      name: 'TFJob',
      frameworks: ['tensorflow'],
      supports: [...RUN_POLICY, 'port'],
      make: (scope, id, statement) =>
        new TFJob(scope, id, {
          ...withRetries(statement),
          workers: statement.nodes,
          succeedsWith: 'all-workers',
          ...options,
        }),
    });
  }

  /** MPIJob: of the mpi-operator, or of the training-operator. */
  static mpiJob(
    operator: 'mpi-operator' | 'training-operator' = 'mpi-operator',
    options: EngineOptions<MPIJobProps> | EngineOptions<MPIJobV1Props> = {},
  ): TrainingEngine {
    return new TrainingEngine({
      name: operator === 'mpi-operator' ? 'MPIJob' : 'MPIJob of the training-operator',
      frameworks: ['mpi'],
      supports: RUN_POLICY,
      make: (scope, id, statement) => {
        const props = { ...withRetries(statement), workers: statement.nodes, slotsPerWorker: processesOf(statement) };
        return operator === 'mpi-operator'
          ? new MPIJob(scope, id, { ...props, ...(options as EngineOptions<MPIJobProps>) })
          : new MPIJobV1(scope, id, { ...props, ...(options as EngineOptions<MPIJobV1Props>) });
      },
    });
  }

  /** PaddleJob of the training-operator. */
  static paddleJob(options: EngineOptions<PaddleJobProps> = {}): TrainingEngine {
    return new TrainingEngine({
      name: 'PaddleJob',
      frameworks: ['paddle'],
      supports: [...RUN_POLICY, 'elastic', 'port'],
      make: (scope, id, statement) => new PaddleJob(scope, id, { ...withRetries(statement), ...options }),
    });
  }

  /** XGBoostJob of the training-operator. */
  static xgboostJob(options: EngineOptions<XGBoostJobProps> = {}): TrainingEngine {
    return new TrainingEngine({
      name: 'XGBoostJob',
      frameworks: ['xgboost'],
      supports: [...RUN_POLICY, 'port'],
      make: (scope, id, statement) => new XGBoostJob(scope, id, { ...withRetries(statement), ...options }),
    });
  }

  /** JAXJob of the training-operator. */
  static jaxJob(options: EngineOptions<JAXJobProps> = {}): TrainingEngine {
    return new TrainingEngine({
      name: 'JAXJob',
      frameworks: ['jax'],
      supports: [...RUN_POLICY, 'port'],
      make: (scope, id, statement) => new JAXJob(scope, id, { ...withRetries(statement), ...options }),
    });
  }

  /**
   * TrainJob of Kubeflow Trainer.
   *
   * @param runtime what the pods are made of; for PyTorch, JAX, XGBoost and MPI default to the runtime that Trainer is installed with
   * @param options further options
   */
  static trainJob(runtime?: RuntimeReference, options: Overridable<TrainJobKind> = {}): TrainingEngine {
    return new TrainingEngine({
      name: 'TrainJob',
      frameworks: ['pytorch', 'jax', 'xgboost', 'mpi'],
      supports: ['activeDeadline', 'suspend'],
      make: (scope, id, statement) =>
        new TrainJob(scope, id, { ...statement, runtime: runtime ?? runtimeFor(statement.framework), ...options }),
    });
  }

  /** Job of Volcano: one task of all nodes. */
  static volcanoJob(options: EngineOptions<VolcanoJobProps> = {}): TrainingEngine {
    return new TrainingEngine({
      name: 'Volcano Job',
      frameworks: ['pytorch', 'jax', 'other'],
      supports: ['elastic', 'retries', 'ttlAfterFinished', 'port'],
      make: (scope, id, statement) => volcanoJob(scope, id, statement, options),
    });
  }

  /** JobSet: one Indexed Job of all nodes. */
  static jobSet(options: EngineOptions<JobSetProps> = {}): TrainingEngine {
    return new TrainingEngine({
      name: 'JobSet',
      frameworks: ['pytorch', 'jax', 'other'],
      supports: [...RUN_POLICY, 'port'],
      make: (scope, id, statement) => jobSet(scope, id, statement, options),
    });
  }

  /**
   * LeaderWorkerSet: one group of all nodes. Its pods are started again when they have ended, so the program must stay, or be scaled down.
   */
  static leaderWorkerSet(options: EngineOptions<LeaderWorkerSetProps> = {}): TrainingEngine {
    return new TrainingEngine({
      name: 'LeaderWorkerSet',
      frameworks: ['pytorch', 'jax', 'other'],
      supports: ['port'],
      make: (scope, id, statement) => leaderWorkerSet(scope, id, statement, options),
    });
  }

  /** RayJob: a Ray cluster of all nodes beside a head, and the command as its entry point. */
  static rayJob(options: RayJobEngineOptions): TrainingEngine {
    return new TrainingEngine({
      name: 'RayJob',
      frameworks: ['ray'],
      supports: [...RUN_POLICY, 'elastic'],
      make: (scope, id, statement) => rayJob(scope, id, statement, options),
    });
  }

  /** What a framework is started by where nothing else is said. @throws for `ray` and `other`, which have no kind of their own */
  static forFramework(framework: TrainingFramework): TrainingEngine {
    switch (framework) {
      case 'pytorch':
        return TrainingEngine.pyTorchJob();
      case 'tensorflow':
        return TrainingEngine.tfJob();
      case 'mpi':
        return TrainingEngine.mpiJob();
      case 'paddle':
        return TrainingEngine.paddleJob();
      case 'xgboost':
        return TrainingEngine.xgboostJob();
      case 'jax':
        return TrainingEngine.jaxJob();
      case 'ray':
        throw new Error(
          'framework ray: the version of Ray is required. Set as: TrainingEngine.rayJob({ rayVersion }).',
        );
      case 'other':
        throw new Error(
          'framework other has no default kind. Set as to TrainingEngine.jobSet(), volcanoJob(), or leaderWorkerSet().',
        );
    }
  }

  private constructor(private readonly facts: EngineFacts) {}

  /** Name of the engine. */
  get name(): string {
    return this.facts.name;
  }

  /**
   * Renders the training. `DistributedTraining` calls it.
   * @throws if the engine cannot start the framework, or has no field for something that is stated
   */
  make(scope: Construct, id: string, statement: NamedStatement): TrainingWorkload {
    const { name, frameworks, supports, make } = this.facts;
    if (!frameworks.includes(statement.framework)) {
      throw new Error(`${name} cannot start framework ${statement.framework}, only ${frameworks.join(', ')}.`);
    }
    const optional: readonly Optional[] = [...RUN_POLICY, 'elastic', 'port'];
    const refused = optional.filter((field) => statement[field] !== undefined && !supports.includes(field));
    if (refused.length > 0) {
      throw new Error(
        `${name} does not support ${allOf(refused)}. Remove ${refused.length === 1 ? 'it' : 'them'}, or choose another engine.`,
      );
    }
    return make(scope, id, statement);
  }
}

function withRetries(statement: NamedStatement): NamedStatement & { readonly backoffLimit?: number } {
  return { ...statement, backoffLimit: statement.retries };
}

const RUNTIMES: Partial<Record<TrainingFramework, BuiltInRuntimeName>> = {
  pytorch: 'torch-distributed',
  jax: 'jax-distributed',
  xgboost: 'xgboost-distributed',
  mpi: 'deepspeed-distributed',
};

function runtimeFor(framework: TrainingFramework): RuntimeReference {
  return ClusterTrainingRuntime.builtIn(RUNTIMES[framework] ?? 'torch-distributed');
}

/** The pods of a statement, knowing each other. What the user states under the same name wins. */
function meeting(statement: NamedStatement, address: string, rank: string): PodProps {
  return { ...statement, env: { ...rendezvousEnv(statement, { address, rank: podField(rank) }), ...statement.env } };
}

function volcanoJob(
  scope: Construct,
  id: string,
  statement: NamedStatement,
  options: EngineOptions<VolcanoJobProps>,
): TrainingWorkload {
  const { name, nodes, elastic, retries, scheduling, topology } = statement;
  const pods = new PodTemplate(
    meeting(statement, `${name}-node-0.${name}`, "metadata.labels['volcano.sh/task-index']"),
  );
  return new VolcanoJob(scope, id, {
    name,
    namespace: statement.namespace,
    labels: statement.labels,
    annotations: statement.annotations,
    scheduling,
    priorityClass: statement.priorityClass,
    ttlAfterFinished: statement.ttlAfterFinished,
    maxRetry: retries,
    // Names by which the nodes meet, before they are ready.
    plugins: [JobPlugin.svc({ publishNotReadyAddresses: true })],
    // One node that goes takes a static training with it; an elastic one goes on without.
    policies: [Policy.onEvents(['PodEvicted', 'PodFailed'], elastic === undefined ? 'RestartJob' : 'RestartPod')],
    networkTopology:
      typeof topology?.level === 'number'
        ? { mode: topology.isRequired ? 'hard' : 'soft', highestTier: topology.level }
        : undefined,
    tasks: [{ name: 'node', replicas: nodes, minAvailable: elastic?.min, template: pods }],
    ...options,
  });
}

function jobSet(
  scope: Construct,
  id: string,
  statement: NamedStatement,
  options: EngineOptions<JobSetProps>,
): TrainingWorkload {
  const { name, nodes } = statement;
  const rank = "metadata.annotations['batch.kubernetes.io/job-completion-index']";
  const deadline = optionalSecondsOf('activeDeadline', statement.activeDeadline);
  return new JobSet(scope, id, {
    name,
    namespace: statement.namespace,
    labels: statement.labels,
    annotations: statement.annotations,
    scheduling: statement.scheduling,
    priorityClass: statement.priorityClass,
    suspend: statement.suspend,
    ttlAfterFinished: statement.ttlAfterFinished,
    maxRestarts: statement.retries,
    jobs: [
      {
        ...meeting(statement, `${name}-node-0-0.${name}`, rank),
        jobName: 'node',
        nodes,
        jobOverrides: deadline === undefined ? undefined : { activeDeadlineSeconds: deadline },
      },
    ],
    ...options,
  });
}

function leaderWorkerSet(
  scope: Construct,
  id: string,
  statement: NamedStatement,
  options: EngineOptions<LeaderWorkerSetProps>,
): TrainingWorkload {
  const pods = meeting(
    statement,
    '$(LWS_LEADER_ADDRESS)',
    "metadata.labels['leaderworkerset.sigs.k8s.io/worker-index']",
  );
  return new LeaderWorkerSet(scope, id, {
    ...pods,
    name: statement.name,
    namespace: statement.namespace,
    labels: statement.labels,
    annotations: statement.annotations,
    scheduling: statement.scheduling,
    priorityClass: statement.priorityClass,
    groupSize: statement.nodes,
    ...options,
  });
}

function rayJob(
  scope: Construct,
  id: string,
  statement: NamedStatement,
  { rayVersion, head, overrides }: RayJobEngineOptions,
): TrainingWorkload {
  const { nodes, elastic, command = [], args = [], ...rest } = statement;
  const { affinity, ...anywhere } = rest;
  const idle: Partial<PodProps> = {
    accelerators: undefined,
    rdma: undefined,
    nccl: undefined,
    sharedMemory: undefined,
    resources: { cpu: 2, memory: '8Gi' },
    podLabels: Object.fromEntries(Object.entries(rest.podLabels ?? {}).filter(([key]) => key !== TRAINING_LABEL)),
  };
  return new RayJob(scope, id, {
    name: statement.name,
    namespace: statement.namespace,
    labels: statement.labels,
    annotations: statement.annotations,
    scheduling: statement.scheduling,
    priorityClass: statement.priorityClass,
    entrypoint: [...known('command', command, SEPARATE), ...known('args', args, SEPARATE)],
    suspend: statement.suspend,
    backoffLimit: statement.retries,
    activeDeadline: statement.activeDeadline,
    ttlAfterFinished: statement.ttlAfterFinished,
    cluster: {
      rayVersion,
      head: { ...anywhere, ...idle, ...head },
      workers: [{ ...rest, affinity, groupName: 'node', replicas: nodes, min: elastic?.min, max: elastic?.max }],
      autoscaler: elastic === undefined ? undefined : {},
    },
    overrides,
  });
}

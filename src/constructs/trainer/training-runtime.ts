/**
 * TrainingRuntime and ClusterTrainingRuntime: the pods on which TrainJobs run, written once by the platform.
 */
import { type Carried, passed } from '../../manifests/values/deferred';
import { optionalSecondsOf } from '../resources/durations';
import { bytesText, type ByteSize } from '../resources/quantities';
import { type Duration, Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { type PersistentVolumeClaim } from '../../facts/api/types/core/v1';
import {
  ClusterTrainingRuntime as ClusterTrainingRuntimeKind,
  TrainingRuntime as TrainingRuntimeKind,
  type TrainingRuntimeSpec,
  type TrainingRuntimeSpecTemplateSpecReplicatedJob,
} from '../../facts/api/types/trainer.kubeflow.org/v1alpha1';
import { PodTemplate, type PodProps, type Scheduling, type SchedulingEngine, VOLCANO_QUEUE_ANNOTATION } from '../pods';
import { merged, type OpenPartial } from '../resources/merge';
import { dependOn } from '../resources/depend-on';
import {
  type ClusterObjectProps,
  clusterMetadata,
  namespacedMetadata,
  type NamespacedObjectProps,
} from '../resources/object-props';
import { type PriorityClassReference, referencesIn } from '../resources/references';
import { Resource } from '../resources/resource';
import { requireMeans } from '../workload/scheduling-means';
import { requireWholeNumber } from '../workload/whole-number';
import { builtInRuntimeReference, nodeJobsOf, type RuntimeReference } from './runtime-reference';
import { RUNTIME_SCHEDULING, type RuntimeEngine } from './scheduling';
import {
  ANCESTOR_LABEL,
  type BuiltInRuntimeName,
  INITIALIZER_VOLUME,
  type MlPolicyName,
} from '../../manifests/trainer/trainer-facts';
import { publicClass } from '../resources/public-class';

/** Options of `MlPolicy.mpi`. */
export interface MpiPolicyOptions {
  /** Number of processes on each node. @default - the controller's: 1 */
  readonly processesPerNode?: number;
  /** Home of the user that the image runs as. @default - the controller's: /root/.ssh */
  readonly sshAuthMountPath?: string;
}

/**
 * How the nodes of a runtime find each other.
 *
 * @example
 * new trainer.TrainingRuntime(chart, 'torch', { policy: trainer.MlPolicy.torch(), image });
 */
@publicClass('trainer.MlPolicy')
export class MlPolicy {
  /** Sets the variables `PET_*` of torchrun. */
  static torch(): MlPolicy {
    return new MlPolicy('torch', {});
  }

  /** `JAX_COORDINATOR_ADDRESS`, `JAX_NUM_PROCESSES` and `JAX_PROCESS_ID`. */
  static jax(): MlPolicy {
    return new MlPolicy('jax', {});
  }

  /** `DMLC_*`. */
  static xgboost(): MlPolicy {
    return new MlPolicy('xgboost', {});
  }

  /** Open MPI over ssh; the launcher is a node too. */
  static mpi(options: MpiPolicyOptions = {}): MlPolicy {
    return new MlPolicy('mpi', {
      mpiImplementation: 'OpenMPI',
      runLauncherAsNode: true,
      numProcPerNode: options.processesPerNode,
      sshAuthMountPath: options.sshAuthMountPath,
    });
  }

  private constructor(
    /** Name of the policy. */
    readonly name: MlPolicyName,
    /** The policy as the runtime has it. */
    readonly settings: object,
  ) {}
}

/** Data that the runtime fetches before a training starts. */
export interface RuntimeInitializers {
  /** Fetches the dataset into `/workspace/dataset`. @default - none */
  readonly dataset?: PodProps;
  /** Fetches the model into `/workspace/model`. @default - none */
  readonly model?: PodProps;
  /** Size of the claim that they share with the nodes, mounted at `/workspace`. */
  readonly storage: ByteSize;
  /** StorageClass of the volume that holds the data. @default - the cluster's default class */
  readonly storageClass?: Carried<string>;
}

/**
 * The nodes of a runtime; a TrainJob can change their image, command, environment, and resources.
 *
 * @beta
 */
export interface RuntimeProps extends PodProps {
  /** Who schedules the pods of TrainJobs that run on it, and through which queue. @default - the cluster's own scheduler */
  readonly scheduling?: Scheduling<RuntimeEngine>;
  /** Priority of the pods. @default - the cluster's default class, if any */
  readonly priorityClass?: PriorityClassReference;
  /** How the nodes of the runtime find each other. @default - Trainer's plain policy, which sets no variables for distributed training */
  readonly policy?: MlPolicy;
  /** Nodes of a TrainJob that states none. @default 1 */
  readonly nodes?: number;
  /** Fetch dataset and model before nodes start. @default - none */
  readonly initializers?: RuntimeInitializers;
  /** Time that a gang may wait, with `Scheduling.schedulerPlugins()`. @default - the controller's: 60 */
  readonly scheduleTimeout?: Duration;
  /** How close the pods must be, with Volcano: the highest tier of hyper nodes that they may spread over. @default - anywhere */
  readonly networkTopology?: {
    /** `hard`: required; `soft`: preferred. @default hard */
    readonly mode?: 'hard' | 'soft';
    /** Widest tier of hyper nodes that the pods may span. */
    readonly highestTier: number;
  };
  /** Whatever of the spec has no property of its own: merged in at the end, never dropped. @default - none */
  readonly overrides?: OpenPartial<TrainingRuntimeSpec>;
}

/**
 * A runtime of Kubeflow Trainer: what TrainJobs share.
 *
 * @beta
 */
@publicClass('trainer.Runtime')
abstract class Runtime extends Construct implements RuntimeReference {
  readonly policy: MlPolicyName | undefined;
  readonly nodeJobs: readonly string[];
  readonly engine: SchedulingEngine;
  readonly scheduling: Scheduling | undefined;
  readonly nodes: number;
  /** Kind of the runtime. */
  abstract readonly kind: 'TrainingRuntime' | 'ClusterTrainingRuntime';
  /** The runtime object. */
  abstract readonly resource: Resource<unknown>;

  protected constructor(scope: Construct, id: string, props: RuntimeProps) {
    super(scope, id);
    requireMeans('TrainingRuntime', RUNTIME_SCHEDULING, props.scheduling);
    specOf(props);
    this.policy = props.policy?.name;
    this.nodeJobs = nodeJobsOf(this.policy);
    this.engine = props.scheduling?.engine ?? 'default';
    this.scheduling = props.scheduling;
    this.nodes = props.nodes ?? 1;
    const { dataset, model } = props.initializers ?? {};
    const pods = [props, dataset, model].flatMap((pod) => (pod === undefined ? [] : new PodTemplate(pod).references));
    dependOn(
      this,
      ...pods,
      ...(props.scheduling?.toScheduling().references ?? []),
      ...referencesIn(props.priorityClass),
    );
  }

  /** Name of the runtime. */
  get name(): string {
    return this.resource.name;
  }
}

/**
 * Props of a TrainingRuntime.
 *
 * @beta
 */
export interface TrainingRuntimeProps extends RuntimeProps, NamespacedObjectProps {}

/**
 * A runtime for the TrainJobs of its namespace (`trainer.kubeflow.org/v1alpha1`).
 *
 * @beta
 *
 * @example
 * const runtime = new trainer.TrainingRuntime(chart, 'torch', { policy: trainer.MlPolicy.torch(), image });
 * new trainer.TrainJob(chart, 'train', { runtime, nodes: 2 });
 */
@publicClass('trainer.TrainingRuntime')
export class TrainingRuntime extends Runtime {
  /** A runtime of the cluster. */
  static fromName(name: string, policy?: MlPolicyName): RuntimeReference {
    return { name: name, kind: 'TrainingRuntime', policy, nodeJobs: nodeJobsOf(policy) };
  }

  /** Always `TrainingRuntime`, the kind that references carry. */
  readonly kind = 'TrainingRuntime';
  /** The TrainingRuntime object. */
  readonly resource: Resource<TrainingRuntimeKind>;

  /** @throws if `nodes` is not a whole number of at least 1 */
  constructor(scope: Construct, id: string, props: TrainingRuntimeProps) {
    super(scope, id, props);
    this.resource = new Resource(this, 'Resource', TrainingRuntimeKind, {
      metadata: namespacedMetadata(id, props),
      spec: Lazy.any({ produce: () => specOf(props) }) as TrainingRuntimeSpec,
    });
    dependOn(this, props.namespace);
  }
}

/**
 * Props of a ClusterTrainingRuntime.
 *
 * @beta
 */
export interface ClusterTrainingRuntimeProps extends RuntimeProps, ClusterObjectProps {}

/**
 * A runtime for the TrainJobs of all namespaces (`trainer.kubeflow.org/v1alpha1`).
 *
 * @beta
 *
 * @example
 * const runtime = new trainer.ClusterTrainingRuntime(chart, 'torch', { policy: trainer.MlPolicy.torch(), image });
 * new trainer.TrainJob(chart, 'train', { runtime, nodes: 2 });
 */
@publicClass('trainer.ClusterTrainingRuntime')
export class ClusterTrainingRuntime extends Runtime {
  /** A runtime that Trainer is installed with. */
  static builtIn(name: BuiltInRuntimeName): RuntimeReference {
    return builtInRuntimeReference(name);
  }

  /** A runtime of the cluster. */
  static fromName(name: string, policy?: MlPolicyName): RuntimeReference {
    return { name: name, kind: 'ClusterTrainingRuntime', policy, nodeJobs: nodeJobsOf(policy) };
  }

  /** Always `ClusterTrainingRuntime`, the kind that references carry. */
  readonly kind = 'ClusterTrainingRuntime';
  /** The ClusterTrainingRuntime object. */
  readonly resource: Resource<ClusterTrainingRuntimeKind>;

  /** @throws if `nodes` is not a whole number of at least 1 */
  constructor(scope: Construct, id: string, props: ClusterTrainingRuntimeProps) {
    super(scope, id, props);
    this.resource = new Resource(this, 'Resource', ClusterTrainingRuntimeKind, {
      metadata: clusterMetadata(id, props),
      spec: Lazy.any({ produce: () => specOf(props) }) as TrainingRuntimeSpec,
    });
  }
}

function specOf(props: RuntimeProps): TrainingRuntimeSpec {
  const { policy, nodes = 1, initializers } = props;
  requireWholeNumber('nodes', nodes);
  const queue = props.scheduling?.engine === 'volcano' ? props.scheduling.toScheduling().queueName : undefined;
  const spec: TrainingRuntimeSpec = {
    mlPolicy: { numNodes: nodes, ...(policy === undefined ? {} : { [policy.name]: policy.settings }) },
    podGroupPolicy: podGroupPolicyOf(props),
    template: {
      ...(queue === undefined ? {} : { metadata: { annotations: { [VOLCANO_QUEUE_ANNOTATION]: queue } } }),
      spec: {
        ...(policy?.name === 'mpi' ? { successPolicy: { operator: 'All', targetReplicatedJobs: ['launcher'] } } : {}),
        ...(initializers === undefined ? {} : { volumeClaimPolicies: [{ templates: [claimOf(initializers)] }] }),
        replicatedJobs: [...initializerJobs(initializers), ...nodeJobs(props)],
      },
    },
  };
  return merged(spec, props.overrides);
}

function podGroupPolicyOf({
  scheduling,
  scheduleTimeout,
  networkTopology,
}: RuntimeProps): TrainingRuntimeSpec['podGroupPolicy'] {
  if (scheduling?.engine === 'scheduler-plugins') {
    return {
      coscheduling: {
        scheduleTimeoutSeconds: optionalSecondsOf(
          'scheduleTimeout',
          scheduleTimeout ?? scheduling.wishes.scheduleTimeout,
        ),
      },
    };
  }
  if (scheduling?.engine !== 'volcano') {
    return undefined;
  }
  const topology =
    networkTopology === undefined
      ? scheduling.toNetworkTopology()
      : { mode: networkTopology.mode ?? 'hard', highestTierAllowed: networkTopology.highestTier };
  return { volcano: { ...(topology === undefined ? {} : { networkTopology: topology }) } };
}

type RuntimeJob = TrainingRuntimeSpecTemplateSpecReplicatedJob;

/** The claim is made by JobSet, which adds its volume to every pod: only the mount is stated. */
function sharing(pod: PodProps): PodProps {
  const shared = { volumeMounts: [{ name: INITIALIZER_VOLUME, mountPath: '/workspace' }] };
  return { ...pod, podOverrides: { ...pod.podOverrides, container: merged(shared, pod.podOverrides?.container) } };
}

function claimOf({ storage, storageClass }: RuntimeInitializers): PersistentVolumeClaim {
  return {
    metadata: { name: INITIALIZER_VOLUME },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: passed(storageClass),
      resources: { requests: { storage: bytesText('initializers.storage', storage) } },
    },
  };
}

function jobOf(name: string, ancestor: string | undefined, pod: PodProps, containerName: string): RuntimeJob {
  return {
    name,
    template: {
      ...(ancestor === undefined ? {} : { metadata: { labels: { [ANCESTOR_LABEL]: ancestor } } }),
      spec: { template: new PodTemplate(pod).toPodTemplate({ containerName }) },
    },
  };
}

function initializerJobs(initializers: RuntimeInitializers | undefined): readonly RuntimeJob[] {
  return stepsOf(initializers).map(({ step, pod }) => {
    const name = `${step}-initializer`;
    return jobOf(name, name, sharing(pod), name);
  });
}

interface Step {
  readonly step: string;
  readonly pod: PodProps;
}

function stepsOf({ dataset, model }: Partial<RuntimeInitializers> = {}): readonly Step[] {
  const steps = [
    { step: 'dataset', pod: dataset },
    { step: 'model', pod: model },
  ];
  return steps.flatMap(({ step, pod }) => (pod === undefined ? [] : [{ step, pod }]));
}

function nodeJobs(props: RuntimeProps): readonly RuntimeJob[] {
  const waits = stepsOf(props.initializers).map(({ step }) => ({
    name: `${step}-initializer`,
    status: 'Complete' as const,
  }));
  const pods: PodProps = waits.length === 0 ? props : sharing(props);
  const dependsOn = waits.length === 0 ? {} : { dependsOn: waits };
  if (props.policy?.name !== 'mpi') {
    return [{ ...jobOf('node', 'trainer', pods, 'node'), ...dependsOn }];
  }
  // The launcher starts once the nodes listen.
  const listening: PodProps = { ...pods, command: ['/usr/sbin/sshd', '-De'], args: undefined };
  return [
    { ...jobOf('node', undefined, listening, 'node'), ...dependsOn },
    { ...jobOf('launcher', 'trainer', pods, 'node'), dependsOn: [{ name: 'node', status: 'Ready' }] },
  ];
}

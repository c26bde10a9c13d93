/**
 * TrainJob: what is trained, on how many nodes, on top of a runtime that says how nodes find each other.
 *
 * Trainer lets a TrainJob change only some fields of its runtime's pods. The others (scheduler, priority, host network, sidecars)
 * belong to the runtime; a TrainJob that sets them is rejected, because Trainer would drop them.
 */
import { type Carried, passed } from '../../manifests/values/deferred';
import type { Duration } from 'cdk8s';
import { optionalSecondsOf } from '../resources/durations';
import { type Construct } from 'constructs';
import { type EnvVar, type PodTemplateSpec } from '../../facts/api/types/core/v1';
import {
  TrainJob as TrainJobKind,
  type TrainJobSpec,
  type TrainJobSpecInitializerDataset,
  type TrainJobSpecRuntimePatch,
} from '../../facts/api/types/trainer.kubeflow.org/v1alpha1';
import { GANTRY_PLACEMENT_GATE } from '../../facts/catalog';
import { type PodProps, PodTemplate, Scheduling, VOLCANO_QUEUE_ANNOTATION } from '../pods';
import { type NamedReference, nameOf, referencesIn } from '../resources/references';
import { requireWholeNumber } from '../workload/whole-number';
import { Workload, type WorkloadChoice, type WorkloadProps } from '../workload/workload';
import { type RuntimeReference } from './runtime-reference';
import { gangOfNodes, TRAIN_JOB_SCHEDULING, type TrainJobEngine } from './scheduling';
import { allOf } from '../../facts/words';
import { publicClass } from '../resources/public-class';

const MANAGER = 'gantry.dev/stack';

/**
 * Fetches data before the training starts.
 *
 * @beta
 */
export interface TrainJobInitializer {
  /**
   * Where the data is fetched from, for example `hf://meta-llama/Llama-3.2-1B-Instruct` or `s3://bucket/path`.
   * @default - that of the runtime
   */
  readonly storageUri?: Carried<string>;
  /** Secret with credentials. @default - none */
  readonly secret?: NamedReference<'Secret'>;
  /** Environment of the initializer. @default - none */
  readonly env?: Readonly<Record<string, Carried<string>>>;
}

/**
 * Props of a TrainJob.
 *
 * @beta
 */
export interface TrainJobProps extends Omit<PodProps, 'image'>, WorkloadProps<TrainJobSpec, TrainJobEngine> {
  /** The runtime that the job runs with. */
  readonly runtime: RuntimeReference;
  /** Nodes that train together. @default - those of the runtime */
  readonly nodes?: number;
  /** Processes on each node. @default - one for each accelerator, with torch and MPI; else the runtime's */
  readonly processesPerNode?: number;
  /** Image of the main container. @default - the runtime's */
  readonly image?: Carried<string>;
  /** Fetched before training begins; the runtime must have the job for it. @default - none */
  readonly dataset?: TrainJobInitializer;
  /** Fetched before training begins; the runtime must have the job for it. @default - none */
  readonly model?: TrainJobInitializer;
  /** Whether the job is created suspended. @default false */
  readonly suspend?: boolean;
  /** Time from its start after which the job fails; at least 1. @default - no deadline */
  readonly activeDeadline?: Duration;
  /** Who reconciles the job; cannot be changed later. @default - the Trainer */
  readonly managedBy?: 'trainer.kubeflow.org/trainjob-controller' | 'kueue.x-k8s.io/multikueue';
}

/**
 * A TrainJob (`trainer.kubeflow.org/v1alpha1`).
 *
 * @beta
 *
 * @example
 * new trainer.TrainJob(chart, 'llama-70b', {
 *   runtime: trainer.ClusterTrainingRuntime.builtIn('torch-distributed'), nodes: 8, image, command: ['torchrun', 'train.py'],
 *   accelerators: Accelerator.nvidia({ count: 8 }),
 * });
 */
@publicClass('trainer.TrainJob')
export class TrainJob extends Workload<TrainJobKind, TrainJobSpec, TrainJobEngine> {
  /** @throws if a prop is set that only a runtime can set, or `nodes` is not a whole number of at least 1 */
  constructor(scope: Construct, id: string, props: TrainJobProps) {
    super(scope, id, {
      kind: TrainJobKind,
      selects: (name) => ({ 'jobset.sigs.k8s.io/jobset-name': name }),
      props,
      render: (choice) => specOf(props.metadata?.name ?? props.name ?? id, props, choice),
      means: TRAIN_JOB_SCHEDULING,
      references: [
        props.runtime,
        ...podsOf(props).references,
        ...referencesIn(props.dataset?.secret, props.model?.secret),
      ],
    });
  }
}

function podsOf(props: TrainJobProps): PodTemplate {
  return new PodTemplate({ ...props, image: props.image ?? '' });
}

function specOf(name: string, props: TrainJobProps, choice: WorkloadChoice): TrainJobSpec {
  const { runtime, nodes, dataset, model } = props;
  if (nodes !== undefined) {
    requireWholeNumber('nodes', nodes);
  }
  requireSchedulable(runtime, choice);
  const template = templateOf(name, props, choice);
  const container = template.spec?.containers[0];
  const patch = patchOf(runtime, template, choice);
  return {
    runtimeRef: {
      name: runtime.name,
      ...(runtime.kind === 'ClusterTrainingRuntime' ? {} : { kind: runtime.kind }),
    },
    managedBy: props.managedBy,
    suspend: props.suspend,
    activeDeadlineSeconds: optionalSecondsOf('activeDeadline', props.activeDeadline),
    initializer:
      dataset === undefined && model === undefined
        ? undefined
        : { dataset: initializerOf(dataset), model: initializerOf(model) },
    trainer: {
      image: passed(props.image),
      command: container?.command,
      args: container?.args,
      numNodes: nodes,
      numProcPerNode: processesOf(props),
      resourcesPerNode: container?.resources,
      env: container?.env,
    },
    runtimePatches: patch === undefined ? undefined : [patch],
  };
}

/** The pod fields that a TrainJob can set; only the runtime sets the scheduler's name. */
function templateOf(name: string, props: TrainJobProps, choice: WorkloadChoice): PodTemplateSpec {
  const { runtime, nodes = runtime.nodes } = props;
  const scheduling =
    choice.scheduling ?? (runtime.engine === 'gantry' ? runtime.scheduling : undefined) ?? Scheduling.default();
  const gang = gangOfNodes(name, nodes, runtime);
  if (scheduling.engine === 'gantry' && gang === undefined) {
    throw new Error(
      `nodes: the runtime ${runtime.name} may set the number of nodes, which Gantry cannot read. Set nodes, so that all of them start together.`,
    );
  }
  const template = podsOf(props).toPodTemplate({
    containerName: 'node',
    scheduling,
    gang,
    namespace: choice.namespace,
  });
  // What the runtime's pods have already is not said again.
  const { schedulerName } = scheduling.toScheduling();
  const known = [
    ...(template.spec?.schedulerName === schedulerName ? ['schedulerName'] : []),
    ...(choice.scheduling === undefined ? ['schedulingGates'] : []),
  ];
  const spec = Object.fromEntries(Object.entries(template.spec ?? {}).filter(([field]) => !known.includes(field)));
  return { ...template, spec: spec as unknown as PodTemplateSpec['spec'] };
}

function processesOf({ processesPerNode, accelerators, runtime: { policy } }: TrainJobProps): number | undefined {
  if (processesPerNode !== undefined) {
    requireWholeNumber('processesPerNode', processesPerNode);
  }
  return (
    processesPerNode ??
    (policy === undefined || policy === 'torch' || policy === 'mpi' ? accelerators?.count : undefined)
  );
}

function initializerOf(props: TrainJobInitializer | undefined): TrainJobSpecInitializerDataset | undefined {
  if (props === undefined) {
    return undefined;
  }
  const env = Object.entries(props.env ?? {}).map(([name, value]): EnvVar => ({ name, value: passed(value) }));
  return {
    storageUri: passed(props.storageUri),
    secretRef: props.secret === undefined ? undefined : { name: nameOf(props.secret) },
    env: env.length === 0 ? undefined : env,
  };
}

/** Scheduler and priority are fields of pods that no TrainJob can change. */
function requireSchedulable(
  { name: runtimeName, engine }: RuntimeReference,
  { scheduling, priorityClass }: WorkloadChoice,
): void {
  if (priorityClass !== undefined) {
    throw new Error(
      `priorityClass ${priorityClass.name} must not be set in a TrainJob. Set it in a TrainingRuntime, or set ` +
        'workloadPriorityClass of Scheduling.kueue.',
    );
  }
  if (scheduling === undefined || scheduling.engine === 'default' || scheduling.engine === 'kueue') {
    return;
  }
  const {
    pod: { schedulingGates = [] },
  } = scheduling.toScheduling();
  const handsOver = schedulingGates.some(({ name }) => name === GANTRY_PLACEMENT_GATE);
  if (engine === undefined || engine === (handsOver ? 'default' : scheduling.engine)) {
    return;
  }
  throw new Error(
    `Pods of the runtime ${runtimeName} are scheduled by ${engine}, not by ${scheduling.engine}, and a TrainJob cannot change that. ` +
      `Create a TrainingRuntime with this scheduling${scheduling.engine === 'gantry' && !handsOver ? ', or hand over (handOver: true)' : ''}.`,
  );
}

/** Fields of pods and of the container that a patch may state. */
const PATCHED_POD = [
  'volumes',
  'tolerations',
  'nodeSelector',
  'affinity',
  'serviceAccountName',
  'imagePullSecrets',
  'securityContext',
  'terminationGracePeriodSeconds',
  'schedulingGates',
];
const PATCHED_CONTAINER = ['volumeMounts', 'securityContext'];
const TRAINER_FIELDS = ['name', 'image', 'command', 'args', 'env', 'resources'];

function patchOf(
  runtime: RuntimeReference,
  template: PodTemplateSpec,
  { scheduling }: WorkloadChoice,
): TrainJobSpecRuntimePatch | undefined {
  const { containers: [main = { name: 'node' }, ...others] = [], ...pod } = template.spec ?? { containers: [] };
  refuse('pod', others.length > 0 ? { ...pod, containers: others } : pod, PATCHED_POD);
  refuse('container', main, [...PATCHED_CONTAINER, ...TRAINER_FIELDS]);
  const changes = Object.fromEntries(
    PATCHED_CONTAINER.flatMap((field) => {
      const value = (main as unknown as Record<string, unknown>)[field];
      return value === undefined ? [] : [[field, value]];
    }),
  );
  const spec = { ...pod, ...(Object.keys(changes).length === 0 ? {} : { containers: [{ name: 'node', ...changes }] }) };
  const patched = Object.keys(spec).length > 0 || template.metadata !== undefined;
  const queue = scheduling?.engine === 'volcano' ? scheduling.toScheduling().queueName : undefined;
  if (!patched && queue === undefined) {
    return undefined;
  }
  const podTemplate = {
    ...(template.metadata === undefined ? {} : { metadata: template.metadata }),
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
  };
  const replicatedJobs = runtime.nodeJobs.map((name) => ({ name, template: { spec: { template: podTemplate } } }));
  return {
    manager: MANAGER,
    trainingRuntimeSpec: {
      template: {
        ...(queue === undefined ? {} : { metadata: { annotations: { [VOLCANO_QUEUE_ANNOTATION]: queue } } }),
        ...(patched ? { spec: { replicatedJobs } } : {}),
      },
    },
  };
}

function refuse(where: string, value: object, known: readonly string[]): void {
  const fields = Object.entries(value)
    .filter(([field, member]) => member !== undefined && !known.includes(field))
    .map(([field]) => field);
  if (fields.length === 0) {
    return;
  }
  throw new Error(
    `${allOf(fields)} of the ${where} must not be set in a TrainJob. Set ${fields.length === 1 ? 'it' : 'them'} in a TrainingRuntime.`,
  );
}

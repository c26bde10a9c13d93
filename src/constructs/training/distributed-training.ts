/**
 * One statement of a distributed training (framework, nodes, devices, image, command), rendered as whatever kind the cluster runs.
 */
import { type ApiObject } from 'cdk8s';
import { isMistake } from '../../checks/synth/mistakes';
import { Construct } from 'constructs';
import { type QueueReference, requireQueue } from '../resources/queue-references';
import { Scheduling } from '../pods';
import { requireWholeNumber } from '../workload/whole-number';
import { processesOf } from './rendezvous';
import { type TrainingStatement } from './statement';
import { TRAINING_LABEL } from './topology';
import { type NamedStatement, TrainingEngine, type TrainingWorkload } from './training-engine';
import { type Scheduled, type Unscheduled } from '../workload/scheduled';
import { publicClass } from '../resources/public-class';

/** Props of a DistributedTraining. */
export interface DistributedTrainingProps extends TrainingStatement {
  /** What it becomes. @default - the kind of the framework: PyTorchJob, TFJob, MPIJob, PaddleJob, XGBoostJob, JAXJob */
  readonly as?: TrainingEngine;
}

/**
 * A distributed training. The command is the same under every engine: nodes, processes, rank and address of node 0 are set as variables
 * that `torchrun` and JAX read by themselves, by the engine's controller or, where it sets none, in the pods.
 *
 * @example
 * new DistributedTraining(chart, 'llama-70b', {
 *   framework: 'pytorch', as: TrainingEngine.jobSet(), nodes: 8, image, command: ['torchrun', 'train.py'],
 *   accelerators: Accelerator.nvidia({ count: 8 }), topology: TrainingTopology.required('topology.kubernetes.io/zone'),
 * }).submitTo(research.queue);
 */
@publicClass('DistributedTraining')
export class DistributedTraining extends Construct {
  /** The construct that it became: a PyTorchJob, a JobSet and so on. */
  readonly workload: TrainingWorkload;
  /** Number of nodes. */
  readonly nodes: number;
  /** Processes that train together at the beginning; `undefined` where they follow neither from accelerators nor from the statement. */
  readonly worldSize: number | undefined;
  private readonly statement: DistributedTrainingProps;

  /** @throws if a number is none, the engine cannot start the framework, or has no place for something that is stated */
  constructor(scope: Construct, id: string, props: DistributedTrainingProps) {
    super(scope, id);
    const { as, ...statement } = props;
    this.statement = props;
    this.workload = atPath(this.node.path, () => {
      requireWholeNumber('nodes', props.nodes);
      const engine = as ?? TrainingEngine.forFramework(props.framework);
      return engine.make(this, 'Workload', placed({ ...statement, name: props.name ?? id }, engine.name));
    });
    this.nodes = props.nodes;
    const processes = processesOf(props);
    this.worldSize = processes === undefined ? undefined : processes * props.nodes;
  }

  /** The object as it will be written. */
  get resource(): ApiObject {
    return this.workload.resource;
  }

  /** Name of the object. */
  get name(): string {
    return this.resource.name;
  }

  /**
   * Sends the training through a queue, whose engine decides how it is scheduled. The queue is written before it.
   *
   * @throws if it is scheduled already, or its kind cannot be scheduled by the queue's engine
   */
  submitTo(this: Unscheduled, queue: QueueReference): this & Scheduled;
  submitTo(queue: QueueReference): this {
    const { topology, as } = this.statement;
    const kind = (as ?? TrainingEngine.forFramework(this.statement.framework)).name;
    const scheduling = atPath(this.node.path, () => {
      requireQueue('submitTo', queue, ['volcano', 'kueue', 'kai', 'gantry']);
      const chosen = Scheduling.of(queue);
      // A node label is in the affinity of the pods already; what the scheduler has an option for is passed to it too.
      return topology?.isKnownTo(chosen.engine, kind) === true ? chosen.withTopology(topology.toChoice()) : chosen;
    });
    this.workload.scheduleBy(scheduling as Scheduling<never>);
    return this;
  }
}

function atPath<R>(path: string, make: () => R): R {
  try {
    return make();
  } catch (error) {
    throw isMistake(error) ? new Error(`${path}: ${error.message}`, { cause: error }) : error;
  }
}

/** The statement with its topology said of the pods, where the engine has no field for it. */
function placed(statement: TrainingStatement & { readonly name: string }, engine: string): NamedStatement {
  const { name, topology, scheduling } = statement;
  const tier = engine === 'Volcano Job' && scheduling?.engine !== 'gantry' && typeof topology?.level === 'number';
  if (topology === undefined || tier) {
    return ofAnyEngine(statement);
  }
  if (scheduling !== undefined && topology.isKnownTo(scheduling.engine, engine)) {
    return ofAnyEngine({ ...statement, scheduling: scheduling.withTopology(topology.toChoice()) });
  }
  return ofAnyEngine({
    ...statement,
    podLabels: { [TRAINING_LABEL]: name, ...statement.podLabels },
    affinity: topology.toAffinity(name, engine, statement.affinity),
  });
}

/** A statement can choose any scheduler: which kind it becomes is not in its type. The workload refuses what its kind cannot have. */
function ofAnyEngine(statement: TrainingStatement & { readonly name: string }): NamedStatement {
  return { ...statement, scheduling: statement.scheduling as Scheduling<never> | undefined };
}

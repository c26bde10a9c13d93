/**
 * Distributed PyTorch on the training-operator from one statement: so many nodes, each of this template, run this command.
 *
 * Roles, replicas, processes per node, gang size and scheduler are derived from it, and the command needs no option that repeats
 * them: the operator hands them to torchrun as `PET_*`.
 */
import { type ApiObjectMetadata, Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { PyTorchJob as PyTorchJobKind, type PyTorchJobSpec } from '../api/types/kubeflow.org/v1';
import { type OpenPartial, type PodTemplateProps, Scheduling } from '../pods';
import { merged } from '../pods/merge';
import { dependOn } from '../resources/depend-on';
import { type LocalQueueReference, type NamedReference, nameOf, type PriorityClassReference, type QueueReference } from '../resources/references';
import { Resource } from '../resources/resource';
import { type ElasticProps, elasticPolicyOf } from './elastic-policy';
import { FRAMEWORKS, type ReplicaRestartPolicy } from './frameworks';
import { type ReplicaSpec, replicaSpecOf, roleTemplate } from './replica-spec';
import { runPolicyOf, type RunPolicyProps } from './run-policy';

const FRAMEWORK = FRAMEWORKS.PyTorchJob;

export interface PyTorchJobProps extends PodTemplateProps, RunPolicyProps {
  /** A DNS-1035 label; pods are named `<name>-master-0` and `<name>-worker-<n>`. @default - the construct's id */
  readonly name?: string;
  /** A Namespace, or its name. @default - the chart's namespace */
  readonly namespace?: NamedReference;
  /** Of the job; those of its pods are `podLabels`. @default - those of the chart */
  readonly labels?: Readonly<Record<string, string>>;
  /** Of the job, and of the PodGroup that the operator makes for it. @default - none */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Anything else of the job's metadata, which wins over the above. @default - none */
  readonly metadata?: ApiObjectMetadata;
  /** Pods that train together. Of an elastic job: with how many it begins. */
  readonly nodes: number;
  /** Lets nodes come and go. @default - static: all nodes from the beginning to the end */
  readonly elastic?: ElasticProps;
  /** Processes in each pod. @default - one for each accelerator; `auto` where the template asks for none */
  readonly processesPerNode?: number | 'auto' | 'cpu' | 'gpu';
  /** @default OnFailure */
  readonly restartPolicy?: ReplicaRestartPolicy;
  /** Port of the rendezvous. On the host network two jobs on a node need two. @default - the operator's 23456 */
  readonly port?: number;
  /** What is different in the first node of a static job. @default - nothing */
  readonly master?: Partial<PodTemplateProps>;
  /** Whatever of the spec has no property of its own: merged in at the end, never dropped. @default - none */
  readonly specOverrides?: OpenPartial<PyTorchJobSpec>;
}

/**
 * A PyTorchJob (`kubeflow.org/v1`).
 *
 * A static job is a Master and `nodes - 1` Workers, an elastic one Workers only.
 *
 * @example
 * new PyTorchJob(chart, 'llama-70b', {
 *   nodes: 8, image: 'registry.example.com/llama:1', command: ['torchrun', 'train.py'],
 *   accelerators: Accelerator.nvidia({ count: 8 }), sharedMemory: '64Gi',
 * }).submitTo(research.queue);
 */
export class PyTorchJob extends Construct {
  /** The object as it will be written; `addJsonPatch` and `metadata` are there. */
  readonly resource: Resource<PyTorchJobKind>;

  private scheduling: Scheduling | undefined;
  private priorityClass: PriorityClassReference | undefined;

  /** @throws if `nodes` is no whole number of at least 1, or lies outside of the elastic range */
  constructor(scope: Construct, id: string, private readonly props: PyTorchJobProps) {
    super(scope, id);
    this.renderNow();
    this.resource = new Resource(this, 'Resource', PyTorchJobKind, {
      metadata: metadataOf(id, props),
      spec: Lazy.any({ produce: () => this.toSpec() }) as PyTorchJobSpec,
    });
    dependOn(this, ...roleTemplate(props, undefined).references, props.namespace);
    if (props.elastic === undefined && props.master !== undefined) dependOn(this, ...roleTemplate(props, props.master).references);
    if (props.priorityClass !== undefined) this.withPriority(props.priorityClass);
    if (props.scheduling !== undefined) this.scheduleBy(props.scheduling);
  }

  /** Name of the job; its pods are `<name>-master-0`, `<name>-worker-<n>`. */
  get name(): string {
    return this.resource.name;
  }

  /** Nodes at the beginning. */
  get nodes(): number {
    return this.props.nodes;
  }

  /** Processes that train together at the beginning; `undefined` where each node counts its own (`auto`). */
  get worldSize(): number | undefined {
    const processes = Number(this.processesPerNode);
    return Number.isInteger(processes) ? processes * this.nodes : undefined;
  }

  /**
   * Sends the job through a queue: of Volcano (or of Gantry, where the job is scheduled by Gantry), or a local queue of Kueue.
   * The queue is written before the job.
   *
   * @throws if the job has a queue already
   */
  submitTo(queue: QueueReference | LocalQueueReference): this {
    if ('localQueueName' in queue) return this.scheduleBy(Scheduling.kueue(queue));
    return this.scheduleBy(this.scheduling?.engine === 'gantry' ? Scheduling.gantry(queue) : Scheduling.volcano(queue));
  }

  /**
   * Chooses the scheduler, and the queue with it.
   *
   * @throws if another choice was made before
   */
  scheduleBy(scheduling: Scheduling): this {
    if (this.scheduling !== undefined && this.scheduling.engine !== 'default') {
      throw new Error(`${this.node.path}: scheduled by ${this.scheduling.engine} already. Choose scheduler and queue once.`);
    }
    const { workloadLabels, workloadAnnotations, references } = scheduling.toScheduling();
    for (const [key, value] of Object.entries(workloadLabels)) this.resource.metadata.addLabel(key, value);
    for (const [key, value] of Object.entries(workloadAnnotations)) this.resource.metadata.addAnnotation(key, value);
    this.scheduling = scheduling;
    dependOn(this, ...references);
    return this;
  }

  /** Sets the priority of the job's pods and of its gang. The class is written before the job. */
  withPriority(priorityClass: PriorityClassReference): this {
    this.priorityClass = priorityClass;
    dependOn(this, priorityClass);
    return this;
  }

  private get processesPerNode(): string {
    const { processesPerNode, accelerators } = this.props;
    return String(processesPerNode ?? accelerators?.count ?? 'auto');
  }

  /** Renders once, so that a contradiction in the props is reported where they are written, not at synth. */
  private renderNow(): void {
    const { nodes } = this.props;
    if (!Number.isInteger(nodes) || nodes < 1) throw new Error(`${this.node.path}: nodes ${nodes}: expected a whole number, at least 1.`);
    try {
      this.render();
    } catch (error) {
      throw error instanceof Error ? new Error(`${this.node.path}: ${error.message}`, { cause: error }) : error;
    }
  }

  private toSpec(): PyTorchJobSpec {
    return merged(this.render(), this.props.specOverrides);
  }

  private render(): PyTorchJobSpec {
    const { props } = this;
    const pods = props.elastic?.min ?? props.nodes;
    return {
      nprocPerNode: this.processesPerNode,
      elasticPolicy: props.elastic === undefined ? undefined : elasticPolicyOf(props.elastic, props.nodes),
      runPolicy: runPolicyOf(props, { pods, scheduling: this.scheduling, priorityClass: this.priorityClass }),
      pytorchReplicaSpecs: this.roles(),
    };
  }

  private roles(): Readonly<Record<string, ReplicaSpec>> {
    const { nodes, elastic, master } = this.props;
    if (elastic !== undefined) return { Worker: this.role(nodes) };
    return { Master: this.role(1, master), ...(nodes === 1 ? {} : { Worker: this.role(nodes - 1) }) };
  }

  private role(replicas: number, changes?: Partial<PodTemplateProps>): ReplicaSpec {
    const { restartPolicy = FRAMEWORK.restartPolicy, port } = this.props;
    const template = roleTemplate(this.props, changes);
    return replicaSpecOf(
      { framework: FRAMEWORK, replicas, restartPolicy, template, port },
      { scheduling: this.scheduling, priorityClass: this.priorityClass },
    );
  }
}

function metadataOf(id: string, { name = id, namespace, labels, annotations, metadata }: PyTorchJobProps): ApiObjectMetadata {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace: nameOf(namespace) }),
    ...metadata,
    labels: { ...labels, ...metadata?.labels },
    annotations: { ...annotations, ...metadata?.annotations },
  };
}

/**
 * What every workload construct is: one object that is rendered late, goes through a queue, has a priority, and is written after
 * what it refers to. It knows no kind; a domain says how its kind is rendered.
 */
import { type ApiObjectMetadata, Chart, Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { type ResourceKind } from '../../facts/api/resource-kind';
import { type Gang, type OpenPartial, type PodRenderOptions, Scheduling } from '../pods';
import { merged } from '../pods/merge';
import { refuseSeconds } from '../resources/durations';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps } from '../resources/object-props';
import {
  type LocalQueueReference,
  nameOf,
  type PriorityClassReference,
  type QueueReference,
} from '../resources/references';
import { Resource, type ResourceProps } from '../resources/resource';
import { forTarget, podGroupBeside, podGroupForm, type PodGroupStatement } from './pod-groups';
import { MEANS_OF_SINGLE_PODS, requireMeans, type SchedulingMeans, writesGroup } from './scheduling-means';

export interface WorkloadProps<Spec> extends NamespacedObjectProps {
  /** Anything else of the object's metadata, which wins over the above. @default - none */
  readonly metadata?: ApiObjectMetadata;
  /** Whatever of the spec has no property of its own: merged in at the end, never dropped. @default - none */
  readonly specOverrides?: OpenPartial<Spec>;
  /** Who schedules the pods, and through which queue. @default - the cluster's own scheduler */
  readonly scheduling?: Scheduling;
  /** @default - the cluster's default class, if any */
  readonly priorityClass?: PriorityClassReference;
}

/** What was chosen by the time at which the workload is rendered. Goes into `PodTemplate.toPodTemplate` as it is. */
export type WorkloadChoice = Pick<PodRenderOptions, 'scheduling' | 'priorityClass' | 'namespace' | 'gang'>;

export interface WorkloadDefinition<T, Spec extends object> {
  readonly kind: ResourceKind<T>;
  readonly props: WorkloadProps<Spec>;
  /** @throws where the props contradict each other */
  readonly render: (choice: WorkloadChoice) => Spec;
  /** What the kind can tell each scheduler. @default - pods that are scheduled one by one */
  readonly means?: SchedulingMeans;
  /** The pods that start together, by the object's name. Where there are several gangs, the kind tells its pods. @default - none */
  readonly gangs?: (name: string) => readonly Gang[];
  /** Constructs that must exist before the workload. */
  readonly references: readonly (object | undefined)[];
  /** Labels and annotations of the workload by which its controller reads a scheduling choice. @default - those of the choice alone */
  readonly metadataOf?: (scheduling: Scheduling) => {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  /** Whether the object carries the labels of a choice, or what it makes does, which `render` then labels. @default 'on-object' */
  readonly choiceStands?: 'on-object' | 'inside';
  /** Labels of the workload by which its controller reads a priority. @default - none */
  readonly labelsOfPriority?: (priorityClass: PriorityClassReference) => Record<string, string>;
}

/** A workload construct of any kind. */
export abstract class Workload<T, Spec extends object> extends Construct {
  /** The object as it will be written; `addJsonPatch` and `metadata` are there. */
  readonly resource: Resource<T>;

  private readonly gangs: readonly Gang[];
  private chosen: WorkloadChoice = {};

  /** @throws what rendering throws, with the construct's path */
  protected constructor(
    scope: Construct,
    id: string,
    private readonly definition: WorkloadDefinition<T, Spec>,
  ) {
    super(scope, id);
    const { props, kind, references } = definition;
    this.atItsPath(() => refuseSeconds(props));
    this.gangs = definition.gangs?.(props.metadata?.name ?? props.name ?? id) ?? [];
    this.renderNow({
      scheduling: props.scheduling && forTarget(this, props.scheduling),
      priorityClass: props.priorityClass,
    });
    // The one place where the compiler cannot follow that every kind has a spec.
    const object = { metadata: metadataOf(id, props), spec: Lazy.any({ produce: () => this.toSpec() }) as Spec };
    this.resource = new Resource(this, 'Resource', kind, object as unknown as ResourceProps<T>);
    dependOn(this, ...references, props.namespace);
    if (props.priorityClass !== undefined) {
      this.withPriority(props.priorityClass);
    }
    if (props.scheduling !== undefined) {
      this.scheduleBy(props.scheduling);
    }
  }

  /** Name of the object. */
  get name(): string {
    return this.resource.name;
  }

  /** Scheduler and priority as chosen so far. */
  get choice(): WorkloadChoice {
    return this.chosen;
  }

  /**
   * Sends the workload through a queue: of Volcano (or of Gantry, where it is scheduled by Gantry), or a local queue of Kueue.
   * The queue is written before the workload.
   *
   * @throws if it has a queue already
   */
  submitTo(queue: QueueReference | LocalQueueReference): this {
    if ('localQueueName' in queue) {
      return this.scheduleBy(Scheduling.kueue(queue));
    }
    return this.scheduleBy(
      this.chosen.scheduling?.engine === 'gantry' ? Scheduling.gantry(queue) : Scheduling.volcano(queue),
    );
  }

  /**
   * Chooses the scheduler, and the queue with it.
   *
   * @throws if another choice was made before, or the kind cannot be scheduled so
   */
  scheduleBy(choice: Scheduling): this {
    const scheduling = forTarget(this, choice);
    const before = this.chosen.scheduling;
    if (before !== undefined && before.engine !== 'default') {
      throw new Error(`${this.node.path}: scheduled by ${before.engine} already. Choose scheduler and queue once.`);
    }
    this.choose({ scheduling });
    this.label(scheduling);
    dependOn(this, ...scheduling.toScheduling().references);
    this.writeGroups(scheduling);
    return this;
  }

  /** Sets the priority of the pods and, where there is one, of the gang. The class is written before the workload. */
  withPriority(priorityClass: PriorityClassReference): this {
    this.choose({ priorityClass });
    const labels = this.definition.labelsOfPriority?.(priorityClass) ?? {};
    for (const [key, value] of Object.entries(labels)) {
      this.resource.metadata.addLabel(key, value);
    }
    dependOn(this, priorityClass);
    return this;
  }

  private label(scheduling: Scheduling): void {
    if (this.definition.choiceStands === 'inside') {
      return;
    }
    const { workloadLabels, workloadAnnotations } = scheduling.toScheduling();
    const more = this.definition.metadataOf?.(scheduling);
    const { metadata } = this.resource;
    for (const [key, value] of Object.entries({ ...workloadLabels, ...more?.labels })) {
      metadata.addLabel(key, value);
    }
    for (const [key, value] of Object.entries({ ...workloadAnnotations, ...more?.annotations })) {
      metadata.addAnnotation(key, value);
    }
  }

  private choose(choice: WorkloadChoice): void {
    const chosen = { ...this.chosen, ...choice };
    this.renderNow(chosen);
    this.chosen = chosen;
  }

  /** A contradiction is reported where it is written, not at synth. */
  private renderNow(choice: WorkloadChoice): void {
    this.atItsPath(() => {
      requireMeans(this.definition.kind.kind, this.means, choice.scheduling);
      for (const statement of this.groupsOf(choice)) {
        podGroupForm(statement.scheduling).spec(statement);
      }
      this.render(choice);
    });
  }

  private get means(): SchedulingMeans {
    return this.definition.means ?? MEANS_OF_SINGLE_PODS;
  }

  private render(choice: WorkloadChoice): Spec {
    const [gang] = this.gangs.length === 1 ? this.gangs : [];
    return this.definition.render({
      ...choice,
      namespace: this.namespace,
      ...(gang === undefined ? {} : { gang: { ...gang, written: writesGroup(this.means, choice.scheduling) } }),
    });
  }

  /** Where the object will be: pods name networks of other namespaces in full. */
  private get namespace(): string | undefined {
    const { namespace, metadata } = this.definition.props;
    return metadata?.namespace ?? (namespace === undefined ? Chart.of(this).namespace : nameOf(namespace));
  }

  private writeGroups(scheduling: Scheduling): void {
    for (const statement of this.groupsOf({ scheduling })) {
      this.resource.addDependency(podGroupBeside(this, statement));
    }
  }

  /** The PodGroups that are written beside the workload. A priority may be given later. */
  private groupsOf({ scheduling }: WorkloadChoice): readonly PodGroupStatement[] {
    if (scheduling === undefined || !writesGroup(this.means, scheduling)) {
      return [];
    }
    const { namespace } = this.definition.props;
    const priorityClassName = (): string | undefined => this.chosen.priorityClass?.priorityClassName;
    return this.gangs.map((gang) => ({ gang: scheduling.toGang(gang), scheduling, namespace, priorityClassName }));
  }

  private atItsPath<R>(make: () => R): R {
    try {
      return make();
    } catch (error) {
      throw error instanceof Error ? new Error(`${this.node.path}: ${error.message}`, { cause: error }) : error;
    }
  }

  private toSpec(): Spec {
    return merged(this.render(this.chosen), this.definition.props.specOverrides);
  }
}

function metadataOf(id: string, props: WorkloadProps<unknown>): ApiObjectMetadata {
  const stated = namespacedMetadata(id, props);
  const { metadata } = props;
  return {
    ...stated,
    ...metadata,
    labels: { ...stated.labels, ...metadata?.labels },
    annotations: { ...stated.annotations, ...metadata?.annotations },
  };
}

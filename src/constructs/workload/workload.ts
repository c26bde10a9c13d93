/**
 * What every workload construct is: one object that is rendered late, goes through a queue, has a priority, and is written after
 * what it refers to. It knows no kind; a domain says how its kind is rendered.
 */
import { publicClass } from '../resources/public-class';
import { type ApiObjectMetadata, Chart, Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { collectMistakes, isMistake } from '../../checks/synth/mistakes';
import { type ResourceKind } from '../../facts/api/resource-kind';
import { type Gang, type PodRenderOptions, Scheduling, type SchedulingEngine } from '../pods';
import { merged, type OpenPartial } from '../resources/merge';
import { dependOn, requireSameApp } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps } from '../resources/object-props';
import { type QueueEngine, type QueueReferenceOf, requireQueue } from '../resources/queue-references';
import { nameOf, type PriorityClassReference } from '../resources/references';
import { Resource, type ResourceProps } from '../resources/resource';
import { requireAgreement, requireQueueKeys } from './contradictions';
import {
  type NetworkPolicyPeerConfiguration,
  podSelectorConfiguration,
  type PodSelectorConfiguration,
} from './interop';
import { membersOf } from '../../manifests/values/deferred';
import { forTarget, podGroupBeside, podGroupForm, type PodGroupStatement } from './pod-groups';
import { type Scheduled, type Unscheduled } from './scheduled';
import { MEANS_OF_SINGLE_PODS, queueOnPods, requireMeans, type SchedulingMeans, writesGroup } from './scheduling-means';

/** Every engine that has queues. */
const QUEUE_ENGINES: readonly QueueEngine[] = ['volcano', 'kueue', 'kai', 'gantry'];

/** Props that every workload has. */
export interface WorkloadProps<Spec, Engine extends SchedulingEngine = SchedulingEngine> extends NamespacedObjectProps {
  /** Anything else of the object's metadata, which wins over the above. @default - none */
  readonly metadata?: ApiObjectMetadata;
  /** Whatever of the spec has no property of its own: merged in at the end, never dropped. @default - none */
  readonly overrides?: OpenPartial<Spec>;
  /** Who schedules the pods, and through which queue. Excludes `submitTo`. @default - the cluster's own scheduler */
  readonly scheduling?: Scheduling<Engine>;
  /** Priority of the pods. @default - the cluster's default class, if any */
  readonly priorityClass?: PriorityClassReference;
}

/** What was chosen by the time at which the workload is rendered. Goes into `PodTemplate.toPodTemplate` as it is. */
export type WorkloadChoice = Pick<
  PodRenderOptions,
  'scheduling' | 'priorityClass' | 'namespace' | 'gang' | 'podAnnotations' | 'workload'
> & {
  /** More may be added before the object is written. @default - it is written now */
  readonly draft?: true;
};

export interface WorkloadDefinition<T, Spec extends object, Engine extends SchedulingEngine = SchedulingEngine> {
  readonly kind: ResourceKind<T>;
  /** Name of the kind in messages, where two projects have one kind of the name. @default - the kind */
  readonly title?: string;
  readonly props: WorkloadProps<Spec, Engine>;
  /** @throws where the props contradict each other */
  readonly render: (choice: WorkloadChoice) => Spec;
  /** What the kind can tell each scheduler. @default - pods that are scheduled one by one */
  readonly means?: SchedulingMeans;
  /** The pods that start together, by the object's name. Where there are several gangs, the kind tells its pods. @default - none */
  readonly gangs?: (name: string) => readonly Gang[];
  /** Labels that all pods of the workload have, and no others, by its name. @default - its controller sets none that are known */
  readonly selects?: (name: string) => Readonly<Record<string, string>>;
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

/**
 * A workload construct of any kind.
 *
 * The last type parameter lists the engines that can schedule the kind: a queue or a `scheduling` of another engine
 * does not compile.
 *
 * @example
 * const job = new kubeflow.PyTorchJob(chart, 'llama', { nodes: 8, image });
 * job.submitTo(queue).withPriority(PriorityClass.fromName('production'));
 */
@publicClass('Workload')
export abstract class Workload<
  T,
  Spec extends object,
  Engine extends SchedulingEngine = SchedulingEngine,
> extends Construct {
  /** The object as it will be written; `addJsonPatch` and `metadata` are there. */
  readonly resource: Resource<T>;

  private readonly gangs: readonly Gang[];
  private chosen: WorkloadChoice = {};

  /** @throws what rendering throws, with the construct's path */
  protected constructor(
    scope: Construct,
    id: string,
    private readonly definition: WorkloadDefinition<T, Spec, Engine>,
  ) {
    super(scope, id);
    const { props, kind, references } = definition;
    this.gangs = definition.gangs?.(props.metadata?.name ?? props.name ?? id) ?? [];
    if (props.scheduling !== undefined) {
      this.requireScheduling('scheduling', props.scheduling);
    }
    if (props.priorityClass !== undefined) {
      this.requirePriorityClass('priorityClass', props.priorityClass);
    }
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
   * Sends the workload through a queue. The queue alone decides the scheduler, the labels and annotations, and the PodGroup: it is of
   * Volcano, Kueue, KAI or Gantry. The queue is written before the workload.
   *
   * @throws if the workload is scheduled already (by `scheduling`, or an earlier `submitTo`), if the kind cannot be scheduled by the
   * queue's engine, if something that is stated by hand names another scheduler or queue, or if the queue belongs to another app or to
   * another namespace
   */
  submitTo(this: Unscheduled, queue: QueueReferenceOf<Engine>): this & Scheduled;
  submitTo(queue: QueueReferenceOf<Engine>): this {
    collectMistakes(
      this,
      () => {
        requireQueue(`${this.node.path}: submitTo`, queue, QUEUE_ENGINES);
        this.decide(Scheduling.of(queue));
      },
      queue,
    );
    return this;
  }

  /**
   * Chooses the scheduler, the queue, and what is asked of them: `submitTo` with options.
   *
   * @throws as `submitTo`
   */
  scheduleBy(this: Unscheduled, scheduling: Scheduling<Engine>): this & Scheduled;
  scheduleBy(scheduling: Scheduling<Engine>): this {
    collectMistakes(
      this,
      () => {
        this.requireScheduling('scheduleBy', scheduling);
        this.decide(scheduling);
      },
      scheduling,
    );
    return this;
  }

  private decide(choice: Scheduling): void {
    const scheduling = forTarget(this, choice);
    const before = this.chosen.scheduling;
    if (before !== undefined) {
      throw new Error(
        `${this.node.path}: must not be scheduled by ${scheduling.title}: it is scheduled by ${before.title}. Keep one of the two.`,
      );
    }
    this.requireReachable(scheduling);
    this.choose({ scheduling });
    this.label(scheduling);
    dependOn(this, ...scheduling.toScheduling().references);
    this.writeGroups(scheduling);
  }

  /**
   * Sets the priority of the pods and, where there is one, of the gang. The class is written before the workload.
   *
   * @throws if the workload has another priority class already
   */
  withPriority(priorityClass: PriorityClassReference): this {
    collectMistakes(this, () => this.prioritize(priorityClass), priorityClass);
    return this;
  }

  private prioritize(priorityClass: PriorityClassReference): void {
    this.requirePriorityClass('withPriority', priorityClass);
    const before = this.chosen.priorityClass;
    if (before !== undefined && before.name !== priorityClass.name) {
      throw new Error(
        `${this.node.path}: must not have the priority class "${priorityClass.name}": it has "${before.name}". Keep one of the two.`,
      );
    }
    this.choose({ priorityClass });
    const labels = this.definition.labelsOfPriority?.(priorityClass) ?? {};
    for (const [key, value] of Object.entries(labels)) {
      this.resource.metadata.addLabel(key, value);
    }
    dependOn(this, priorityClass);
  }

  /**
   * Labels by which the pods are selected: for Services, NetworkPolicies, monitors.
   *
   * @throws if the pods have no labels in common that are known, since each run has a name of its own
   */
  get podSelectorLabels(): Readonly<Record<string, string>> {
    const labels = this.definition.selects?.(this.name);
    if (labels === undefined) {
      throw new Error(
        `${this.node.path}: pods of a ${this.kindTitle} cannot be selected by its name. Set podLabels, and select by those.`,
      );
    }
    return labels;
  }

  /**
   * `IPodSelector` of cdk8s-plus: `new kplus.Service(chart, 'web', { selector: workload })`.
   *
   * @throws as `podSelectorLabels`
   */
  toPodSelectorConfig(): PodSelectorConfiguration {
    return podSelectorConfiguration(this.podSelectorLabels, this.namespace);
  }

  /** `INetworkPolicyPeer` of cdk8s-plus. */
  toPodSelector(): this {
    return this;
  }

  /**
   * `INetworkPolicyPeer` of cdk8s-plus: `deployment.connections.allowTo(workload)`.
   *
   * @throws as `podSelectorLabels`
   */
  toNetworkPolicyPeerConfig(): NetworkPolicyPeerConfiguration {
    return { podSelector: this.toPodSelectorConfig() };
  }

  /** What the types say, for callers without types. */
  private requireScheduling(where: string, value: unknown): asserts value is Scheduling {
    if (typeof value !== 'object' || value === null || !('toScheduling' in value)) {
      throw new Error(
        `${this.node.path}: ${where} must be a Scheduling. Write Scheduling.volcano(queue), or call submitTo(queue).`,
      );
    }
  }

  private requirePriorityClass(where: string, value: unknown): void {
    const { kind, name } =
      typeof value === 'object' && value !== null ? (value as Partial<PriorityClassReference>) : {};
    if (kind !== 'PriorityClass' || typeof name !== 'string') {
      throw new Error(
        `${this.node.path}: ${where} must be a PriorityClass, or PriorityClass.fromName("…") for one in the cluster.`,
      );
    }
  }

  /** A queue of another app is never written before the workload; a LocalQueue serves its own namespace alone. */
  private requireReachable(scheduling: Scheduling): void {
    requireSameApp(this, ...scheduling.toScheduling().references);
    const { queue } = scheduling;
    if (queue?.engine !== 'kueue' || queue.namespace === undefined || this.namespace === undefined) {
      return;
    }
    if (queue.namespace !== this.namespace) {
      throw new Error(
        `${this.node.path}: must be in the namespace of ${scheduling.title}, "${queue.namespace}", not in "${this.namespace}". ` +
          'Submit it to a LocalQueue of its own namespace.',
      );
    }
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
      requireMeans(this.kindTitle, this.means, choice.scheduling);
      for (const statement of this.groupsOf(choice)) {
        podGroupForm(statement.scheduling).spec(statement);
      }
      const spec = this.finished({ ...choice, draft: true });
      if (choice.scheduling !== undefined) {
        this.requireAgreed(spec, choice.scheduling);
      }
    });
  }

  /**
   * To be called after a part was added: what contradicts is reported where it is added.
   *
   * @throws what rendering throws, with the construct's path
   */
  protected checkNow(): void {
    this.renderNow(this.chosen);
  }

  private requireAgreed(spec: Spec, scheduling: Scheduling): void {
    const { labels, annotations, metadata } = this.definition.props;
    for (const [at, stated] of Object.entries({
      '/metadata/labels': { ...labels, ...metadata?.labels },
      '/metadata/annotations': { ...annotations, ...metadata?.annotations },
    })) {
      requireQueueKeys(stated, scheduling, at);
    }
    requireAgreement(spec, scheduling, '/spec');
  }

  private get kindTitle(): string {
    return this.definition.title ?? this.definition.kind.kind;
  }

  private get means(): SchedulingMeans {
    return this.definition.means ?? MEANS_OF_SINGLE_PODS;
  }

  private render(choice: WorkloadChoice): Spec {
    const [gang] = this.gangs.length === 1 ? this.gangs : [];
    return this.definition.render({
      ...choice,
      workload: {
        title: this.kindTitle,
        scheduling: this.definition.props.scheduling,
        priorityClass: this.definition.props.priorityClass,
      },
      namespace: this.namespace,
      ...(queueOnPods(this.means, choice.scheduling)
        ? { podAnnotations: choice.scheduling?.toPodGroupAnnotations().pod }
        : {}),
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
    const priorityClassName = (): string | undefined => this.chosen.priorityClass?.name;
    return this.gangs.map((gang) => ({ gang: scheduling.toGang(gang), scheduling, namespace, priorityClassName }));
  }

  private atItsPath(action: () => void): void {
    collectMistakes(this, () => {
      try {
        action();
      } catch (error) {
        throw isMistake(error) ? new Error(`${this.node.path}: ${error.message}`, { cause: error }) : error;
      }
    });
  }

  private toSpec(): Spec {
    return this.finished(this.chosen);
  }

  /** The spec as it would be written now. */
  protected get currentSpec(): Spec {
    return this.toSpec();
  }

  private finished(choice: WorkloadChoice): Spec {
    return merged(this.render(choice), this.definition.props.overrides);
  }
}

function metadataOf(id: string, props: WorkloadProps<unknown>): ApiObjectMetadata {
  const stated = namespacedMetadata(id, props);
  const { metadata } = props;
  return {
    ...stated,
    ...metadata,
    labels: { ...stated.labels, ...membersOf('metadata.labels', metadata?.labels) },
    annotations: { ...stated.annotations, ...membersOf('metadata.annotations', metadata?.annotations) },
  };
}

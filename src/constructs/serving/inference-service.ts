/**
 * InferenceService: one statement of a model server, with everything that it takes to serve.
 */
import { type ApiObject } from 'cdk8s';
import { isMistake } from '../../checks/synth/mistakes';
import { Construct } from 'constructs';
import { Service as ServiceKind } from '../../facts/api/types/core/v1';
import { PodDisruptionBudget as BudgetKind } from '../../facts/api/types/policy/v1';
import { type LeaderWorkerSet } from '../batch';
import { ScaledObject } from '../keda';
import { namespacedMetadata } from '../resources/object-props';
import { type QueueReference } from '../resources/queue-references';
import { Resource } from '../resources/resource';
import { type Deployment } from './deployment';
import { type KnativeService } from './knative-service';
import { type MadeServer, ServingEngine } from './serving-engine';
import { requireStatement, type ServingStatement } from './statement';
import { type Scheduled, type Unscheduled } from '../workload/scheduled';
import { publicClass } from '../resources/public-class';

/** Props of an InferenceService. */
export interface InferenceServiceProps extends ServingStatement {
  /** What it becomes. @default ServingEngine.deployment() */
  readonly as?: ServingEngine;
  /**
   * How many pods may be unavailable at a time during drains and other voluntary disruptions; `false` for no budget. The budget never blocks a
   * drain forever: pods that never became ready can always be evicted.
   * @default 1
   */
  readonly maxUnavailable?: number | `${number}%` | false;
}

/**
 * A model server.
 *
 * Rules: `serving/*`.
 *
 * @example
 * const chat = new serving.InferenceService(chart, 'chat', {
 *   image: 'vllm/vllm-openai:v0.14.0',
 *   args: ['--model', '/model'],
 *   port: 8000,
 *   loadingTime: Duration.minutes(4),
 *   model: Mount.claim('llama-70b', '/model', { readOnly: true }),
 *   accelerators: Accelerator.nvidia({ count: 4 }),
 *   sharedMemory: '16Gi',
 *   as: serving.ServingEngine.deployment(),
 * });
 */
@publicClass('serving.InferenceService')
export class InferenceService extends Construct {
  /** The Service by which it is reached; `undefined` with Knative, which makes one itself. */
  readonly service?: ApiObject;
  /** The PodDisruptionBudget object. Absent where there is none. */
  readonly disruptionBudget?: ApiObject;
  /** The ScaledObject. Absent where the number of replicas is fixed. */
  readonly scaledObject?: ScaledObject;
  /** Name of the server and its objects. */
  readonly name: string;
  /** Host name under which it is reached in its namespace. */
  readonly host: string;
  private readonly made: MadeServer;

  /** @throws if a number is none, or the engine has no place for something that is stated */
  constructor(scope: Construct, id: string, props: InferenceServiceProps) {
    super(scope, id);
    const { as = ServingEngine.deployment(), maxUnavailable = 1, ...statement } = props;
    const name = props.name ?? id;
    this.name = name;
    this.made = this.atItsPath(() => {
      requireStatement(statement);
      return as.make(this, { ...statement, name });
    });
    const { endpoints, pods, scaling } = this.made;
    this.host = this.made.serviceName ?? name;
    const metadata = namespacedMetadata(name, { namespace: props.namespace, labels: props.labels });
    if (endpoints !== undefined) {
      this.service = new Resource(this, 'Service', ServiceKind, {
        metadata: { ...metadata, name: this.host },
        spec: { selector: endpoints, ports: [{ name: 'http', port: props.port, targetPort: 'http' }] },
      });
    }
    if (pods !== undefined && maxUnavailable !== false) {
      this.disruptionBudget = new Resource(this, 'DisruptionBudget', BudgetKind, {
        metadata,
        spec: { maxUnavailable, unhealthyPodEvictionPolicy: 'AlwaysAllow', selector: { matchLabels: pods } },
      });
    }
    if (scaling !== undefined) {
      this.scaledObject = this.atItsPath(
        () =>
          new ScaledObject(this, 'ScaledObject', {
            ...scaling,
            target: this.workload,
            name,
            namespace: props.namespace,
            labels: props.labels,
          }),
      );
    }
  }

  /** The Deployment; `undefined` where it became something else. */
  get deployment(): Deployment | undefined {
    return this.made.deployment;
  }

  /** The Knative Service; `undefined` where it became something else. */
  get knativeService(): KnativeService | undefined {
    return this.made.knativeService;
  }

  /** The LeaderWorkerSet; `undefined` where it became something else. */
  get leaderWorkerSet(): LeaderWorkerSet | undefined {
    return this.made.leaderWorkerSet;
  }

  /** Whatever it became. */
  get workload(): Deployment | KnativeService | LeaderWorkerSet {
    const { deployment, knativeService, leaderWorkerSet } = this.made;
    const workload = deployment ?? knativeService ?? leaderWorkerSet;
    if (workload === undefined) {
      throw new Error(`${this.node.path}: the engine created no workload.`);
    }
    return workload;
  }

  /** Labels of the pods, for monitors and policies; those of Knative where it is a Knative Service. */
  get podLabels(): Readonly<Record<string, string>> {
    return this.made.pods ?? { 'serving.knative.dev/service': this.host };
  }

  /** Switches of Knative that it needs; none where it is no Knative Service. */
  get requiredFeatures(): readonly string[] {
    return this.made.knativeService?.requiredFeatures ?? [];
  }

  /**
   * Sends the workload through a queue, whose engine decides how it is scheduled.
   *
   * @throws as `submitTo` of the workload that it became: if it is scheduled already, or its kind cannot be scheduled by the engine
   */
  submitTo(this: Unscheduled, queue: QueueReference): this & Scheduled;
  submitTo(queue: QueueReference): this {
    // The workload refuses an engine that cannot schedule its kind.
    this.workload.submitTo(queue as never);
    return this;
  }

  private atItsPath<R>(make: () => R): R {
    try {
      return make();
    } catch (error) {
      throw isMistake(error) && !error.message.startsWith(this.node.path)
        ? new Error(`${this.node.path}: ${error.message}`, { cause: error })
        : error;
    }
  }
}

/**
 * What a model server is rendered as: a closed choice. An engine makes the workload; what goes around it (Service, disruption budget,
 * autoscaler) is the InferenceService's.
 */
import { Duration } from 'cdk8s';
import { secondsOf } from '../resources/durations';
import { JsonPatch } from 'cdk8s';
import { type Construct } from 'constructs';
import { type Container } from '../../facts/api/types/core/v1';
import { LeaderWorkerSet, type LeaderWorkerSetProps } from '../batch';
import { type ScaledObjectProps } from '../keda';
import { type Scheduling } from '../pods';
import { type NamespacedObjectProps } from '../resources/object-props';
import { requireWholeNumber } from '../workload/whole-number';
import { Deployment, type DeploymentProps, type Rollout } from './deployment';
import { type KnativeScaling } from './knative-scaling';
import { KnativeService, type KnativeServiceProps } from './knative-service';
import { type MultiNode } from './multi-node';
import {
  deadlineSeconds,
  graceSeconds,
  LEAVE_FIRST,
  probesOf,
  serverTemplate,
  type ServingStatement,
  spreadOver,
} from './statement';
import { type OpenPartial } from '../resources/merge';
import { publicClass } from '../resources/public-class';

/** The settings of a ScaledObject except its target: spread a plan of `keda.LlmScaling`, or set them yourself. */
export type AutoscalingProps = Omit<ScaledObjectProps, 'target' | keyof NamespacedObjectProps>;

/** Options of `ServingEngine.deployment`. */
export interface DeploymentEngineOptions {
  /** KEDA sets the replicas. @default - `replicas` of the statement */
  readonly scaling?: AutoscalingProps;
  /** How new pods replace old ones. @default - with accelerators one goes before one comes; else 25% more, 25% fewer */
  readonly rollout?: Rollout | 'recreate';
  /** Levels over which copies are spread if they can, as node labels. @default - hosts */
  readonly spread?: readonly string[];
  /** Whatever of the Deployment has no property of its own. @default - none */
  readonly overrides?: DeploymentProps['overrides'];
}

/** Options of `ServingEngine.knative`. */
export interface KnativeEngineOptions {
  /** How the service is scaled. @default - the cluster's: by concurrency, target 100 */
  readonly scaling?: KnativeScaling;
  /** Requests that one replica gets at a time at most; others wait. @default 0: no limit */
  readonly containerConcurrency?: number;
  /** Protocol of the port: `h2c` for gRPC. @default http1 */
  readonly protocol?: 'http1' | 'h2c';
  /** Whatever of the Service has no property of its own. @default - none */
  readonly overrides?: KnativeServiceProps['overrides'];
}

/** Options of `ServingEngine.leaderWorkerSet`. */
export interface LeaderWorkerEngineOptions {
  /** Devices of one copy of the model. The nodes follow from those of each pod. @default - `nodes` times those of a pod */
  readonly devices?: number;
  /** Nodes of one copy. @default - follows from `devices` */
  readonly nodes?: number;
  /** How leader and workers are started. */
  readonly start: MultiNode;
  /** KEDA sets the number of copies. @default - `replicas` of the statement */
  readonly scaling?: AutoscalingProps;
  /** Each copy gets a domain of this level (a node label) for itself. @default - anywhere */
  readonly exclusiveTopology?: string;
  /** Whatever of the LeaderWorkerSet has no property of its own. @default - none */
  readonly overrides?: LeaderWorkerSetProps['overrides'];
}

/** What an engine made, and how it is reached. */
export interface MadeServer {
  readonly deployment?: Deployment;
  readonly knativeService?: KnativeService;
  readonly leaderWorkerSet?: LeaderWorkerSet;
  /** Labels of the pods that take requests; `undefined` where the engine has a Service of its own. */
  readonly endpoints?: Readonly<Record<string, string>>;
  /** @default - the name of the statement */
  readonly serviceName?: string;
  /** Labels of all pods, for the disruption budget. */
  readonly pods?: Readonly<Record<string, string>>;
  readonly scaling?: AutoscalingProps;
}

/** A statement with the name under which the workload is made. */
export type NamedServing = ServingStatement & { readonly name: string };

const PORT_NAME = 'http';
const HOSTNAME = 'kubernetes.io/hostname';
const SET_NAME_LABEL = 'leaderworkerset.sigs.k8s.io/name';
const WORKER_INDEX_LABEL = 'leaderworkerset.sigs.k8s.io/worker-index';
/** What Knative allows a request at most, unless its config-defaults say otherwise. */
const LONGEST_REQUEST_SECONDS = 600;

/**
 * What a model server is rendered as.
 *
 * @example
 * new serving.InferenceService(chart, 'chat', {
 *   image: 'vllm/vllm-openai:v0.14.0',
 *   port: 8000,
 *   loadingTime: Duration.minutes(4),
 *   accelerators: Accelerator.nvidia({ count: 1 }),
 *   as: serving.ServingEngine.deployment({ rollout: 'recreate' }),
 * });
 */
@publicClass('serving.ServingEngine')
export class ServingEngine {
  /** Copies behind a Service, each whole in one pod. */
  static deployment(options: DeploymentEngineOptions = {}): ServingEngine {
    return new ServingEngine('Deployment', (scope, statement) => {
      const { scaling, rollout, spread = [HOSTNAME], overrides } = options;
      const selector = { app: statement.name };
      const deployment = new Deployment(scope, 'Deployment', {
        ...workloadProps(statement),
        ...serverTemplate(statement, answering(statement), {
          terminationGracePeriod: statement.terminationGracePeriod ?? Duration.seconds(graceSeconds(statement)),
          parts: [...(statement.parts ?? []), ...(spread.length === 0 ? [] : [spreadOver(selector, spread)])],
        }),
        replicas: scaling === undefined ? (statement.replicas ?? 1) : 'autoscaler',
        rollout,
        selector,
        progressDeadline: Duration.seconds(deadlineSeconds(statement)),
        overrides,
      });
      return { deployment, endpoints: deployment.selector, pods: deployment.selector, scaling };
    });
  }

  /** Knative, which scales by requests and brings Service, addresses and revisions itself. */
  static knative(options: KnativeEngineOptions = {}): ServingEngine {
    return new ServingEngine('Knative Service', (scope, statement) => {
      const { scaling, containerConcurrency, protocol = 'http1', overrides } = options;
      if (statement.replicas !== undefined) {
        throw new Error(
          'replicas must not be set for Knative, which scales automatically. Set minReplicas and maxReplicas of its scaling.',
        );
      }
      if (statement.terminationGracePeriod !== undefined) {
        throw new Error(
          'terminationGracePeriod: must not be set, because Knative derives it from the request timeout. Set drainTime.',
        );
      }
      const knativeService = new KnativeService(scope, 'Service', {
        ...workloadProps(statement),
        ...serverTemplate(statement, {
          ports: [{ name: protocol, containerPort: statement.port }],
          ...probesOf(statement, statement.port),
        }),
        scaling,
        containerConcurrency,
        overrides,
        // A revision is stopped when its longest request may be over.
        timeout:
          statement.drainTime === undefined
            ? undefined
            : Duration.seconds(Math.min(secondsOf('drainTime', statement.drainTime), LONGEST_REQUEST_SECONDS)),
        progressDeadline: Duration.seconds(deadlineSeconds(statement)),
      });
      return { knativeService };
    });
  }

  /** Copies that span several nodes each: a leader that takes requests, and its workers. */
  static leaderWorkerSet(options: LeaderWorkerEngineOptions): ServingEngine {
    return new ServingEngine('LeaderWorkerSet', (scope, statement) => {
      const { start, scaling, exclusiveTopology, overrides } = options;
      const devices = statement.accelerators?.count ?? 0;
      const nodes = nodesOf(options, devices);
      const { leader, worker } = start.toCommands({ nodes, devices, port: statement.port });
      const terminationGracePeriod = statement.terminationGracePeriod ?? Duration.seconds(graceSeconds(statement));
      const workers = serverTemplate({ ...statement, command: worker }, {}, { terminationGracePeriod });
      // Only the leader answers, so only it is asked.
      const leaders = serverTemplate({ ...statement, command: leader }, answering(statement), {
        terminationGracePeriod,
      });
      const leaderWorkerSet = new LeaderWorkerSet(scope, 'LeaderWorkerSet', {
        ...workloadProps(statement),
        ...workers,
        leader: leaders,
        groupSize: nodes,
        groups: statement.replicas ?? 1,
        exclusiveTopology,
        overrides,
      });
      // An update must not set back what the autoscaler set.
      if (scaling !== undefined) {
        leaderWorkerSet.resource.addJsonPatch(JsonPatch.remove('/spec/replicas'));
      }
      const pods = { [SET_NAME_LABEL]: statement.name };
      // The controller has a Service of the set's own name, by which the pods find each other.
      return {
        leaderWorkerSet,
        pods,
        endpoints: { ...pods, [WORKER_INDEX_LABEL]: '0' },
        serviceName: `${statement.name}-leader`,
        scaling,
      };
    });
  }

  private constructor(
    /** What it makes, in words. */
    readonly kind: string,
    private readonly build: (scope: Construct, statement: NamedServing) => MadeServer,
  ) {}

  /** Renders the server. `InferenceService` calls it. @throws where the statement has no place in what is made */
  make(scope: Construct, statement: NamedServing): MadeServer {
    return this.build(scope, statement);
  }
}

/** What the container that takes requests has. */
function answering(statement: NamedServing): OpenPartial<Container> {
  return {
    ports: [{ name: PORT_NAME, containerPort: statement.port }],
    ...probesOf(statement, PORT_NAME),
    lifecycle: LEAVE_FIRST,
  };
}

function workloadProps({ name, namespace, labels, annotations, scheduling, priorityClass }: NamedServing): Pick<
  DeploymentProps,
  'name' | 'namespace' | 'labels' | 'annotations' | 'priorityClass'
> & {
  readonly scheduling: Scheduling<never> | undefined;
} {
  // A statement can choose any engine; the workload refuses one that cannot schedule its kind.
  return {
    name,
    namespace,
    labels,
    annotations,
    scheduling: scheduling as Scheduling<never> | undefined,
    priorityClass,
  };
}

function nodesOf({ devices, nodes }: LeaderWorkerEngineOptions, perPod: number): number {
  if (nodes !== undefined) {
    requireWholeNumber('nodes', nodes, 2);
    if (devices !== undefined && devices !== nodes * perPod) {
      throw new Error(
        `devices ${devices}: ${nodes} nodes with ${perPod} each have ${nodes * perPod}. Set only one of the two.`,
      );
    }
    return nodes;
  }
  if (devices === undefined) {
    throw new Error('devices or nodes is required. Set the devices of one replica of the model, or its nodes.');
  }
  if (perPod === 0) {
    throw new Error('devices requires accelerators, whose number per node determines the number of nodes.');
  }
  if (!Number.isInteger(devices) || devices % perPod !== 0 || devices <= perPod) {
    throw new Error(
      `devices ${devices}: must be a multiple of ${perPod}, the devices of each pod, for at least two pods. For one pod, use ServingEngine.deployment.`,
    );
  }
  return devices / perPod;
}

/**
 * What a Ray cluster consists of, shared by RayCluster, RayJob and RayService.
 */
import { type Carried, type CarriedMap, membersOf, passed } from '../../manifests/values/deferred';
import type { Duration } from 'cdk8s';
import { optionalSecondsOf } from '../resources/durations';
import { type RayClusterSpec, type RayClusterSpecWorkerGroupSpec } from '../../facts/api/types/ray.io/v1';
import { type Gang, PodTemplate, type PodProps, type Scheduling } from '../pods';
import { type PriorityClassReference } from '../resources/references';
import { type EnginesOf, KUEUE_WHOLE_OR_NOT, type SchedulingMeans } from '../workload/scheduling-means';
import { requireWholeNumber } from '../workload/whole-number';
import { type WorkloadChoice } from '../workload/workload';

/** The pod of the head. */
export interface RayHeadProps extends PodProps {
  /** Whether Ray puts tasks and actors on the head too. @default false: a busy head endangers the whole cluster */
  readonly schedulesTasks?: boolean;
  /** Further options of `ray start`. @default - the dashboard listens on all addresses */
  readonly startParams?: CarriedMap<string>;
}

/** A group of workers that are alike. */
export interface RayWorkerGroupProps extends PodProps {
  /** Name of the group, unique in the cluster. */
  readonly groupName: string;
  /** Workers at the beginning. @default - the least */
  readonly replicas?: number;
  /** Fewest workers. @default - `replicas`; with the autoscaler 0 */
  readonly min?: number;
  /** Most workers. @default - `replicas` */
  readonly max?: number;
  /** Pods of each worker, which come and go together: the hosts of a TPU slice. @default 1 */
  readonly hosts?: number;
  /** Further options of `ray start`; CPUs, memory and GPUs are taken from the container. @default - none */
  readonly startParams?: CarriedMap<string>;
  /** Time after which an idle worker terminates, with autoscaler v2. @default - the autoscaler's */
  readonly idleTimeout?: Duration;
  /** Which group grows first, with autoscaler v2. @default 0 */
  readonly groupPriority?: number;
}

/** Settings of Ray's autoscaler. */
export interface RayAutoscaler {
  /** Version of the autoscaler. @default v2 */
  readonly version?: 'v1' | 'v2';
  /** Time after which an idle worker terminates. @default - 60 seconds */
  readonly idleTimeout?: Duration;
  /** How fast workers are added. @default Default */
  readonly upscaling?: 'Default' | 'Aggressive' | 'Conservative';
}

/** The parts of a Ray cluster. */
export interface RayClusterParts {
  /** Version of Ray in the images, for example `2.52.0`. @default - not stated: the operator uses no feature that depends on the version */
  readonly rayVersion?: string;
  /** The pod of the head, which starts the cluster. */
  readonly head: RayHeadProps;
  /** The groups of workers. @default - none: the head alone, which then schedules tasks if it says so */
  readonly workers?: readonly RayWorkerGroupProps[];
  /** Lets Ray ask for workers and give them back. @default - none: as many as `replicas` */
  readonly autoscaler?: RayAutoscaler;
  /** A Redis that outlives the head. @default - the cluster ends with its head */
  readonly faultTolerance?: {
    /** For example `redis:6379`. */
    readonly redisAddress: Carried<string>;
    /** Secret and key of the password. @default - none */
    readonly password?: {
      /** Name of the Secret. */
      readonly secret: string;
      /** Key of the password in the Secret. */
      readonly key: string;
    };
    /** Namespace of the cluster's data in Redis. @default - made by the operator */
    readonly storageNamespace?: Carried<string>;
  };
  /** Whether clients need a token; from Ray 2.52 on. @default false */
  readonly tokenAuthentication?: boolean;
}

/** @throws if a number of workers is none, two groups have one name, or bounds are out of order */
export function rayClusterSpec(parts: RayClusterParts, choice: WorkloadChoice): RayClusterSpec {
  const { head, workers = [], autoscaler, faultTolerance } = parts;
  requireGroups(workers);
  return {
    rayVersion: parts.rayVersion,
    enableInTreeAutoscaling: autoscaler === undefined ? undefined : true,
    autoscalerOptions: autoscaler && {
      version: autoscaler.version ?? 'v2',
      idleTimeoutSeconds: optionalSecondsOf('autoscaler.idleTimeout', autoscaler.idleTimeout),
      upscalingMode: autoscaler.upscaling,
    },
    authOptions: parts.tokenAuthentication === true ? { mode: 'token' } : undefined,
    gcsFaultToleranceOptions: faultTolerance && {
      redisAddress: passed(faultTolerance.redisAddress),
      externalStorageNamespace: passed(faultTolerance.storageNamespace),
      redisPassword: faultTolerance.password && {
        valueFrom: { secretKeyRef: { name: faultTolerance.password.secret, key: faultTolerance.password.key } },
      },
    },
    headGroupSpec: {
      rayStartParams: {
        'dashboard-host': '0.0.0.0',
        ...(head.schedulesTasks === true ? {} : { 'num-cpus': '0' }),
        ...membersOf('startParams', head.startParams),
      },
      template: new PodTemplate(head).toPodTemplate({ ...choice, containerName: 'ray-head' }),
    },
    workerGroupSpecs:
      workers.length === 0 ? undefined : workers.map((group) => workerGroup(group, autoscaler !== undefined, choice)),
  };
}

function workerGroup(
  props: RayWorkerGroupProps,
  autoscaling: boolean,
  choice: WorkloadChoice,
): RayClusterSpecWorkerGroupSpec {
  const { replicas, min, max } = boundsOf(props, autoscaling);
  if (min > replicas || replicas > max) {
    throw new Error(`replicas ${replicas} of group ${props.groupName}: must be from min ${min} to max ${max}.`);
  }
  return {
    groupName: props.groupName,
    replicas,
    minReplicas: min,
    maxReplicas: max,
    numOfHosts: props.hosts,
    idleTimeoutSeconds: optionalSecondsOf('idleTimeout', props.idleTimeout),
    priority: props.groupPriority,
    rayStartParams: membersOf('startParams', props.startParams),
    template: new PodTemplate(props).toPodTemplate({ ...choice, containerName: 'ray-worker' }),
  };
}

interface Bounds {
  readonly replicas: number;
  readonly min: number;
  readonly max: number;
}

function boundsOf({ replicas, min, max, groupName }: RayWorkerGroupProps, autoscaling: boolean): Bounds {
  const wanted = replicas ?? min ?? (autoscaling ? 0 : 1);
  const bounds = { replicas: wanted, min: min ?? (autoscaling ? 0 : wanted), max: max ?? wanted };
  for (const [name, value] of Object.entries(bounds)) {
    requireWholeNumber(`${name} of group ${groupName}`, value, 0);
  }
  return bounds;
}

function requireGroups(workers: readonly RayWorkerGroupProps[]): void {
  const names = workers.map(({ groupName }) => groupName);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new Error(`Duplicate worker group "${twice}". Give each group a unique name.`);
  }
}

const OWN_RANGE = { elastic: 'set min and max of its worker groups' };

/** The engines that can schedule a Ray cluster, and the options that each accepts. */
export const RAY_SCHEDULING = {
  volcano: {
    group: 'controller',
    refuses: { ...OWN_RANGE, topology: 'KubeRay creates the PodGroup without a topology' },
  },
  kueue: KUEUE_WHOLE_OR_NOT,
  kai: {},
  'pod-group': { group: 'beside', membership: 'schedulingGroup', refuses: OWN_RANGE },
  'scheduler-plugins': { group: 'beside', refuses: OWN_RANGE },
  gantry: { refuses: OWN_RANGE },
} as const satisfies SchedulingMeans;

/** Engines that can schedule a Ray cluster. */
export type RayEngine = EnginesOf<typeof RAY_SCHEDULING>;

/** Head and workers: the gang starts with the minimum of each group. A label distinguishes the clusters that a job or service recreates. */
export function gangOfCluster(name: string, { workers = [], autoscaler }: RayClusterParts): Gang {
  const pods = (choose: (bounds: Bounds) => number): number =>
    workers.reduce((sum, group) => sum + choose(boundsOf(group, autoscaler !== undefined)) * (group.hosts ?? 1), 1);
  return { name, minMember: pods(({ min }) => min), members: pods(({ max }) => max), perLabel: 'ray.io/cluster' };
}

export function referencesOfCluster({ head, workers = [] }: RayClusterParts): readonly object[] {
  return [head, ...workers].flatMap((pod) => new PodTemplate(pod).references);
}

/** How KubeRay's batch scheduler reads a queue of Volcano: from a label, where the operator runs with `--batch-scheduler=volcano`. */
export function queueLabels(scheduling: Scheduling): { readonly labels?: Readonly<Record<string, string>> } {
  const { queueName } = scheduling.toScheduling();
  return scheduling.engine !== 'volcano' || queueName === undefined
    ? {}
    : { labels: { 'volcano.sh/queue-name': queueName } };
}

export function priorityLabels({ name: priorityClassName }: PriorityClassReference): Record<string, string> {
  return { 'ray.io/priority-class-name': priorityClassName };
}

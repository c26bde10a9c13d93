/**
 * The props of a model server, independent of the kind that it renders, and what follows from them: probes that give the model time to load,
 * a longer deadline, and time to answer open requests.
 */
import type { Duration } from 'cdk8s';
import { optionalSecondsOf, secondsOf } from '../resources/durations';
import { type Container, type PodSpec, type Probe } from '../../facts/api/types/core/v1';
import { type Mount, podPart, type PodPart, type PodProps, type PodTemplateProps, type Scheduling } from '../pods';
import { merged, type OpenPartial } from '../resources/merge';
import { type NamespacedObjectProps } from '../resources/object-props';
import { type PriorityClassReference } from '../resources/references';
import { requireWholeNumber } from '../workload/whole-number';
import { Health } from './health';

/** What a model server is, whatever renders it. */
export interface ServingStatement extends PodTemplateProps, NamespacedObjectProps {
  /** Port of the server. */
  readonly port: number;
  /** Where the model is, beside other mounts. @default - the image brings it, or the server downloads it */
  readonly model?: Mount;
  /**
   * Time from the start of the container until it can answer: download, loading, compilation, warm-up. The server gets twice that
   * before it is given up.
   */
  readonly loadingTime: Duration;
  /** Time that the longest answer takes: a server that is stopped goes on answering for this long. @default - 60 seconds */
  readonly drainTime?: Duration;
  /** Number of replicas. @default 1; with `scaling` the autoscaler's */
  readonly replicas?: number;
  /** Whether the server can take requests. @default Health.http('/health') */
  readonly ready?: Health;
  /** Whether it is still alive; asked once it has been ready. @default - as `ready` */
  readonly alive?: Health;
  /** @default - the cluster's own scheduler */
  readonly scheduling?: Scheduling;
  readonly priorityClass?: PriorityClassReference;
}

/** Seconds until a pod that is going has left every load balancer. */
const LEAVING_SECONDS = 10;
const STARTUP_PERIOD_SECONDS = 10;
/** A pod may wait for its image as well, which has tens of gigabytes. */
const PULLING_SECONDS = 600;
const DEFAULT_DRAIN_SECONDS = 60;

/** Seconds that a server has until it must have answered once. */
function startupSeconds({ loadingTime }: Pick<ServingStatement, 'loadingTime'>): number {
  return startupFailures(secondsOf('loadingTime', loadingTime)) * STARTUP_PERIOD_SECONDS;
}

function startupFailures(loadingSeconds: number): number {
  return Math.max(3, Math.ceil((2 * loadingSeconds) / STARTUP_PERIOD_SECONDS));
}

/** Seconds after which a rollout that does not come on is called failed: more than startup and the pull of the image. */
export function deadlineSeconds(statement: Pick<ServingStatement, 'loadingTime'>): number {
  return startupSeconds(statement) + PULLING_SECONDS;
}

/** Seconds from the order to stop until the server is killed. */
export function graceSeconds({ drainTime }: Pick<ServingStatement, 'drainTime'>): number {
  return LEAVING_SECONDS + (optionalSecondsOf('drainTime', drainTime) ?? DEFAULT_DRAIN_SECONDS);
}

/** @throws if a number is none */
export function requireStatement({ port, loadingTime, drainTime, replicas = 1 }: ServingStatement): void {
  if (!Number.isInteger(port) || port < 1 || port > 65535) {
    throw new Error(`port ${port}: must be between 1 and 65535.`);
  }
  requireWholeNumber('loadingTime in seconds', secondsOf('loadingTime', loadingTime));
  optionalSecondsOf('drainTime', drainTime);
  requireWholeNumber('replicas', replicas, 0);
}

export interface ProbeSet {
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
}

/**
 * Startup has the time of loading, and until it is over the two others are silent. Readiness is quick to say no. Liveness is slow: a
 * server under load answers late, and a restart costs the time of loading again.
 */
export function probesOf(statement: ServingStatement, port: string | number): ProbeSet {
  const { ready = Health.http(), alive = ready, loadingTime } = statement;
  return {
    startupProbe: {
      ...ready.toHandler(port, statement.port),
      periodSeconds: STARTUP_PERIOD_SECONDS,
      failureThreshold: startupFailures(secondsOf('loadingTime', loadingTime)),
      timeoutSeconds: 5,
    },
    readinessProbe: {
      ...ready.toHandler(port, statement.port),
      periodSeconds: 5,
      failureThreshold: 3,
      timeoutSeconds: 5,
    },
    livenessProbe: {
      ...alive.toHandler(port, statement.port),
      periodSeconds: 10,
      failureThreshold: 6,
      timeoutSeconds: 10,
    },
  };
}

/** Waits until no client sends requests; then the server gets SIGTERM, and the rest of the grace period for open responses. */
export const LEAVE_FIRST: Container['lifecycle'] = { preStop: { sleep: { seconds: LEAVING_SECONDS } } };

/** Props that do not describe the pods, or that belong to the workload. */
const NOT_OF_PODS = [
  'port',
  'model',
  'loadingTime',
  'drainTime',
  'replicas',
  'ready',
  'alive',
  'scheduling',
  'priorityClass',
  'name',
  'namespace',
  'labels',
  'annotations',
];

/** The template of a server, with what `container` adds to it and the user's own overrides over that. */
export function serverTemplate(
  statement: ServingStatement,
  container: OpenPartial<Container>,
  more: Partial<PodProps> = {},
): PodProps {
  const { image, model, mounts = [], podOverrides: overrides } = statement;
  const pods = Object.fromEntries(Object.entries(statement).filter(([key]) => !NOT_OF_PODS.includes(key)));
  return {
    ...pods,
    ...more,
    image,
    mounts: model === undefined ? mounts : [model, ...mounts],
    podOverrides: { ...overrides, container: merged(container, overrides?.container) },
  };
}

/** Copies on different nodes where there are enough of them. */
export function spreadOver(labels: Readonly<Record<string, string>>, levels: readonly string[]): PodPart {
  const topologySpreadConstraints: NonNullable<PodSpec['topologySpreadConstraints']> = levels.map((topologyKey) => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: labels },
  }));
  return podPart({ pod: { topologySpreadConstraints } });
}

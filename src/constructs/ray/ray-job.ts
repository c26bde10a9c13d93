/**
 * A Ray program with a cluster of its own, or on one that there is.
 */
import { embedded, type Carried } from '../../manifests/values/deferred';
import type { Duration } from 'cdk8s';
import { optionalSecondsOf } from '../resources/durations';
import { shellWord } from '../pods/shell';
import { type Construct } from 'constructs';
import { stringify } from 'yaml';
import { RayJob as RayJobKind, type RayJobSpec } from '../../facts/api/types/ray.io/v1';
import { type SchedulingMeans } from '../workload/scheduling-means';
import { requireWholeNumber } from '../workload/whole-number';
import { Workload, type WorkloadChoice, type WorkloadProps } from '../workload/workload';
import { type RayClusterReference } from './ray-cluster';
import {
  gangOfCluster,
  priorityLabels,
  queueLabels,
  RAY_SCHEDULING,
  type RayClusterParts,
  rayClusterSpec,
  type RayEngine,
  referencesOfCluster,
} from './ray-cluster-spec';
import { allOf } from '../../facts/words';
import { publicClass } from '../resources/public-class';

/** Props of a RayJob. */
export interface RayJobProps extends WorkloadProps<RayJobSpec, RayEngine> {
  /** What is run: a shell line, or words that are shellWord for the shell. */
  readonly entrypoint: string | readonly Carried<string>[];
  /** The cluster: made for this job, or one that there is, which is neither suspended nor deleted with the job. */
  readonly cluster: RayClusterParts | RayClusterReference;
  /** Ray's runtime environment: packages, variables, working directory. @default - none */
  readonly runtimeEnv?: Readonly<Record<string, unknown>>;
  /** How the program is handed to Ray: by a Job of Kubernetes, by the operator, or from a container beside the head. @default K8sJobMode */
  readonly submission?: 'K8sJobMode' | 'HTTPMode' | 'SidecarMode';
  /** Whether the job's own cluster goes when the job has ended. Kueue needs it. @default true */
  readonly shutdown?: boolean;
  /** Time after its end at which the cluster goes. @default - none */
  readonly ttlAfterFinished?: Duration;
  /** How often the whole job, cluster included, is tried again. @default 0 */
  readonly backoffLimit?: number;
  /** Time after which the job fails. @default - no deadline */
  readonly activeDeadline?: Duration;
  /** CPUs of the entry point itself. @default - Ray's: 1 where any is free */
  readonly entrypointCpus?: number;
  /** GPUs of the entry point itself. @default 0 */
  readonly entrypointGpus?: number;
  /** Whether the job is created suspended. @default false */
  readonly suspend?: boolean;
}

/**
 * A RayJob (`ray.io/v1`).
 *
 * @example
 * new ray.RayJob(chart, 'tune', {
 *   entrypoint: ['python', 'tune.py'],
 *   cluster: { rayVersion: '2.52.0', head: { image }, workers: [{ groupName: 'gpu', replicas: 4, image }] },
 * });
 */
@publicClass('ray.RayJob')
export class RayJob extends Workload<RayJobKind, RayJobSpec, RayEngine> {
  /** @throws if the job is suspended, retried or runs as a sidecar on a cluster that is not its own, or a number is none */
  constructor(scope: Construct, id: string, props: RayJobProps) {
    const { cluster } = props;
    super(scope, id, {
      kind: RayJobKind,
      props,
      render: (choice) => specOf(props, choice),
      references: isOwn(cluster) ? referencesOfCluster(cluster) : [cluster],
      means: isOwn(cluster) ? RAY_SCHEDULING : ON_A_CLUSTER_OF_OTHERS,
      gangs: (name) => (isOwn(cluster) ? [gangOfCluster(name, cluster)] : []),
      metadataOf: queueLabels,
      labelsOfPriority: priorityLabels,
    });
  }
}

const NOT_ITS_PODS = 'it runs in the pods of an existing cluster. Set the scheduling of the cluster';

const ON_A_CLUSTER_OF_OTHERS: SchedulingMeans = {
  volcano: NOT_ITS_PODS,
  kai: NOT_ITS_PODS,
  kueue: NOT_ITS_PODS,
  'pod-group': NOT_ITS_PODS,
  'scheduler-plugins': NOT_ITS_PODS,
  gantry: NOT_ITS_PODS,
};

function isOwn(cluster: RayClusterParts | RayClusterReference): cluster is RayClusterParts {
  return !('name' in cluster);
}

function specOf(props: RayJobProps, choice: WorkloadChoice): RayJobSpec {
  const { cluster, shutdown = true, backoffLimit, runtimeEnv, submission } = props;
  const ttl = optionalSecondsOf('ttlAfterFinished', props.ttlAfterFinished);
  if (backoffLimit !== undefined) {
    requireWholeNumber('backoffLimit', backoffLimit, 0);
  }
  if (!isOwn(cluster)) {
    requireSelectable(props);
  }
  if (!shutdown && (props.suspend === true || (ttl ?? 0) > 0)) {
    throw new Error(
      'shutdown: false must not be set with suspend or ttlAfterFinished, which delete the cluster. Remove shutdown.',
    );
  }
  return {
    entrypoint:
      typeof props.entrypoint === 'string'
        ? props.entrypoint
        : embedded(props.entrypoint, (words) => (words as readonly string[]).map(shellWord).join(' ')),
    entrypointNumCpus: props.entrypointCpus,
    entrypointNumGpus: props.entrypointGpus,
    runtimeEnvYAML: runtimeEnv === undefined ? undefined : embedded(runtimeEnv, (plain) => stringify(plain)),
    submissionMode: submission,
    suspend: props.suspend,
    backoffLimit,
    activeDeadlineSeconds: optionalSecondsOf('activeDeadline', props.activeDeadline),
    shutdownAfterJobFinishes: isOwn(cluster) ? shutdown : undefined,
    ttlSecondsAfterFinished: ttl,
    ...(isOwn(cluster)
      ? { rayClusterSpec: rayClusterSpec(cluster, choice) }
      : { clusterSelector: { 'ray.io/cluster': cluster.name } }),
  };
}

function requireSelectable({ suspend, backoffLimit = 0, submission, ttlAfterFinished }: RayJobProps): void {
  const ttl = optionalSecondsOf('ttlAfterFinished', ttlAfterFinished) ?? 0;
  const stated = [
    ...(suspend === true ? ['suspend'] : []),
    ...(backoffLimit > 0 ? ['backoffLimit'] : []),
    ...(submission === 'SidecarMode' ? ['submission SidecarMode'] : []),
    ...(ttl > 0 ? ['ttlAfterFinished'] : []),
  ];
  if (stated.length > 0) {
    throw new Error(
      `${allOf(stated)} must not be set for a job on an existing cluster. Remove ${stated.length === 1 ? 'it' : 'them'}, or define the cluster of the job.`,
    );
  }
}

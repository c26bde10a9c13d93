/**
 * Ray Serve applications on a cluster that is replaced without a gap when it changes.
 */
import { embedded } from '../../manifests/values/deferred';
import type { Duration } from 'cdk8s';
import { optionalSecondsOf, secondsOf } from '../resources/durations';
import { type Construct } from 'constructs';
import { stringify } from 'yaml';
import { RayService as RayServiceKind, type RayServiceSpec } from '../../facts/api/types/ray.io/v1';
import { Workload, type WorkloadProps } from '../workload/workload';
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
import { publicClass } from '../resources/public-class';

/** How traffic moves from the old cluster to the new one in an upgrade. */
export interface IncrementalUpgrade {
  /** GatewayClass of the Gateway that shifts traffic. */
  readonly gatewayClassName: string;
  /** Percent of traffic that moves at a time. */
  readonly stepPercent: number;
  /** Time between two moves. */
  readonly interval: Duration;
  /** Percent of capacity that the new cluster may have beside the old. @default 100 */
  readonly maxSurgePercent?: number;
}

/** Props of a RayService. */
export interface RayServiceProps extends WorkloadProps<RayServiceSpec, RayEngine> {
  /** The parts of the Ray cluster. */
  readonly cluster: RayClusterParts;
  /** Serve's configuration (`applications: …`), as an object or as YAML text. */
  readonly serveConfig: string | Readonly<Record<string, unknown>>;
  /**
   * What happens when the cluster changes: a new one takes over, a new one takes over step by step (with the autoscaler), or nothing.
   * @default 'new-cluster'
   */
  readonly upgrade?: 'new-cluster' | 'none' | IncrementalUpgrade;
  /** Time that the old cluster stays. @default - 60 seconds */
  readonly clusterDeletionDelay?: Duration;
  /** Keeps requests away from the head. @default false */
  readonly excludeHead?: boolean;
}

/**
 * A RayService (`ray.io/v1`).
 *
 * @example
 * new ray.RayService(chart, 'chat', {
 *   serveConfig: { applications: [{ name: 'chat', import_path: 'app:deployment', route_prefix: '/' }] },
 *   cluster: { rayVersion: '2.52.0', head: { image }, workers: [{ groupName: 'gpu', replicas: 2, image }] },
 * });
 */
@publicClass('ray.RayService')
export class RayService extends Workload<RayServiceKind, RayServiceSpec, RayEngine> {
  /** @throws if an incremental upgrade has no autoscaler or percentages out of range */
  constructor(scope: Construct, id: string, props: RayServiceProps) {
    super(scope, id, {
      kind: RayServiceKind,
      props,
      render: (choice) => ({
        rayClusterConfig: rayClusterSpec(props.cluster, choice),
        serveConfigV2:
          typeof props.serveConfig === 'string'
            ? props.serveConfig
            : embedded(props.serveConfig, (plain) => stringify(plain)),
        upgradeStrategy: upgradeOf(props),
        rayClusterDeletionDelaySeconds: optionalSecondsOf('clusterDeletionDelay', props.clusterDeletionDelay),
        excludeHeadPodFromServeSvc: props.excludeHead,
      }),
      references: referencesOfCluster(props.cluster),
      means: RAY_SCHEDULING,
      gangs: (name) => [gangOfCluster(name, props.cluster)],
      metadataOf: queueLabels,
      labelsOfPriority: priorityLabels,
    });
  }
}

function upgradeOf({ upgrade, cluster }: RayServiceProps): RayServiceSpec['upgradeStrategy'] {
  if (upgrade === undefined) {
    return undefined;
  }
  if (typeof upgrade === 'string') {
    return { type: upgrade === 'none' ? 'None' : 'NewCluster' };
  }
  const { gatewayClassName, stepPercent, maxSurgePercent = 100 } = upgrade;
  const intervalSeconds = secondsOf('upgrade.interval', upgrade.interval);
  if (cluster.autoscaler === undefined) {
    throw new Error(
      'an incremental upgrade requires cluster.autoscaler, because the new cluster grows as traffic moves to it.',
    );
  }
  if (
    maxSurgePercent < 0 ||
    maxSurgePercent > 100 ||
    stepPercent < 0 ||
    stepPercent > maxSurgePercent ||
    intervalSeconds <= 0
  ) {
    throw new Error(
      `upgrade stepPercent ${stepPercent}, maxSurgePercent ${maxSurgePercent}, interval ${intervalSeconds}s: expected ` +
        '0 <= stepPercent <= maxSurgePercent <= 100 and an interval above 0.',
    );
  }
  return {
    type: 'NewClusterWithIncrementalUpgrade',
    clusterUpgradeOptions: { gatewayClassName, intervalSeconds, maxSurgePercent, stepSizePercent: stepPercent },
  };
}

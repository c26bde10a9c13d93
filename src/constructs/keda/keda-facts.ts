/**
 * Names and defaults of KEDA that constructs and rules share.
 */
import { cite } from '../../facts/upstream';

/** The release that everything here was taken from. */
export const KEDA_PROJECT = cite('keda');

export const SCALED_OBJECT_KIND = 'keda.sh/ScaledObject';
export const SCALED_JOB_KIND = 'keda.sh/ScaledJob';
export const TRIGGER_AUTHENTICATION_KIND = 'keda.sh/TriggerAuthentication';
export const CLUSTER_TRIGGER_AUTHENTICATION_KIND = 'keda.sh/ClusterTriggerAuthentication';

/** Replicas where maxReplicaCount is not stated. */
export const DEFAULT_MAX_REPLICAS = 100;

export const PAUSED = 'autoscaling.keda.sh/paused';
export const PAUSED_REPLICAS = 'autoscaling.keda.sh/paused-replicas';
export const PAUSED_SCALE_IN = 'autoscaling.keda.sh/paused-scale-in';
export const PAUSED_SCALE_OUT = 'autoscaling.keda.sh/paused-scale-out';
export const FORCE_ACTIVATION = 'autoscaling.keda.sh/force-activation';
export const TRANSFER_HPA_OWNERSHIP = 'scaledobject.keda.sh/transfer-hpa-ownership';
/** On a HorizontalPodAutoscaler: `false` says that KEDA's webhook is to overlook it. */
export const HPA_OWNERSHIP = 'validations.keda.sh/hpa-ownership';

/** Metrics of the pods themselves, which the HorizontalPodAutoscaler reads without KEDA. */
export function isResourceTrigger(type: string): boolean {
  return type === 'cpu' || type === 'memory';
}

/** The HorizontalPodAutoscaler that KEDA makes for a ScaledObject. */
export function hpaNameOf(scaledObject: string, stated?: string): string {
  return stated === undefined || stated === '' ? `keda-hpa-${scaledObject}` : stated;
}

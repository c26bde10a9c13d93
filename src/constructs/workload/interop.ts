/**
 * What cdk8s-plus asks of a workload: labels by which a Service or a NetworkPolicy selects its pods, and what an autoscaler scales.
 *
 * Any line of cdk8s-plus takes these by their shape, and nothing here imports one. Its classes LabelSelector and Container have private
 * members, so that no other type is assignable to them; their places have the type `never`, which is assignable to each.
 */

/** A configuration that `IPodSelector` of cdk8s-plus returns. */
export interface PodSelectorConfiguration {
  /** A LabelSelector, for cdk8s-plus alone. Read the labels from `podSelectorLabels`. */
  readonly labelSelector: never;
  readonly namespaces?: { readonly names: string[] };
}

/** A configuration that `INetworkPolicyPeer` of cdk8s-plus returns. */
export interface NetworkPolicyPeerConfiguration {
  readonly podSelector: PodSelectorConfiguration;
}

/** What an autoscaler of cdk8s-plus has to know of its target. */
export interface ScalingTargetDescription {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Containers with their requests and limits, for cdk8s-plus alone. */
  readonly containers: never[];
  /** Replicas that are stated, beside which no autoscaler can work. @default - none are stated */
  readonly replicas?: number;
}

/** A workload whose number of replicas an autoscaler may set: `IScalable` of cdk8s-plus. */
export interface ScalableWorkload {
  /** Whether an autoscaler sets the replicas, so that the manifest states none by default. */
  hasAutoscaler: boolean;
  /** Records that an autoscaler sets the number of replicas. */
  markHasAutoscaler(): void;
  /** Returns what an autoscaler needs to know about the workload. */
  toScalingTarget(): ScalingTargetDescription;
}

/** The selector of these labels, as cdk8s-plus reads it. */
export function podSelectorConfiguration(
  labels: Readonly<Record<string, string>>,
  namespace: string | undefined,
): PodSelectorConfiguration {
  const labelSelector = {
    isEmpty: (): boolean => Object.keys(labels).length === 0,
    _toKube: (): object => ({ matchLabels: { ...labels } }),
  };
  return {
    labelSelector: labelSelector as never,
    ...(namespace === undefined ? {} : { namespaces: { names: [namespace] } }),
  };
}

interface ContainerResources {
  readonly requests?: Readonly<Record<string, unknown>>;
  readonly limits?: Readonly<Record<string, unknown>>;
}

/** Containers of a pod with the resources that an autoscaler looks for: CPU and memory. */
export function scaledContainers(
  containers: readonly { readonly resources?: ContainerResources }[],
): ScalingTargetDescription['containers'] {
  return containers.map(({ resources: { requests = {}, limits = {} } = {} }) => ({
    resources: {
      cpu: { request: requests.cpu, limit: limits.cpu },
      memory: { request: requests.memory, limit: limits.memory },
    },
  })) as never[];
}

/** Marks a target as autoscaled if it supports that: a workload of this library or of cdk8s-plus. */
export function markScaled(target: object): void {
  if ('markHasAutoscaler' in target && typeof target.markHasAutoscaler === 'function') {
    (target as ScalableWorkload).markHasAutoscaler();
  }
}

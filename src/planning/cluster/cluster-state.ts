/**
 * A cluster as it is: what a cluster file describes or `kubectl get … -o json` printed, ready to be planned on.
 */
import { type JsonObject } from '../../facts/api/schema';
import { type ClusterNode, type Gang, type Pod, type Queue, type Topology } from '../../placement';
import { type TierResolver } from './objects/topologies';
import { type GangFacts } from './view-input';

/** A gang that is in the cluster, running or waiting. */
export interface ClusterGang {
  readonly gang: Gang;
  readonly pods: readonly Pod[];
  readonly facts: GangFacts;
  /** `namespace/kind/name`, the kind in lower case, of every object that represents it, so that a manifest finds it. */
  readonly keys: readonly string[];
}

/** Pods of a DaemonSet, or others that are bound to their node: they only take room. */
export interface NodePod {
  readonly pod: Pod;
  /** `namespace/daemonset/name`. */
  readonly key: string;
}

export interface ClusterState {
  /** What the cluster is called. */
  readonly name: string;
  /** Milliseconds since the epoch. @default - time plays no part */
  readonly at?: number;
  readonly nodes: readonly ClusterNode[];
  readonly poolOf: (node: ClusterNode) => string;
  readonly topologies: readonly Topology[];
  /** Levels that nodes are shown by, outermost first. */
  readonly levels: readonly string[];
  /** What Volcano's tiers stand for. @default - there are none */
  readonly tiers?: TierResolver;
  readonly queues: readonly Queue[];
  readonly gangs: readonly ClusterGang[];
  readonly nodePods: readonly NodePod[];
  /** Everything else that was read: what workloads refer to. */
  readonly objects: readonly JsonObject[];
  readonly notes: readonly string[];
}

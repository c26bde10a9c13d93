/**
 * A cluster as it is: what a cluster file describes or `kubectl get … -o json` printed, ready to be planned on.
 */
import { type JsonObject } from '../../facts/api/schema';
import { type ClusterNode, type Gang, type Pod, type Queue, type Topology } from '../../placement';
import { type TierResolver } from './objects/topologies';
import { type ViewNodeHealth } from './view/view';
import { type GangFacts } from './view/view-input';

/** A gang that is in the cluster, running or waiting. */
export interface ClusterGang {
  /** The gang in the terms of the placement core. */
  readonly gang: Gang;
  /** Its pods that exist. */
  readonly pods: readonly Pod[];
  /** What the view shows about it. */
  readonly facts: GangFacts;
  /** `namespace/kind/name`, the kind in lower case, of every object that represents it, so that a manifest finds it. */
  readonly keys: readonly string[];
}

/** Pods of a DaemonSet, or others that are bound to their node: they only take room. */
export interface NodePod {
  /** The pod in the terms of the placement core. */
  readonly pod: Pod;
  /** `namespace/daemonset/name`. */
  readonly key: string;
}

/** A cluster that manifests can be planned against. */
export interface ClusterState {
  /** What the cluster is called. */
  readonly name: string;
  /** Milliseconds since the epoch. @default - time plays no part */
  readonly at?: number;
  /** The nodes of the cluster. */
  readonly nodes: readonly ClusterNode[];
  /** Returns the name of the pool that a node belongs to. */
  readonly poolOf: (node: ClusterNode) => string;
  /** Named trees of domains. */
  readonly topologies: readonly Topology[];
  /** Levels that nodes are shown by, outermost first. */
  readonly levels: readonly string[];
  /** What Volcano's tiers represent. @default - there are none */
  readonly tiers?: TierResolver;
  /** The queues that exist in the cluster. */
  readonly queues: readonly Queue[];
  /** The gangs that exist in the cluster. */
  readonly gangs: readonly ClusterGang[];
  /** Pods that belong to no gang and take capacity of a node. */
  readonly nodePods: readonly NodePod[];
  /**
   * What is wrong with nodes, and what remediation did to them, by name.
   * @default - nothing is known
   * @beta
   */
  readonly health?: ReadonlyMap<string, ViewNodeHealth>;
  /** Everything else that was read: what workloads refer to. */
  readonly objects: readonly JsonObject[];
  /** What was assumed or left out while reading, in sentences for people. */
  readonly notes: readonly string[];
}

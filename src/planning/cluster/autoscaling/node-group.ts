/**
 * A group of nodes that an autoscaler may make larger.
 */
import { amountsOf } from '../../../manifests/pods/resource-amounts';
import { type Amounts, type ClusterNode, type Taint } from '../../../placement';
import { devicesOf } from '../objects/node-devices';
import { labeledPool } from '../nodes/pools';

export interface NodeGroup {
  /** Name of the NodePool, MachineDeployment, or cloud group. */
  readonly name: string;
  /** Kind of the object that states it. */
  readonly kind: string;
  /** A node as the autoscaler would create it. Absent where its size is not known. */
  readonly node?: ClusterNode;
  /** Nodes that may still be added. */
  readonly room: number;
  /** The limit in words: `limit 16`. Absent where nothing limits the group. */
  readonly limit?: string;
}

/** Whether a node of the cluster is of the pool, by its labels or by the cluster file. */
export function isOfPool({ labels = {}, pool }: ClusterNode, name: string): boolean {
  return (labeledPool(labels) ?? pool) === name;
}

/** The most nodes that are added to a group without a limit. */
export const MOST_FURTHER_NODES = 1000;
const DEFAULT_PODS = 110;

export interface NodeShape {
  readonly group: string;
  /** As a Node states it. */
  readonly allocatable: Readonly<Record<string, string | number>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
}

/** A node of a stated size. */
export function nodeOfShape({ group, allocatable, labels, taints }: NodeShape): ClusterNode {
  const amounts: Record<string, number> = { pods: DEFAULT_PODS, ...amountsOf({ ...allocatable }) };
  return {
    name: `${group}-new`,
    allocatable: amounts,
    labels: { ...labels },
    pool: group,
    ...(taints.length > 0 && { taints }),
    ...devicesOf(amounts, labels),
  };
}

/** The number of further nodes that limits on resources allow. */
export function roomWithin(limits: Amounts, used: Amounts, node: ClusterNode | undefined): number {
  const rooms = Object.entries(limits).flatMap(([resource, limit]) => {
    const each = resource === 'nodes' ? 1 : (node?.allocatable[resource] ?? 0);
    return each > 0 ? [Math.max(0, Math.floor((limit - (used[resource] ?? 0)) / each))] : [];
  });
  return Math.min(MOST_FURTHER_NODES, ...rooms);
}

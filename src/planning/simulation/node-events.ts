/**
 * What each kind of node event does.
 */
import { type ClusterNode } from '../../placement';
import { type NodeEventKind } from './scenario';

interface NodeEvent {
  readonly change: Partial<ClusterNode>;
  /** What becomes of the pods of the nodes. */
  readonly pods: 'stay' | 'evicted' | 'lost';
  /** Whether the nodes are ready from now on. @default - as before */
  readonly isUp?: boolean;
  /** As in `3 nodes failed`. */
  readonly verb: string;
}

export const NODE_EVENTS: Readonly<Record<NodeEventKind, NodeEvent>> = {
  fail: { change: { ready: false }, pods: 'lost', isUp: false, verb: 'failed' },
  leave: { change: { ready: false }, pods: 'lost', isUp: false, verb: 'left the cluster' },
  drain: { change: { unschedulable: true }, pods: 'evicted', verb: 'drained' },
  reclaim: { change: { unschedulable: true }, pods: 'evicted', verb: 'reclaimed' },
  return: { change: { ready: true, unschedulable: false }, pods: 'stay', isUp: true, verb: 'returned' },
  join: { change: { ready: true, unschedulable: false }, pods: 'stay', isUp: true, verb: 'joined the cluster' },
};

/** Nodes in a sentence. */
export function listedNodes(names: readonly string[]): string {
  return names.length <= 3 ? names.join(', ') : `${names[0]} and ${names.length - 1} more nodes`;
}

/**
 * Which pods are to be evicted now, from what the records of nodes say: a program that starts again goes on where another one ended.
 *
 * Pods on other nodes are evicted first. As long as the node of the record has a pod of the gang, the gang is known to be evicted because of it;
 * a record that names a gang without a pod on its node has no effect. Pods that were created after the decision are not evicted.
 */
import { type Clearing, type RemediationRecord } from './record';
import { type RemediationGang, type RemediationNode, type RemediationPod } from './state';

/** A gang to evict. */
export interface RemediationEviction {
  /** The node whose problem is the reason. */
  readonly node: string;
  readonly rule: string;
  /** Key of the gang. */
  readonly gang: string;
  readonly graceSeconds?: number;
  /** All pods of the gang that are to be evicted. */
  readonly pods: readonly RemediationPod[];
  /** Those that are evicted now: of other nodes, and when there are none left, of the node itself. */
  readonly now: readonly RemediationPod[];
}

/** Gangs by their key and by node. */
export class GangIndex {
  private readonly byKey = new Map<string, RemediationGang>();
  private readonly byNode = new Map<string, RemediationGang[]>();

  constructor(gangs: readonly RemediationGang[]) {
    for (const gang of gangs) {
      this.byKey.set(gang.key, gang);
      for (const node of gang.nodes) {
        const known = this.byNode.get(node);
        if (known === undefined) {
          this.byNode.set(node, [gang]);
        } else {
          known.push(gang);
        }
      }
    }
  }

  /** Gangs with a pod on the node that is not about to end. */
  on(node: string): readonly RemediationGang[] {
    return (this.byNode.get(node) ?? []).filter(({ pods }) => pods.some((pod) => pod.node === node));
  }

  eviction(node: string, { rule, gang: key, before, graceSeconds }: Clearing): RemediationEviction | undefined {
    const gang = this.byKey.get(key);
    if (gang === undefined || !gang.nodes.has(node)) {
      return undefined;
    }
    const pods = gang.pods.filter(({ createdAt }) => createdAt <= before);
    if (pods.length === 0) {
      return undefined;
    }
    const others = pods.filter((pod) => pod.node !== node);
    return {
      node,
      rule,
      gang: key,
      ...(graceSeconds === undefined ? {} : { graceSeconds }),
      pods,
      now: others.length > 0 ? others : pods,
    };
  }

  /** Whether all pods of the gang are evicted already, by the record of another node. */
  isCleared(gang: RemediationGang, nodes: readonly RemediationNode[]): boolean {
    return nodes.some(({ name, record }) =>
      record.clearing.some(
        (one) =>
          one.gang === gang.key && gang.nodes.has(name) && gang.pods.every(({ createdAt }) => createdAt <= one.before),
      ),
    );
  }
}

/** The record without evictions and restarts that are complete. */
export function progressed(
  { name, record }: RemediationNode,
  gangs: () => GangIndex,
  plugins: readonly RemediationPod[],
): RemediationRecord {
  if (record.clearing.length + record.plugins.length === 0) {
    return record;
  }
  return {
    ...record,
    clearing: record.clearing.filter((one) => gangs().eviction(name, one) !== undefined),
    plugins: record.plugins.filter((uid) => plugins.some((pod) => pod.uid === uid && pod.node === name)),
  };
}

/** Decides on the eviction of a gang: all pods that it has now. */
export function clearingOf(gang: RemediationGang, rule: string, graceSeconds: number | undefined): Clearing {
  return {
    rule,
    gang: gang.key,
    before: gang.pods.reduce((latest, { createdAt }) => Math.max(latest, createdAt), 0),
    ...(graceSeconds === undefined ? {} : { graceSeconds }),
  };
}

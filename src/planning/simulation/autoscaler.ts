/**
 * Starts nodes for gangs that wait, and ends nodes that are idle, as Karpenter and cluster-autoscaler do.
 *
 * Which nodes a gang needs is what the placement core would do if they were there: first with the nodes that are on their way, then with all
 * that could be started. Gangs get all of their nodes or none.
 */
import { type ClusterNode, type Policy, type Snapshot } from '../../placement';
import { Session } from '../../placement/books/session';
import { decideIn } from '../../placement/engine';
import { type ScalingGroup } from './scenario';

/** Nodes of one group that are requested together. */
export interface NodeRequest {
  readonly delaySeconds: number;
  readonly nodes: readonly string[];
}

export class Autoscaler {
  private readonly groups = new Map<string, ScalingGroup>();
  /** Nodes that are requested or ready. */
  private readonly started = new Set<string>();
  private readonly pods = new Map<string, number>();
  private readonly emptySince = new Map<string, number>();
  private readonly policy: Policy;
  /** For what nodes were last looked for. */
  private asked = '';

  constructor(scaling: readonly ScalingGroup[], policy: Policy) {
    this.policy = { ...policy, actions: ['allocate'], repartitionLimit: 0 };
    for (const group of scaling) {
      group.nodes.forEach((node, index) => {
        this.groups.set(node, group);
        if (index < group.least) {
          this.started.add(node);
        }
      });
    }
  }

  groupOf(node: string): ScalingGroup | undefined {
    return this.groups.get(node);
  }

  podStarts(node: string): void {
    this.pods.set(node, (this.pods.get(node) ?? 0) + 1);
    this.emptySince.delete(node);
  }

  /** @returns true if the node has no pods from now on */
  podEnds(node: string, now: number): boolean {
    const left = (this.pods.get(node) ?? 0) - 1;
    this.pods.set(node, left);
    if (left === 0) {
      this.emptySince.set(node, now);
    }
    return left === 0;
  }

  /** Takes note that the node ends, if it has been idle since then and its group has nodes to spare. */
  ends(node: string, since: number): boolean {
    const group = this.groups.get(node);
    const isIdle = (this.pods.get(node) ?? 0) === 0 && (this.emptySince.get(node) ?? since) === since;
    if (group === undefined || !isIdle || !this.started.has(node)) {
      return false;
    }
    if (group.nodes.filter((name) => this.started.has(name)).length <= group.least) {
      return false;
    }
    this.started.delete(node);
    this.emptySince.delete(node);
    this.asked = '';
    return true;
  }

  /**
   * @param waiting names of the gangs that wait
   * @param snapshotOf the cluster as it is
   */
  requests(waiting: readonly string[], snapshotOf: () => Snapshot): readonly NodeRequest[] {
    const asked = JSON.stringify([waiting, [...this.started]]);
    if (this.started.size === this.groups.size || asked === this.asked) {
      return [];
    }
    this.asked = asked;
    const snapshot = snapshotOf();
    const coming = this.placesIn(snapshot, (node) => this.started.has(node));
    const isServed = waiting.every((gang) => coming.gangs.has(gang));
    const needed = isServed ? new Set<string>() : this.placesIn(snapshot, () => true).nodes;
    const nodes = [...needed].filter((node) => this.groups.has(node) && !this.started.has(node));
    nodes.forEach((node) => this.started.add(node));
    return [...new Set(this.groups.values())].flatMap((group) => {
      const own = group.nodes.filter((node) => nodes.includes(node));
      return own.length === 0 ? [] : [{ delaySeconds: group.delaySeconds, nodes: own }];
    });
  }

  /** Where the gangs that wait would be placed if these nodes of groups were ready. */
  private placesIn(
    snapshot: Snapshot,
    isThere: (node: string) => boolean,
  ): { readonly nodes: ReadonlySet<string>; readonly gangs: ReadonlySet<string> } {
    const nodes = snapshot.nodes.map((node): ClusterNode =>
      this.groups.has(node.name) && isThere(node.name) ? { ...node, ready: true, unschedulable: false } : node,
    );
    const { bindings } = decideIn(new Session({ ...snapshot, nodes }, this.policy), () => 'none');
    return {
      nodes: new Set(bindings.map(({ node }) => node)),
      gangs: new Set(bindings.map(({ gang }) => gang)),
    };
  }
}

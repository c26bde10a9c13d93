/**
 * What remediation knows and did, as plain JSON: the answer of `/status`, and what the page shows.
 */
import {
  type BudgetUse,
  isActing,
  type RemediationPlan,
  type RemediationRecord,
  type RemediationRefusal,
  type RemediationState,
} from '../../planning/remediation';

export interface NodeStatus {
  readonly name: string;
  /** Types of the conditions that are True, without Ready. */
  readonly conditions: readonly string[];
  /** Causes that hold, in sentences. */
  readonly causes: readonly string[];
  /** What is on the node because of remediation; in a dry run, what would be. */
  readonly record: Pick<RemediationRecord, 'marks' | 'why' | 'clearing'>;
  /** What a rule demands and something prevents. */
  readonly refusals: readonly string[];
}

export interface Act {
  /** RFC 3339, the API server's time. */
  readonly at: string;
  readonly node: string;
  readonly text: string;
}

export interface Status {
  readonly mode: 'dry-run' | 'active';
  /** Whether this replica acts. */
  readonly leads: boolean;
  /** Which one does. */
  readonly holder: string;
  /** Nodes with a cause, and nodes that remediation acts on. */
  readonly nodes: readonly NodeStatus[];
  /** Of the pools and racks with an unavailable node. */
  readonly budget: readonly BudgetUse[];
  /** The latest first. */
  readonly recent: readonly Act[];
}

export interface Latest {
  readonly plan: RemediationPlan;
  readonly state: RemediationState;
}

/** Nodes and budgets as of the latest plan. */
export function statusOf(
  latest: Latest | undefined,
  refusals: readonly RemediationRefusal[],
): Pick<Status, 'nodes' | 'budget'> {
  if (latest === undefined) {
    return { nodes: [], budget: [] };
  }
  const { plan, state } = latest;
  const causes = byNode(
    plan.findings,
    ({ rule, cause, held }) => `rule ${rule}: ${cause} for ${Math.floor(held / 1000)} s`,
  );
  const prevented = byNode(refusals, ({ rule, reason }) => `rule ${rule}: ${reason}`);
  return {
    nodes: state.nodes.flatMap(({ name, problems, record }): NodeStatus[] => {
      const held = causes.get(name) ?? [];
      return held.length === 0 && !isActing(record)
        ? []
        : [{ name, conditions: problems, causes: held, record, refusals: prevented.get(name) ?? [] }];
    }),
    budget: plan.budget.filter(({ unavailable }) => unavailable > 0),
  };
}

function byNode<T extends { readonly node: string }>(
  list: readonly T[],
  textOf: (item: T) => string,
): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, string[]>();
  for (const item of list) {
    const texts = all.get(item.node) ?? [];
    texts.push(textOf(item));
    all.set(item.node, texts);
  }
  return all;
}

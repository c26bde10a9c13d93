/**
 * What was wrong with nodes and what remediation did about it, as spans of time: asked at each moment, kept where it changes.
 */
import { type BudgetUse } from '../remediation';
import { type BudgetOutcome, type HealthSpan, type NodeHealth } from './result';

/** What a node has at a moment. */
export interface HealthNow {
  readonly problems: readonly string[];
  readonly marks: readonly string[];
  readonly refusals: readonly string[];
}

interface OpenSpan {
  readonly what: string;
  readonly from: number;
  to: number | undefined;
}

interface NodeLog {
  readonly problems: OpenSpan[];
  readonly marks: OpenSpan[];
  readonly refusals: OpenSpan[];
}

interface BudgetLog extends BudgetOutcome {
  readonly at: number[];
  readonly unavailable: number[];
  readonly most: number[];
  readonly nodes: number[];
}

export class HealthLog {
  private readonly nodes = new Map<string, NodeLog>();
  private readonly budgets = new Map<string, BudgetLog>();

  /** @param affected every node with a problem or a mark */
  see(now: number, affected: ReadonlyMap<string, HealthNow>, budget: readonly BudgetUse[]): void {
    for (const name of affected.keys()) {
      if (!this.nodes.has(name)) {
        this.nodes.set(name, { problems: [], marks: [], refusals: [] });
      }
    }
    for (const [name, log] of this.nodes) {
      const { problems = [], marks = [], refusals = [] } = affected.get(name) ?? {};
      follow(log.problems, problems, now);
      follow(log.marks, marks, now);
      follow(log.refusals, refusals, now);
    }
    budget.forEach((use) => this.seeBudget(now, use));
  }

  /** @returns `undefined` where nothing was ever wrong */
  outcome(remediation: NodeHealth['remediation']): NodeHealth | undefined {
    const budgets = [...this.budgets.values()].filter(({ unavailable }) => unavailable.some((count) => count > 0));
    return this.nodes.size === 0
      ? undefined
      : {
          remediation,
          nodes: [...this.nodes].map(([name, { problems, marks, refusals }]) => ({
            name,
            problems: problems.flatMap(lasting),
            marks: marks.flatMap(lasting),
            refusals: refusals.flatMap(lasting),
          })),
          budgets,
        };
  }

  private seeBudget(now: number, { kind, name, nodes, unavailable, most }: BudgetUse): void {
    const key = `${kind} ${name}`;
    const log = this.budgets.get(key) ?? { kind, name, at: [], unavailable: [], most: [], nodes: [] };
    this.budgets.set(key, log);
    const last = log.at.length - 1;
    if (log.unavailable[last] === unavailable && log.most[last] === most && log.nodes[last] === nodes) {
      return;
    }
    const i = log.at[last] === now ? last : last + 1;
    log.at[i] = now;
    log.unavailable[i] = unavailable;
    log.most[i] = most;
    log.nodes[i] = nodes;
  }
}

/** Ends what is no longer so, and begins what is new. */
function follow(spans: OpenSpan[], current: readonly string[], now: number): void {
  const open = spans.filter(({ to }) => to === undefined);
  open.filter(({ what }) => !current.includes(what)).forEach((span) => (span.to = now));
  current
    .filter((what) => !open.some((span) => span.what === what))
    .forEach((what) => spans.push({ what, from: now, to: undefined }));
}

/** What began and ended at one moment was never seen. */
function lasting({ what, from, to }: OpenSpan): readonly HealthSpan[] {
  return to === from ? [] : [{ what, from, ...(to !== undefined && { to }) }];
}

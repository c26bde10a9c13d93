/**
 * For how long causes hold, and for how long there is none.
 *
 * What the program saw begin is measured on its own clock. At the first sight of a node, after a restart, what the condition or the alert states
 * is believed, so that a wait does not start again.
 */
import { causeOf, heldOf } from './causes';
import { type RemediationRule, type RemediationSettings } from './rules';
import { type RemediationAlert, type RemediationNode, type RemediationState } from './state';

/** Since when causes hold, and since when there are none, in milliseconds on the clock of the state. */
export interface RemediationMemory {
  /** By `NODE RULE`. */
  readonly since: ReadonlyMap<string, number>;
  /** By node; of nodes without a cause. */
  readonly healthySince: ReadonlyMap<string, number>;
  /** Nodes that were seen before. */
  readonly nodes: ReadonlySet<string>;
}

export const NO_MEMORY: RemediationMemory = { since: new Map(), healthySince: new Map(), nodes: new Set() };

/** A cause that holds. */
export interface Demand {
  readonly rule: RemediationRule;
  readonly cause: string;
  readonly since: number;
  /** Whether it has lasted as long as the rule says. */
  readonly isDue: boolean;
}

const MOST_HELD = 7 * 24 * 3600 * 1000;

export class Waits {
  private readonly since = new Map<string, number>();
  private readonly healthySince = new Map<string, number>();
  private readonly nodes = new Set<string>();

  constructor(
    private readonly settings: RemediationSettings,
    private readonly state: RemediationState,
    private readonly memory: RemediationMemory,
  ) {}

  get next(): RemediationMemory {
    const { since, healthySince, nodes } = this;
    return { since, healthySince, nodes };
  }

  /** The causes that hold for the node, in the order of the rules. */
  demandsOf(node: RemediationNode, alerts: readonly RemediationAlert[]): readonly Demand[] {
    const { now } = this.state;
    const isNew = !this.memory.nodes.has(node.name);
    this.nodes.add(node.name);
    const demands = this.settings.rules.flatMap((rule): readonly Demand[] => {
      const cause = causeOf(rule, node, alerts);
      if (cause === undefined) {
        return [];
      }
      const key = `${node.name} ${rule.name}`;
      const since = this.memory.since.get(key) ?? now - (isNew ? bounded(cause.held) : 0);
      this.since.set(key, since);
      return [{ rule, cause: cause.text, since, isDue: now - since >= rule.afterSeconds * 1000 }];
    });
    if (demands.length === 0) {
      const stated = isNew ? this.healthyFor(node) : 0;
      this.healthySince.set(node.name, this.memory.healthySince.get(node.name) ?? now - stated);
    }
    return demands;
  }

  /** Since when the node has no cause; `undefined` while it has one. */
  healthySinceOf(node: string): number | undefined {
    return this.healthySince.get(node);
  }

  /** Known only where conditions were the only causes of what was done. */
  private healthyFor(node: RemediationNode): number {
    const acted = new Set(node.record.done.map((one) => one.split('/')[0]));
    const conditions = [...acted].map((name) => {
      const cause = this.settings.rules.find((rule) => rule.name === name)?.cause;
      return cause !== undefined && 'condition' in cause ? heldOf(node, cause.condition) : undefined;
    });
    return conditions.reduce<number>((least, held) => Math.min(least, bounded(held)), acted.size === 0 ? 0 : MOST_HELD);
  }
}

/** A clock that is behind, or ahead by days, counts for nothing. */
function bounded(held: number | undefined): number {
  return held === undefined || !(held > 0) ? 0 : Math.min(held, MOST_HELD);
}

/**
 * The latest decisions that did something, for people.
 */
import { type Outcome } from './outcome';

export interface DecisionRecord {
  /** Milliseconds since the epoch, in the API server's time. */
  readonly at: number;
  readonly gang: string;
  readonly what: 'placed' | 'nominated' | 'evicted' | 'moved' | 'repartitioned';
  /** 0 where nodes get another MIG configuration for the gang. */
  readonly pods: number;
  /** The first few. */
  readonly nodes: readonly string[];
  readonly nodeCount: number;
  readonly action?: string;
  readonly beneficiary?: string;
}

const KEPT = 200;
const NODES_SHOWN = 8;

export class Decisions {
  private list: DecisionRecord[] = [];
  /** Nominations last for many cycles, and are reported once. */
  private nominated = new Set<string>();

  /** Newest first. */
  get latest(): readonly DecisionRecord[] {
    return this.list;
  }

  add({ at, decision }: Outcome): void {
    const records = new Map<
      string,
      { record: Omit<DecisionRecord, 'pods' | 'nodes' | 'nodeCount'>; pods: number; nodes: Set<string> }
    >();
    const note = (record: Omit<DecisionRecord, 'pods' | 'nodes' | 'nodeCount'>, node: string, pods = 1): void => {
      const key = JSON.stringify(record);
      const known = records.get(key) ?? { record, pods: 0, nodes: new Set<string>() };
      known.pods += pods;
      known.nodes.add(node);
      records.set(key, known);
    };
    decision.bindings.forEach(({ gang, node }) => note({ at, gang, what: 'placed' }, node));
    const nominated = new Set(decision.nominations.map(({ gang }) => gang));
    decision.nominations
      .filter(({ gang }) => !this.nominated.has(gang))
      .forEach(({ gang, node }) => note({ at, gang, what: 'nominated' }, node));
    decision.evictions.forEach(({ gang, node, action, beneficiary, movesTo }) =>
      note(
        {
          at,
          gang,
          what: movesTo === undefined ? 'evicted' : 'moved',
          action,
          ...(beneficiary !== undefined && { beneficiary }),
        },
        node,
      ),
    );
    decision.repartitions?.forEach(({ node, beneficiary: gang }) => note({ at, gang, what: 'repartitioned' }, node, 0));
    this.nominated = nominated;
    const added = [...records.values()].map(({ record, pods, nodes }): DecisionRecord => ({
      ...record,
      pods,
      nodes: [...nodes].slice(0, NODES_SHOWN),
      nodeCount: nodes.size,
    }));
    this.list = [...added.reverse(), ...this.list].slice(0, KEPT);
  }
}

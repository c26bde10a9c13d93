/**
 * Finds what makes a cycle fail, where the error does not say it: the gang, the node or the queue without which the decision succeeds.
 *
 * The first n gangs (then nodes, then queues) are tried for the smallest n that fails, by halving: a cycle that fails for one of a
 * thousand gangs costs ten more cycles, once.
 */
import { type Snapshot } from '../../placement';
import { decideIn } from '../../placement/engine';
import { Session } from '../../placement/books/session';
import { type Policy } from '../../placement/model/policy';

export interface Culprit {
  readonly kind: 'gang' | 'node' | 'queue';
  /** As in the snapshot. */
  readonly name: string;
}

/** `undefined` if the cycle fails without any gang, node, and queue, or does not fail with all of them: then none of them is the cause. */
export function culpritIn(
  snapshot: Snapshot,
  policy: Policy,
  fails: (snapshot: Snapshot) => boolean = (tried) => doesFail(tried, policy),
): Culprit | undefined {
  const { gangs, nodes, queues } = snapshot;
  const first = <T extends { readonly name: string }>(
    list: readonly T[],
    kind: Culprit['kind'],
    of: (kept: readonly T[]) => Snapshot,
  ): Culprit | undefined => {
    if (fails(of([]))) {
      return undefined;
    }
    let [good, bad] = [0, list.length];
    while (bad - good > 1) {
      const middle = (good + bad) >> 1;
      if (fails(of(list.slice(0, middle)))) {
        bad = middle;
      } else {
        good = middle;
      }
    }
    return bad === 0 ? undefined : { kind, name: list[bad - 1].name };
  };
  if (!fails(snapshot)) {
    return undefined;
  }
  const none = withGangs(snapshot, []);
  return (
    first(gangs, 'gang', (kept) => withGangs(snapshot, kept)) ??
    first(nodes, 'node', (kept) => ({ ...none, nodes: kept })) ??
    first(queues, 'queue', (kept) => ({ ...none, nodes: [], queues: kept }))
  );
}

/** The snapshot with these gangs and their pods; pods without a gang stay. */
function withGangs(snapshot: Snapshot, gangs: Snapshot['gangs']): Snapshot {
  const names = new Set(gangs.map(({ name }) => name));
  return { ...snapshot, gangs, pods: snapshot.pods.filter(({ gang }) => gang === undefined || names.has(gang)) };
}

function doesFail(snapshot: Snapshot, policy: Policy): boolean {
  try {
    decideIn(new Session(snapshot, policy));
    return false;
  } catch {
    return true;
  }
}

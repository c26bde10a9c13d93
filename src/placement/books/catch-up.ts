/**
 * The changes that lead from what a session knows to a snapshot, found by comparing values: for a caller that sees the world as a whole.
 *
 * Values that are the same object cost nothing; others are compared member by member: O(everything that was made again).
 */
import { type ClaimFacts } from '../model/claims';
import { type Delta, type Facts } from '../model/facts';
import { type Snapshot } from '../model/model';
import { type Policy } from '../model/policy';

/** Undefined where names are not unique, so that deltas cannot say which value is meant. */
export function differences(facts: Facts, snapshot: Snapshot, policy: Policy): Delta[] | undefined {
  const deltas: Delta[] = [];
  if (facts.now !== snapshot.now) {
    deltas.push({ kind: 'time', now: snapshot.now });
  }
  if (!areEqual(facts.policy, policy)) {
    deltas.push({ kind: 'policy', policy });
  }
  const { topologies = [] } = snapshot;
  if (!areEqual(facts.topologies, topologies)) {
    deltas.push({ kind: 'topologies', topologies });
  }
  const { slices = [], claims = NO_CLAIMS } = snapshot.deviceClaims ?? {};
  compareClaims(facts.claims, claims, deltas);
  const unique =
    compare(facts.slices, slices, deltas, (slice) => ({ kind: 'slice', slice }), 'slice-gone') &&
    compare(facts.nodes, snapshot.nodes, deltas, (node) => ({ kind: 'node', node }), 'node-gone') &&
    compare(facts.queues, snapshot.queues, deltas, (queue) => ({ kind: 'queue', queue }), 'queue-gone') &&
    compare(facts.gangs, snapshot.gangs, deltas, (gang) => ({ kind: 'gang', gang }), 'gang-gone') &&
    compare(facts.pods, snapshot.pods, deltas, (pod) => ({ kind: 'pod', pod }), 'pod-gone');
  return unique ? deltas : undefined;
}

const NO_CLAIMS: ReadonlyMap<string, ClaimFacts> = new Map();

/** What claims and slices say about nodes and devices are functions: only the same ones are equal. */
function compareClaims(
  known: ReadonlyMap<string, ClaimFacts>,
  claims: ReadonlyMap<string, ClaimFacts>,
  deltas: Delta[],
): void {
  for (const key of known.keys()) {
    if (!claims.has(key)) {
      deltas.push({ kind: 'claim-gone', key });
    }
  }
  for (const [key, claim] of claims) {
    if (!areEqual(known.get(key), claim)) {
      deltas.push({ kind: 'claim', key, claim });
    }
  }
}

/** @returns whether all names are different */
function compare<T extends { readonly name: string }>(
  known: ReadonlyMap<string, T>,
  list: readonly T[],
  deltas: Delta[],
  changed: (value: T) => Delta,
  gone: Extract<Delta, { readonly name: string }>['kind'],
): boolean {
  const names = new Set<string>();
  let kept = 0;
  for (const value of list) {
    const before = known.get(value.name);
    names.add(value.name);
    kept += before === undefined ? 0 : 1;
    if (before === undefined || !areEqual(before, value)) {
      deltas.push(changed(value));
    }
  }
  if (names.size < list.length) {
    return false;
  }
  if (kept < known.size) {
    for (const name of known.keys()) {
      if (!names.has(name)) {
        deltas.push({ kind: gone, name });
      }
    }
  }
  return true;
}

/** Plain values that say the same; a member that is undefined is one that is absent. */
export function areEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) {
    return true;
  }
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    return false;
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((value, i) => areEqual(value, b[i]))
    );
  }
  if (a instanceof Map || b instanceof Map) {
    return (
      a instanceof Map &&
      b instanceof Map &&
      a.size === b.size &&
      [...a].every(([key, value]) => b.has(key) && areEqual(value, b.get(key)))
    );
  }
  return haveEqualMembers(a as Members, b as Members) && haveNoMore(b as Members, a as Members);
}

type Members = Readonly<Record<string, unknown>>;

function haveEqualMembers(a: Members, b: Members): boolean {
  for (const key of Object.keys(a)) {
    if (!areEqual(a[key], Object.hasOwn(b, key) ? b[key] : undefined)) {
      return false;
    }
  }
  return true;
}

function haveNoMore(a: Members, b: Members): boolean {
  return Object.keys(a).every((key) => a[key] === undefined || Object.hasOwn(b, key));
}

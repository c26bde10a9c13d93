/**
 * Domains that could take all pods of a gang, in the order in which they are tried. Knows nothing of how pods are placed in one.
 */
import { type Domain } from '../topology/domains';

/** A domain that could take all of the pods. */
export interface Candidate {
  readonly domain: Domain;
  /** The fewest nodes on which it takes them; 0 where that does not count. */
  readonly nodes: number;
  /** For how many times as many pods it has room. */
  readonly spare: number;
}

/** The others are put in order when the first is not taken: mostly it is. */
export function* tightestFirst(candidates: Candidate[]): Generator<Domain> {
  if (candidates.length === 0) {
    return;
  }
  const first = candidates.reduce((best, one) => (compare(one, best) < 0 ? one : best));
  yield first.domain;
  for (const { domain } of candidates.sort(compare)) {
    if (domain !== first.domain) {
      yield domain;
    }
  }
}

function compare(a: Candidate, b: Candidate): number {
  return a.nodes - b.nodes || a.spare - b.spare || a.domain.index - b.domain.index;
}

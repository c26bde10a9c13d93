/**
 * Terms by which pods constrain one another, and how many pods of each domain they select.
 */
import { type PodSelector } from '../../model/model';
import { type Labels, selectsPod } from './selectors';

/** A selector and a topology key; to others only a value that is equal to itself. */
export interface Term {
  readonly key: string;
  readonly selector: PodSelector;
  readonly ownNamespace: string;
  readonly domains: KeyDomains;
  selected: Int32Array;
  /** Selected pods by row, for spread that only looks at some nodes. */
  selectedOnRow: Int32Array;
  owners: Int32Array;
  /** Selected pods on nodes that are in a domain. */
  total: number;
  /** Pods on such nodes that own it as anti-affinity. */
  owned: number;
  /** The last change of any of these, and the last one by which a domain got its first such pod, or lost its last. */
  changedAt: number;
  crossedAt: number;
  /** Classes of pods that it selects. */
  readonly selects: ClassTerms[];
}

/** Domains of one node label: the domain of each row, -1 where the node does not have it. */
export interface KeyDomains {
  readonly ofRow: Int32Array;
  readonly count: number;
  /** No two rows are in one domain. */
  readonly areRows: boolean;
}

export interface Spread {
  readonly term: Term;
  readonly maxSkew: number;
  readonly hard: boolean;
  /** Nodes that make domains: by the domain of each row, -1 for all others. Found when it is asked for. */
  ofRow?: Int32Array;
  /** Selected pods on these by domain, as of a change of the term, and the least of them. */
  known?: { readonly at: number; readonly counts: Int32Array; readonly least: number };
}

export interface ClassTerms {
  readonly namespace: string;
  readonly labels: Labels;
  readonly affinity: readonly Term[];
  readonly anti: readonly Term[];
  readonly spread: readonly Spread[];
  /** Those by which the class may fit on more nodes when others are placed. */
  readonly gains: readonly Term[];
  readonly preferred: readonly { readonly term: Term; readonly weight: number }[];
  /** Terms, of whichever class, that select pods of this class. */
  readonly selectedBy: Set<Term>;
  /** Those of them that some pod on a node owns as anti-affinity. */
  readonly keptOffBy: Set<Term>;
  readonly ports: readonly string[];
  /** When a term began or ceased to keep it off. */
  changedAt: number;
}

/** Of a term that no pod counts for. */
export const NO_COUNTS = new Int32Array();

export function link(term: Term, terms: ClassTerms): void {
  if (!terms.selectedBy.has(term) && selectsPod(term.selector, term.ownNamespace, terms.namespace, terms.labels)) {
    terms.selectedBy.add(term);
    if (term.owned > 0) {
      terms.keptOffBy.add(term);
    }
    term.selects.push(terms);
  }
}

export function hasSelected({ total, selected }: Term, domain: number): boolean {
  return total > 0 && selected[domain] > 0;
}

/** Selected pods on these nodes by domain, and the least of all domains that they make. */
export function countsIn(
  { total, selectedOnRow, domains }: Term,
  ofRow: Int32Array,
): { readonly counts: Int32Array; readonly least: number } {
  const counts = new Int32Array(domains.count);
  const isDomain = new Uint8Array(domains.count);
  for (let row = 0; row < ofRow.length; row++) {
    if (ofRow[row] >= 0) {
      isDomain[ofRow[row]] = 1;
      counts[ofRow[row]] += total === 0 ? 0 : selectedOnRow[row];
    }
  }
  let least = Infinity;
  for (let domain = 0; domain < counts.length; domain++) {
    least = isDomain[domain] === 1 ? Math.min(least, counts[domain]) : least;
  }
  return { counts, least: least === Infinity ? 0 : least };
}

/** Is each row that has a domain the only one in it? */
export function areDifferent(ofRow: Int32Array): boolean {
  const found = ofRow.filter((domain) => domain >= 0);
  return new Set(found).size === found.length;
}

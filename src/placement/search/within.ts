/**
 * The part of the cluster that a search is limited to, cut to domains.
 */
import { type Domain, type TopologyTree } from '../topology/domains';
import { type Within } from './select';

/** The rows of each mask: what is promised to a gang is left out again and again. */
const maskedRows = new WeakMap<Uint8Array, readonly number[]>();

export function rowsOf(mask: Uint8Array): readonly number[] {
  let rows = maskedRows.get(mask);
  if (rows === undefined) {
    rows = [...mask.keys()].filter((row) => mask[row] === 1);
    maskedRows.set(mask, rows);
  }
  return rows;
}

/** A set for each list of rows that others are cut to: the rows of one domain are asked for again for every leaf below it. */
const rowSets = new WeakMap<Int32Array, ReadonlySet<number>>();

/** The part of `within` that is in the domain. */
export function intersect(within: Within, tree: TopologyTree, domain: Domain): Within {
  const whole =
    within.rows === undefined ||
    within.rows === domain.rows ||
    (within.domain?.tree === tree && isUnder(domain, within.domain.domain));
  if (whole) {
    return { rows: domain.rows, without: within.without, wishless: within.wishless, domain: { tree, domain } };
  }
  const known = rowSets.get(within.rows);
  const inside = known ?? new Set(within.rows);
  if (known === undefined) {
    rowSets.set(within.rows, inside);
  }
  return {
    rows: domain.rows.filter((row) => inside.has(row)),
    without: within.without,
    wishless: within.wishless,
  };
}

export function isUnder(leaf: Domain, domain: Domain): boolean {
  for (let at: Domain | undefined = leaf; at !== undefined; at = at.parent) {
    if (at === domain) {
      return true;
    }
  }
  return false;
}

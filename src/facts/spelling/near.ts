/**
 * Which known name a misspelled one was probably meant to be. Names come from files of users: the work is bounded by the limit.
 */

/** How different a suggestion may be: a third of the letters, and at least one. */
export function limitOf(name: string): number {
  return Math.max(1, Math.floor(name.length / 3));
}

/**
 * The closest of `known` to `name`, where it is close enough to be worth saying; ties go to the first in alphabetical order. Upper and lower
 * case are the same letter.
 *
 * @param prefixes whether a name that begins with the other counts as close
 */
export function nearestName(
  name: string,
  known: Iterable<string>,
  { prefixes = false }: { readonly prefixes?: boolean } = {},
): string | undefined {
  const wanted = name.toLowerCase();
  const letters = lettersOf(name);
  const limit = limitOf(name) + 1;
  let best: string | undefined;
  let bestDistance = limit;
  for (const candidate of known) {
    if (candidate === name || (!prefixes && Math.abs(candidate.length - name.length) > bestDistance)) {
      continue;
    }
    const other = candidate.toLowerCase();
    const begins = prefixes && (other.startsWith(wanted) || wanted.startsWith(other));
    if (!begins && !mayBeNear(letters, lettersOf(candidate), Math.min(limit - 1, bestDistance))) {
      continue;
    }
    const distance = begins ? 1 : editDistance(wanted, other, Math.min(limit, bestDistance + 1));
    if (distance < bestDistance || (distance === bestDistance && best !== undefined && candidate < best)) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/**
 * The one of `known` that is `name` in another number (`maxRetries`, `maxRetry`), or with one more word at its end (`cohort`, `cohortName`).
 * `undefined` where none is, or several are.
 */
export function relatedName(name: string, known: Iterable<string>): string | undefined {
  const one = singular(name);
  const [related, ...others] = [...new Set(known)].filter(
    (candidate) =>
      candidate !== name &&
      (singular(candidate) === one ||
        (candidate.startsWith(name) && /^[A-Z][a-z0-9]*$/.test(candidate.slice(name.length)))),
  );
  return name === '' || others.length > 0 ? undefined : related;
}

function singular(name: string): string {
  return name
    .replace(/ies$/, 'y')
    .replace(/(s|x|z|ch|sh)es$/, '$1')
    .replace(/([^s])s$/, '$1');
}

/** One bit for each letter that occurs; other characters share bits. */
export function lettersOf(name: string): number {
  let letters = 0;
  for (let at = 0; at < name.length; at += 1) {
    // Upper and lower case differ in a higher bit.
    letters |= 1 << (name.charCodeAt(at) & 31);
  }
  return letters;
}

function bitsIn(mask: number): number {
  let bits = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) {
    bits += 1;
  }
  return bits;
}

/** Whether the given number of changes may make texts with these letters equal. A replacement changes two letters at most. */
export function mayBeNear(letters: number, others: number, changes: number): boolean {
  return bitsIn(letters ^ others) <= 2 * changes;
}

/** The names of `known` that are close to `name` or contain it, best first, at most `count`. */
export function nearestNames(name: string, known: Iterable<string>, count: number): readonly string[] {
  const wanted = name.toLowerCase();
  const limit = Math.max(2, limitOf(name));
  return [...new Set(known)]
    .map((candidate) => {
      const other = candidate.toLowerCase();
      return { candidate, distance: other.includes(wanted) ? 1 : editDistance(wanted, other, limit + 1) };
    })
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

/**
 * Insertions, deletions, replacements, and swaps of neighbors that make one text the other; `limit` where they are not fewer than that.
 * O(|a| * |b|); constant where the lengths differ by `limit` or more.
 */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) {
    return limit;
  }
  let [beforePrevious, previous, row] = [0, 1, 2].map(() => new Uint32Array(b.length + 1));
  for (let j = 0; j <= b.length; j += 1) {
    previous[j] = j;
  }
  for (let i = 1; i <= a.length; i += 1) {
    let least = (row[0] = i);
    for (let j = 1; j <= b.length; j += 1) {
      const isEqual = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let changes = Math.min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (isEqual ? 0 : 1));
      if (
        i > 1 &&
        j > 1 &&
        a.charCodeAt(i - 1) === b.charCodeAt(j - 2) &&
        a.charCodeAt(i - 2) === b.charCodeAt(j - 1)
      ) {
        changes = Math.min(changes, beforePrevious[j - 2] + 1);
      }
      row[j] = changes;
      least = Math.min(least, changes);
    }
    if (least >= limit) {
      return limit;
    }
    [beforePrevious, previous, row] = [previous, row, beforePrevious];
  }
  return Math.min(previous[b.length], limit);
}

/**
 * The fewest rows that take a number of pods of one kind: the roomiest first, and for the last part the tightest that takes it. Among rows
 * that take as many, the better score decides, then the lower row. What is left of a node stays for pods that come alone. O(rows log rows).
 */

/** A row and how many pods it takes. */
export interface Part {
  readonly row: number;
  readonly pods: number;
}

/** Undefined where the rows do not take all of the pods. */
export function fewestRows(
  rows: ArrayLike<number>,
  count: number,
  roomOf: (row: number) => number,
  scoreOf: (row: number) => number,
): Part[] | undefined {
  const byRoom: (number[] | undefined)[] = [];
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    const room = Math.min(count, roomOf(row));
    if (room > 0) {
      (byRoom[room] ??= []).push(row);
    }
  }
  const parts: Part[] = [];
  let left = count;
  for (let room = byRoom.length - 1; room > 0; room--) {
    const among = byRoom[room];
    if (among === undefined) {
      continue;
    }
    const wanted = Math.floor(left / room);
    const taken = best(among, Math.min(wanted, among.length), scoreOf);
    for (let i = 0; i < taken.length; i++) {
      parts.push({ row: taken[i], pods: room });
    }
    left -= taken.length * room;
    if (taken.length < among.length) {
      if (taken.length > 0) {
        const gone = new Set(taken);
        byRoom[room] = among.filter((row) => !gone.has(row));
      }
      break;
    }
    byRoom[room] = undefined;
  }
  if (left === 0) {
    return parts;
  }
  const tightest = byRoom.findIndex((among, room) => room >= left && among !== undefined && among.length > 0);
  if (tightest < 0) {
    return undefined;
  }
  parts.push({ row: best(byRoom[tightest]!, 1, scoreOf)[0], pods: left });
  return parts;
}

/** How many rows that is; Infinity where they do not take all. */
export function fewestRowsCount(rows: Int32Array, count: number, roomOf: (row: number) => number): number {
  const byRoom: number[] = [];
  for (const row of rows) {
    const room = Math.min(count, roomOf(row));
    byRoom[room] = (byRoom[room] ?? 0) + 1;
  }
  let [left, taken] = [count, 0];
  for (let room = byRoom.length - 1; room > 0 && left > 0; room--) {
    const used = Math.min(byRoom[room] ?? 0, Math.ceil(left / room));
    left -= used * room;
    taken += used;
  }
  return left > 0 ? Infinity : taken;
}

function best(rows: readonly number[], count: number, scoreOf: (row: number) => number): readonly number[] {
  if (count === 0) {
    return NONE;
  }
  if (count === 1) {
    return [first(rows, scoreOf)];
  }
  const sorted: number[] = [];
  const scores: number[] = [];
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    const score = scoreOf(row);
    // Mostly few rows, and many of them in order already.
    let at = sorted.length;
    if (at < MOST_INSERTED) {
      for (; at > 0 && isBetter(score, row, scores[at - 1], sorted[at - 1]); at--) {
        sorted[at] = sorted[at - 1];
        scores[at] = scores[at - 1];
      }
    }
    sorted[at] = row;
    scores[at] = score;
  }
  if (rows.length > MOST_INSERTED) {
    return bySort(sorted, scores).slice(0, count);
  }
  sorted.length = count;
  return sorted;
}

function bySort(rows: readonly number[], scores: readonly number[]): readonly number[] {
  return rows
    .map((row, i) => ({ row, score: scores[i] }))
    .sort((a, b) => (isBetter(a.score, a.row, b.score, b.row) ? -1 : 1))
    .map(({ row }) => row);
}

const NONE: readonly number[] = [];

/** From this number of rows on, putting each into its place takes longer than sorting them. */
const MOST_INSERTED = 48;

function first(rows: readonly number[], scoreOf: (row: number) => number): number {
  let [best] = rows;
  let bestScore = scoreOf(best);
  for (let i = 1; i < rows.length; i++) {
    const score = scoreOf(rows[i]);
    if (isBetter(score, rows[i], bestScore, best)) {
      best = rows[i];
      bestScore = score;
    }
  }
  return best;
}

/** The better score decides, then the lower row. */
function isBetter(score: number, row: number, other: number, otherRow: number): boolean {
  return score > other || (score === other && row < otherRow);
}

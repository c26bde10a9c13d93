/**
 * The total order of names that every tie is broken by: digits by value, everything else by code point, so that `node-2` comes before
 * `node-10` and equal input gives equal output on every machine.
 */
export function compareNames(a: string, b: string): number {
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(j);
    if (isDigit(x) && isDigit(y)) {
      const iEnd = endOfDigits(a, i);
      const jEnd = endOfDigits(b, j);
      const order = compareDigits(a, i, iEnd, b, j, jEnd);
      if (order !== 0) {
        return order;
      }
      i = iEnd;
      j = jEnd;
    } else if (x !== y) {
      return x - y;
    } else {
      i++;
      j++;
    }
  }
  return a.length - i - (b.length - j) || compareText(a, b);
}

/** By code unit, the same on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function endOfDigits(text: string, from: number): number {
  let end = from;
  while (end < text.length && isDigit(text.charCodeAt(end))) {
    end++;
  }
  return end;
}

/** Compares numbers of any length in two texts: names are sorted by the thousand. */
function compareDigits(a: string, aFrom: number, aEnd: number, b: string, bFrom: number, bEnd: number): number {
  let i = withoutZeros(a, aFrom, aEnd);
  let j = withoutZeros(b, bFrom, bEnd);
  const order = aEnd - i - (bEnd - j);
  for (; order === 0 && i < aEnd; i++, j++) {
    const difference = a.charCodeAt(i) - b.charCodeAt(j);
    if (difference !== 0) {
      return difference;
    }
  }
  return order;
}

/** Where the number begins, without zeros in front; its last digit counts always. */
function withoutZeros(text: string, from: number, end: number): number {
  while (from < end - 1 && text.charCodeAt(from) === 48) {
    from++;
  }
  return from;
}

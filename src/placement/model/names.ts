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
      const order = compareDigits(a.slice(i, iEnd), b.slice(j, jEnd));
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

function compareDigits(a: string, b: string): number {
  const x = a.replace(/^0+(?=\d)/, '');
  const y = b.replace(/^0+(?=\d)/, '');
  return x.length - y.length || compareText(x, y);
}

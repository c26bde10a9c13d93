/**
 * Texts, numbers and durations as Prometheus writes them.
 *
 * Source: Prometheus v3.15, util/strutil/quote.go and promql/parser/parse.go; prometheus/common, model/time.go.
 */

const SIMPLE: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
};

/** The value of a quoted string; `undefined` if it is not terminated or contains an invalid escape sequence. */
export function unquote(quoted: string): string | undefined {
  const quote = quoted[0];
  if (quoted.length < 2 || quoted.at(-1) !== quote) {
    return undefined;
  }
  const inner = quoted.slice(1, -1);
  if (quote === '`') {
    return inner;
  }
  if (inner.includes('\n')) {
    return undefined;
  }
  let value = '';
  for (let at = 0; at < inner.length;) {
    const character = inner[at] ?? '';
    if (character !== '\\') {
      if (character === quote) {
        return undefined;
      }
      value += character;
      at += 1;
      continue;
    }
    const escape = escapeAt(inner, at, quote);
    if (escape === undefined) {
      return undefined;
    }
    value += escape.value;
    at += escape.length;
  }
  return value;
}

/** The escape sequence at a backslash; `undefined` where Prometheus has none such. */
function escapeAt(
  text: string,
  at: number,
  quote: string,
): { readonly value: string; readonly length: number } | undefined {
  const escape = /^\\(?:([abfnrtv\\'"])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3}))/.exec(
    text.slice(at),
  );
  if (escape === null) {
    return undefined;
  }
  const [{ length }, simple, byte, short, long, octal] = escape;
  if (simple !== undefined) {
    return (simple === "'" || simple === '"') && simple !== quote ? undefined : { value: SIMPLE[simple] ?? '', length };
  }
  const code = octal === undefined ? Number.parseInt(byte ?? short ?? long ?? '', 16) : Number.parseInt(octal, 8);
  const most = octal === undefined ? 0x10ffff : 255;
  return code > most ? undefined : { value: String.fromCodePoint(code), length };
}

const UNITS: Readonly<Record<string, number>> = {
  ms: 0.001,
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
  y: 31_536_000,
};

/** Seconds of a duration: `5m`, `1h30m`, each unit once and the larger ones first; `undefined` where it is none. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') {
    return 0;
  }
  if (text === '' || !/^(\d+y)?(\d+w)?(\d+d)?(\d+h)?(\d+m)?(\d+s)?(\d+ms)?$/.test(text)) {
    return undefined;
  }
  let seconds = 0;
  for (const [, amount = '', unit = ''] of text.matchAll(/(\d+)(ms|[ywdhms])/g)) {
    seconds += Number(amount) * (UNITS[unit] ?? 0);
  }
  return seconds;
}

/** A number of PromQL, which may be written as a duration (`5m` is 300); `undefined` where it is none. */
export function parseNumber(text: string): number | undefined {
  const sign = text.startsWith('-') ? -1 : 1;
  const unsigned = text.replace(/^[+-]\s*/, '').toLowerCase();
  if (unsigned === 'inf') {
    return sign * Infinity;
  }
  if (unsigned === 'nan') {
    return NaN;
  }
  const duration = /[ywdhms]/.test(unsigned) && !unsigned.startsWith('0x') ? parseDuration(unsigned) : undefined;
  const value = duration ?? (unsigned === '' ? NaN : Number(unsigned.replaceAll('_', '')));
  // Like Go's strconv.ParseFloat, which reports a number that no double holds as an error.
  return Number.isFinite(value) ? sign * value : undefined;
}

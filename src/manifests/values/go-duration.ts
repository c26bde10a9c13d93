/**
 * Go's duration text (`1h30m`, `500ms`), as projects read it in annotations and settings.
 */

const PATTERN = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
const SECONDS: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
};

/** The longest duration of Go, 2^63 nanoseconds. */
const MAX_SECONDS = 2 ** 63 * 1e-9;

/** The duration in seconds; `undefined` where Go refuses the text. */
export function parseGoDuration(text: string): number | undefined {
  if (!PATTERN.test(text)) {
    return undefined;
  }
  let seconds = 0;
  for (const [, amount = '0', unit = 's'] of text.matchAll(PART)) {
    seconds += Number(amount) * (SECONDS[unit] ?? 0);
  }
  if (seconds >= MAX_SECONDS) {
    return undefined;
  }
  return text.startsWith('-') ? -seconds : seconds;
}

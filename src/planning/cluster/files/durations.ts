/**
 * Spans of time as people write them.
 */
const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Seconds of `90`, `90s`, `15m`, `1h30m` or `2d`; `undefined` where the text is none of these. */
export function parseDuration(value: string | number): number | undefined {
  if (typeof value === 'number') {
    return Number.isFinite(value) && value >= 0 ? value : undefined;
  }
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) {
    return Number(text);
  }
  if (!/^(\d+(\.\d+)?[smhd]\s*)+$/.test(text)) {
    return undefined;
  }
  let seconds = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)([smhd])/g)) {
    seconds += Number(amount) * SECONDS[unit];
  }
  return seconds;
}

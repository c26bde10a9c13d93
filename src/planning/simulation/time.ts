/**
 * Durations of simulated time as text.
 */
const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** The two largest units that matter: `45s`, `12m`, `1h 30m`, `2d 4h`. */
export function tellDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) {
    return 'forever';
  }
  const whole = Math.round(seconds);
  const parts: string[] = [];
  let left = whole;
  for (const unit of ['d', 'h', 'm', 's']) {
    const amount = Math.floor(left / SECONDS[unit]);
    left -= amount * SECONDS[unit];
    if (amount > 0 || (parts.length > 0 && parts.length < 2)) {
      parts.push(`${amount}${unit}`);
    }
    if (parts.length === 2) {
      break;
    }
  }
  const text = parts.filter((part) => !/^0/.test(part)).join(' ');
  return text === '' ? '0s' : text;
}

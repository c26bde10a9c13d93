/**
 * Numbers and spans of time for people.
 */
const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

export function tell(amount: number): string {
  return NUMBER.format(amount);
}

export function percent(part: number): string {
  return `${Math.round(part * 100)}%`;
}

export function count(amount: number, noun: string): string {
  return `${tell(amount)} ${noun}${amount === 1 ? '' : 's'}`;
}

/** An amount of a resource in its usual unit. */
export function tellAmount(resource: string, amount: number): string {
  if (resource === 'cpu') {
    return `${tell(amount / 1000)} CPU`;
  }
  if (resource === 'memory' || resource.endsWith('storage')) {
    const gibibytes = amount / 2 ** 30;
    return gibibytes >= 1024 ? `${tell(gibibytes / 1024)} TiB` : `${tell(gibibytes)} GiB`;
  }
  return tell(amount);
}

export function tellSeconds(seconds: number): string {
  const units = [
    ['d', 86_400],
    ['h', 3600],
    ['m', 60],
    ['s', 1],
  ] as const;
  const parts: string[] = [];
  let left = Math.round(seconds);
  for (const [unit, size] of units) {
    const amount = Math.floor(left / size);
    left -= amount * size;
    if (amount > 0) {
      parts.push(`${amount}${unit}`);
    } else if (parts.length > 0) {
      break;
    }
    if (parts.length === 2) {
      break;
    }
  }
  return parts.length === 0 ? '0s' : parts.join(' ');
}

/** `0–3, 6`. */
export function ranges(numbers: readonly number[]): string {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length;) {
    let j = i;
    while (sorted[j + 1] === sorted[j] + 1) {
      j++;
    }
    parts.push(i === j ? `${sorted[i]}` : `${sorted[i]}–${sorted[j]}`);
    i = j + 1;
  }
  return parts.join(', ');
}

/** A name of at most the given number of characters. It keeps its end, in which names of one list mostly differ: `infer…-1`. */
export function shortened(name: string, most: number): string {
  if (name.length <= most) {
    return name;
  }
  const end = Math.floor((most - 1) / 3);
  return `${name.slice(0, most - 1 - end)}…${name.slice(name.length - end)}`;
}

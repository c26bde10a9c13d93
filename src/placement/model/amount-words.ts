/**
 * Amounts in words for messages: cores, bytes with binary units, pieces.
 */
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'] as const;
const BYTES = /^(memory|ephemeral-storage|hugepages-.+)$/;

/** `160` cores of `cpu`, `1.5Ti` of memory, pieces as they are. */
export function amountText(resource: string, amount: number): string {
  if (resource === 'cpu') {
    return rounded(amount / 1000);
  }
  if (!BYTES.test(resource)) {
    return rounded(amount);
  }
  let value = amount;
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < BINARY.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${rounded(value)}${BINARY[unit]}`;
}

/** At most one digit behind the point above ten, two below. */
export function rounded(value: number): string {
  const factor = Math.abs(value) >= 10 ? 10 : 100;
  return String(Math.round(value * factor) / factor);
}

/** `8 nvidia.com/gpu`, `16 cores of CPU`, `64Gi of memory`. */
export function amountOf(resource: string, amount: number): string {
  const text = amountText(resource, amount);
  if (resource === 'cpu') {
    return `${text} ${text === '1' ? 'core' : 'cores'} of CPU`;
  }
  return BYTES.test(resource) ? `${text} of ${resource}` : `${text} ${resource}`;
}

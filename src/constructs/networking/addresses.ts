/**
 * IP addresses and networks in CIDR form, as CNI plugins read them.
 */
import { isIPv4, isIPv6 } from 'node:net';

export interface Address {
  readonly value: bigint;
  /** 32 or 128. */
  readonly bits: number;
}

export interface Network {
  readonly address: Address;
  readonly prefix: number;
  readonly first: bigint;
  readonly last: bigint;
}

export function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) {
    return { bits: 32, value: text.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n) };
  }
  if (!isIPv6(text) || text.includes('%')) {
    return undefined;
  }
  return { bits: 128, value: groupsOf(text).reduce((sum, group) => sum * 65536n + BigInt(group), 0n) };
}

/** The eight groups of an IPv6 address, which may leave zeros out once and end in an IPv4 address. */
function groupsOf(text: string): readonly number[] {
  const [head = '', tail] = text.split('::');
  const numbers = (part: string): number[] =>
    part
      .split(':')
      .filter((group) => group !== '')
      .flatMap((group) => {
        if (!group.includes('.')) {
          return [parseInt(group, 16)];
        }
        const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
        return [a * 256 + b, c * 256 + d];
      });
  const before = numbers(head);
  if (tail === undefined) {
    return before;
  }
  const after = numbers(tail);
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

/** `192.168.100.7/24`: an address with the length of its network. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', length, ...rest] = text.split('/');
  const parsed = parseAddress(address);
  if (parsed === undefined || length === undefined || rest.length > 0 || !/^(0|[1-9]\d{0,2})$/.test(length)) {
    return undefined;
  }
  const prefix = Number(length);
  if (prefix > parsed.bits) {
    return undefined;
  }
  const size = 1n << BigInt(parsed.bits - prefix);
  const first = parsed.value - (parsed.value % size);
  return { address: parsed, prefix, first, last: first + size - 1n };
}

export function isWithin({ value, bits }: Address, network: Network): boolean {
  return bits === network.address.bits && value >= network.first && value <= network.last;
}

/**
 * IP addresses, networks and semantic versions as values: read, ordered, written in their canonical form.
 */
import { isIPv4, isIPv6 } from 'node:net';

export interface Address {
  readonly family: 4 | 6;
  readonly bits: bigint;
}

export interface Network {
  readonly address: Address;
  readonly length: number;
}

/** `undefined` for what is none; zones and IPv4-mapped addresses are refused, as Kubernetes' CEL library does. */
export function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) {
    return { family: 4, bits: text.split('.').reduce((bits, part) => (bits << 8n) | BigInt(part), 0n) };
  }
  if (!isIPv6(text) || text.includes('%')) {
    return undefined;
  }
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  const hex =
    dotted === null
      ? text
      : `${dotted[1] ?? ''}${(Number(dotted[2]) * 256 + Number(dotted[3])).toString(16)}:${(Number(dotted[4]) * 256 + Number(dotted[5])).toString(16)}`;
  const [head = '', tail] = hex.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [
    ...left,
    ...Array.from({ length: tail === undefined ? 0 : 8 - left.length - right.length }, () => '0'),
    ...right,
  ];
  const bits = groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
  return bits >> 32n === 0xffffn ? undefined : { family: 6, bits };
}

export function addressText({ family, bits }: Address): string {
  if (family === 4) {
    return [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 255n)).join('.');
  }
  const groups = Array.from({ length: 8 }, (_, i) => Number((bits >> BigInt(112 - 16 * i)) & 0xffffn));
  let start = -1;
  let longest = 1;
  for (let i = 0; i < 8; i += 1) {
    let length = 0;
    while (i + length < 8 && groups[i + length] === 0) {
      length += 1;
    }
    if (length > longest) {
      start = i;
      longest = length;
    }
  }
  const hex = groups.map((group) => group.toString(16));
  return start < 0 ? hex.join(':') : `${hex.slice(0, start).join(':')}::${hex.slice(start + longest).join(':')}`;
}

export function parseNetwork(text: string): Network | undefined {
  const match = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text);
  const address = match === null ? undefined : parseAddress(match[1] ?? '');
  const length = Number(match?.[2]);
  return address === undefined || length > width(address) ? undefined : { address, length };
}

export function networkText({ address, length }: Network): string {
  return `${addressText(address)}/${length}`;
}

export function masked({ address, length }: Network): Network {
  const rest = BigInt(width(address) - length);
  return { address: { family: address.family, bits: (address.bits >> rest) << rest }, length };
}

export function containsAddress(network: Network, address: Address): boolean {
  const rest = BigInt(width(network.address) - network.length);
  return network.address.family === address.family && network.address.bits >> rest === address.bits >> rest;
}

function width(address: Address): number {
  return address.family === 4 ? 32 : 128;
}

/** Whether the address lies in one of the networks. */
export function isIn(address: Address, ...networks: readonly string[]): boolean {
  return networks.some((text) => {
    const network = parseNetwork(text);
    return network !== undefined && containsAddress(network, address);
  });
}

export interface Version {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly prerelease: readonly string[];
}

const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

/** @param tolerant takes `v1.2` and leading zeros too */
export function parseVersion(text: string, tolerant = false): Version | undefined {
  const match = SEMVER.exec(tolerant ? normalized(text) : text);
  if (match === null) {
    return undefined;
  }
  return {
    numbers: [BigInt(match[1] ?? 0), BigInt(match[2] ?? 0), BigInt(match[3] ?? 0)],
    prerelease: match[4] === undefined ? [] : match[4].split('.'),
  };
}

function normalized(text: string): string {
  const plain = text.replace(/^v/, '');
  const [, core = '', rest = ''] = /^([\d.]*)(.*)$/s.exec(plain) ?? [];
  const parts = core.split('.').map((part) => part.replace(/^0+(?=\d)/, ''));
  if (parts.length < 3 && rest !== '') {
    return plain;
  }
  while (parts.length < 3) {
    parts.push('0');
  }
  return `${parts.join('.')}${rest}`;
}

export function compareVersions(a: Version, b: Version): number {
  for (let i = 0; i < 3; i += 1) {
    const [x, y] = [a.numbers[i] ?? 0n, b.numbers[i] ?? 0n];
    if (x !== y) {
      return x < y ? -1 : 1;
    }
  }
  // A release comes after its prereleases.
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return Math.sign(b.prerelease.length - a.prerelease.length);
  }
  for (let i = 0; i < Math.max(a.prerelease.length, b.prerelease.length); i += 1) {
    const [x, y] = [a.prerelease[i], b.prerelease[i]];
    if (x === undefined || y === undefined) {
      return x === undefined ? -1 : 1;
    }
    if (x === y) {
      continue;
    }
    const numeric = [/^\d+$/.test(x), /^\d+$/.test(y)] as const;
    if (numeric[0] && numeric[1]) {
      return BigInt(x) < BigInt(y) ? -1 : 1;
    }
    if (numeric[0] !== numeric[1]) {
      return numeric[0] ? -1 : 1;
    }
    return x < y ? -1 : 1;
  }
  return 0;
}

export function versionKey(version: Version): string {
  return `${version.numbers.join('.')}-${version.prerelease.join('.')}`;
}

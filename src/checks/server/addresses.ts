/**
 * IP addresses and ranges as the API server reads them. Since 1.36 it refuses leading zeros and IPv4 inside IPv6 notation.
 */
import { isIP, isIPv4, isIPv6 } from 'node:net';

/** Whether this is an IP address. Old servers also take octets with leading zeros. */
export function isAddress(text: string, strict: boolean): boolean {
  const plain = strict ? text : withoutLeadingZeros(text);
  if (isIP(plain) === 0 || plain.includes('%')) {
    return false;
  }
  return !strict || !isMappedIpv4(plain);
}

/** Whether this is a CIDR, `10.0.0.0/8`. Strict: the address is the range's first one. */
export function isRange(text: string, strict: boolean): boolean {
  const slash = text.indexOf('/');
  if (slash < 0) {
    return false;
  }
  const address = text.slice(0, slash);
  const bits = text.slice(slash + 1);
  if (!/^\d{1,3}$/.test(bits) || (strict && /^0\d/.test(bits))) {
    return false;
  }
  const plain = strict ? address : withoutLeadingZeros(address);
  if (isIP(plain) === 0 || plain.includes('%')) {
    return false;
  }
  const width = isIPv4(plain) ? 32 : 128;
  if (Number(bits) > width) {
    return false;
  }
  return !strict || (!isMappedIpv4(plain) && hasNoHostBits(plain, Number(bits)));
}

/** What is wrong with a range, and what to write instead; `undefined` for a good one. */
export function rangeFault(text: string, strict: boolean): RangeFault | undefined {
  if (isRange(text, strict)) {
    return undefined;
  }
  const [address = '', bits = ''] = text.split('/');
  if (isRange(text, false) && isIPv4(address) && !/^0\d/.test(bits)) {
    const first = (bytesOf(address) ?? []).map((byte, index) => byte & ~(0xff >> keptBits(index, Number(bits))));
    const expected = `${first.join('.')}/${bits}`;
    return { message: `${JSON.stringify(text)} must not have bits set beyond the prefix length`, expected };
  }
  return { message: `${JSON.stringify(text)} is not a valid CIDR` };
}

/** The words on a range. */
export interface RangeFault {
  readonly message: string;
  /** The range that is probably meant. */
  readonly expected?: string;
}

/** Bits of a byte of an address that belong to its prefix. */
const keptBits = (index: number, bits: number): number => Math.max(0, Math.min(8, bits - index * 8));

export function isIpv6Text(text: string): boolean {
  return isIPv6(text.split('/')[0] ?? '');
}

/** Loopback, link-local and unspecified addresses cannot be endpoints. */
export function isReachable(address: string): boolean {
  const bytes = bytesOf(withoutLeadingZeros(address));
  if (bytes === undefined) {
    return false;
  }
  const v4 = bytes.length === 4 ? bytes : isMapped(bytes) ? bytes.slice(12) : undefined;
  return v4 === undefined ? !isSpecialV6(bytes) : !isSpecialV4(v4);
}

/** Unspecified, loopback, link-local, or link-local multicast. */
function isSpecialV4(bytes: readonly number[]): boolean {
  const [a = 0, b = 0, c = 0] = bytes;
  const unspecified = bytes.every((byte) => byte === 0);
  const linkLocalMulticast = a === 224 && b === 0 && c === 0;
  return unspecified || a === 127 || (a === 169 && b === 254) || linkLocalMulticast;
}

function isSpecialV6(bytes: readonly number[]): boolean {
  const [a = 0, b = 0] = bytes;
  const unspecified = bytes.every((byte) => byte === 0);
  const loopback = bytes.slice(0, 15).every((byte) => byte === 0) && bytes[15] === 1;
  const linkLocal = a === 0xfe && (b & 0xc0) === 0x80;
  const linkLocalMulticast = a === 0xff && (b & 0x0f) === 0x02;
  return unspecified || loopback || linkLocal || linkLocalMulticast;
}

function withoutLeadingZeros(text: string): string {
  return /^\d+(\.\d+){3}/.test(text) ? text.replace(/(^|\.)0+(?=\d)/g, '$1') : text;
}

function isMappedIpv4(address: string): boolean {
  const bytes = bytesOf(address);
  return bytes !== undefined && isMapped(bytes);
}

function isMapped(bytes: readonly number[]): boolean {
  return (
    bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff
  );
}

function hasNoHostBits(address: string, bits: number): boolean {
  const bytes = bytesOf(address) ?? [];
  return bytes.every((byte, index) => {
    return (byte & (0xff >> keptBits(index, bits))) === 0;
  });
}

/** The address as bytes; `undefined` where it is none. */
export function bytesOf(address: string): readonly number[] | undefined {
  if (isIPv4(address)) {
    return address.split('.').map(Number);
  }
  if (!isIPv6(address) || address.includes('%')) {
    return undefined;
  }
  let text = address;
  const dotted = /(?<!\d)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  if (dotted !== null) {
    const [whole, a, b, c, d] = dotted;
    const high = (Number(a) * 256 + Number(b)).toString(16);
    const low = (Number(c) * 256 + Number(d)).toString(16);
    text = `${text.slice(0, -whole.length)}${high}:${low}`;
  }
  const [head = '', tail] = text.split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const front = groups(head);
  const back = tail === undefined ? [] : groups(tail);
  const all = [...front, ...Array.from({ length: 8 - front.length - back.length }, () => '0'), ...back];
  return all.flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff]);
}

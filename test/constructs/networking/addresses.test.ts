import * as fc from 'fast-check';
import { isWithin, parseAddress, parseNetwork } from '../../../src/constructs/networking/addresses';

test.each([
  ['0.0.0.0', 0n],
  ['10.0.0.1', 167772161n],
  ['255.255.255.255', 4294967295n],
  ['::', 0n],
  ['::1', 1n],
  ['1::', 1n << 112n],
  ['::ffff:10.0.0.1', 0xffff0a000001n],
  ['fd00:1::10', (0xfd00n << 112n) + (1n << 96n) + 16n],
  ['1:2:3:4:5:6:7:8', 0x00010002000300040005000600070008n],
])('%s is an address', (text, value) => {
  expect(parseAddress(text)?.value).toBe(value);
});

test.each(['', '10.0.0', '10.0.0.256', '10.0.0.01', ':::', '1:2:3', 'fe80::1%eth0', 'g::1'])('%s is none', (text) => {
  expect(parseAddress(text)).toBeUndefined();
});

test.each(['10.0.0.0', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/08', '10.0.0.0/24/2', 'fd00::/129', '/24'])(
  '%s is no network',
  (text) => {
    expect(parseNetwork(text)).toBeUndefined();
  },
);

test('a network holds exactly the addresses from its first to its last', () => {
  const ipv4 = fc.ipV4();
  fc.assert(
    fc.property(ipv4, fc.integer({ min: 0, max: 32 }), ipv4, (text, prefix, other) => {
      const network = parseNetwork(`${text}/${prefix}`);
      const address = parseAddress(other);
      if (network === undefined || address === undefined) {
        throw new Error('both can be read');
      }
      const bits = (value: bigint): string => value.toString(2).padStart(32, '0').slice(0, prefix);
      expect(isWithin(address, network)).toBe(bits(address.value) === bits(network.address.value));
      expect(isWithin(network.address, network)).toBe(true);
    }),
    { seed: 20261120 },
  );
});

test('addresses of the other family are never within', () => {
  const network = parseNetwork('::/0');
  const address = parseAddress('10.0.0.1');
  expect(network !== undefined && address !== undefined && isWithin(address, network)).toBe(false);
});

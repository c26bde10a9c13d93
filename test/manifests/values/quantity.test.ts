import * as fc from 'fast-check';
import { parseQuantity, Quantity } from '../../../src/manifests/values/quantity';
import { samples } from '../../support/samples';

const text = (value: string | number) => parseQuantity(value)?.toString();

describe('what the server takes for a quantity', () => {
  test.each([
    ['Gi', '0'],
    ['+', '0'],
    ['.', '0'],
    ['m', '0'],
    ['-', '0'],
    ['Ti', '0'],
    ['5 ', '5'],
    ['1e400', '10e399'],
    ['.5', '500m'],
    ['5.', '5'],
    ['1.G', '1G'],
    ['0x', undefined],
    ['1e3', '1e3'],
    ['1E3', '1e3'],
    ['1E', '1E'],
    ['12e6', '12e6'],
    ['100m', '100m'],
    ['0.1', '100m'],
    ['1000m', '1'],
    ['1024Ki', '1Mi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Gi', '512Mi'],
    ['1Ki', '1Ki'],
    ['500G', '500G'],
    ['1e-10', '1e-9'],
    ['0.0000000001', '1n'],
    ['-1', '-1'],
    ['9000Pi', '9223372036854775807'],
    ['1e+3', '1e3'],
    ['00012', '12'],
  ])('%s is %s', (value, expected) => {
    expect(text(value)).toBe(expected);
  });

  test.each([
    '1KI',
    '1e',
    '',
    ' ',
    '1ki',
    '1 Gi',
    'Pi',
    'Ei',
    '1Kii',
    'one',
    '1,5',
    '--1',
    '1.2.3',
    '1mm',
    '0xff',
    '1e1.5',
    '+Ei',
  ])('%j is none', (value) => {
    expect(parseQuantity(value)).toBeUndefined();
  });

  test('numbers count as their text', () => {
    expect(text(8)).toBe('8');
    expect(text(0.5)).toBe('500m');
    expect(text(1e21)).toBe('1e21');
  });
});

describe('arithmetic', () => {
  const q = (value: string) => parseQuantity(value) ?? Quantity.ZERO;

  test('is exact across suffixes', () => {
    expect(q('1Gi').add(q('1')).wholeUnits()).toBe(1073741825n);
    expect(q('0.1').add(q('0.2')).equals(q('0.3'))).toBe(true);
    expect(q('64Gi').multiply(8).toString()).toBe('512Gi');
    expect(q('1').multiply(0.25).toString()).toBe('250m');
    expect(q('1').subtract(q('1500m')).isNegative()).toBe(true);
  });

  test('compares amounts, not texts', () => {
    expect(q('1000m').compare(q('1'))).toBe(0);
    expect(q('500G').compare(q('500Gi'))).toBe(-1);
    expect(q('100m').isInteger()).toBe(false);
    expect(q('100m').wholeUnits()).toBe(1n);
    expect(q('1500u').thousandths()).toBe(2n);
  });

  test('what is written back reads as the same amount', () => {
    const suffix = fc.constantFrom('', 'm', 'k', 'M', 'G', 'T', 'Ki', 'Mi', 'Gi', 'Ti', 'e3', 'E-2', 'u', 'n');
    fc.assert(
      fc.property(
        fc.integer({ min: -1_000_000, max: 1_000_000 }),
        fc.integer({ min: 0, max: 999 }),
        suffix,
        (whole, fraction, unit) => {
          const first = parseQuantity(`${whole}.${fraction}${unit}`);
          expect(first).toBeDefined();
          expect(parseQuantity(String(first))?.equals(first ?? Quantity.ZERO)).toBe(true);
        },
      ),
      { seed: 7, numRuns: samples(500) },
    );
  });
});

import { Duration, Size } from 'cdk8s';
import * as fc from 'fast-check';
import { parseQuantity } from '../../../src/manifests/values/quantity';
import { durationText, secondsOf } from '../../../src/constructs/resources/durations';
import { bytesText, type ByteSize, coresText } from '../../../src/constructs/resources/quantities';
import { samples } from '../../support/samples';

const memory = (value: ByteSize): string => bytesText('memory', value);

describe('memory and storage', () => {
  test.each(['64Gi', '1.5Gi', '8Ti', '500M', '0', '128974848Ki'])(
    'a quantity with a unit is kept as it is written: %s',
    (text) => {
      expect(memory(text)).toBe(text);
    },
  );

  test.each<[Size, string]>([
    [Size.gibibytes(64), '64Gi'],
    [Size.gibibytes(1.5), '1536Mi'],
    [Size.tebibytes(2), '2Ti'],
    [Size.mebibytes(1.1 * 10), '11Mi'],
    [Size.gibibytes(0.1), '104858Ki'],
    [Size.kibibytes(0.5), '1Ki'],
    [Size.kibibytes(0), '0'],
  ])('a Size of cdk8s is exact, and rounded up to whole kibibytes where it is not: %j is %s', (size, text) => {
    expect(memory(size)).toBe(text);
  });

  test('a Size is never rendered as less than it says, and as less than a kibibyte more', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 4096, noNaN: true }), (gibibytes) => {
        const kibibytes = parseQuantity(memory(Size.gibibytes(gibibytes)))!.toNumber() / 1024;
        const exact = gibibytes * 2 ** 20;
        expect(kibibytes).toBeGreaterThanOrEqual(exact * (1 - 2e-6));
        expect(kibibytes).toBeLessThan(exact + 1);
      }),
      { seed: 20261122, numRuns: samples(500) },
    );
  });

  test.each<[unknown, string]>([
    [
      900,
      'memory 900: must have a unit, since Kubernetes reads a bare number as bytes. Write "900Gi", or Size.gibibytes(900) of cdk8s.',
    ],
    [
      '900',
      'memory "900": must have a unit, since Kubernetes reads a bare number as bytes. Write "900Gi" for gibibytes.',
    ],
    [
      '900m',
      'memory "900m": must be a whole number of bytes, and the suffix m means thousandths. Write "900Mi" for mebibytes.',
    ],
    [
      '64GB',
      'must be a quantity with its unit such as "64Gi", or a Size of cdk8s such as Size.gibibytes(64) (did you mean "64Gi"?).',
    ],
    ['64 GiB', '(did you mean "64Gi"?)'],
    ['64gb', '(did you mean "64Gi"?)'],
    ['lots', 'memory "lots": must be a quantity with its unit'],
    ['-1Gi', 'memory "-1Gi": must be a quantity with its unit'],
    [null, 'memory null: must be a quantity with its unit'],
    [{ amount: 1 }, 'memory {"amount":1}: must be a quantity with its unit'],
  ])('%j is an error that says what to write', (value, message) => {
    expect(() => memory(value as ByteSize)).toThrow(message);
  });
});

describe('cores', () => {
  test('a number of cores or a quantity', () => {
    expect([8, 0.5, '500m', '1'].map((value) => coresText('cpu', value))).toEqual(['8', '0.5', '500m', '1']);
  });

  test('a negative number is an error', () => {
    expect(() => coresText('cpu', -1)).toThrow('cpu: must be greater than or equal to 0, not -1.');
  });

  test.each([NaN, 'many', null])('%j is an error', (value) => {
    expect(() => coresText('cpu', value as number)).toThrow('must be a number of cores such as 8, or a quantity');
  });
});

describe('times', () => {
  test('are rendered in seconds, or as Go and Prometheus read them', () => {
    expect(secondsOf('ttl', Duration.minutes(10))).toBe(600);
    expect(secondsOf('ttl', Duration.millis(2000))).toBe(2);
    expect(durationText('timeout', Duration.minutes(90))).toBe('1h30m');
    expect(durationText('timeout', Duration.days(2))).toBe('48h');
    expect(durationText('timeout', Duration.days(2), 'days')).toBe('2d');
    expect(durationText('timeout', Duration.millis(500))).toBe('500ms');
    expect(durationText('timeout', Duration.seconds(0))).toBe('0s');
  });

  test('a bare number or a string is an error that names the prop, the value, and the form', () => {
    expect(() => secondsOf('ttlAfterFinished', 600 as unknown as Duration)).toThrow(
      'ttlAfterFinished 600: must be a Duration of cdk8s, such as Duration.seconds(600).',
    );
    expect(() => durationText('timeout', '10m' as unknown as Duration)).toThrow(
      'timeout "10m": must be a Duration of cdk8s, such as Duration.minutes(10).',
    );
    expect(() => secondsOf('ttl', null as unknown as Duration)).toThrow('ttl null: must be a Duration');
  });

  test('a part of a second is an error where Kubernetes counts whole seconds', () => {
    expect(() => secondsOf('ttl', Duration.millis(1500))).toThrow('ttl 1500ms: must be a whole number of seconds.');
  });
});

/**
 * Go's durations (`1h30m`) as CEL durations.
 */
import { create } from '@bufbuild/protobuf';
import { DurationSchema, type Duration } from '@bufbuild/protobuf/wkt';

const NANOS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

/** `undefined` if the string is not a duration. */
export function durationOf(text: string): Duration | undefined {
  const match = /^([+-]?)(0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.exec(text);
  if (match === null) {
    return undefined;
  }
  let nanos = 0n;
  for (const part of (match[2] ?? '').matchAll(/(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g)) {
    const unit = BigInt(NANOS[part[3] ?? ''] ?? 0);
    const fraction = part[2] ?? '';
    nanos += BigInt(part[1] || '0') * unit + (BigInt(fraction || '0') * unit) / 10n ** BigInt(fraction.length);
  }
  if (match[1] === '-') {
    nanos = -nanos;
  }
  return create(DurationSchema, { seconds: nanos / 1_000_000_000n, nanos: Number(nanos % 1_000_000_000n) });
}

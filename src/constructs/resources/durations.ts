/**
 * Times as users write them: a cdk8s `Duration`, always. Kubernetes writes some in seconds, some as `10m`, and which one is a detail of
 * rendering.
 */
import type { Duration } from 'cdk8s';
import { known } from '../../manifests/values/deferred';
import { shown } from './quantities';

/**
 * A duration in whole seconds.
 *
 * @throws if the value is not a `Duration`, or not a whole number of seconds
 */
export function secondsOf(prop: string, value: Duration): number {
  const milliseconds = millisecondsOf(prop, value);
  if (milliseconds % 1000 !== 0) {
    throw new Error(`${prop} ${milliseconds}ms: must be a whole number of seconds.`);
  }
  return milliseconds / 1000;
}

/** The same for an optional prop. */
export function optionalSecondsOf(prop: string, value: Duration | undefined): number | undefined {
  return value === undefined ? undefined : secondsOf(prop, value);
}

/**
 * A duration as Go reads it, largest units first: `1h30m`, `10m`, `500ms`; `0s` for none. Prometheus reads the same with `days`.
 *
 * @throws if the value is not a `Duration`
 */
export function durationText(prop: string, value: Duration, units: 'go' | 'days' = 'go'): string {
  let rest = millisecondsOf(prop, value);
  let text = '';
  for (const [unit, length] of units === 'days' ? [DAY, ...GO_UNITS] : GO_UNITS) {
    const count = Math.floor(rest / length);
    if (count > 0) {
      text += `${count}${unit}`;
    }
    rest -= count * length;
  }
  return text === '' ? '0s' : text;
}

/** The same for an optional prop, as Go reads it. */
export function optionalDurationText(prop: string, value: Duration | undefined): string | undefined {
  return value === undefined ? undefined : durationText(prop, value);
}

const DAY = ['d', 86_400_000] as const;
const GO_UNITS = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

/** A duration in whole milliseconds. @throws if the value is not a `Duration` */
export function millisecondsOf(prop: string, value: Duration): number {
  known(prop, value);
  if (!isDuration(value)) {
    const seconds = typeof value === 'number' && value >= 0 ? String(value) : undefined;
    throw new Error(
      `${prop} ${shown(value)}: must be a Duration of cdk8s, such as ${seconds === undefined ? 'Duration.minutes(10)' : `Duration.seconds(${seconds})`}.`,
    );
  }
  return Math.round(value.toMilliseconds({ integral: false }));
}

/** By shape rather than by class: an app may carry two copies of cdk8s. */
export function isDuration(value: unknown): value is Duration {
  return typeof value === 'object' && value !== null && 'toMilliseconds' in value;
}

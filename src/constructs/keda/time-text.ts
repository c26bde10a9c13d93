/**
 * Times of a trigger as its scaler reads them.
 */
import type { Duration } from 'cdk8s';
import { type KedaTime } from '../../facts/api/keda-scalers';
import { durationText, secondsOf } from '../resources/durations';

/**
 * The text of a time.
 *
 * @throws if the value is not a `Duration`, or not a whole number of what the scaler counts
 */
export function timeText(prop: string, value: Duration, time: KedaTime): string {
  if (time === 'go') {
    return durationText(prop, value);
  }
  const seconds = secondsOf(prop, value);
  if (time === 'seconds') {
    return String(seconds);
  }
  if (time === 'hh:mm:ss') {
    return clock(Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60);
  }
  if (seconds % 60 !== 0) {
    throw new Error(`${prop} ${seconds}s: must be a whole number of minutes.`);
  }
  const minutes = seconds / 60;
  return time === 'minutes' ? String(minutes) : clock(Math.floor(minutes / 60), minutes % 60);
}

function clock(...hands: readonly number[]): string {
  return hands.map((hand) => String(hand).padStart(2, '0')).join(':');
}

/** The seconds of a text that `timeText` has written; `undefined` for any other text. */
export function secondsOfText(text: string, time: KedaTime): number | undefined {
  const parts = time === 'go' ? goParts(text) : text.split(':').map(Number);
  const units = { seconds: [1], minutes: [60], 'hh:mm': [3600, 60], 'hh:mm:ss': [3600, 60, 1], go: [3600, 60, 1] }[
    time
  ];
  const seconds = parts.reduce((sum, part, index) => sum + part * (units[index] ?? Number.NaN), 0);
  return parts.length === units.length && Number.isInteger(seconds) && seconds >= 0 ? seconds : undefined;
}

function goParts(text: string): readonly number[] {
  const found = /^(?=\d)(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text);
  return (found?.slice(1) ?? []).map((part) => Number(part ?? 0));
}

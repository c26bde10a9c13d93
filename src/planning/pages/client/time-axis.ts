/**
 * Simulated time along the width of a picture.
 */
import { tellSeconds } from './words';

const STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800,
] as const;

export interface TimeAxis {
  readonly from: number;
  readonly to: number;
  /** Where time begins and ends, CSS pixels. */
  readonly left: number;
  readonly right: number;
}

export function x({ from, to, left, right }: TimeAxis, at: number): number {
  return left + ((at - from) / Math.max(1e-9, to - from)) * (right - left);
}

export function timeAt({ from, to, left, right }: TimeAxis, at: number): number {
  return from + ((at - left) / Math.max(1, right - left)) * (to - from);
}

/** Round moments, far enough from each other for their names. */
export function ticks(axis: TimeAxis): readonly { readonly at: number; readonly text: string }[] {
  const room = Math.max(1, Math.floor((axis.right - axis.left) / 84));
  const step = STEPS.find((seconds) => (axis.to - axis.from) / seconds <= room) ?? STEPS[STEPS.length - 1];
  const list: { at: number; text: string }[] = [];
  for (let at = Math.ceil(axis.from / step) * step; at <= axis.to; at += step) {
    list.push({ at, text: tellSeconds(at) });
  }
  return list;
}

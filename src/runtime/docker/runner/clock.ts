/**
 * Time, as a value that tests replace. The wall clock may be set back; what lasts is measured by the monotonic one.
 */
export interface Clock {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Milliseconds that only grow. */
  readonly monotonic: () => number;
}

export const SYSTEM_CLOCK: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

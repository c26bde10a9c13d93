/**
 * Time. A scheduler must not trust a single source of it.
 *
 * Durations and deadlines (leases, time-outs, how long a gang is broken) are measured on the monotonic clock, which cannot be set. Moments
 * that are compared with what the API server wrote (when a pod started) are in the API server's time, from the `Date` headers
 * of its answers: a machine with a wrong clock makes the same decisions.
 */
export interface Clock {
  /** Milliseconds since some moment; never goes back. */
  monotonic(): number;
  /** The machine's own time, milliseconds since the epoch; may jump. */
  wall(): number;
}

/** A moment as fields of the type Time have it: in whole seconds. */
export function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, -'.000Z'.length)}Z`;
}

/** A moment as fields of the type MicroTime have it. */
export function microTimeText(at: number): string {
  return new Date(at).toISOString().replace('Z', '000Z');
}

export const SYSTEM_CLOCK: Clock = { monotonic: () => performance.now(), wall: () => Date.now() };

/** A `Date` header says seconds: the truth is up to this much later. */
const RESOLUTION = 1000;
/** More than this apart, and the server's own clock was set. */
const JUMP = 5000;

export class ServerClock {
  /** What has to be added to the monotonic clock, at least; the best estimate so far. */
  private offset: number | undefined;

  constructor(private readonly clock: Clock = SYSTEM_CLOCK) {}

  /** Call it as soon as an answer is there: its `Date` header, and for how many milliseconds it was waited for. */
  observe(date: string, took: number): void {
    const at = Date.parse(date);
    if (Number.isNaN(at) || took > RESOLUTION) {
      return;
    }
    const offset = at - this.clock.monotonic();
    if (this.offset === undefined || offset > this.offset || this.offset - offset > JUMP) {
      this.offset = offset;
    }
  }

  /** The API server's time, milliseconds since the epoch; the machine's until the server was heard. */
  now(): number {
    return Math.round(this.offset === undefined ? this.clock.wall() : this.clock.monotonic() + this.offset);
  }

  /** By how many milliseconds the machine's clock is ahead of the API server's. */
  skew(): number {
    return this.offset === undefined ? 0 : Math.round(this.clock.wall() - this.now());
  }
}

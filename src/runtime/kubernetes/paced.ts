/**
 * Work that only informs takes a bounded part of the time, however much of it there is: it is done in short pieces, between which other work comes
 * first, and after it has run it rests for many times as long as it took. What is asked for meanwhile is done once, when it has rested.
 */
import { type Clock, SYSTEM_CLOCK } from '../api/clock';

/** Time of rest to time of work. */
const REST = 50;
/** A piece of the work, milliseconds. */
const PIECE = 2;

export class Paced {
  private restsUntil = -Infinity;
  private timer: NodeJS.Timeout | undefined;
  private next: NodeJS.Immediate | undefined;
  private isAskedAgain = false;

  constructor(
    /** Yields where it may be interrupted. */
    private readonly work: () => Iterator<void>,
    private readonly onError: (error: unknown) => void,
    private readonly clock: Clock = SYSTEM_CLOCK,
    /** Time of rest to time of work. */
    private readonly rest = REST,
  ) {}

  ask(): void {
    if (this.next !== undefined) {
      this.isAskedAgain = true;
      return;
    }
    if (this.timer !== undefined) {
      return;
    }
    const left = this.restsUntil - this.clock.monotonic();
    if (left <= 0) {
      this.run(this.work(), 0);
    } else {
      this.timer = setTimeout(() => {
        this.timer = undefined;
        this.run(this.work(), 0);
      }, left);
    }
  }

  stop(): void {
    clearTimeout(this.timer);
    clearImmediate(this.next);
    this.timer = this.next = undefined;
    this.isAskedAgain = false;
  }

  private run(work: Iterator<void>, before: number): void {
    const started = this.clock.monotonic();
    let took = 0;
    try {
      for (let step = work.next(); step.done !== true; step = work.next()) {
        took = this.clock.monotonic() - started;
        if (took >= PIECE) {
          this.next = setImmediate(() => {
            this.next = undefined;
            this.run(work, before + took);
          });
          return;
        }
      }
    } catch (error) {
      this.onError(error);
    }
    const ended = this.clock.monotonic();
    this.restsUntil = ended + (before + ended - started) * this.rest;
    if (this.isAskedAgain) {
      this.isAskedAgain = false;
      this.ask();
    }
  }
}

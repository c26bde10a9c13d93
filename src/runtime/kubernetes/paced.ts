/**
 * Work that only informs takes a bounded part of the time, however much of it there is: after it has run it rests for many times as long
 * as it took. What is asked for meanwhile is done once, when it has rested.
 */
import { type Clock, SYSTEM_CLOCK } from '../api/clock';

/** Time of work to time of rest. */
const REST = 20;

export class Paced {
  private restsUntil = -Infinity;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly work: () => void,
    private readonly clock: Clock = SYSTEM_CLOCK,
  ) {}

  ask(): void {
    if (this.timer !== undefined) {
      return;
    }
    const left = this.restsUntil - this.clock.monotonic();
    if (left <= 0) {
      this.run();
    } else {
      this.timer = setTimeout(() => {
        this.timer = undefined;
        this.run();
      }, left);
    }
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private run(): void {
    const started = this.clock.monotonic();
    this.work();
    const ended = this.clock.monotonic();
    this.restsUntil = ended + (ended - started) * REST;
  }
}

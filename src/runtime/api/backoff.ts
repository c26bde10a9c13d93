/**
 * How long to wait before trying again: longer each time, with a random part so that many do not come back at one moment.
 */
export interface BackoffOptions {
  /** Milliseconds. */
  readonly first: number;
  /** Milliseconds. */
  readonly most: number;
  /** A number from 0 to 1. @default Math.random */
  readonly random?: () => number;
}

export class Backoff {
  private failures = 0;

  constructor(private readonly options: BackoffOptions) {}

  /** Milliseconds until the next try. */
  next(): number {
    const { first, most, random = Math.random } = this.options;
    const whole = Math.min(most, first * 2 ** this.failures);
    this.failures = Math.min(this.failures + 1, 30);
    return Math.round(whole * (0.5 + random() / 2));
  }

  reset(): void {
    this.failures = 0;
  }
}

/** Waits, and ends early without an error when the signal comes. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done);
  });
}

/**
 * What went wrong, for the person who runs the runner or asked it for something: one line, and what to do.
 */
export type RunnerErrorCode =
  | 'invalid'
  | 'unauthorized'
  | 'not-found'
  | 'forbidden'
  | 'conflict'
  | 'disk-full'
  | 'unavailable';

export class RunnerError extends Error {
  override readonly name = 'RunnerError';

  constructor(
    message: string,
    /** What to do about it. */
    readonly fix?: string,
    readonly code: RunnerErrorCode = 'unavailable',
  ) {
    super(message);
  }

  /** The message and what to do. */
  get line(): string {
    return this.fix === undefined ? this.message : `${this.message}. ${this.fix}`;
  }
}

/**
 * An error that the engine reports, or that the connection to it has.
 */
import { oneLine } from '../task/failure';

/** The engine answered with an error, or not at all. */
export class EngineError extends Error {
  override readonly name = 'EngineError';

  constructor(
    message: string,
    /** HTTP status; `undefined` where there was no answer, so that nothing is known of what was asked. */
    readonly status: number | undefined,
    /** Code of the system, such as ENOENT, where there was no connection. */
    readonly code?: string,
  ) {
    super(message);
  }

  get isAnswer(): boolean {
    return this.status !== undefined;
  }
}

const CONNECTION_WORDS: ReadonlyMap<string | undefined, string> = new Map([
  ['ENOENT', 'no such socket; is the Docker engine running?'],
  ['ECONNREFUSED', 'connection refused; is the Docker engine running?'],
  ['EACCES', 'permission denied; the runner needs access to the socket (group docker)'],
]);

/** There was no answer, or it broke off. @param engine its address, for people */
export function connectionError(engine: string, error: unknown): EngineError {
  if (error instanceof EngineError) {
    return error;
  }
  const { code, message } = error as NodeJS.ErrnoException;
  return new EngineError(`${engine}: ${CONNECTION_WORDS.get(code) ?? message}`, undefined, code);
}

/** The engine's own words. */
export function answerError(text: string, status: number): EngineError {
  let message = text;
  try {
    const answer = JSON.parse(text) as { message?: unknown };
    message = typeof answer.message === 'string' ? answer.message : text;
  } catch {
    // Something between the runner and the engine answered.
  }
  return new EngineError(oneLine(message) || `HTTP status ${status}`, status);
}

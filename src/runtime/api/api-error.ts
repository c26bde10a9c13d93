/**
 * An error of the API server, or the absence of an answer.
 */
import { type JsonObject } from '../../facts/api/schema';
import { asInteger, asObject, asString } from '../../manifests/read';

/** Status of a request that was never written to a connection: it cannot have been carried out. */
export const NOT_SENT = -1;

export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    message: string,
    /** HTTP status; 0 where no answer came, and the request may or may not have been carried out; `NOT_SENT`. */
    readonly status: number,
    /** `NotFound`, `Conflict`, `AlreadyExists`, … */
    readonly reason: string,
    /** Seconds that the server asks to wait. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }

  /** No answer came: what was asked for may have happened. */
  get isUncertain(): boolean {
    return (
      this.status === 0 ||
      this.status === 504 ||
      (this.status === 500 && /timeout|timed out|etcdserver/i.test(this.message))
    );
  }

  /** The same request may succeed later. */
  get isTransient(): boolean {
    return this.isUncertain || this.status === 429 || this.status >= 500;
  }

  static fromStatus(status: number, body: JsonObject, retryAfterHeader: string | undefined): ApiError {
    const seconds = Number(retryAfterHeader ?? asInteger(asObject(body.details).retryAfterSeconds));
    return new ApiError(
      asString(body.message) ?? `status ${status}`,
      status,
      asString(body.reason) ?? '',
      Number.isFinite(seconds) ? seconds : undefined,
    );
  }
}

/** `NotFound` of an object or of a whole kind. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** A message for logs and events. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * The way in which every change of a pod's place is tried: only while this replica leads, again after what may pass, and after an answer
 * that did not come by looking at what happened.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asObject, asString } from '../../../manifests/read';
import { ApiError, isNotFound, messageOf, NOT_SENT } from '../../api/api-error';
import { Backoff, pause } from '../../api/backoff';
import { type ApiClient } from '../../api/client';
import { type Clock, SYSTEM_CLOCK } from '../clock';
import { type PlacedPod, type PlacingOutcome, podPath } from './pod-ref';

export interface AttemptOptions {
  readonly client: Pick<ApiClient, 'request'>;
  readonly leads: () => boolean;
  readonly signal: AbortSignal;
  /** Milliseconds in all. */
  readonly patience: number;
  /**
   * Milliseconds for one request: no longer than the time by which a lease outlives the holder's trust in it, so that no late request
   * meets a successor.
   */
  readonly requestTimeout: number;
  /** @default SYSTEM_CLOCK */
  readonly clock?: Clock;
}

/** After this number of conflicts in a row, the cause is permanent, such as a scheduling gate. */
const MOST_CONFLICTS = 5;

/** What a request to place a pod is, and how the pod shows that it was carried out. */
export interface Placing {
  /**
   * Sends the request. Its precondition is the version of the pod, so that a request that is late comes to nothing once the pod has
   * changed. It is sent only while this replica leads, which is asked when there is a connection for it.
   *
   * @param known the pod as it was last read
   */
  readonly send: (known: JsonObject) => Promise<void>;
  /** Whether the request was carried out, from the pod as it is now; `undefined`: it was not, or not yet. */
  readonly look: (pod: JsonObject) => PlacingOutcome | undefined;
}

/** @param known the pod as it was when its place was decided */
export async function attempt(
  pod: PlacedPod,
  known: JsonObject,
  options: AttemptOptions,
  { send, look }: Placing,
): Promise<PlacingOutcome> {
  const { client, leads, signal, patience, requestTimeout, clock = SYSTEM_CLOCK } = options;
  const backoff = new Backoff({ first: 50, most: 2000 });
  const until = clock.monotonic() + patience;
  let message = 'no time';
  let conflicts = 0;
  let latest = known;
  // Some request got no answer, so that the pod may have its place.
  let isUncertain = false;
  for (let again = false; clock.monotonic() < until; again = true) {
    if (signal.aborted || !leads()) {
      return { kind: 'abandoned' };
    }
    let isSending = false;
    try {
      if (again) {
        latest = await client.request('GET', podPath(pod), { timeout: requestTimeout });
        const seen = isThePod(latest, pod) ? look(latest) : ({ kind: 'gone' } as const);
        if (seen !== undefined) {
          return seen;
        }
      }
      isSending = true;
      await send(latest);
      return { kind: 'done' };
    } catch (error) {
      if (isNotFound(error)) {
        return { kind: 'gone' };
      }
      if (error instanceof ApiError && error.status === NOT_SENT) {
        return { kind: 'abandoned' };
      }
      message = messageOf(error);
      isUncertain ||= isSending && mayHaveHappened(error);
      // A conflict is looked into before it is believed: it may be the answer to an earlier try of our own, or somebody wrote meanwhile.
      conflicts += isConflict(error) ? 1 : 0;
      if (isFinal(error, conflicts)) {
        return isUncertain ? { kind: 'unknown', message } : { kind: 'refused', reason: error.reason, message };
      }
      await pause(Math.max(backoff.next(), retryAfterOf(error)), signal);
    }
  }
  return isUncertain ? { kind: 'unknown', message } : { kind: 'unanswered', message };
}

function isThePod(found: JsonObject, { uid }: PlacedPod): boolean {
  return asString(asObject(found.metadata).uid) === uid;
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409;
}

/** Another try would get the same answer. */
function isFinal(error: unknown, conflicts: number): error is ApiError {
  return error instanceof ApiError && !error.isTransient && (!isConflict(error) || conflicts === MOST_CONFLICTS);
}

/** Milliseconds that the API server asks its clients to wait. */
function retryAfterOf(error: unknown): number {
  return error instanceof ApiError ? (error.retryAfter ?? 0) * 1000 : 0;
}

/** Only an answer of the API server's own that says no is certain: a gateway, or a server that broke, answers after the fact as well. */
export function mayHaveHappened(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500;
}

/** What the node name of a pod says about where it was to go. */
export function placeOf(pod: JsonObject, wanted: string): PlacingOutcome | undefined {
  const node = asString(asObject(pod.spec).nodeName);
  if (node === undefined || node === '') {
    return asObject(pod.metadata).deletionTimestamp === undefined ? undefined : { kind: 'gone' };
  }
  return node === wanted ? { kind: 'done' } : { kind: 'elsewhere', node };
}

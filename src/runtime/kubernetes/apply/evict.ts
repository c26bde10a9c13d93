/**
 * Evictions by the Eviction API: disruption budgets are asked, grace periods are kept.
 */
import { asObject } from '../../../manifests/read';
import { ApiError, isNotFound, messageOf } from '../../api/api-error';
import { Backoff, pause } from '../../api/backoff';
import { type ApiClient } from '../../api/client';
import { mayHaveHappened } from './attempts';
import { type PodRef, podPath } from './pod-ref';

export type EvictionOutcome =
  | { readonly kind: 'evicted' }
  | { readonly kind: 'gone' }
  /** A disruption budget does not allow it now. */
  | { readonly kind: 'protected'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

export interface EvictOptions {
  readonly client: Pick<ApiClient, 'request'>;
  /** Milliseconds for one request. */
  readonly timeout: number;
  /** Without it nothing is evicted; while it holds, and `signal` has not come, the pod is looked at after an eviction without an answer. */
  readonly leads: () => boolean;
  readonly signal: AbortSignal;
}

/** One try: what fails is decided again in a later cycle. What may have happened is looked at until it is known. */
export async function evict(pod: PodRef, options: EvictOptions): Promise<EvictionOutcome> {
  const { client, timeout, leads } = options;
  const { namespace, name, uid } = pod;
  const body = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { namespace, name },
    deleteOptions: { preconditions: { uid } },
  };
  try {
    await client.request('POST', `${podPath(pod)}/eviction`, { body, timeout, permit: leads });
    return { kind: 'evicted' };
  } catch (error) {
    if (isNotFound(error)) {
      return { kind: 'gone' };
    }
    // Overload has the same status as a budget, and no such cause.
    if (error instanceof ApiError && error.status === 429 && /disruption budget/i.test(error.message)) {
      return { kind: 'protected', message: error.message };
    }
    // A conflict means another pod of the same name, or that the pod or its budget changed meanwhile: only a read tells.
    const isConflict = error instanceof ApiError && error.status === 409;
    return isConflict || mayHaveHappened(error)
      ? look(pod, options, messageOf(error))
      : { kind: 'failed', message: messageOf(error) };
  }
}

/** What became of an eviction that got no answer. Where it is carried out later all the same, a pod goes that others do not count on yet. */
async function look(
  pod: PodRef,
  { client, timeout, leads, signal }: EvictOptions,
  message: string,
): Promise<EvictionOutcome> {
  const backoff = new Backoff({ first: 250, most: 5000 });
  while (!signal.aborted && leads()) {
    try {
      const { uid, deletionTimestamp } = asObject((await client.request('GET', podPath(pod), { timeout })).metadata);
      return uid !== pod.uid
        ? { kind: 'gone' }
        : deletionTimestamp === undefined
          ? { kind: 'failed', message }
          : { kind: 'evicted' };
    } catch (error) {
      if (isNotFound(error)) {
        return { kind: 'gone' };
      }
      await pause(backoff.next(), signal);
    }
  }
  return { kind: 'failed', message };
}

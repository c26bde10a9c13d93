/**
 * Evictions by the Eviction API: disruption budgets are asked, grace periods are kept.
 */
import { ApiError, isNotFound, messageOf } from '../api/api-error';
import { type ApiClient } from '../api/client';
import { type PodRef, podPath } from './pod-ref';

export type EvictionOutcome =
  | { readonly kind: 'evicted' }
  | { readonly kind: 'gone' }
  /** A disruption budget does not allow it now. */
  | { readonly kind: 'protected'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * One try: what fails is decided anew in a later cycle.
 *
 * @param timeout milliseconds
 */
export async function evict(
  pod: PodRef,
  client: Pick<ApiClient, 'request'>,
  timeout: number,
): Promise<EvictionOutcome> {
  const { namespace, name, uid } = pod;
  const body = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { namespace, name },
    deleteOptions: { preconditions: { uid } },
  };
  try {
    await client.request('POST', `${podPath(pod)}/eviction`, { body, timeout });
    return { kind: 'evicted' };
  } catch (error) {
    // A conflict is another pod of the same name.
    if (isNotFound(error) || (error instanceof ApiError && error.status === 409)) {
      return { kind: 'gone' };
    }
    // Overload has the same status as a budget, and no such cause.
    if (error instanceof ApiError && error.status === 429 && /disruption budget/i.test(error.message)) {
      return { kind: 'protected', message: error.message };
    }
    return { kind: 'failed', message: messageOf(error) };
  }
}

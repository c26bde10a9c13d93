/**
 * Evictions by the Eviction API. Before the first pod of a gang is evicted, all of them are tried without effect: a gang that a disruption budget
 * protects stays whole.
 */
import { type RemediationEviction, type RemediationPod } from '../../planning/remediation';
import { ApiError, isNotFound, messageOf } from '../api/api-error';
import { type ApiClient } from '../api/client';

export type EvictionResult =
  | { readonly kind: 'evicted'; readonly pods: readonly RemediationPod[] }
  /** A disruption budget protects a pod. */
  | { readonly kind: 'protected'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string; readonly pods: readonly RemediationPod[] };

export interface EvictOptions {
  readonly client: Pick<ApiClient, 'request'>;
  readonly timeout: number;
  /** Asked right before each request is sent. */
  readonly leads: () => boolean;
}

/** Requests at once. */
const AT_ONCE = 8;

/** One try: what fails is tried again in a later round. */
export async function evictGang(
  { pods, now, graceSeconds }: Pick<RemediationEviction, 'pods' | 'now' | 'graceSeconds'>,
  options: EvictOptions,
): Promise<EvictionResult> {
  const tried = await each(pods, (pod) => evictPod(pod, { ...options, graceSeconds, dryRun: true }));
  const refused = tried.find(({ error }) => error !== undefined)?.error;
  if (refused !== undefined) {
    return isProtected(refused)
      ? { kind: 'protected', message: messageOf(refused) }
      : { kind: 'failed', message: messageOf(refused), pods: [] };
  }
  const done = await each(now, (pod) => evictPod(pod, { ...options, graceSeconds, dryRun: false }));
  const evicted = done.filter(({ error }) => error === undefined).map(({ pod }) => pod);
  const failed = done.find(({ error }) => error !== undefined)?.error;
  if (failed === undefined) {
    return { kind: 'evicted', pods: evicted };
  }
  return isProtected(failed) && evicted.length === 0
    ? { kind: 'protected', message: messageOf(failed) }
    : { kind: 'failed', message: messageOf(failed), pods: evicted };
}

interface Tried {
  readonly pod: RemediationPod;
  readonly error?: unknown;
}

async function each(
  pods: readonly RemediationPod[],
  work: (pod: RemediationPod) => Promise<void>,
): Promise<readonly Tried[]> {
  const results: Tried[] = [];
  const rest = [...pods];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let pod = rest.shift(); pod !== undefined; pod = rest.shift()) {
        try {
          await work(pod);
          results.push({ pod });
        } catch (error) {
          // Another try is in vain, and its pod is as gone as an evicted one.
          results.push(isGone(error) ? { pod } : { pod, error });
        }
      }
    }),
  );
  return results;
}

async function evictPod(
  { namespace, name, uid }: RemediationPod,
  {
    client,
    timeout,
    leads,
    graceSeconds,
    dryRun,
  }: EvictOptions & { readonly graceSeconds: number | undefined; readonly dryRun: boolean },
): Promise<void> {
  await client.request(
    'POST',
    `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/eviction`,
    {
      timeout,
      permit: leads,
      body: {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { namespace, name },
        deleteOptions: {
          preconditions: { uid },
          ...(graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds }),
          ...(dryRun ? { dryRun: ['All'] } : {}),
        },
      },
    },
  );
}

/** The pod ended, or another one has its name. */
function isGone(error: unknown): boolean {
  return isNotFound(error) || (error instanceof ApiError && error.status === 409 && /uid/i.test(error.message));
}

/** Overload has the same status as a budget, and no such cause. */
function isProtected(error: unknown): boolean {
  return error instanceof ApiError && error.status === 429 && /disruption budget/i.test(error.message);
}

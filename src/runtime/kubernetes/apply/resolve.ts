/**
 * Finds out what became of a request to place a pod that got no answer. Until that is known, the place counts as taken.
 *
 * That a read finds the pod without a node proves nothing by itself, since the request may still be on its way. So the pod is written to
 * (its condition says what happened): every request to place it names the version that it had before, and comes to nothing from then on.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asArray, asObject, asString } from '../../../manifests/read';
import { isNotFound } from '../../api/api-error';
import { Backoff, pause } from '../../api/backoff';
import { type AttemptOptions } from './attempts';
import { type PlacedPod, type PlacingOutcome, podPath } from './pod-ref';

export type Resolved =
  | Extract<PlacingOutcome, { kind: 'done' | 'gone' | 'elsewhere' | 'abandoned' }>
  /** The pod does not have the place, and will not get it. */
  | { readonly kind: 'undone' };

export interface ResolveOptions extends Omit<AttemptOptions, 'patience'> {
  /** As of `Placing.look`. */
  readonly look: (pod: JsonObject) => PlacingOutcome | undefined;
  /** RFC 3339, in the API server's time. */
  readonly now: () => string;
}

/** Asks until there is an answer. */
export async function resolvePlace(pod: PlacedPod, options: ResolveOptions): Promise<Resolved> {
  const { client, leads, signal, requestTimeout: timeout, look } = options;
  const backoff = new Backoff({ first: 250, most: 5000 });
  while (!signal.aborted && leads()) {
    try {
      const now = await client.request('GET', podPath(pod), { timeout });
      if (asString(asObject(now.metadata).uid) !== pod.uid) {
        return { kind: 'gone' };
      }
      const seen = look(now);
      if (seen?.kind === 'done' || seen?.kind === 'gone' || seen?.kind === 'elsewhere') {
        return seen;
      }
      if (leads() && (await isFenced(pod, now, options))) {
        return { kind: 'undone' };
      }
    } catch (error) {
      if (isNotFound(error)) {
        return { kind: 'gone' };
      }
    }
    await pause(backoff.next(), signal);
  }
  return { kind: 'abandoned' };
}

/** Writes to the pod as it was read; false where that changed nothing. */
async function isFenced(
  pod: PlacedPod,
  { metadata, status }: JsonObject,
  { client, requestTimeout: timeout, now, leads }: ResolveOptions,
): Promise<boolean> {
  const { resourceVersion } = asObject(metadata);
  const known = asArray(asObject(status).conditions)
    .map(asObject)
    .find(({ type }) => type === 'PodScheduled');
  const at = now();
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message: `The API server did not answer the request to place the pod on ${pod.node}. The request had no effect by ${at}, and is abandoned.`,
    lastProbeTime: at,
    lastTransitionTime: known?.status === 'False' ? (known.lastTransitionTime ?? at) : at,
  };
  const written = await client.request('PATCH', `${podPath(pod)}/status`, {
    body: { metadata: { uid: pod.uid, resourceVersion }, status: { conditions: [condition] } },
    contentType: 'application/strategic-merge-patch+json',
    timeout,
    permit: leads,
  });
  return asObject(written.metadata).resourceVersion !== resourceVersion;
}

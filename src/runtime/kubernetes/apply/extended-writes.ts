/**
 * Writes of the ResourceClaim for the extended resources of a pod, beside those that every claim gets: it is made, the status of the pod names
 * it, and both are taken back where the pod does not start.
 *
 * The name is chosen here and not by the API server, so that a request whose answer was lost can be sent again.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { EXTENDED_CLAIM_ANNOTATION } from '../../../facts/catalog/device-classes';
import { asArray, asObject, asString } from '../../../manifests/read';
import {
  type ExtendedClaim,
  extendedClaimSpec,
  requestsExactly,
} from '../../../planning/cluster/objects/claims/extended-claim';
import { ApiError, isNotFound, messageOf, NOT_SENT } from '../../api/api-error';
import { Backoff, pause } from '../../api/backoff';
import { SYSTEM_CLOCK } from '../../api/clock';
import { type AttemptOptions } from './attempts';
import { podPath, type PodRef } from './pod-ref';

/** A claim that belongs to a pod alone. */
export interface OwnClaim {
  readonly pod: PodRef;
  readonly name: string;
  /** Path of the claim. */
  readonly path: string;
  readonly claim: ExtendedClaim;
}

/** `lasting`: another try soon would get the same answer. */
export type OwnOutcome =
  | { readonly kind: 'done'; readonly object: JsonObject }
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'refused'; readonly message: string; readonly lasting: boolean };

export const GATE_OFF =
  'the API server does not keep `status.extendedResourceClaimStatus` of pods: its feature gate DRAExtendedResource is off';

/** Makes the claim, or finds the one that an earlier request has made. */
export function makeClaim(own: OwnClaim, options: AttemptOptions): Promise<OwnOutcome> {
  const { client, requestTimeout: timeout, leads: permit } = options;
  const { pod, name, path, claim } = own;
  const [, version = ''] = /^\/apis\/(.*)\/namespaces\//.exec(path) ?? [];
  const body = {
    apiVersion: version,
    kind: 'ResourceClaim',
    metadata: {
      namespace: pod.namespace,
      name,
      annotations: { [EXTENDED_CLAIM_ANNOTATION]: 'true' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: pod.name, uid: pod.uid, controller: true }],
    },
    spec: extendedClaimSpec(claim),
  };
  return persist(options, async (isAgain) => {
    const found = isAgain ? await client.request('GET', path, { timeout }).catch(unlessNotFound) : undefined;
    if (found === undefined) {
      return client.request('POST', path.slice(0, path.lastIndexOf('/')), { body, timeout, permit });
    }
    const { deletionTimestamp } = asObject(found.metadata);
    if (deletionTimestamp !== undefined && deletionTimestamp !== null) {
      throw new Refused('the previous one is being deleted');
    }
    if (!belongsTo(found, pod) || !requestsExactly(asObject(found.spec), claim)) {
      throw new Refused('another one with the same name exists');
    }
    return found;
  });
}

/** The status of the pod names the claim, and says which container gets its devices from which request. */
export function stateClaim({ pod, name, claim: { mappings } }: OwnClaim, options: AttemptOptions): Promise<OwnOutcome> {
  const { client, requestTimeout: timeout, leads: permit } = options;
  const extendedResourceClaimStatus = {
    resourceClaimName: name,
    requestMappings: mappings.map((mapping) => ({ ...mapping })),
  };
  return persist(options, async () => {
    const after = await client.request<JsonObject>('PATCH', `${podPath(pod)}/status`, {
      body: { metadata: { uid: pod.uid }, status: { extendedResourceClaimStatus } },
      contentType: 'application/merge-patch+json',
      timeout,
      permit,
    });
    if (!isStated(after, name)) {
      throw new Refused(GATE_OFF, true);
    }
    return after;
  });
}

/** Whether the status of a pod names this claim. */
export function isStated({ status }: JsonObject, name: string): boolean {
  return asObject(asObject(status).extendedResourceClaimStatus).resourceClaimName === name;
}

/** The status of the pod names no claim any more: the kubelet would wait for one that does not exist. */
export async function unstateClaim(pod: PodRef, options: AttemptOptions): Promise<void> {
  const { client, requestTimeout: timeout, leads: permit } = options;
  await persist(options, () =>
    client.request<JsonObject>('PATCH', `${podPath(pod)}/status`, {
      body: { metadata: { uid: pod.uid }, status: { extendedResourceClaimStatus: null } },
      contentType: 'application/merge-patch+json',
      timeout,
      permit,
    }),
  );
}

/** Deletes the claim where it has no devices any more, and no other pod uses it. */
export async function deleteClaim({ pod, path }: OwnClaim, options: AttemptOptions): Promise<string | undefined> {
  const { client, requestTimeout: timeout, leads: permit } = options;
  const outcome = await persist(options, async () => {
    const found = await client.request<JsonObject>('GET', path, { timeout });
    const { allocation, reservedFor } = asObject(found.status);
    const isUsed = (allocation !== undefined && allocation !== null) || asArray(reservedFor).length > 0;
    if (!belongsTo(found, pod) || isUsed) {
      return found;
    }
    const { uid, resourceVersion } = asObject(found.metadata);
    const preconditions = { uid, resourceVersion };
    return client.request<JsonObject>('DELETE', path, { body: { preconditions }, timeout, permit });
  });
  return outcome.kind === 'refused' && outcome.message !== GONE ? outcome.message : undefined;
}

const GONE = 'it was deleted';

class Refused extends Error {
  constructor(
    message: string,
    readonly lasting = false,
  ) {
    super(message);
  }
}

/** Tries until it is known, as long as this replica leads and there is time. */
async function persist(
  { leads, signal, patience, clock = SYSTEM_CLOCK }: AttemptOptions,
  send: (isAgain: boolean) => Promise<JsonObject>,
): Promise<OwnOutcome> {
  const backoff = new Backoff({ first: 50, most: 2000 });
  const until = clock.monotonic() + patience;
  let message = 'the API server did not answer';
  for (let isAgain = false; clock.monotonic() < until; isAgain = true) {
    if (signal.aborted || !leads()) {
      return { kind: 'abandoned' };
    }
    let retryAfter = 0;
    try {
      return { kind: 'done', object: await send(isAgain) };
    } catch (error) {
      if (error instanceof Refused) {
        return { kind: 'refused', message: error.message, lasting: error.lasting };
      }
      message = messageOf(error);
      if (isNotFound(error)) {
        return { kind: 'refused', message: GONE, lasting: false };
      }
      if (error instanceof ApiError) {
        if (error.status === NOT_SENT) {
          return { kind: 'abandoned' };
        }
        if (!error.isTransient && error.status !== 409) {
          return { kind: 'refused', message, lasting: true };
        }
        retryAfter = (error.retryAfter ?? 0) * 1000;
      }
    }
    await pause(Math.max(backoff.next(), retryAfter), signal);
  }
  return { kind: 'refused', message, lasting: false };
}

function unlessNotFound(error: unknown): undefined {
  if (!isNotFound(error)) {
    throw error;
  }
}

function belongsTo({ metadata }: JsonObject, { uid }: PodRef): boolean {
  const { annotations, ownerReferences } = asObject(metadata);
  return (
    asObject(annotations)[EXTENDED_CLAIM_ANNOTATION] === 'true' &&
    asArray(ownerReferences)
      .map(asObject)
      .some((owner) => owner.controller === true && asString(owner.uid) === uid)
  );
}

/**
 * Writes of one ResourceClaim: its devices and the pods that it is reserved for, and both taken back.
 *
 * Every write names the version of the claim that it was read in, so that of two writers one gets a conflict, and looks again. A write without
 * an answer is looked into until it is known what became of it. Before devices are written, the claim gets the finalizer of Kubernetes; taking
 * it away again gives the claim another version, so that a request that the network held back comes to nothing.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { CLAIM_FINALIZER } from '../../../facts/catalog/device-classes';
import { asArray, asObject, asString } from '../../../manifests/read';
import { type AllocatedDevice, deviceKey } from '../../../placement/model/claims';
import { ApiError, isNotFound, messageOf, NOT_SENT } from '../../api/api-error';
import { Backoff, pause } from '../../api/backoff';
import { SYSTEM_CLOCK } from '../../api/clock';
import { type AttemptOptions } from './attempts';
import { type OwnClaim } from './extended-writes';
import { type PodRef } from './pod-ref';

/** After this number of conflicts in a row, something writes the claim all the time. */
const MOST_CONFLICTS = 8;

/** What is to become of a claim. */
export interface ClaimWrite {
  /** `claim:NAMESPACE/NAME`. */
  readonly key: string;
  readonly path: string;
  /** `''` where it is to be made first. */
  readonly uid: string;
  readonly devices: readonly AllocatedDevice[];
  /** It is for the extended resources of one pod, and is deleted with its devices. @default - it belongs to users */
  readonly own?: OwnClaim;
  /** `status.allocation`. @default - it is allocated already, and only reserved */
  readonly allocation?: JsonObject;
  /** The pods that are to use it. */
  readonly pods: readonly PodRef[];
  /** Where these pods go. */
  readonly nodes: readonly string[];
  /** As it was when its devices were chosen. */
  readonly known: JsonObject;
}

/** Why a claim does not have its devices, as a clause; `abandoned`: this replica does not decide any more. */
export type ClaimOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'refused'; readonly message: string };

const DONE: ClaimOutcome = { kind: 'done' };

export async function writeClaim(write: ClaimWrite, options: AttemptOptions): Promise<ClaimOutcome> {
  const { client, leads, signal, patience, requestTimeout: timeout, clock = SYSTEM_CLOCK } = options;
  const backoff = new Backoff({ first: 50, most: 2000 });
  const until = clock.monotonic() + patience;
  let latest = write.known;
  let message = 'the API server did not answer';
  let conflicts = 0;
  for (let again = false; clock.monotonic() < until; again = true) {
    if (signal.aborted || !leads()) {
      return { kind: 'abandoned' };
    }
    try {
      if (again) {
        latest = await client.request('GET', write.path, { timeout });
      }
      const why = obstacleIn(latest, write);
      if (why !== undefined) {
        return { kind: 'refused', message: why };
      }
      await bring(latest, write, options);
      return DONE;
    } catch (error) {
      if (isNotFound(error)) {
        return { kind: 'refused', message: 'it was deleted' };
      }
      if (error instanceof ApiError && error.status === NOT_SENT) {
        return { kind: 'abandoned' };
      }
      message = messageOf(error);
      const isConflict = error instanceof ApiError && error.status === 409;
      conflicts += isConflict ? 1 : 0;
      if (error instanceof ApiError && !error.isTransient && (!isConflict || conflicts === MOST_CONFLICTS)) {
        return { kind: 'refused', message };
      }
      await pause(Math.max(backoff.next(), error instanceof ApiError ? (error.retryAfter ?? 0) * 1000 : 0), signal);
    }
  }
  return { kind: 'refused', message };
}

/** Why the devices cannot be written any more, as a clause. */
function obstacleIn(claim: JsonObject, { uid, allocation, devices }: ClaimWrite): string | undefined {
  const metadata = asObject(claim.metadata);
  if (metadata.uid !== uid) {
    return 'it was replaced by another one with the same name';
  }
  if (metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null) {
    return 'it is being deleted';
  }
  const held = heldBy(claim);
  if (held === undefined) {
    return allocation === undefined ? 'its devices were deallocated in the meantime' : undefined;
  }
  return areDevices(held, devices) ? undefined : 'it was allocated other devices in the meantime';
}

async function bring(
  claim: JsonObject,
  { path, uid, allocation, pods }: ClaimWrite,
  options: AttemptOptions,
): Promise<void> {
  const { client, requestTimeout: timeout, leads: permit } = options;
  const send = (where: string, metadata: JsonObject, rest: JsonObject = {}): Promise<JsonObject> =>
    client.request('PATCH', where, {
      body: { ...rest, metadata: { uid, ...metadata } },
      contentType: 'application/merge-patch+json',
      timeout,
      permit,
    });
  let latest = claim;
  const isNew = heldBy(claim) === undefined;
  const finalizers = asArray(asObject(claim.metadata).finalizers);
  if (isNew && !finalizers.includes(CLAIM_FINALIZER)) {
    const { resourceVersion } = asObject(claim.metadata);
    latest = await send(path, { resourceVersion, finalizers: [...finalizers, CLAIM_FINALIZER] });
  }
  const reserved = asArray(asObject(latest.status).reservedFor);
  const uids = new Set(reserved.map((one) => asObject(one).uid));
  const added = pods
    .filter((pod) => !uids.has(pod.uid))
    .map((pod): JsonObject => ({ resource: 'pods', name: pod.name, uid: pod.uid }));
  if (isNew || added.length > 0) {
    const { resourceVersion } = asObject(latest.metadata);
    const status = { ...(isNew && allocation !== undefined && { allocation }), reservedFor: [...reserved, ...added] };
    await send(`${path}/status`, { resourceVersion }, { status });
  }
}

/** What is taken back: reservations, and with the last one the devices. */
export type ClaimRelease = Pick<ClaimWrite, 'path' | 'uid' | 'devices'> & {
  /** Uids of pods that do not use the claim now. */
  readonly pods: ReadonlySet<string>;
};

/**
 * Tries until it is known, as long as this replica leads.
 *
 * @returns what could not be taken back, as a clause
 */
export async function releaseClaim(release: ClaimRelease, options: AttemptOptions): Promise<string | undefined> {
  const { client, leads, signal, requestTimeout: timeout } = options;
  const backoff = new Backoff({ first: 100, most: 5000 });
  while (!signal.aborted && leads()) {
    try {
      const claim = await client.request('GET', release.path, { timeout });
      if (asObject(claim.metadata).uid !== release.uid || !(await takeBack(claim, release, options))) {
        return undefined;
      }
      continue;
    } catch (error) {
      if (isNotFound(error) || (error instanceof ApiError && error.status === NOT_SENT)) {
        return undefined;
      }
      if (error instanceof ApiError && !error.isTransient && error.status !== 409) {
        return messageOf(error);
      }
    }
    await pause(backoff.next(), signal);
  }
  return undefined;
}

/** One write at a time. @returns whether there was something to write */
async function takeBack(
  claim: JsonObject,
  { path, uid, devices, pods }: ClaimRelease,
  options: AttemptOptions,
): Promise<boolean> {
  const { client, requestTimeout: timeout, leads: permit } = options;
  const { resourceVersion, finalizers } = asObject(claim.metadata);
  const patch = (where: string, body: JsonObject): Promise<JsonObject> =>
    client.request('PATCH', where, { body, contentType: 'application/merge-patch+json', timeout, permit });
  const reserved = asArray(asObject(claim.status).reservedFor).map(asObject);
  const rest = reserved.filter((one) => !pods.has(asString(one.uid) ?? ''));
  const held = heldBy(claim);
  const isOwn =
    rest.length < reserved.length || (reserved.length === 0 && held !== undefined && areDevices(held, devices));
  if (isOwn) {
    const status: JsonObject = rest.length === 0 ? { allocation: null, reservedFor: null } : { reservedFor: rest };
    await patch(`${path}/status`, { metadata: { uid, resourceVersion }, status });
    return rest.length === 0;
  }
  if (held === undefined && reserved.length === 0 && asArray(finalizers).includes(CLAIM_FINALIZER)) {
    const left = asArray(finalizers).filter((one) => one !== CLAIM_FINALIZER);
    await patch(path, { metadata: { uid, resourceVersion, finalizers: left } });
  }
  return false;
}

/** Keys of the devices that the claim holds, by its status; `undefined` where it is not allocated. */
function heldBy(claim: JsonObject): readonly string[] | undefined {
  const { allocation } = asObject(claim.status);
  return allocation === undefined || allocation === null
    ? undefined
    : asArray(asObject(asObject(allocation).devices).results)
        .map(asObject)
        .map(({ driver, pool, device, request }) =>
          [
            deviceKey({ driver: asString(driver) ?? '', pool: asString(pool) ?? '', device: asString(device) ?? '' }),
            asString(request) ?? '',
          ].join('\0'),
        );
}

function areDevices(held: readonly string[], devices: readonly AllocatedDevice[]): boolean {
  return (
    held.length === devices.length &&
    devices.every((device, index) => held[index] === [deviceKey(device), device.request].join('\0'))
  );
}

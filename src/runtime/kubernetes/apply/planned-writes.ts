/**
 * What is to be written for the devices that were chosen for pods: one write for each claim, with all the pods that use it.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asArray, asObject, asString } from '../../../manifests/read';
import { type ClaimedDevices } from '../../../placement/model/claims';
import { byRequest, extendedClaimSpec } from '../../../planning/cluster/objects/claims/extended-claim';
import { allocationIn, extendedKey } from '../world/devices';
import { extendedClaimFor } from '../world/extended-claims';
import { hasExtendedClaim, type PodEntry } from '../world/pod-entry';
import { type World } from '../world/world';
import { allocationFor, publishedDevices } from './allocation';
import { type ClaimWrite } from './claim-writes';
import { type OwnClaim } from './extended-writes';
import { type PodRef } from './pod-ref';

/** A pod with the devices that were chosen for its claims, in the order of its template. */
export interface ClaimedPod {
  readonly entry: PodEntry;
  readonly pod: PodRef & { readonly node: string };
  readonly claims: readonly ClaimedDevices[];
}

export interface PlanSources {
  readonly world: World;
  /** Path of ResourceClaims in all namespaces. */
  readonly path: () => string | undefined;
  /** RFC 3339, in the API server's time. */
  readonly now: () => string;
}

export function plannedWrites(placed: readonly ClaimedPod[], sources: PlanSources): readonly ClaimWrite[] {
  const { slices } = sources.world.devices.stores;
  const writes = new Map<string, ClaimWrite>();
  let published: ReturnType<typeof publishedDevices> | undefined;
  for (const { entry, pod, claims } of placed) {
    for (const [index, { devices }] of claims.entries()) {
      const isExtended = hasExtendedClaim(entry) && index === entry.deviceClaims.length;
      const key = isExtended ? extendedKey(entry) : (entry.deviceClaims[index]?.own ?? '');
      const before = writes.get(key);
      if (before !== undefined) {
        writes.set(key, { ...before, pods: [...before.pods, pod], nodes: [...before.nodes, pod.node] });
        continue;
      }
      published ??= publishedDevices(slices.values());
      const own = isExtended && entry.way === 'direct' ? ownClaim(entry, key, sources.path() ?? '') : undefined;
      writes.set(key, writeFor({ key, pod, devices, published, ...(own !== undefined && { own }) }, sources));
    }
  }
  return [...writes.values()];
}

interface Chosen extends Pick<ClaimWrite, 'key' | 'devices' | 'own'> {
  readonly pod: ClaimedPod['pod'];
  readonly published: ReturnType<typeof publishedDevices>;
}

function writeFor({ key, own, pod, devices: found, published }: Chosen, sources: PlanSources): ClaimWrite {
  const { world, path, now } = sources;
  const { claims, classes } = world.devices.stores;
  const known: JsonObject = claims.get(key.slice('claim:'.length)) ?? {};
  const { namespace, name, uid } = asObject(known.metadata);
  const devices = own === undefined ? found : byRequest(found, own.claim);
  const spec = own === undefined ? asObject(known.spec) : extendedClaimSpec(own.claim);
  return {
    key,
    path: own?.path ?? claimPath(path() ?? '', asString(namespace) ?? '', asString(name) ?? ''),
    uid: asString(uid) ?? '',
    ...(own !== undefined && { own }),
    devices,
    known,
    pods: [pod],
    nodes: [pod.node],
    ...(allocationIn(known) === undefined && {
      allocation: allocationFor(spec, devices, pod.node, published, { classes, now: now() }),
    }),
  };
}

/**
 * The claim for the extended resources of a pod that is bound directly.
 *
 * @param all path of the collection in all namespaces
 */
export function ownClaim(entry: PodEntry, key: string, all: string): OwnClaim {
  const { namespace, name: podName, uid } = entry;
  const name = key.slice(key.lastIndexOf('/') + 1);
  const path = claimPath(all, namespace, name);
  return { pod: { namespace, name: podName, uid }, name, path, claim: extendedClaimFor(entry) };
}

/** @param all path of the collection in all namespaces */
export function claimPath(all: string, namespace: string, name: string): string {
  const end = all.lastIndexOf('/');
  return `${all.slice(0, end)}/namespaces/${namespace}${all.slice(end)}/${name}`;
}

/** What a claim holds, for a release: as its status says. */
export function heldDevices(claim: JsonObject): ClaimedDevices['devices'] {
  return asArray(asObject(allocationIn(claim)?.devices).results)
    .map(asObject)
    .map(({ driver, pool, device, request, adminAccess }) => ({
      driver: asString(driver) ?? '',
      pool: asString(pool) ?? '',
      device: asString(device) ?? '',
      request: asString(request) ?? '',
      adminAccess: adminAccess === true,
    }));
}

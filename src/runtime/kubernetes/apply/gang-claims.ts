/**
 * Devices for the pods of a gang that start by one decision: all of their claims are allocated, or none.
 *
 * 1. Every claim gets its devices and its reservations.
 * 2. Once the watch has shown these writes, it has shown every write before them: if another claim has one of the devices by then, the gang
 *    gives its devices back.
 * 3. Devices that have to be prepared first are waited for.
 *
 * What fails at any of these is taken back for the whole gang, and decided again.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asArray, asObject, asString } from '../../../manifests/read';
import { type ClaimedDevices } from '../../../placement/model/claims';
import { pause } from '../../api/backoff';
import { SYSTEM_CLOCK } from '../../api/clock';
import { allocationIn, extendedKey } from '../world/devices';
import { doubleAllocation } from '../world/double-allocation';
import { type PodEntry } from '../world/pod-entry';
import { type World } from '../world/world';
import { allocationFor, publishedDevices } from './allocation';
import { type AttemptOptions } from './attempts';
import { type ClaimRelease, type ClaimWrite, releaseClaim, writeClaim } from './claim-writes';
import { bindingReadiness } from './binding-conditions';
import { type PodRef } from './pod-ref';
import { type Slots } from './slots';

/** A pod with the devices that were chosen for its claims, in the order of its template. */
export interface ClaimedPod {
  readonly entry: PodEntry;
  readonly pod: PodRef & { readonly node: string };
  readonly claims: readonly ClaimedDevices[];
}

/** How long the watch may take to show what was written, milliseconds. */
const WATCH_PATIENCE = 10_000;
/** How long devices may take until they are ready for binding, as kube-scheduler waits for them, milliseconds. */
const READY_PATIENCE = 600_000;
const LOOK_EVERY = 50;
const LOOK_AT_CONDITIONS_EVERY = 500;

export interface GangClaimsOptions {
  readonly world: World;
  readonly slots: Slots;
  /** Path of ResourceClaims in all namespaces. */
  readonly path: () => string | undefined;
  /** RFC 3339, in the API server's time. */
  readonly now: () => string;
}

export type ClaimsOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'abandoned' }
  /** A sentence. `avoids`: the devices on these nodes could not be prepared. */
  | { readonly kind: 'failed'; readonly message: string; readonly avoids?: readonly string[] };

export class GangClaims {
  constructor(private readonly options: GangClaimsOptions) {}

  /** Counts the devices as taken from now on, and says what is to be written for pods that are bound directly. */
  assume(placed: readonly ClaimedPod[]): readonly ClaimWrite[] {
    const { world, path, now } = this.options;
    const { claims, classes, slices } = world.devices.stores;
    const writes = new Map<string, ClaimWrite>();
    let published: ReturnType<typeof publishedDevices> | undefined;
    for (const { entry, pod, claims: chosen } of placed) {
      for (const [index, { devices }] of chosen.entries()) {
        const key = entry.deviceClaims[index]?.own ?? extendedKey(entry);
        const known = claims.get(key.slice('claim:'.length));
        const before = writes.get(key);
        if (before !== undefined) {
          writes.set(key, { ...before, pods: [...before.pods, pod], nodes: [...before.nodes, pod.node] });
          continue;
        }
        const isHeld = allocationIn(known) !== undefined;
        published ??= publishedDevices(slices.values());
        const metadata = asObject(known?.metadata);
        writes.set(key, {
          key,
          path: claimPath(path() ?? '', asString(metadata.namespace) ?? '', asString(metadata.name) ?? ''),
          uid: asString(metadata.uid) ?? '',
          devices,
          known: known ?? {},
          pods: [pod],
          nodes: [pod.node],
          ...(!isHeld && {
            allocation: allocationFor(asObject(known?.spec), devices, pod.node, published, { classes, now: now() }),
          }),
        });
      }
    }
    for (const { key, uid, devices, pods, nodes, allocation } of writes.values()) {
      if (allocation !== undefined) {
        const [node = ''] = nodes;
        world.devices.assumed.assume(key, { uid, devices, node, pods: new Set(pods.map((one) => one.uid)) });
      }
    }
    const direct = new Set(placed.filter(({ entry }) => entry.way === 'direct').map(({ pod }) => pod.uid));
    return [...writes.values()]
      .map((write) => ({ ...write, pods: write.pods.filter(({ uid }) => direct.has(uid)) }))
      .filter(({ pods }) => pods.length > 0);
  }

  /** Allocates all of them, or takes back what it wrote. */
  async allocate(writes: readonly ClaimWrite[], attempts: AttemptOptions): Promise<ClaimsOutcome> {
    const outcome = await this.tried(writes, attempts);
    if (outcome.kind === 'failed') {
      await this.release(writes, attempts);
    }
    return outcome;
  }

  /** Gives back what these pods do not use. */
  async release(writes: readonly ClaimWrite[], attempts: AttemptOptions): Promise<void> {
    const { slots, world } = this.options;
    await Promise.all(
      writes.map(async ({ key, path, uid, devices, pods }) => {
        const release: ClaimRelease = { path, uid, devices, pods: new Set(pods.map((pod) => pod.uid)) };
        await slots.run(() => releaseClaim(release, attempts));
        world.devices.assumed.forget(key);
      }),
    );
  }

  private async tried(writes: readonly ClaimWrite[], attempts: AttemptOptions): Promise<ClaimsOutcome> {
    const { slots } = this.options;
    const outcomes = await Promise.all(
      writes.map(async (write) => ({ write, outcome: await slots.run(() => writeClaim(write, attempts)) })),
    );
    if (outcomes.some(({ outcome: { kind } }) => kind === 'abandoned')) {
      return { kind: 'abandoned' };
    }
    for (const { write, outcome } of outcomes) {
      if (outcome.kind === 'refused') {
        return { kind: 'failed', message: `${titleOf(write)} was not allocated: ${outcome.message}.` };
      }
    }
    return (await this.seen(writes, attempts)) ?? (await this.ready(writes, attempts));
  }

  /** Waits until the watch shows the devices, and looks for others that have them. */
  private async seen(
    writes: readonly ClaimWrite[],
    { signal, leads, clock = SYSTEM_CLOCK }: AttemptOptions,
  ): Promise<ClaimsOutcome | undefined> {
    const { world } = this.options;
    const isShown = (write: ClaimWrite): boolean => allocationIn(world.devices.claimObject(write.key)) !== undefined;
    const until = clock.monotonic() + WATCH_PATIENCE;
    while (!writes.every(isShown)) {
      if (signal.aborted || !leads()) {
        return { kind: 'abandoned' };
      }
      if (clock.monotonic() >= until) {
        const missing = writes.find((write) => !isShown(write));
        return {
          kind: 'failed',
          message: `The watch does not show the devices of ${missing === undefined ? 'the claims' : titleOf(missing)}.`,
        };
      }
      await pause(LOOK_EVERY, signal);
    }
    const clash = doubleAllocation(world.devices.shown(), new Set(writes.map(({ key }) => key)));
    return clash === undefined
      ? undefined
      : {
          kind: 'failed',
          message: `Device "${clash.device}" of pool "${clash.pool}" was given to ${clash.other} at the same time.`,
        };
  }

  private async ready(
    writes: readonly ClaimWrite[],
    { signal, leads, clock = SYSTEM_CLOCK }: AttemptOptions,
  ): Promise<ClaimsOutcome> {
    const { world } = this.options;
    const until = clock.monotonic() + READY_PATIENCE;
    for (;;) {
      if (signal.aborted || !leads()) {
        return { kind: 'abandoned' };
      }
      const states = writes.map((write) => ({ write, state: bindingReadiness(world.devices.claimObject(write.key)) }));
      const failed = states.find(({ state }) => state.kind === 'failed');
      if (failed?.state.kind === 'failed') {
        return {
          kind: 'failed',
          message: `${titleOf(failed.write)}: ${failed.state.message}`,
          avoids: failed.write.nodes,
        };
      }
      const late = states.find(({ state }) => state.kind === 'waits');
      if (late === undefined) {
        return { kind: 'done' };
      }
      if (clock.monotonic() >= until) {
        const message = `${titleOf(late.write)}: its devices were not ready for binding within ${READY_PATIENCE / 1000} s.`;
        return { kind: 'failed', message, avoids: late.write.nodes };
      }
      await pause(LOOK_AT_CONDITIONS_EVERY, signal);
    }
  }
}

function titleOf({ key }: ClaimWrite): string {
  return `ResourceClaim "${key.slice('claim:'.length)}"`;
}

/** @param all path of the collection in all namespaces */
export function claimPath(all: string, namespace: string, name: string): string {
  const end = all.lastIndexOf('/');
  return `${all.slice(0, end)}/namespaces/${namespace}${all.slice(end)}/${name}`;
}

/** What the pods' claims hold, for a release: as their status says. */
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

/**
 * Devices that pods hold which have no place: those of a process that ended between the allocation and the binding, and those of a pod that
 * the API server refused to bind.
 *
 * The gang is decided with the devices that it has. Where that does not start it within some seconds, they are given back, so that it can get
 * others, and so that others can have them.
 */
import { asArray, asObject, asString } from '../../../manifests/read';
import { type Assumptions } from '../assumptions';
import { type Clock } from '../../api/clock';
import { type Log } from '../../api/log';
import { allocationIn } from '../world/devices';
import { type PodEntry } from '../world/pod-entry';
import { type World } from '../world/world';
import { type AttemptOptions } from './attempts';
import { type ClaimWrite } from './claim-writes';
import { type GangClaims } from './gang-claims';
import { claimPath, heldDevices, ownClaim } from './planned-writes';
import { podRefOf } from './pod-ref';

/** How long a pod may have devices without a place, milliseconds. */
export const UNUSED_PATIENCE = 5000;

export interface UnusedClaimsOptions {
  readonly world: World;
  readonly assumptions: Assumptions;
  readonly claims: GangClaims;
  readonly claimsPath?: () => string | undefined;
  readonly log: Log;
  readonly clock: Clock;
  readonly onSurprise: () => void;
}

export class UnusedClaims {
  /** By uid of the pod: since when, on the monotonic clock. */
  private readonly since = new Map<string, number>();
  private readonly underWay = new Set<string>();

  constructor(private readonly options: UnusedClaimsOptions) {}

  /**
   * @param follow for the work that it begins
   * @returns milliseconds after which it is worth another look
   */
  look(follow: (work: Promise<unknown>) => void, attempts: AttemptOptions): number {
    const { world, assumptions, clock } = this.options;
    const now = clock.monotonic();
    const seen = new Set<string>();
    let next = Infinity;
    for (const entry of world.devices.pods) {
      const { uid, way, state } = entry;
      if (way !== 'direct' || state !== 'waiting' || this.underWay.has(uid)) {
        continue;
      }
      if (assumptions.placeOf(uid) !== undefined) {
        // One more attempt after others that came to nothing.
        seen.add(uid);
        continue;
      }
      const unused = this.unusedOf(entry);
      if (unused.length === 0) {
        continue;
      }
      seen.add(uid);
      const since = this.since.get(uid) ?? now;
      this.since.set(uid, since);
      const left = since + UNUSED_PATIENCE - now;
      if (left > 0) {
        next = Math.min(next, left);
      } else {
        follow(this.giveBack(entry, unused, attempts));
      }
    }
    this.since.forEach((_, uid) => seen.has(uid) || this.since.delete(uid));
    return next;
  }

  private async giveBack(entry: PodEntry, unused: readonly ClaimWrite[], attempts: AttemptOptions): Promise<void> {
    const { log, claims, onSurprise } = this.options;
    this.since.delete(entry.uid);
    this.underWay.add(entry.uid);
    log.info({ pod: entry.key, claims: unused.length }, 'devices that the pod does not use are released');
    try {
      await claims.release(unused, attempts);
    } finally {
      this.underWay.delete(entry.uid);
    }
    onSurprise();
  }

  /** Claims that are reserved for the pod. */
  private unusedOf(entry: PodEntry): readonly ClaimWrite[] {
    const { world, claimsPath = () => undefined } = this.options;
    const pods = [podRefOf(entry.raw)];
    const named = new Set(entry.deviceClaims.flatMap(({ own }) => own ?? []));
    // What the pod names itself belongs to users, however it is annotated.
    const made = new Set([...world.devices.extended.allocatedFor(entry.uid)].filter((key) => !named.has(key)));
    const keys = [...named, ...made];
    return keys.flatMap((key): readonly ClaimWrite[] => {
      const known = world.devices.claimObject(key);
      const isReserved = asArray(asObject(known?.status).reservedFor).some(
        (one) => asString(asObject(one).uid) === entry.uid,
      );
      if (known === undefined || !isReserved || allocationIn(known) === undefined) {
        return [];
      }
      const { namespace, name, uid } = asObject(known.metadata);
      const path = claimPath(claimsPath() ?? '', asString(namespace) ?? '', asString(name) ?? '');
      const own = made.has(key) ? ownClaim(entry, key, claimsPath() ?? '') : undefined;
      return [
        {
          key,
          path,
          uid: asString(uid) ?? '',
          devices: heldDevices(known),
          pods,
          nodes: [],
          known,
          ...(own !== undefined && { own }),
        },
      ];
    });
  }
}

/**
 * Devices on one node for all claims of a pod: the first choice, in the order of pools, slices, and devices, with which every request is
 * satisfied and every constraint holds; as the allocator of Kubernetes chooses them, but within a bound. (It
 * differs where that one lets a constraint slip: it compares a device only with the last one of the same request for distinct values.)
 */
import { DeviceBooks } from './books';
import { type Candidate, candidatesOf, type CandidateLists } from './candidates';
import { ConstraintState } from './constraints';
import {
  type AllocatedDevice,
  DEVICES_OF_CLAIM,
  type DeviceClaim,
  type DeviceSlice,
  type HeldDevices,
  type RequestAlternative,
} from './model';
import { poolsOf } from './pools';
import { taintInTheWay } from './taints';

/** Choices of a device that a search tries before it gives up. */
const DEVICE_STEPS = 20_000;

export type DeviceAllocation =
  | {
      readonly kind: 'allocated';
      /** By claim, in the order of its requests. */
      readonly claims: readonly (readonly AllocatedDevice[])[];
    }
  | { readonly kind: 'none' }
  /** All devices are requested while a driver replaces the slices of a pool, or a pool contradicts itself. */
  | { readonly kind: 'wait'; readonly driver: string; readonly pool: string }
  /** The bound was reached. */
  | { readonly kind: 'undecided' };

/** @throws what a selector throws */
export function allocateDevices(
  claims: readonly DeviceClaim[],
  {
    slices,
    held,
    node,
  }: { readonly slices: readonly DeviceSlice[]; readonly held: HeldDevices; readonly node: string },
): DeviceAllocation {
  const pools = poolsOf(slices, node);
  const wantsAll = claims.some(({ requests }) => requests.some(({ alternatives }) => alternatives.some(isForAll)));
  const unusable = wantsAll ? pools.find((pool) => pool.unusable !== undefined) : undefined;
  if (unusable !== undefined) {
    return { kind: 'wait', driver: unusable.driver, pool: unusable.pool };
  }
  const candidates = candidatesOf(claims, pools, held);
  const allocate = (some: readonly DeviceClaim[]): DeviceAllocation => new Search(some, candidates, held).run();
  return isHopeless(claims, allocate) ? { kind: 'none' } : allocate(claims);
}

/** Whether some request, or some claim, finds no devices even alone: the whole search would try everything else before it knew. */
function isHopeless(
  claims: readonly DeviceClaim[],
  allocate: (claims: readonly DeviceClaim[]) => DeviceAllocation,
): boolean {
  const requests = claims.flatMap((claim) => claim.requests.map((request) => ({ ...claim, requests: [request] })));
  return [...(requests.length > 1 ? requests : []), ...(claims.length > 1 ? claims : [])].some(
    (alone) => allocate([alone]).kind === 'none',
  );
}

function isForAll({ count }: RequestAlternative): boolean {
  return count === 'all';
}

/** One alternative of one request, and what it needs. */
interface Wanted {
  readonly claim: number;
  readonly request: number;
  /** `REQUEST` or `REQUEST/ALTERNATIVE`. */
  readonly name: string;
  readonly alternative: RequestAlternative;
  /** Those that it can have; all of them where it is for all. */
  readonly devices: readonly Candidate[];
  readonly count: number;
  readonly constraints: readonly ConstraintState[];
}

class Search {
  private steps = 0;
  private readonly books: DeviceBooks;
  /** By claim and request, the alternatives in order. */
  private readonly wanted: readonly (readonly (readonly Wanted[])[])[];
  /** By claim. */
  private readonly chosen: readonly AllocatedDevice[][];

  constructor(
    private readonly claims: readonly DeviceClaim[],
    candidates: CandidateLists,
    held: HeldDevices,
  ) {
    this.books = new DeviceBooks(held);
    this.chosen = claims.map(() => []);
    this.wanted = claims.map((claim, index) => {
      const states = claim.constraints.map((constraint) => new ConstraintState(constraint));
      return claim.requests.map((request, at) =>
        request.alternatives.map((alternative) => {
          const able = candidates.get(alternative) ?? [];
          const devices = isForAll(alternative) ? able.filter((one) => this.books.hasRoom(one, alternative)) : able;
          return {
            claim: index,
            request: at,
            name: alternative.name === undefined ? request.name : `${request.name}/${alternative.name}`,
            alternative,
            devices,
            count: alternative.count === 'all' ? devices.length : alternative.count,
            constraints: states.filter((state) => state.concerns(request.name, alternative.name)),
          };
        }),
      );
    });
  }

  run(): DeviceAllocation {
    if (this.satisfy(0, 0)) {
      return { kind: 'allocated', claims: this.chosen };
    }
    return { kind: this.isOver() ? 'undecided' : 'none' };
  }

  private isOver(): boolean {
    return this.steps > DEVICE_STEPS;
  }

  /** All requests from this one on. */
  private satisfy(claim: number, request: number): boolean {
    if (claim === this.claims.length) {
      return true;
    }
    const alternatives = this.wanted[claim]?.[request];
    return alternatives === undefined
      ? this.satisfy(claim + 1, 0)
      : alternatives.some((wanted) => (isForAll(wanted.alternative) ? this.all(wanted, 0) : this.some(wanted, 0, 0)));
  }

  /** Every device of the list; none may be missing. */
  private all(wanted: Wanted, at: number): boolean {
    const device = wanted.devices[at];
    if (device === undefined) {
      return at > 0 && this.satisfy(wanted.claim, wanted.request + 1);
    }
    return this.fits(wanted, at) && this.withDevice(wanted, device, () => this.all(wanted, at + 1));
  }

  /** As many devices as are requested, from a place in the list on: their order makes no difference. */
  private some(wanted: Wanted, had: number, from: number): boolean {
    if (had === wanted.count) {
      return this.satisfy(wanted.claim, wanted.request + 1);
    }
    if (!this.fits(wanted, had)) {
      return false;
    }
    const failed = new Set<number>();
    for (let at = from; at < wanted.devices.length && !this.isOver(); at++) {
      const device = wanted.devices[at];
      if (device === undefined || failed.has(device.alike)) {
        continue;
      }
      const untouched = !this.books.isTouched(device);
      if (this.withDevice(wanted, device, () => this.some(wanted, had + 1, at + 1))) {
        return true;
      }
      if (untouched) {
        failed.add(device.alike);
      }
    }
    return false;
  }

  /** Whether the claim can still hold the devices that are missing. */
  private fits({ claim, count }: Wanted, had: number): boolean {
    return (this.chosen[claim]?.length ?? 0) + count - had <= DEVICES_OF_CLAIM;
  }

  /** Tries a device: takes it, goes on, and gives it back where that leads nowhere. */
  private withDevice(wanted: Wanted, candidate: Candidate, goOn: () => boolean): boolean {
    this.steps++;
    const { alternative, constraints, claim } = wanted;
    if (this.isOver() || taintInTheWay(candidate.device.taints, alternative.tolerations) !== undefined) {
      return false;
    }
    const taking = this.books.take(candidate, claim, alternative);
    if (taking === undefined) {
      return false;
    }
    const kept = this.keep(constraints, candidate);
    const devices = this.chosen[claim];
    if (kept === constraints.length && devices !== undefined) {
      const { id } = candidate;
      const { share } = taking;
      devices.push({ ...id, request: wanted.name, adminAccess: alternative.adminAccess, ...(share && { share }) });
      if (goOn()) {
        return true;
      }
      devices.pop();
    }
    constraints.slice(0, kept).forEach((constraint) => constraint.undo());
    this.books.give(taking);
    return false;
  }

  /** How many of the constraints, from the first on, hold with the device. */
  private keep(constraints: readonly ConstraintState[], { id, device }: Candidate): number {
    const broken = constraints.findIndex((constraint) => !constraint.add(id.driver, device));
    return broken === -1 ? constraints.length : broken;
  }
}

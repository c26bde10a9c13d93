/**
 * Devices on one node for all claims of a pod: the first choice, in the order of pools, slices, and devices, with which every request is
 * satisfied and every constraint holds; as the allocator of Kubernetes chooses them, but within a bound. (It
 * differs where that one lets a constraint slip: it compares a device only with the last one of the same request for distinct values.)
 */
import { DeviceBooks } from './books';
import { type Candidate, candidatesOf, type CandidateLists, stillFree } from './candidates';
import { ConstraintState } from './constraints';
import {
  type AllocatedDevice,
  DEVICES_OF_CLAIM,
  type DeviceClaim,
  type DeviceSlice,
  type HeldDevices,
  type RequestAlternative,
} from '../model/claims';
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
  const candidates = stillFree(candidatesOf(claims, pools), held);
  const allocate = (some: readonly DeviceClaim[]): DeviceAllocation =>
    new DeviceSearch(some, candidates, held, { left: DEVICE_STEPS }).first();
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

/** Choices of a device that searches may still try. */
export interface Steps {
  left: number;
}

/** The devices of each claim, in the order of its requests. */
export type ChosenDevices = readonly (readonly AllocatedDevice[])[];

/**
 * Enumerates the choices for some claims on one node, the most preferred first. Of choices that differ only in devices that are alike, it gives
 * the first.
 */
export class DeviceSearch {
  private readonly books: DeviceBooks;
  /** By claim and request, the alternatives in order. */
  private readonly wanted: readonly (readonly (readonly Wanted[])[])[];
  /** By claim. */
  private readonly chosen: readonly AllocatedDevice[][];

  /**
   * @param candidates those that are free (`stillFree`)
   * @param frugal the last alternative of each request first
   */
  constructor(
    private readonly claims: readonly DeviceClaim[],
    candidates: CandidateLists,
    held: HeldDevices,
    private readonly steps: Steps,
    frugal = false,
  ) {
    this.books = new DeviceBooks(held);
    this.chosen = claims.map(() => []);
    this.wanted = claims.map((claim, index) => {
      const states = claim.constraints.map((constraint) => new ConstraintState(constraint));
      return claim.requests.map((request, at) => {
        const wanted = request.alternatives.map((alternative): Wanted => {
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
        });
        return frugal ? wanted.reverse() : wanted;
      });
    });
  }

  first(): DeviceAllocation {
    for (const claims of this.choices()) {
      return { kind: 'allocated', claims };
    }
    return { kind: this.isOver() ? 'undecided' : 'none' };
  }

  /** Each choice, until the steps are used up. */
  *choices(): Generator<ChosenDevices, void> {
    const found = this.satisfy(0, 0);
    while (found.next().done !== true) {
      yield this.chosen.map((devices) => [...devices]);
    }
  }

  private isOver(): boolean {
    return this.steps.left < 0;
  }

  /** All requests from this one on. */
  private *satisfy(claim: number, request: number): Generator<void, void> {
    if (claim === this.claims.length) {
      yield;
      return;
    }
    const alternatives = this.wanted[claim]?.[request];
    if (alternatives === undefined) {
      yield* this.satisfy(claim + 1, 0);
      return;
    }
    for (const wanted of alternatives) {
      yield* isForAll(wanted.alternative) ? this.all(wanted, 0) : this.some(wanted, 0, 0);
    }
  }

  /** Every device of the list; none may be missing. */
  private *all(wanted: Wanted, at: number): Generator<void, void> {
    const device = wanted.devices[at];
    if (device === undefined) {
      if (at > 0) {
        yield* this.satisfy(wanted.claim, wanted.request + 1);
      }
    } else if (this.fits(wanted, at)) {
      yield* this.withDevice(wanted, device, () => this.all(wanted, at + 1));
    }
  }

  /** As many devices as are requested, from a place in the list on: their order makes no difference. */
  private *some(wanted: Wanted, had: number, from: number): Generator<void, void> {
    if (had === wanted.count) {
      yield* this.satisfy(wanted.claim, wanted.request + 1);
      return;
    }
    if (!this.fits(wanted, had)) {
      return;
    }
    const tried = new Set<number>();
    for (let at = from; at < wanted.devices.length && !this.isOver(); at++) {
      const device = wanted.devices[at];
      if (device === undefined || tried.has(device.alike)) {
        continue;
      }
      const untouched = !this.books.isTouched(device);
      yield* this.withDevice(wanted, device, () => this.some(wanted, had + 1, at + 1));
      if (untouched) {
        tried.add(device.alike);
      }
    }
  }

  /** Whether the claim can still hold the devices that are missing. */
  private fits({ claim, count }: Wanted, had: number): boolean {
    return (this.chosen[claim]?.length ?? 0) + count - had <= DEVICES_OF_CLAIM;
  }

  /** Tries a device: takes it, goes on, and gives it back. */
  private *withDevice(wanted: Wanted, candidate: Candidate, goOn: () => Generator<void, void>): Generator<void, void> {
    this.steps.left--;
    const { alternative, constraints, claim } = wanted;
    if (this.isOver() || taintInTheWay(candidate.device.taints, alternative.tolerations) !== undefined) {
      return;
    }
    const taking = this.books.take(candidate, claim, alternative);
    if (taking === undefined) {
      return;
    }
    const kept = this.keep(constraints, candidate);
    const devices = this.chosen[claim];
    if (kept === constraints.length && devices !== undefined) {
      const { id } = candidate;
      const { share } = taking;
      devices.push({ ...id, request: wanted.name, adminAccess: alternative.adminAccess, ...(share && { share }) });
      yield* goOn();
      devices.pop();
    }
    constraints.slice(0, kept).forEach((constraint) => constraint.undo());
    this.books.give(taking);
  }

  /** How many of the constraints, from the first on, hold with the device. */
  private keep(constraints: readonly ConstraintState[], { id, device }: Candidate): number {
    const broken = constraints.findIndex((constraint) => !constraint.add(id.driver, device));
    return broken === -1 ? constraints.length : broken;
  }
}

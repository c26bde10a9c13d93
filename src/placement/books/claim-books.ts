/**
 * Which claims are allocated, and for how many pods: a claim is allocated with its first pod and released with its last.
 *
 * Pods without claims never come here.
 */
import { DeviceSearch, type Steps } from '../claims/allocate';
import { type CandidateLists, stillFree } from '../claims/candidates';
import { Holdings } from '../claims/holdings';
import { DeviceWorld } from '../claims/world';
import {
  type ClaimedDevices,
  type ClaimFacts,
  type DeviceClaim,
  type DeviceSlice,
  PODS_OF_CLAIM,
} from '../model/claims';
import { type ClaimedSlots } from './claimed-slots';
import { type PodRecord } from './records';

/** A claim that a pod needs. */
export interface NeededClaim {
  readonly key: string;
  readonly facts: ClaimFacts;
}

interface Allocated {
  readonly devices: ClaimedDevices['devices'];
  pods: number;
}

/** What is known of devices and claims, as it is now. */
export interface KnownClaims {
  readonly slices: ReadonlyMap<string, DeviceSlice>;
  readonly claims: ReadonlyMap<string, ClaimFacts>;
}

const NO_CLAIMS: readonly ClaimedDevices[] = [];

/** Choices of devices that are tried for one pod on one node. */
const STEPS_ON_NODE = 2000;

export class ClaimBooks {
  readonly holdings = new Holdings();
  readonly world: DeviceWorld;
  private readonly allocated = new Map<string, Allocated>();
  /** Claims that stay allocated whether pods use them or not. */
  private readonly retained = new Map<string, ClaimedDevices>();
  /** Pods that run, by the keys of their claims. */
  private readonly users = new Map<string, Set<PodRecord>>();
  private needed = new WeakMap<PodRecord, readonly NeededClaim[]>();

  constructor(
    private readonly known: KnownClaims,
    private readonly slots?: ClaimedSlots,
  ) {
    this.world = new DeviceWorld(known.slices);
    for (const key of known.claims.keys()) {
      this.retain(key);
    }
  }

  /** Slices and claims of these names are others now, or there are none any more. */
  follow(slices: ReadonlySet<string>, claims: ReadonlySet<string>): void {
    slices.forEach((name) => this.world.put(name, this.known.slices.get(name)));
    const users = new Set([...claims].flatMap((key) => [...(this.users.get(key) ?? [])]));
    // All that a claim held is given back before any of it is taken again: what the first pod says counts for the others.
    users.forEach((pod) => this.change(pod.claimed, -1));
    for (const key of claims) {
      const held = this.retained.get(key);
      this.change(held === undefined ? NO_CLAIMS : [held], -1);
      this.retained.delete(key);
    }
    this.needed = new WeakMap();
    claims.forEach((key) => this.retain(key));
    users.forEach((pod) => this.hold(pod));
  }

  /** A pod that runs comes with what its claims hold, or goes. */
  enter(pod: PodRecord, by: 1 | -1): void {
    const keys = keysOf(pod);
    if (keys.length === 0) {
      return;
    }
    for (const key of keys) {
      const users = this.users.get(key) ?? new Set();
      if (by === 1) {
        users.add(pod);
      } else {
        users.delete(pod);
      }
      if (users.size === 0) {
        this.users.delete(key);
      } else {
        this.users.set(key, users);
      }
    }
    if (by === 1) {
      this.hold(pod);
    } else {
      this.change(pod.claimed, -1);
      pod.claimed = NO_CLAIMS;
    }
  }

  /** How many pods, and the snapshot itself, hold each claim. */
  get holders(): ReadonlyMap<string, number> {
    return new Map([...this.allocated].map(([key, { pods }]) => [key, pods]));
  }

  /** The claims of the pod: one of its own for each template. */
  neededBy(pod: PodRecord): readonly NeededClaim[] {
    let needed = this.needed.get(pod);
    if (needed === undefined) {
      needed = keysOf(pod).map((key): NeededClaim => {
        const facts = this.known.claims.get(key) ?? {
          title: `claim "${key}"`,
          problem: `claim "${key}" does not exist`,
          shared: true,
        };
        return { key: facts.shared ? key : `${key}\0${pod.name}`, facts };
      });
      this.needed.set(pod, needed);
    }
    return needed;
  }

  change(claims: readonly ClaimedDevices[], by: 1 | -1): void {
    claims.forEach((claim) => (by === 1 ? this.take(claim) : this.give(claim)));
  }

  /** The devices of a claim that is allocated, for other pods or by the cluster. */
  devicesOf({ key, facts }: NeededClaim): ClaimedDevices['devices'] | undefined {
    return this.allocated.get(key)?.devices ?? facts.allocation?.devices;
  }

  /** What the pod still has to get allocated; `undefined` where the claims that it shares keep it off the node. */
  openOn(pod: PodRecord, node: string): readonly NeededClaim[] | undefined {
    const open: NeededClaim[] = [];
    for (const needed of this.neededBy(pod)) {
      const { facts, key } = needed;
      const devices = this.devicesOf(needed);
      if (devices === undefined) {
        if (facts.claim === undefined) {
          return undefined;
        }
        open.push(needed);
      } else if (!this.isUsable(needed, devices, node) || (this.allocated.get(key)?.pods ?? 0) >= PODS_OF_CLAIM) {
        return undefined;
      }
    }
    return open;
  }

  /**
   * Each way to allocate the claims of the pod on the node, the most preferred first.
   *
   * @param listsAt candidates of the node for claims that include the pod's
   */
  *choices(
    pod: PodRecord,
    node: string,
    listsAt: (node: string) => CandidateLists,
    frugal: boolean,
    steps: Steps = { left: STEPS_ON_NODE },
  ): Generator<readonly ClaimedDevices[], void> {
    const open = this.openOn(pod, node);
    if (open === undefined) {
      return;
    }
    const claims = open.flatMap(({ facts: { claim } }) => (claim === undefined ? [] : [claim]));
    if (this.mustWait(claims, node)) {
      return;
    }
    const before = this.neededBy(pod);
    const settled = before.map((needed) => this.devicesOf(needed));
    const search = new DeviceSearch(claims, stillFree(listsAt(node), this.holdings), this.holdings, steps, frugal);
    for (const chosen of search.choices()) {
      let next = 0;
      yield before.map(({ key }, at): ClaimedDevices => ({ key, devices: settled[at] ?? chosen[next++] ?? [] }));
    }
  }

  /** The first way; `undefined` where there is none. */
  first(pod: PodRecord, node: string): readonly ClaimedDevices[] | undefined {
    const lists = (): CandidateLists => this.world.candidatesAt(node, this.claimsOf([pod]));
    for (const claims of this.choices(pod, node, lists, false)) {
      return claims;
    }
    return undefined;
  }

  /** What the pods' claims request, each once. */
  claimsOf(pods: readonly PodRecord[]): readonly DeviceClaim[] {
    const claims = new Set<DeviceClaim>();
    for (const pod of pods) {
      this.neededBy(pod).forEach(({ facts: { claim } }) => claim !== undefined && claims.add(claim));
    }
    return [...claims];
  }

  /** A request for all devices waits until the slices of all pools are there. */
  private mustWait(claims: readonly DeviceClaim[], node: string): boolean {
    const wantsAll = claims.some(({ requests }) =>
      requests.some(({ alternatives }) => alternatives.some(({ count }) => count === 'all')),
    );
    return wantsAll && this.world.poolsAt(node).some(({ unusable }) => unusable !== undefined);
  }

  private isUsable({ facts: { allocation } }: NeededClaim, devices: ClaimedDevices['devices'], node: string): boolean {
    return devices === allocation?.devices ? allocation.nodes(node) : this.world.sees(node, devices);
  }

  /** Takes again what claims hold on a row whose devices count as free. */
  restore(row: number): void {
    this.slots?.restore(row);
  }

  private retain(key: string): void {
    const allocation = this.known.claims.get(key)?.allocation;
    if (allocation?.retained === true) {
      const held = { key, devices: allocation.devices };
      this.retained.set(key, held);
      this.take(held);
    }
  }

  /** Takes what the claims of a pod that runs say that they hold. */
  private hold(pod: PodRecord): void {
    pod.claimed = this.neededBy(pod).flatMap(({ key, facts: { allocation } }) =>
      allocation === undefined ? [] : [{ key, devices: allocation.devices }],
    );
    this.change(pod.claimed, 1);
  }

  private take({ key, devices }: ClaimedDevices): void {
    const known = this.allocated.get(key);
    if (known !== undefined) {
      known.pods++;
      return;
    }
    this.allocated.set(key, { devices, pods: 1 });
    this.holdings.change(devices, 1);
    this.slots?.change(devices, 1);
  }

  private give({ key }: ClaimedDevices): void {
    const known = this.allocated.get(key);
    if (known !== undefined && --known.pods === 0) {
      this.allocated.delete(key);
      this.holdings.change(known.devices, -1);
      this.slots?.change(known.devices, -1);
    }
  }
}

function keysOf(pod: PodRecord): readonly string[] {
  return pod.claims ?? pod.podClass.claims;
}

/**
 * Devices and claims as they are watched, in the terms of the placement core. Each object is read once for each of its versions, and the
 * value is replaced only where something about it changed: the core builds its books again for a new value.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asObject } from '../../../manifests/read';
import { type ClusterNode } from '../../../placement';
import {
  type ClaimAllocation,
  type ClaimFacts,
  type DeviceClaims,
  type DeviceSlice,
} from '../../../placement/model/claims';
import { extendedRequests } from '../../../planning/cluster/objects/claim-key';
import {
  allocationOf,
  ClaimReader,
  classSelectorsOf,
  extendedFacts,
} from '../../../planning/cluster/objects/claims/read-claims';
import { sliceOf } from '../../../planning/cluster/objects/claims/read-slices';
import { devicesBySlices, type SliceDevices } from '../../../planning/cluster/objects/claims/slice-devices';
import { type AssumedClaim, type ClaimedDevices } from './claimed-devices';
import { type ShownClaims } from './double-allocation';
import { ExtendedClaims } from './extended-claims';
import { type PodDeviceClaim } from './pod-claims';

type Store = ReadonlyMap<string, JsonObject>;

export interface DeviceStores {
  readonly slices: Store;
  readonly classes: Store;
  readonly claims: Store;
}

/** What pods say about claims. */
export interface ClaimUsers {
  /** Claims of pods that have a place, by the key of the ResourceClaim: their devices go with the pods. */
  readonly inUse: ReadonlySet<string>;
  /** Claims in templates of pods, by their keys there. */
  readonly named: ReadonlyMap<string, PodDeviceClaim>;
}

/** What one version of a ResourceClaim says. */
interface Read {
  readonly object: JsonObject;
  readonly reader: ClaimReader;
  readonly facts: ClaimFacts;
  readonly held?: Omit<ClaimAllocation, 'retained'>;
}

interface SliceRead {
  readonly object: JsonObject;
  readonly slice: DeviceSlice;
}

export class DeviceView {
  /** By the name of the ResourceSlice. */
  private slicesRead = new Map<string, SliceRead>();
  /** By `namespace/name`. */
  private claimsRead = new Map<string, Read>();
  private readonly assumedRead = new WeakMap<AssumedClaim, Omit<ClaimAllocation, 'retained'>>();
  private generated = new Map<string, ClaimFacts>();
  private reader: ClaimReader | undefined;
  private published: ReadonlyMap<string, SliceDevices> | undefined;
  private latest: DeviceClaims | undefined;
  private isStale = true;

  /** @param nodes by name, as they are now: selectors of nodes look at them */
  constructor(
    private readonly stores: DeviceStores,
    private readonly assumed: ClaimedDevices,
    private readonly nodes: ReadonlyMap<string, ClusterNode>,
  ) {}

  /** A pod with claims has a place, or has none any more; a claim changed. */
  touch(): void {
    this.isStale = true;
  }

  slicesChanged(): void {
    this.published = undefined;
    this.isStale = true;
  }

  classesChanged(): void {
    this.reader = undefined;
    this.isStale = true;
  }

  /** The devices that a node has by its slices. */
  devicesOf(node: string): SliceDevices | undefined {
    this.published ??= devicesBySlices([...this.stores.slices.values()]);
    return this.published.get(node);
  }

  /** The same value until something changed; `undefined` while there are neither devices nor claims. */
  value(users: () => ClaimUsers): DeviceClaims | undefined {
    if (this.isStale) {
      this.isStale = false;
      const { slices, claims } = this.stores;
      this.latest = slices.size === 0 && claims.size === 0 ? undefined : this.brought(users());
    }
    return this.latest;
  }

  /** What the claims hold, and nothing that is assumed. */
  shown(): ShownClaims {
    const reader = this.currentReader();
    const claims = new Map<string, { readonly title: string; readonly devices: ClaimAllocation['devices'] }>();
    for (const [name, object] of this.stores.claims) {
      const { facts, held } = this.claim(name, object, reader);
      if (held !== undefined) {
        claims.set(`claim:${name}`, { title: facts.title, devices: held.devices });
      }
    }
    return { claims, slices: [...this.stores.slices].map(([name, object]) => this.slice(name, object).slice) };
  }

  private currentReader(): ClaimReader {
    if (this.reader === undefined) {
      this.reader = new ClaimReader(classSelectorsOf(this.stores.classes.values()), true);
      this.generated.clear();
    }
    return this.reader;
  }

  private brought({ inUse, named }: ClaimUsers): DeviceClaims {
    const slicesRead = new Map(
      [...this.stores.slices].map(([name, object]) => [name, this.slice(name, object)] as const),
    );
    this.slicesRead = slicesRead;
    const slices = [...slicesRead.values()].map(({ slice }) => slice);
    const reader = this.currentReader();
    const claims = new Map<string, ClaimFacts>();
    const read = new Map<string, Read>();
    for (const [name, object] of this.stores.claims) {
      const key = `claim:${name}`;
      const one = this.claim(name, object, reader);
      read.set(name, one);
      const { facts, held } = one;
      claims.set(key, this.kept(key, facts, held ?? this.assumedFor(key), inUse));
    }
    this.claimsRead = read;
    for (const [key, claim] of named) {
      if (!claims.has(key)) {
        claims.set(key, this.namedFacts(key, claim, reader));
      }
    }
    // What kube-scheduler makes claims for has no claim before it does.
    for (const key of this.assumed.all.keys()) {
      if (!claims.has(key)) {
        claims.set(key, this.kept(key, UNSEEN, this.assumedFor(key), inUse));
      }
    }
    const before = this.latest;
    this.generated = new Map(
      [...named.keys()].flatMap((key) => {
        const facts = claims.get(key);
        return facts === undefined ? [] : [[key, facts] as const];
      }),
    );
    const isSame = before !== undefined && areSame(before.slices, slices) && hasSame(before.claims, claims);
    return isSame ? before : { slices, claims };
  }

  private slice(name: string, object: JsonObject): SliceRead {
    const known = this.slicesRead.get(name);
    const isSame =
      known !== undefined &&
      (known.object === object || JSON.stringify(known.object.spec) === JSON.stringify(object.spec));
    return isSame ? known : { object, slice: sliceOf(object, this.nodes) };
  }

  /** A version of a claim that says nothing new is read as the one before. */
  private claim(key: string, object: JsonObject, reader: ClaimReader): Read {
    const known = this.claimsRead.get(key);
    if (known?.reader === reader && (known.object === object || relevantOf(known.object) === relevantOf(object))) {
      return known;
    }
    const { name = '' } = asObject(object.metadata) as Readonly<Record<string, string>>;
    const title = `ResourceClaim "${key}"`;
    const { allocation } = asObject(object.status);
    const isHeld = allocation !== undefined && allocation !== null;
    return {
      object,
      reader,
      facts: { title, shared: true, ...reader.read(asObject(object.spec), name, title) },
      ...(isHeld && { held: allocationOf(asObject(allocation), this.nodes, false) }),
    };
  }

  /** The facts of the last time, where they say the same. */
  private kept(
    key: string,
    facts: ClaimFacts,
    held: Omit<ClaimAllocation, 'retained'> | undefined,
    inUse: ReadonlySet<string>,
  ): ClaimFacts {
    const before = this.latest?.claims.get(key);
    const retained = !inUse.has(key);
    const isSame =
      before !== undefined &&
      before.claim === facts.claim &&
      before.title === facts.title &&
      before.problem === facts.problem &&
      before.allocation?.devices === held?.devices &&
      (held === undefined || before.allocation?.retained === retained);
    return isSame ? before : { ...facts, ...(held !== undefined && { allocation: { ...held, retained } }) };
  }

  private assumedFor(key: string): Omit<ClaimAllocation, 'retained'> | undefined {
    const assumed = this.assumed.all.get(key);
    if (assumed === undefined) {
      return undefined;
    }
    let held = this.assumedRead.get(assumed);
    if (held === undefined) {
      // What claims share is usable wherever the pods of the same decision go.
      held = { devices: assumed.devices, nodes: (node) => node === assumed.node };
      this.assumedRead.set(assumed, held);
    }
    return held;
  }

  /** Claims from one template request the same, and are worked on once. */
  private namedFacts(key: string, { madeFrom, problem }: PodDeviceClaim, reader: ClaimReader): ClaimFacts {
    const before = this.generated.get(key);
    const extended = extendedRequests(key);
    // A key of what is requested says the same each time; what is in the way may change.
    const isStated = madeFrom !== undefined || extended !== undefined;
    if (before !== undefined && (isStated || before.problem === (problem ?? MISSING))) {
      return before;
    }
    if (extended !== undefined) {
      return extendedFacts(extended, reader);
    }
    if (madeFrom === undefined) {
      return { title: key, shared: true, problem: problem ?? MISSING };
    }
    const { title, claim } = madeFrom;
    return { title, shared: false, ...reader.read(asObject(claim.spec), title, title) };
  }
}

/** Drivers report the health of devices in the status of claims, which changes nothing here. */
export function relevantOf(claim: JsonObject | undefined): string {
  const { allocation } = asObject(claim?.status);
  const { uid, deletionTimestamp } = asObject(claim?.metadata);
  return claim === undefined
    ? ''
    : JSON.stringify([uid, deletionTimestamp, claim.spec, allocation, ExtendedClaims.ownerOf(claim)]);
}

function areSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((one, index) => one === b[index]);
}

function hasSame(a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);
}

const MISSING = 'it does not exist';
const UNSEEN: ClaimFacts = { title: "the pod's extended resources", shared: true };

/**
 * Devices and claims as they are watched, in the terms of the placement core. Each object is read once for each of its versions, and only what
 * changed is looked at again: a cluster has many more claims than a cycle changes.
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
import { ByPool, poolKey } from './by-pool';
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

/** What pods say about a claim. */
export interface ClaimUsers {
  /** Whether a pod that has a place uses it: its devices go with the pod. */
  inUse(key: string): boolean;
  /** The claim as a template of a pod names it. */
  named(key: string): PodDeviceClaim | undefined;
  /** Keys of all claims in templates of pods. */
  names(): Iterable<string>;
}

/** Names of what may be another value than at the last call. */
export interface DeviceNews {
  readonly slices: ReadonlySet<string>;
  readonly claims: ReadonlySet<string>;
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
  private readonly slicesRead = new Map<string, SliceRead>();
  /** By `namespace/name`. */
  private readonly claimsRead = new Map<string, Read>();
  private readonly assumedRead = new WeakMap<AssumedClaim, Omit<ClaimAllocation, 'retained'>>();
  /** Claims of templates, as the current reader reads them. */
  private readonly generated = new Map<string, ClaimFacts>();
  private reader: ClaimReader | undefined;
  private published: ReadonlyMap<string, SliceDevices> | undefined;
  /** As of the last call of `value`. */
  private readonly claims = new Map<string, ClaimFacts>();
  private latest: DeviceClaims | undefined;
  /** Keys of claims, and names of slices, that are to be looked at. */
  private readonly stale = { claims: new Set<string>(), slices: new Set<string>() };
  private isAllStale = true;
  private readonly claimPools = new ByPool(
    () => this.stores.claims.keys(),
    (name) => this.claimNamed(name)?.held?.devices ?? [],
  );
  private readonly slicePools = new ByPool(
    () => this.stores.slices.keys(),
    (name) => this.shownSlice(name),
  );
  private readonly news = { claims: new Set<string>(), slices: new Set<string>() };

  /** @param nodes by name, as they are now: selectors of nodes look at them */
  constructor(
    private readonly stores: DeviceStores,
    private readonly assumed: ClaimedDevices,
    private readonly users: ClaimUsers,
    private readonly nodes: ReadonlyMap<string, ClusterNode>,
  ) {}

  /** The claim changed, or what is assumed of it, or which pods use it. */
  touch(key: string): void {
    this.stale.claims.add(key);
    if (key.startsWith('claim:')) {
      this.claimPools.touch(key.slice('claim:'.length));
    }
  }

  /** Everything is looked at again. */
  touchAll(): void {
    this.isAllStale = true;
    this.claimPools.touchAll();
    this.slicePools.touchAll();
  }

  sliceChanged(name: string): void {
    this.slicePools.touch(name);
    this.published = undefined;
    this.stale.slices.add(name);
  }

  classesChanged(): void {
    this.reader = undefined;
    this.isAllStale = true;
  }

  /** The devices that a node has by its slices. */
  devicesOf(node: string): SliceDevices | undefined {
    this.published ??= devicesBySlices([...this.stores.slices.values()]);
    return this.published.get(node);
  }

  /**
   * The same value until something changed; `undefined` while there are neither devices nor claims. Its claims are those of this moment, also
   * later. O(what changed).
   */
  value(): DeviceClaims | undefined {
    const { slices, claims } = this.stores;
    const { stale } = this;
    if (this.isAllStale) {
      [slices.keys(), this.slicesRead.keys()].forEach((names) => addAll(stale.slices, names));
      addAll(stale.claims, this.claims.keys(), this.assumed.all.keys(), this.users.names());
      for (const name of claims.keys()) {
        stale.claims.add(`claim:${name}`);
      }
      this.isAllStale = false;
    }
    const before = this.latest;
    let isSame = true;
    for (const name of stale.slices) {
      isSame = !this.bringSlice(name) && isSame;
    }
    const areSlicesSame = isSame;
    for (const key of stale.claims) {
      isSame = !this.bringClaim(key) && isSame;
    }
    stale.slices.clear();
    stale.claims.clear();
    if (slices.size === 0 && claims.size === 0) {
      this.latest = undefined;
    } else if (before === undefined || !isSame) {
      this.latest = {
        slices:
          before !== undefined && areSlicesSame
            ? before.slices
            : [...this.slicesRead.values()].map(({ slice }) => slice),
        claims: this.claims,
      };
    }
    return this.latest;
  }

  /** What changed since the last call. */
  takeNews(): DeviceNews {
    const news = { claims: new Set(this.news.claims), slices: new Set(this.news.slices) };
    this.news.claims.clear();
    this.news.slices.clear();
    return news;
  }

  /** The slice of a ResourceSlice, as of the last call of `value`. */
  sliceNamed(name: string): DeviceSlice | undefined {
    return this.slicesRead.get(name)?.slice;
  }

  /** What the claims hold, and nothing that is assumed, in the pools of those of these keys. O(claims and slices of these pools). */
  shown(keys: Iterable<string>): ShownClaims {
    const pools = new Set<string>();
    for (const key of keys) {
      const { held } = this.claimNamed(key.slice('claim:'.length)) ?? {};
      held?.devices.forEach((device) => pools.add(poolKey(device)));
    }
    const claims = new Map<string, { readonly title: string; readonly devices: ClaimAllocation['devices'] }>();
    for (const name of this.claimPools.in(pools)) {
      const { facts, held } = this.claimNamed(name) ?? {};
      if (facts !== undefined && held !== undefined) {
        claims.set(`claim:${name}`, { title: facts.title, devices: held.devices });
      }
    }
    return { claims, slices: [...this.slicePools.in(pools)].flatMap((name) => this.shownSlice(name)) };
  }

  private claimNamed(name: string): Read | undefined {
    const object = this.stores.claims.get(name);
    return object === undefined ? undefined : this.claim(name, object, this.currentReader());
  }

  private shownSlice(name: string): readonly DeviceSlice[] {
    const object = this.stores.slices.get(name);
    return object === undefined ? [] : [this.slice(name, object).slice];
  }

  private currentReader(): ClaimReader {
    if (this.reader === undefined) {
      this.reader = new ClaimReader(classSelectorsOf(this.stores.classes.values()), true);
      this.generated.clear();
    }
    return this.reader;
  }

  /** @returns whether it is another one now */
  private bringSlice(name: string): boolean {
    const object = this.stores.slices.get(name);
    const before = this.slicesRead.get(name);
    const after = object === undefined ? undefined : this.slice(name, object);
    if (after === undefined) {
      this.slicesRead.delete(name);
    } else if (after !== before) {
      this.slicesRead.set(name, after);
    }
    if (before !== after) {
      this.news.slices.add(name);
    }
    return before !== after;
  }

  /** @returns whether it says something else now */
  private bringClaim(key: string): boolean {
    const before = this.claims.get(key);
    const after = this.factsOf(key);
    if (after === before) {
      return false;
    }
    if (after === undefined) {
      this.claims.delete(key);
    } else {
      this.claims.set(key, after);
    }
    this.news.claims.add(key);
    return true;
  }

  private factsOf(key: string): ClaimFacts | undefined {
    const reader = this.currentReader();
    const name = key.slice('claim:'.length);
    const object = key.startsWith('claim:') ? this.stores.claims.get(name) : undefined;
    const claim = this.users.named(key);
    if (claim === undefined) {
      this.generated.delete(key);
    }
    if (object !== undefined) {
      const { facts, held } = this.claim(name, object, reader);
      return this.kept(key, facts, held ?? this.assumedFor(key));
    }
    this.claimsRead.delete(name);
    if (claim !== undefined) {
      const facts = this.namedFacts(key, claim, reader);
      this.generated.set(key, facts);
      return facts;
    }
    // What is to have a claim has none before it is made.
    return this.assumed.all.has(key) ? this.kept(key, UNSEEN, this.assumedFor(key)) : undefined;
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
    const read = {
      object,
      reader,
      facts: { title, shared: true, ...reader.read(asObject(object.spec), name, title) },
      ...(isHeld && { held: allocationOf(asObject(allocation), this.nodes, false) }),
    };
    this.claimsRead.set(key, read);
    return read;
  }

  /** The facts of the last time, where they say the same. */
  private kept(key: string, facts: ClaimFacts, held: Omit<ClaimAllocation, 'retained'> | undefined): ClaimFacts {
    const before = this.claims.get(key);
    const retained = !this.users.inUse(key);
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

function addAll(to: Set<string>, ...lists: readonly Iterable<string>[]): void {
  for (const list of lists) {
    for (const one of list) {
      to.add(one);
    }
  }
}

const MISSING = 'it does not exist';
const UNSEEN: ClaimFacts = { title: "the pod's extended resources", shared: true };

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
  readonly reader: ClaimReader;
  readonly facts: ClaimFacts;
  readonly held?: Omit<ClaimAllocation, 'retained'>;
}

export class DeviceView {
  private readonly slicesRead = new WeakMap<JsonObject, DeviceSlice>();
  private readonly claimsRead = new WeakMap<JsonObject, Read>();
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
      const { facts, held } = this.claim(object, reader);
      if (held !== undefined) {
        claims.set(`claim:${name}`, { title: facts.title, devices: held.devices });
      }
    }
    return { claims, slices: [...this.stores.slices.values()].map((object) => this.slice(object)) };
  }

  private currentReader(): ClaimReader {
    if (this.reader === undefined) {
      this.reader = new ClaimReader(classSelectorsOf(this.stores.classes.values()), true);
      this.generated.clear();
    }
    return this.reader;
  }

  private brought({ inUse, named }: ClaimUsers): DeviceClaims {
    const slices = [...this.stores.slices.values()].map((object) => this.slice(object));
    const reader = this.currentReader();
    const claims = new Map<string, ClaimFacts>();
    for (const [name, object] of this.stores.claims) {
      const key = `claim:${name}`;
      const { facts, held } = this.claim(object, reader);
      claims.set(key, this.kept(key, facts, held ?? this.assumedFor(key), inUse));
    }
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
    this.generated = new Map([...named.keys()].flatMap((key) => {
      const facts = claims.get(key);
      return facts === undefined || facts.shared ? [] : [[key, facts] as const];
    }));
    const isSame = before !== undefined && areSame(before.slices, slices) && hasSame(before.claims, claims);
    return isSame ? before : { slices, claims };
  }

  private slice(object: JsonObject): DeviceSlice {
    let slice = this.slicesRead.get(object);
    if (slice === undefined) {
      slice = sliceOf(object, this.nodes);
      this.slicesRead.set(object, slice);
    }
    return slice;
  }

  private claim(object: JsonObject, reader: ClaimReader): Read {
    const known = this.claimsRead.get(object);
    if (known?.reader === reader) {
      return known;
    }
    const { name = '', namespace = '' } = asObject(object.metadata) as Readonly<Record<string, string>>;
    const title = `ResourceClaim "${namespace}/${name}"`;
    const { allocation } = asObject(object.status);
    const isHeld = allocation !== undefined && allocation !== null;
    const read: Read = {
      reader,
      facts: { title, shared: true, ...reader.read(asObject(object.spec), name, title) },
      ...(isHeld && { held: allocationOf(asObject(allocation), this.nodes, false) }),
    };
    this.claimsRead.set(object, read);
    return read;
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
    if (before !== undefined) {
      return before;
    }
    const extended = extendedRequests(key);
    if (extended !== undefined) {
      return extendedFacts(extended, reader);
    }
    if (madeFrom === undefined) {
      return { title: key, shared: true, problem: problem ?? 'it does not exist' };
    }
    const { title, claim } = madeFrom;
    return { title, shared: false, ...reader.read(asObject(claim.spec), title, title) };
  }
}

function areSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((one, index) => one === b[index]);
}

function hasSame(a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);
}

const UNSEEN: ClaimFacts = { title: "the pod's extended resources", shared: true };

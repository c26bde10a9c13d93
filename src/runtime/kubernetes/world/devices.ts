/**
 * What the world knows of devices by claim: the claims of its pods, which pods use a claim, and what DeviceClasses serve.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asObject, asString } from '../../../manifests/read';
import { type ClusterNode } from '../../../placement';
import { type DeviceClaims, type DeviceSlice } from '../../../placement/model/claims';
import { classServing, pluginResources } from '../../../planning/cluster/objects/claims/serving';
import { type Change } from '../../api/watched';
import { ClaimedDevices } from './claimed-devices';
import { ClaimNames, type NamedClaims } from './claim-names';
import { type DeviceNews, type DeviceStores, DeviceView, relevantOf } from './device-view';
import { type ShownClaims } from './double-allocation';
import { type PodDeviceClaim, podDeviceClaims } from './pod-claims';
import { ExtendedClaims } from './extended-claims';
import { hasExtendedClaim, type PodEntry } from './pod-entry';

type Store = ReadonlyMap<string, JsonObject>;

/** Which pods are to be read again, and whether a decision may depend on the change. */
export interface DeviceChange {
  /** Their templates may be others. */
  readonly read?: (entry: PodEntry) => boolean;
  /** Keys of pods that use a claim, or wait for it. */
  readonly pods?: readonly string[];
  /** Uids of pods that it was made for. */
  readonly owners?: readonly string[];
  /** Nodes may have other devices. */
  readonly nodes: boolean;
}

export class WorldDevices {
  /** Called with each pod whose claim was given devices, or lost them, before the watch shows it. */
  onAssumed: (entry: PodEntry) => void = () => undefined;
  /** What was allocated, or is expected to be, and the watch does not show yet. */
  readonly assumed = new ClaimedDevices();
  readonly stores: DeviceStores;
  /** Which claim was made for the extended resources of a pod. */
  readonly extended: ExtendedClaims;
  private readonly view: DeviceView;
  /** Pods of Gantry that name a claim, or wait for it, by its key. */
  private readonly users = new Map<string, Map<string, PodEntry>>();
  private readonly withClaims = new Map<string, PodEntry>();
  private readonly names = new ClaimNames();
  /** Keys of pods whose claims are to be looked at again. */
  private readonly stalePods = new Set<string>();
  private serving: ((resource: string) => string | undefined) | undefined;
  private pluginsKnown = '';

  constructor(
    private readonly all: (name: 'resourceSlices' | 'deviceClasses' | 'resourceClaims') => Store,
    private readonly nodes: ReadonlyMap<string, ClusterNode>,
    salt?: string,
  ) {
    this.stores = {
      get slices() {
        return all('resourceSlices');
      },
      get classes() {
        return all('deviceClasses');
      },
      get claims() {
        return all('resourceClaims');
      },
    };
    this.extended = new ExtendedClaims(() => all('resourceClaims'), salt);
    this.view = new DeviceView(this.stores, this.assumed, this.names, nodes);
    this.names.onChange = (key) => this.view.touch(key);
    this.assumed.onChange = (key) => {
      this.view.touch(key);
      for (const entry of this.usersOfClaim(key)) {
        this.onAssumed(entry);
      }
    };
  }

  /** The claims of a pod. */
  claimsOf(pod: JsonObject): readonly PodDeviceClaim[] {
    return podDeviceClaims(pod, {
      claims: this.all('resourceClaims'),
      classOf: (name) => {
        const spec = this.all('deviceClasses').get(name)?.spec;
        return spec === undefined ? undefined : asObject(spec);
      },
    });
  }

  /** The DeviceClass whose devices pods get that request an extended resource. */
  classOf(resource: string): string | undefined {
    if (this.all('resourceSlices').size === 0) {
      return undefined;
    }
    this.serving ??= classServing(this.all('deviceClasses').values(), pluginResources(this.nodes.values()));
    return this.serving(resource);
  }

  /** The node with the devices that its driver publishes, where no device plugin counts them. */
  withDevices(node: ClusterNode): ClusterNode {
    const published = this.view.devicesOf(node.name);
    if (published === undefined || (node.allocatable[published.deviceResource] ?? 0) > 0) {
      return node;
    }
    const { deviceResource, devices } = published;
    return { ...node, ...published, allocatable: { ...node.allocatable, [deviceResource]: devices.length } };
  }

  /** @param isPlaced whether the pod has a place, or is about to get it */
  value(isPlaced: (entry: PodEntry) => boolean): DeviceClaims | undefined {
    for (const key of this.stalePods) {
      const entry = this.withClaims.get(key);
      this.names.put(key, entry === undefined ? undefined : this.namesOf(entry, isPlaced(entry)));
    }
    this.stalePods.clear();
    return this.view.value();
  }

  /** What changed since the last call, as of the last call of `value`. */
  takeNews(): DeviceNews {
    return this.view.takeNews();
  }

  sliceNamed(name: string): DeviceSlice | undefined {
    return this.view.sliceNamed(name);
  }

  /**
   * Keys of the claims of the pod itself, in the order of its template; `undefined` where it has the claims of its template, which are not
   * allocated yet.
   */
  ownClaims(entry: PodEntry, isPlaced: boolean): readonly string[] | undefined {
    const { template } = entry;
    if (template.claims === undefined) {
      return undefined;
    }
    const own = ownKeys(entry);
    if (own.length !== template.claims.length || !(isPlaced || own.some((key) => this.isAllocated(key)))) {
      return undefined;
    }
    // The claim for extended resources is made with their devices.
    const last = own.length - 1;
    return isPlaced || !hasExtendedClaim(entry) || this.isAllocated(own[last])
      ? own
      : [...own.slice(0, last), template.claims[last]];
  }

  private isAllocated(key: string): boolean {
    return this.assumed.all.has(key) || allocationIn(this.claimObject(key)) !== undefined;
  }

  /** Everything is looked at again for the next value. */
  forget(): void {
    this.view.touchAll();
    for (const key of this.withClaims.keys()) {
      this.stalePods.add(key);
    }
  }

  /** What claims hold, as the watch shows it, in the pools of the claims of these keys. */
  shown(keys: Iterable<string>): ShownClaims {
    return this.view.shown(keys);
  }

  /** The ResourceClaim of a key; `undefined` where it does not exist. */
  claimObject(key: string): JsonObject | undefined {
    return this.all('resourceClaims').get(key.slice('claim:'.length));
  }

  /** Pods of Gantry that name the claim. */
  usersOfClaim(key: string): Iterable<PodEntry> {
    return this.users.get(key)?.values() ?? [];
  }

  /** Pods of Gantry with claims. */
  get pods(): Iterable<PodEntry> {
    return this.withClaims.values();
  }

  /** Something else is known, or assumed, of the pod. */
  touch({ key, template }: PodEntry): void {
    if (template.claims !== undefined) {
      this.stalePods.add(key);
    }
  }

  add(entry: PodEntry): void {
    if (entry.template.claims === undefined) {
      return;
    }
    this.withClaims.set(entry.key, entry);
    this.stalePods.add(entry.key);
    if (entry.extendedClaim !== undefined && allocationIn(this.claimObject(entry.extendedClaim)) !== undefined) {
      // Another scheduler has made the claim since.
      this.assumed.forget(placeholderKey(entry));
    }
    for (const key of watchedKeys(entry)) {
      const users = this.users.get(key) ?? new Map<string, PodEntry>();
      users.set(entry.key, entry);
      this.users.set(key, users);
    }
  }

  remove(entry: PodEntry): void {
    if (this.withClaims.delete(entry.key)) {
      this.stalePods.add(entry.key);
    }
    for (const key of watchedKeys(entry)) {
      const users = this.users.get(key);
      users?.delete(entry.key);
      if (users?.size === 0) {
        this.users.delete(key);
      }
    }
  }

  /** A node was added, changed, or deleted. */
  nodeChanged(): DeviceChange['read'] | undefined {
    if (this.all('deviceClasses').size === 0) {
      return undefined;
    }
    const plugins = [...pluginResources(this.nodes.values())].sort().join();
    if (plugins === this.pluginsKnown) {
      return undefined;
    }
    this.pluginsKnown = plugins;
    this.serving = undefined;
    return () => true;
  }

  /** `undefined` where the change says nothing new. */
  take({ collection, key, before, after }: Change): DeviceChange | undefined {
    if (collection === 'resourceClaims') {
      return this.takeClaim(key, before, after);
    }
    if (sameSpec(before, after)) {
      return undefined;
    }
    this.serving = undefined;
    if (collection === 'deviceClasses') {
      this.view.classesChanged();
      return { read: () => true, nodes: false };
    }
    this.view.sliceChanged(key);
    // With the first and without the last slice, DeviceClasses begin and end to serve resources.
    const isFirst = before === undefined || after === undefined;
    return { ...(isFirst && this.all('resourceSlices').size < 2 && { read: () => true }), nodes: true };
  }

  private takeClaim(
    name: string,
    before: JsonObject | undefined,
    after: JsonObject | undefined,
  ): DeviceChange | undefined {
    const key = `claim:${name}`;
    this.extended.take(name, before, after);
    const assumed = this.assumed.all.get(key);
    const uid = asString(asObject(after?.metadata).uid);
    if (assumed !== undefined && (allocationIn(after) !== undefined || (assumed.uid !== '' && uid !== assumed.uid))) {
      this.assumed.forget(key);
    }
    if (relevantOf(before) === relevantOf(after)) {
      return undefined;
    }
    this.view.touch(key);
    return {
      // A pod may have been seen with its claim before the claim itself.
      pods: [...this.usersOfClaim(key)].map((entry) => entry.key),
      owners: [before, after].flatMap((object) => ExtendedClaims.ownerOf(object) ?? []),
      nodes: false,
    };
  }

  private namesOf(entry: PodEntry, isPlaced: boolean): NamedClaims {
    const { deviceClaims, template } = entry;
    const rest = template.claims?.slice(deviceClaims.length) ?? [];
    return {
      named: [...deviceClaims, ...rest.map((key) => ({ key, charged: {} }))],
      inUse: isPlaced ? (this.ownClaims(entry, true) ?? []) : [],
    };
  }
}

/** Keys of the ResourceClaims that the pod has already. */
function ownKeys(entry: PodEntry): readonly string[] {
  const { deviceClaims } = entry;
  const named = deviceClaims.flatMap(({ own }) => own ?? []);
  return hasExtendedClaim(entry) ? [...named, extendedKey(entry)] : named;
}

/** Keys of claims with which the pod becomes another one. */
function watchedKeys(entry: PodEntry): readonly string[] {
  return [...ownKeys(entry), ...entry.deviceClaims.flatMap(({ awaited }) => awaited ?? [])];
}

/** The claim for the extended resources of a pod, or the place of it where another scheduler makes it. */
export function extendedKey(entry: Pick<PodEntry, 'extendedClaim' | 'uid'>): string {
  return entry.extendedClaim ?? placeholderKey(entry);
}

function placeholderKey({ uid }: Pick<PodEntry, 'uid'>): string {
  return `extended-of:${uid}`;
}

export function allocationIn(claim: JsonObject | undefined): JsonObject | undefined {
  const { allocation } = asObject(claim?.status);
  return allocation === undefined || allocation === null ? undefined : asObject(allocation);
}

function sameSpec(before: JsonObject | undefined, after: JsonObject | undefined): boolean {
  return before !== undefined && after !== undefined && JSON.stringify(before.spec) === JSON.stringify(after.spec);
}

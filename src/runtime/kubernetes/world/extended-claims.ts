/**
 * ResourceClaims that were made for the extended resources of pods: which one is that of a pod.
 *
 * Every tenant can annotate a claim and name a pod as its owner. Such a claim is used only if it requests exactly what the scheduler would
 * request itself; what the API server lets only schedulers write, devices and reservations, comes first.
 */
import { createHash, randomBytes } from 'node:crypto';
import { type JsonObject } from '../../../facts/api/schema';
import { EXTENDED_CLAIM_ANNOTATION } from '../../../facts/catalog/device-classes';
import { asArray, asObject, asString } from '../../../manifests/read';
import { claimKey, extendedRequests } from '../../../planning/cluster/objects/claim-key';
import {
  type ExtendedClaim,
  extendedClaimOf,
  requestsExactly,
} from '../../../planning/cluster/objects/claims/extended-claim';
import { type PodEntry } from './pod-entry';

/** Claims without devices that are looked at for one pod. */
const MOST_CANDIDATES = 8;
/** As long as a name that the API server generates. */
const LONGEST_NAME = 63;
/** Keys of claims by the uid of the pod that they were made for. */
interface Made {
  /** With devices. */
  readonly allocated: Set<string>;
  readonly others: Set<string>;
}

/** What of a pod says which claim it has. */
export type ExtendedPod = Pick<PodEntry, 'raw' | 'uid' | 'namespace' | 'name' | 'way' | 'state' | 'template'>;

export class ExtendedClaims {
  private readonly byPod = new Map<string, Made>();

  /**
   * @param claims by `namespace/name`, as they are now
   * @param salt names of claims follow from it: no user can know them before they exist
   */
  constructor(
    private readonly claims: () => ReadonlyMap<string, JsonObject>,
    private readonly salt: string = randomBytes(16).toString('hex'),
  ) {}

  take(name: string, before: JsonObject | undefined, after: JsonObject | undefined): void {
    const key = `claim:${name}`;
    const old = madeFor(before);
    const made = old === undefined ? undefined : this.byPod.get(old);
    if (old !== undefined && made !== undefined) {
      made.allocated.delete(key);
      made.others.delete(key);
      if (made.allocated.size + made.others.size === 0) {
        this.byPod.delete(old);
      }
    }
    const uid = madeFor(after);
    if (uid !== undefined) {
      const list = this.byPod.get(uid) ?? { allocated: new Set(), others: new Set() };
      (isAllocated(after) ? list.allocated : list.others).add(key);
      this.byPod.set(uid, list);
    }
  }

  /** Uid of the pod that a claim says it was made for. */
  static ownerOf(claim: JsonObject | undefined): string | undefined {
    return madeFor(claim);
  }

  /** Claims with devices that were made for the pod, whatever they request. */
  allocatedFor(uid: string): Iterable<string> {
    return this.byPod.get(uid)?.allocated ?? [];
  }

  /**
   * The key of the claim for the extended resources of a pod: the one that it has, or the one that it is going to have.
   *
   * @returns `undefined` where another scheduler makes it, and has not yet
   */
  keyFor(pod: ExtendedPod): string | undefined {
    const { raw, uid, namespace, name, way, state } = pod;
    const stated = asString(asObject(asObject(raw.status).extendedResourceClaimStatus).resourceClaimName);
    const named = stated === undefined ? undefined : claimKey('claim', namespace, stated);
    if (way !== 'direct' || state !== 'waiting') {
      const object = named === undefined ? undefined : this.objectOf(named);
      return object === undefined || madeFor(object) === uid ? named : undefined;
    }
    const { allocated, others } = this.byPod.get(uid) ?? { allocated: new Set<string>(), others: new Set<string>() };
    const own = claimKey('claim', namespace, newName(name, uid, this.salt));
    const candidates = [
      ...[...allocated].sort(),
      ...(others.has(own) ? [own] : []),
      ...(named !== undefined && others.has(named) ? [named] : []),
      ...first(others, MOST_CANDIDATES),
    ];
    const claim = extendedClaimFor(pod);
    return candidates.find((key) => this.isUsable(key, pod, claim)) ?? own;
  }

  private isUsable(key: string, pod: ExtendedPod, claim: ExtendedClaim): boolean {
    const object = this.objectOf(key);
    const reserved = asArray(asObject(object?.status).reservedFor).map(asObject);
    return (
      object !== undefined &&
      madeFor(object) === pod.uid &&
      asString(asObject(object.metadata).namespace) === pod.namespace &&
      !isLeaving(object) &&
      requestsExactly(asObject(object.spec), claim) &&
      reserved.every(({ uid }) => uid === pod.uid)
    );
  }

  private objectOf(key: string): JsonObject | undefined {
    return this.claims().get(key.slice('claim:'.length));
  }
}

/** What the claim of a pod requests. */
export function extendedClaimFor({ raw, template }: Pick<PodEntry, 'raw' | 'template'>): ExtendedClaim {
  const wanted = template.claims?.map(extendedRequests).find((requests) => requests !== undefined);
  return extendedClaimOf(asObject(raw.spec), wanted ?? []);
}

/** The name of the claim that this process makes for a pod. */
function newName(pod: string, uid: string, salt: string): string {
  const unique = createHash('sha256').update(salt).update(uid).digest('hex').slice(0, 8);
  const end = `-extended-resources-${unique}`;
  return `${pod.slice(0, LONGEST_NAME - end.length).replace(/[-.]+$/, '')}${end}`;
}

/** Uid of the pod that a claim says it was made for. */
function madeFor(claim: JsonObject | undefined): string | undefined {
  const { annotations, ownerReferences } = asObject(claim?.metadata);
  if (asObject(annotations)[EXTENDED_CLAIM_ANNOTATION] !== 'true') {
    return undefined;
  }
  const owner = asArray(ownerReferences)
    .map(asObject)
    .find(({ controller }) => controller === true);
  return owner?.kind === 'Pod' ? asString(owner.uid) : undefined;
}

function isLeaving({ metadata }: JsonObject): boolean {
  const { deletionTimestamp } = asObject(metadata);
  return deletionTimestamp !== undefined && deletionTimestamp !== null;
}

function isAllocated(claim: JsonObject | undefined): boolean {
  const { allocation } = asObject(claim?.status);
  return allocation !== undefined && allocation !== null;
}

function first(keys: Iterable<string>, most: number): readonly string[] {
  const found: string[] = [];
  for (const key of keys) {
    if (found.length === most) {
      break;
    }
    found.push(key);
  }
  return found;
}

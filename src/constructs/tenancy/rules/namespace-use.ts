/**
 * What the pods and the objects of a namespace use of its quotas. Each amount is added up once, however many quotas limit it.
 */
import { countedOf } from '../../../checks/server/admission/admit-pod';
import { claimedDevices } from '../../../checks/server/admission/claim-use';
import { hasAlternatives, holdsFor, neighborhoodOf } from '../../../checks/server/admission/cluster-contents';
import { policyOf, type Quota } from '../../../checks/server/admission/namespace-policy';
import { countsPod, objectUse, podUse } from '../../../checks/server/admission/quotas';
import { podAmountOf } from '../../../checks/server/admission/quota-keys';
import { describeId, type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { type PodTemplate } from '../../../manifests/pods/pod-template';
import { asObject } from '../../../manifests/read';
import { Quantity } from '../../../manifests/values/quantity';

/** Kinds whose pods run for as long as the object exists, and are recreated. */
export const LASTING: ReadonlySet<string> = new Set([
  'Deployment',
  'StatefulSet',
  'ReplicaSet',
  'ReplicationController',
  'LeaderWorkerSet',
  'DisaggregatedSet',
  'RayCluster',
  'RayService',
  'InferService',
]);

/** An amount that a quota limits. */
export interface Amount {
  readonly quota: Quota;
  readonly key: string;
  readonly hard: Quantity;
  /** What is counted: the same for amounts of one key whose quotas count the same pods. */
  readonly counted: string;
}

/** What all pods of a workload use of a quota under a key, and how many of them it counts. */
export interface WorkloadUse {
  readonly pods: number;
  readonly total: Quantity;
  /** What the largest pod uses. */
  readonly largest: Quantity;
}

/** An amount that is less than what a workload uses of it. */
export interface ExceededAmount {
  readonly amount: Amount;
  readonly use: WorkloadUse;
}

export interface QuotaUser {
  readonly manifest: Manifest;
  readonly total: Quantity;
}

/** What the lasting pods and the objects of the manifests use of one amount, with what uses it. */
export interface SharedUse {
  readonly users: readonly QuotaUser[];
  readonly total: Quantity;
}

const NO_USE: WorkloadUse = { pods: 0, total: Quantity.ZERO, largest: Quantity.ZERO };

const namespacesOfSets = new WeakMap<ManifestSet, Map<string, NamespaceUse>>();

/** What is used in the namespace of a manifest, as far as the quotas that hold for the manifest count it. */
export function namespaceUse(set: ManifestSet, manifest: Manifest): NamespaceUse {
  const namespaces = remembered(namespacesOfSets, set, () => new Map<string, NamespaceUse>());
  return remembered(namespaces, neighborhoodOf(set, manifest), () => new NamespaceUse(set, manifest));
}

/** The objects of a neighborhood (see `neighborhoodOf`), and what quotas count of them. */
export class NamespaceUse {
  /** Each amount of each quota. */
  readonly amounts: readonly Amount[];
  /** In the order of the set. Several manifests of one object are one object. */
  private readonly objects: readonly Manifest[];
  private readonly usingKey = new Map<string, Map<Manifest, Quantity>>();
  private readonly lasting: readonly Manifest[];
  /** Templates of claims, by the one claim that each makes for a pod. */
  private readonly claimTemplates: readonly (readonly [Manifest, ReadonlyMap<string, Quantity>])[];
  private readonly singleObjects = new Map<string, readonly QuotaUser[]>();
  private readonly sharedUses = new Map<string, SharedUse>();
  /** Of workloads with equal specs once. */
  private readonly workloadUses = new WeakMap<object, Map<string, WorkloadUse>>();
  private readonly exceeded = new WeakMap<object, readonly ExceededAmount[]>();
  private readonly largestObjects = new Map<string, Quantity>();

  constructor(
    private readonly set: ManifestSet,
    neighbor: Manifest,
  ) {
    const quotas = policyOf(set, neighbor).allQuotas;
    this.amounts = quotas.flatMap((quota) => {
      const scope = quota.scoped ? JSON.stringify(quota.selectors) : '';
      return [...quota.hard].map(([key, hard]) => ({ quota, key, hard, counted: `${scope}\n${key}` }));
    });
    const { namespace } = neighbor.id;
    const all = set.inNamespace(namespace);
    this.objects = distinct(
      hasAlternatives(set, namespace)
        ? all.filter((manifest) => quotas.every((quota) => holdsFor(set, quota.manifest, manifest)))
        : all,
    );
    this.lasting = this.objects.filter(({ id }) => LASTING.has(id.kind));
    this.claimTemplates = this.objects
      .filter(isClaimTemplate)
      .map((manifest) => [manifest, claimedDevices(asObject(asObject(manifest.object.spec).spec))]);
    for (const manifest of this.objects) {
      for (const [key, use] of objectUse(manifest)) {
        remembered(this.usingKey, key, () => new Map<Manifest, Quantity>()).set(manifest, use);
      }
    }
  }

  /** What single objects use of an amount: a claim, a Service, or a template by the one claim that it makes for each pod. */
  private ofSingleObjects(key: string): readonly QuotaUser[] {
    return remembered(this.singleObjects, key, () => {
      const users: QuotaUser[] = [];
      for (const [manifest, total] of this.usingKey.get(key) ?? []) {
        if (!isClaimTemplate(manifest)) {
          users.push({ manifest, total });
        }
      }
      for (const [manifest, devices] of this.claimTemplates) {
        const total = devices.get(key);
        if (total !== undefined) {
          users.push({ manifest, total });
        }
      }
      return users;
    });
  }

  /** The single objects that use more of an amount than the quota allows. */
  objectsAbove(amount: Amount): readonly QuotaUser[] {
    const { quota, key, hard } = amount;
    if (quota.scoped || !this.largestObject(amount).isGreaterThan(hard)) {
      return [];
    }
    return this.ofSingleObjects(key).filter(({ total }) => total.isGreaterThan(hard));
  }

  /** The most that a single object uses; many quotas may limit the same amount. */
  private largestObject({ key }: Amount): Quantity {
    return remembered(this.largestObjects, key, () =>
      this.ofSingleObjects(key).reduce(
        (largest, { total }) => (total.isGreaterThan(largest) ? total : largest),
        Quantity.ZERO,
      ),
    );
  }

  /** What the lasting pods and the objects use of an amount together. */
  shared(amount: Amount): SharedUse {
    return remembered(this.sharedUses, amount.counted, () => {
      const users = this.users(amount);
      return { users, total: users.reduce((sum, user) => sum.add(user.total), Quantity.ZERO) };
    });
  }

  /** The amounts of quotas that the pods of a workload exceed together. */
  exceededBy(manifest: Manifest): readonly ExceededAmount[] {
    return remembered(this.exceeded, this.specOf(manifest) ?? manifest, () =>
      this.amounts
        .map((amount) => ({ amount, use: this.ofWorkload(manifest, amount) }))
        .filter(({ amount, use }) => use.total.isGreaterThan(amount.hard)),
    );
  }

  /** What all pods of a workload use of an amount. */
  private ofWorkload(manifest: Manifest, { quota, key, counted }: Amount): WorkloadUse {
    if (podAmountOf(key) === undefined) {
      return NO_USE;
    }
    const uses = remembered(this.workloadUses, this.specOf(manifest) ?? manifest, () => new Map<string, WorkloadUse>());
    return remembered(uses, counted, () => this.podsUse(manifest, quota, key));
  }

  private users(amount: Amount): readonly QuotaUser[] {
    const ofObjects = amount.quota.scoped ? undefined : this.usingKey.get(amount.key);
    const lasting = podAmountOf(amount.key) === undefined ? [] : this.lasting;
    const manifests =
      ofObjects === undefined
        ? lasting
        : lasting.length === 0
          ? [...ofObjects.keys()]
          : this.objects.filter((manifest) => ofObjects.has(manifest) || LASTING.has(manifest.id.kind));
    return manifests
      .map((manifest) => ({
        manifest,
        total: ofObjects?.get(manifest) ?? this.ofWorkload(manifest, amount).total,
      }))
      .filter(({ total }) => total.isPositive());
  }

  /** What its pods use follows from it, unless they are stated elsewhere. */
  private specOf(manifest: Manifest): object | undefined {
    const isInSpec = ({ path }: PodTemplate): boolean => path === '' || path.startsWith('/spec/');
    return this.set.podTemplatesOf(manifest).every(isInSpec) ? this.set.specOf(manifest) : undefined;
  }

  private podsUse(manifest: Manifest, quota: Quota, key: string): WorkloadUse {
    let { pods, total, largest } = NO_USE;
    for (const template of this.set.podTemplatesOf(manifest)) {
      const { count = 0 } = template;
      const pod = countedOf(template, this.set);
      const each = count > 0 && countsPod(quota, pod) ? podUse(key, pod.amounts) : undefined;
      if (each !== undefined) {
        pods += count;
        total = total.add(each.multiply(count));
        largest = each.isGreaterThan(largest) ? each : largest;
      }
    }
    return { pods, total, largest };
  }
}

function isClaimTemplate({ id }: Manifest): boolean {
  return id.group === 'resource.k8s.io' && id.kind === 'ResourceClaimTemplate';
}

function distinct(manifests: readonly Manifest[]): readonly Manifest[] {
  const seen = new Set<string>();
  return manifests.filter(({ id }) => {
    const name = describeId(id);
    const known = id.name !== '' && seen.has(name);
    seen.add(name);
    return !known;
  });
}

function remembered<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: () => V,
): V {
  let value = map.get(key);
  if (value === undefined) {
    map.set(key, (value = make()));
  }
  return value;
}

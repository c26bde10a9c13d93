/**
 * What the pods and the objects of a namespace use of its quotas. Each amount is added up once, however many quotas limit it.
 */
import { countedOf } from '../../../checks/server/admission/admit-pod';
import { claimedDevices } from '../../../checks/server/admission/claim-use';
import { holdsFor, neighborhoodOf } from '../../../checks/server/admission/cluster-contents';
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
}

/** What all pods of a workload use of a quota under a key, and how many of them it counts. */
export interface WorkloadUse {
  readonly pods: number;
  readonly total: Quantity;
  /** What the largest pod uses. */
  readonly largest: Quantity;
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
  private readonly claimTemplates: readonly Manifest[];
  /** Of quotas without a scope, to which all pods count. */
  private readonly sharedUses = new Map<string, SharedUse>();
  /** Of workloads with equal specs once. */
  private readonly workloadUses = new WeakMap<object, Map<string, WorkloadUse>>();
  private readonly largestObjects = new Map<string, Quantity>();

  constructor(
    private readonly set: ManifestSet,
    neighbor: Manifest,
  ) {
    const quotas = policyOf(set, neighbor).allQuotas;
    this.amounts = quotas.flatMap((quota) => [...quota.hard].map(([key, hard]) => ({ quota, key, hard })));
    this.objects = distinct(
      set
        .inNamespace(neighbor.id.namespace)
        .filter((manifest) => quotas.every((quota) => holdsFor(set, quota.manifest, manifest))),
    );
    this.lasting = this.objects.filter(({ id }) => LASTING.has(id.kind));
    this.claimTemplates = this.objects.filter(isClaimTemplate);
    for (const manifest of this.objects) {
      for (const [key, use] of objectUse(manifest)) {
        remembered(this.usingKey, key, () => new Map<Manifest, Quantity>()).set(manifest, use);
      }
    }
  }

  /** What single objects use of an amount: a claim, a Service, or a template by the one claim that it makes for each pod. */
  private *ofSingleObjects(key: string): Iterable<QuotaUser> {
    for (const [manifest, total] of this.usingKey.get(key) ?? []) {
      if (!isClaimTemplate(manifest)) {
        yield { manifest, total };
      }
    }
    for (const manifest of this.claimTemplates) {
      const total = claimedDevices(asObject(asObject(manifest.object.spec).spec)).get(key);
      if (total !== undefined) {
        yield { manifest, total };
      }
    }
  }

  /** The single objects that use more of an amount than the quota allows. */
  objectsAbove(amount: Amount): readonly QuotaUser[] {
    const { quota, key, hard } = amount;
    if (quota.scoped || !this.largestObject(amount).isGreaterThan(hard)) {
      return [];
    }
    return [...this.ofSingleObjects(key)].filter(({ total }) => total.isGreaterThan(hard));
  }

  /** The most that a single object uses; many quotas may limit the same amount. */
  private largestObject({ key }: Amount): Quantity {
    return remembered(this.largestObjects, key, () =>
      [...this.ofSingleObjects(key)].reduce(
        (largest, { total }) => (total.isGreaterThan(largest) ? total : largest),
        Quantity.ZERO,
      ),
    );
  }

  /** What the lasting pods and the objects use of an amount together. */
  shared(amount: Amount): SharedUse {
    const compute = (): SharedUse => {
      const users = this.users(amount);
      return { users, total: users.reduce((sum, user) => sum.add(user.total), Quantity.ZERO) };
    };
    return amount.quota.scoped ? compute() : remembered(this.sharedUses, amount.key, compute);
  }

  /** What all pods of a workload use of an amount. */
  ofWorkload(manifest: Manifest, { quota, key }: Amount): WorkloadUse {
    if (podAmountOf(key) === undefined) {
      return NO_USE;
    }
    const compute = (): WorkloadUse => this.podsUse(manifest, quota, key);
    return quota.scoped
      ? compute()
      : remembered(
          remembered(this.workloadUses, this.specOf(manifest) ?? manifest, () => new Map<string, WorkloadUse>()),
          key,
          compute,
        );
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

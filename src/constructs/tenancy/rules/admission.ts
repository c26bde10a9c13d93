/**
 * Pods and other objects against the quotas of their namespace: what the quota admission plugin will reject.
 *
 * A quota of the set surely holds; what else the cluster has is not known, so these rules say only what the set proves.
 */
import { type Rule } from '../../../checks/rules/rule';
import { countedPod, quotaViolations, unstatedViolations } from '../../../checks/server/admission/admit-pod';
import { contentsOfSet } from '../../../checks/server/admission/cluster-contents';
import { namespaceIsOurs, policyOf, type Quota } from '../../../checks/server/admission/namespace-policy';
import { claimedDevices } from '../../../checks/server/admission/claim-use';
import { type CountedPod, countsPod, objectUse, podUse } from '../../../checks/server/admission/quotas';
import { podAmountOf } from '../../../checks/server/admission/quota-keys';
import { describeId, kindAndName, type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { type PodTemplate } from '../../../manifests/pods/pod-template';
import { pointer } from '../../../manifests/pointer';
import { Quantity } from '../../../manifests/values/quantity';
import { asObject } from '../../../manifests/read';

const QUOTA_SOURCE = 'Kubernetes 1.36, pkg/quota/v1/evaluator/core';

/** Kinds whose pods start all together or not at all. */
const GANGS: ReadonlySet<string> = new Set([
  'batch.volcano.sh',
  'kubeflow.org',
  'jobset.x-k8s.io',
  'leaderworkerset.x-k8s.io',
]);

/** Kinds whose pods run for as long as the object exists, and are recreated. */
const LASTING: ReadonlySet<string> = new Set([
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

const countedTemplates = new WeakMap<PodTemplate, CountedPod>();

function countedOf(template: PodTemplate, set: ManifestSet): CountedPod {
  let pod = countedTemplates.get(template);
  if (pod === undefined) {
    pod = countedPod(template.spec, template.manifest.id.namespace, contentsOfSet(set));
    countedTemplates.set(template, pod);
  }
  return pod;
}

const containersState: Rule = {
  id: 'tenancy/quota-amounts-stated',
  row: 'K12',
  on: 'pod-template',
  sees: 'namespace',
  tier: 'server',
  severity: 'warning',
  summary:
    'If a quota counts CPU or memory, every container in the namespace must set the amount, or get it from a LimitRange.',
  why: 'The quota rejects each pod of the workload: "failed quota: must specify limits.cpu". The workload exists, but its pods do not.',
  source: `${QUOTA_SOURCE}/pods.go (Constraints)`,
  fix: 'Set resources.requests and resources.limits of the container, or add a LimitRange with defaults to the namespace.',
  *check(template, { set }) {
    const { namespace } = template.manifest.id;
    const { allQuotas } = policyOf(set, namespace);
    if (allQuotas.length === 0) {
      return;
    }
    for (const violation of unstatedViolations(countedOf(template, set), allQuotas)) {
      yield { ...violation, severity: namespaceIsOurs(set, namespace) ? 'error' : 'warning' };
    }
  },
};

const onePodFits: Rule = {
  id: 'tenancy/quota-holds-pod',
  on: 'pod-template',
  sees: 'namespace',
  tier: 'server',
  severity: 'error',
  summary: 'A quota must be large enough for one pod of each workload in its namespace.',
  why: 'A pod that exceeds the quota alone is always rejected.',
  source: `${QUOTA_SOURCE}/pods.go`,
  fix: 'Increase spec.hard of the ResourceQuota, or decrease the requests of the pod.',
  check(template, { set }) {
    const { allQuotas } = policyOf(set, template.manifest.id.namespace);
    return allQuotas.length === 0 ? [] : quotaViolations(countedOf(template, set), allQuotas);
  },
};

/** What all pods of a workload use of a quota under a key, and how many of them it counts. */
interface WorkloadUse {
  readonly pods: number;
  readonly total: Quantity;
  /** One pod alone exceeds the amount, which another rule reports. */
  readonly onePodExceeds: boolean;
}

const NO_USE: WorkloadUse = { pods: 0, total: Quantity.ZERO, onePodExceeds: false };

function useOf(manifest: Manifest, quota: Quota, key: string, hard: Quantity, set: ManifestSet): WorkloadUse {
  let use = NO_USE;
  if (podAmountOf(key) === undefined) {
    return use;
  }
  for (const template of set.podTemplatesOf(manifest)) {
    const { count = 0 } = template;
    const pod = countedOf(template, set);
    const each = count > 0 && countsPod(quota, pod) ? podUse(key, pod.amounts) : undefined;
    if (each !== undefined) {
      use = {
        pods: use.pods + count,
        total: use.total.add(each.multiply(count)),
        onePodExceeds: use.onePodExceeds || each.isGreaterThan(hard),
      };
    }
  }
  return use;
}

/** Each amount of each quota of a namespace. */
function* amountsIn(set: ManifestSet, namespace: string): Iterable<{ quota: Quota; key: string; hard: Quantity }> {
  for (const quota of policyOf(set, namespace).allQuotas) {
    for (const [key, hard] of quota.hard) {
      yield { quota, key, hard };
    }
  }
}

function runsAtOnce({ id }: Manifest): boolean {
  return GANGS.has(id.group) || LASTING.has(id.kind);
}

const workloadFits: Rule = {
  id: 'tenancy/quota-holds-gang',
  on: 'set',
  tier: 'server',
  severity: 'warning',
  summary: 'A quota must be large enough for all pods of a workload that runs them at the same time.',
  why: 'Pods above the quota are rejected: a gang never becomes complete; it waits, or holds the devices that it has. A Deployment never has all of its replicas.',
  source: QUOTA_SOURCE,
  fix: 'Increase spec.hard of the ResourceQuota, or decrease the replicas or the requests of the workload.',
  *check({ set }) {
    for (const manifest of set.manifests.filter(runsAtOnce)) {
      for (const { quota, key, hard } of amountsIn(set, manifest.id.namespace)) {
        const { pods, total, onePodExceeds } = useOf(manifest, quota, key, hard, set);
        if (pods < 2 || onePodExceeds || !total.isGreaterThan(hard)) {
          continue;
        }
        yield {
          manifest,
          path: '/spec',
          message: `the ${pods} pods of the workload exceed the ${kindAndName(quota.manifest.id)} (${total.toString()} > ${hard.toString()} ${key})`,
          found: total.toString(),
          expected: `at most ${hard.toString()}`,
        };
      }
    }
  },
};

interface QuotaUser {
  readonly manifest: Manifest;
  readonly total: Quantity;
}

/** An object of a namespace, with what quotas count of it beside its pods. */
interface NamespaceObject {
  readonly manifest: Manifest;
  readonly use: ReadonlyMap<string, Quantity>;
}

/** The objects of a namespace. Several manifests of one object are one object. */
function objectsIn(set: ManifestSet, namespace: string): readonly NamespaceObject[] {
  const objects: NamespaceObject[] = [];
  const seen = new Set<string>();
  for (const manifest of set.inNamespace(namespace)) {
    const name = describeId(manifest.id);
    if (manifest.id.name === '' || !seen.has(name)) {
      objects.push({ manifest, use: objectUse(manifest) });
    }
    seen.add(name);
  }
  return objects;
}

/** What the lasting pods and the objects of the manifests use of one amount, with what uses it. */
function usersOf(
  set: ManifestSet,
  objects: readonly NamespaceObject[],
  { quota, key, hard }: { readonly quota: Quota; readonly key: string; readonly hard: Quantity },
): readonly QuotaUser[] {
  const users: QuotaUser[] = [];
  for (const { manifest, use } of objects) {
    const ofObject = quota.scoped ? undefined : use.get(key);
    const ofPods = LASTING.has(manifest.id.kind) ? useOf(manifest, quota, key, hard, set).total : Quantity.ZERO;
    const total = ofObject ?? ofPods;
    if (total.isPositive()) {
      users.push({ manifest, total });
    }
  }
  return users;
}

/** A template makes one claim for each pod. */
function useOfOne({ manifest, use }: NamespaceObject): ReadonlyMap<string, Quantity> {
  return manifest.id.group === 'resource.k8s.io' && manifest.id.kind === 'ResourceClaimTemplate'
    ? claimedDevices(asObject(asObject(manifest.object.spec).spec))
    : use;
}

const oneObjectFits: Rule = {
  id: 'tenancy/quota-holds-object',
  on: 'set',
  tier: 'server',
  severity: 'warning',
  summary: 'A quota must be large enough for each object of its namespace, and for one claim of each template.',
  why: 'The API server rejects an object that exceeds the quota alone, unless it exists before the quota; pods wait for a claim that is rejected.',
  source: `${QUOTA_SOURCE} (persistent_volume_claims.go, resource_claims.go, services.go, registry.go)`,
  fix: 'Increase spec.hard of the ResourceQuota, or decrease the amount that the object requests.',
  *check({ set }) {
    for (const namespace of new Set(set.ofKind('ResourceQuota').map(({ id }) => id.namespace))) {
      const objects = objectsIn(set, namespace);
      for (const { quota, key, hard } of amountsIn(set, namespace)) {
        for (const object of quota.scoped ? [] : objects) {
          const use = useOfOne(object).get(key);
          if (use === undefined || !use.isGreaterThan(hard) || object.manifest === quota.manifest) {
            continue;
          }
          yield {
            manifest: object.manifest,
            path: object.manifest.object.spec === undefined ? '' : '/spec',
            message: `the object exceeds the ${kindAndName(quota.manifest.id)} (${use.toString()} > ${hard.toString()} ${key})`,
            found: use.toString(),
            expected: `at most ${hard.toString()}`,
          };
        }
      }
    }
  },
};

/** What the lasting pods and the objects of a namespace use of one amount of a quota. */
export interface QuotaUse {
  readonly manifest: Manifest;
  readonly key: string;
  readonly hard: Quantity;
  readonly users: readonly QuotaUser[];
  readonly total: Quantity;
}

/** Each amount of each quota of the set, with what its namespace uses of it. */
export function* quotaUses(set: ManifestSet): Iterable<QuotaUse> {
  for (const manifest of set.ofKind('ResourceQuota')) {
    let objects: readonly NamespaceObject[] | undefined;
    for (const amount of amountsIn(set, manifest.id.namespace)) {
      const { quota, key, hard } = amount;
      if (quota.manifest !== manifest) {
        continue;
      }
      objects ??= objectsIn(set, manifest.id.namespace);
      const users = usersOf(set, objects, amount);
      yield { manifest, key, hard, users, total: users.reduce((sum, user) => sum.add(user.total), Quantity.ZERO) };
    }
  }
}

const setFits: Rule = {
  id: 'tenancy/quota-holds-set',
  on: 'set',
  tier: 'server',
  severity: 'warning',
  summary: 'A quota must be large enough for everything that the manifests create in its namespace.',
  why: 'The API server rejects what is created after the quota is used up: objects when they are applied, pods when their controllers create them.',
  source: `${QUOTA_SOURCE} (pods.go, services.go, persistent_volume_claims.go, registry.go)`,
  fix: 'Increase the amount in spec.hard, or move objects to another namespace.',
  *check({ set }) {
    for (const { manifest, key, hard, users, total } of quotaUses(set)) {
      // What one object exceeds alone is reported there.
      if (users.length < 2 || !total.isGreaterThan(hard) || users.some((user) => user.total.isGreaterThan(hard))) {
        continue;
      }
      const names = users.slice(0, 3).map((user) => kindAndName(user.manifest.id));
      const more = users.length > 3 ? ` and ${users.length - 3} more` : '';
      yield {
        manifest,
        path: pointer('/spec/hard', key),
        message: `the objects in the namespace exceed the quota of ${key} together (${total.toString()} > ${hard.toString()}): ${names.join(', ')}${more}`,
        found: hard.toString(),
        expected: `at least ${total.toString()}`,
      };
    }
  },
};

export const admissionRules: readonly Rule[] = [containersState, onePodFits, oneObjectFits, workloadFits, setFits];

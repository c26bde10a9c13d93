/**
 * Pods and other objects against the quotas of their namespace: what the quota admission plugin will reject.
 *
 * A quota of the set surely holds; what else the cluster has is not known, so these rules say only what the set proves.
 */
import { type Rule } from '../../../checks/rules/rule';
import {
  countedOf,
  largerQuota,
  quotaViolations,
  unstatedViolations,
} from '../../../checks/server/admission/admit-pod';
import { namespaceIsOurs, policyOf } from '../../../checks/server/admission/namespace-policy';
import { kindAndName, type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { type Quantity } from '../../../manifests/values/quantity';
import { LASTING, namespaceUse, type SharedUse } from './namespace-use';

const QUOTA_SOURCE = 'Kubernetes 1.36, pkg/quota/v1/evaluator/core';

/** Kinds whose pods start all together or not at all. */
const GANGS: ReadonlySet<string> = new Set([
  'batch.volcano.sh',
  'kubeflow.org',
  'jobset.x-k8s.io',
  'leaderworkerset.x-k8s.io',
]);

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
  fix: 'Set resources.requests and resources.limits in the container, or add a LimitRange with defaults to the namespace.',
  *check(template, { set }) {
    const { namespace } = template.manifest.id;
    const { allQuotas } = policyOf(set, template.manifest);
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
    const { allQuotas } = policyOf(set, template.manifest);
    return allQuotas.length === 0 ? [] : quotaViolations(countedOf(template, set), allQuotas);
  },
};

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
      for (const { amount, use } of namespaceUse(set, manifest).exceededBy(manifest)) {
        const { quota, key, hard } = amount;
        const { pods, total, largest } = use;
        // One pod that exceeds the amount alone is reported by another rule.
        if (pods < 2 || largest.isGreaterThan(hard)) {
          continue;
        }
        yield {
          manifest,
          path: '/spec',
          message: `the ${pods} pods of the workload exceed the ${kindAndName(quota.manifest.id)} (${total.toString()} > ${hard.toString()} ${key})`,
          found: total.toString(),
          expected: `at most ${hard.toString()}`,
          fix: `${largerQuota(quota, key, total)}, or decrease the replicas or the requests of the workload.`,
        };
      }
    }
  },
};

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
    for (const uses of new Set(set.ofKind('ResourceQuota').map((quota) => namespaceUse(set, quota)))) {
      for (const amount of uses.amounts) {
        const { quota, key, hard } = amount;
        // A quota that holds in several folders is asked once.
        if (namespaceUse(set, quota.manifest) !== uses) {
          continue;
        }
        for (const { manifest, total } of uses.objectsAbove(amount)) {
          if (manifest === quota.manifest) {
            continue;
          }
          yield {
            manifest,
            path: manifest.object.spec === undefined ? '' : '/spec',
            message: `the object exceeds the ${kindAndName(quota.manifest.id)} (${total.toString()} > ${hard.toString()} ${key})`,
            found: total.toString(),
            expected: `at most ${hard.toString()}`,
            fix: `${largerQuota(quota, key, total)}, or decrease the amount that the object requests.`,
          };
        }
      }
    }
  },
};

/** What the lasting pods and the objects of a namespace use of one amount of a quota. */
export interface QuotaUse extends SharedUse {
  readonly manifest: Manifest;
  readonly key: string;
  readonly hard: Quantity;
}

/** Each amount of each quota of the set, with what its namespace uses of it. */
export function* quotaUses(set: ManifestSet): Iterable<QuotaUse> {
  for (const manifest of set.ofKind('ResourceQuota')) {
    const uses = namespaceUse(set, manifest);
    for (const amount of uses.amounts) {
      if (amount.quota.manifest === manifest) {
        yield { manifest, key: amount.key, hard: amount.hard, ...uses.shared(amount) };
      }
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
        message: `together, the objects in the namespace exceed the quota for ${key} (${total.toString()} > ${hard.toString()}): ${names.join(', ')}${more}`,
        found: hard.toString(),
        expected: `at least ${total.toString()}`,
        fix: `Set ${fieldOf(pointer('/hard', key))} to at least ${total.toString()}, or move objects to another namespace.`,
      };
    }
  },
};

export const admissionRules: readonly Rule[] = [containersState, onePodFits, oneObjectFits, workloadFits, setFits];

/**
 * Pods against the quotas of their namespace: what the quota admission plugin will refuse when the workload's controller makes its pods.
 *
 * A quota of the set surely holds; what else the cluster has is not known, so these rules say only what the set proves.
 */
import { type Rule } from '../../../checks/rule';
import { describeId } from '../../../manifests/manifest';
import { Quantity } from '../../../manifests/quantity';
import { asString } from '../../../manifests/read';
import { type Amounts, containerAmounts, containersOf, hasPodLevelResources } from '../../../manifests/pod-amounts';
import { amountsOf, namespaceIsOurs, policyOf } from '../namespace-policy';
import { isMandatory, podAmountOf } from '../quota-keys';

const QUOTA_SOURCE = 'Kubernetes 1.36, pkg/quota/v1/evaluator/core/pods.go';

/** Kinds whose pods start all together or not at all. */
const GANGS = new Set(['batch.volcano.sh', 'kubeflow.org', 'jobset.x-k8s.io', 'leaderworkerset.x-k8s.io']);

/** What a quota counts of one pod under this key; `undefined` where it counts nothing of pods. */
function used(key: string, requests: Amounts, limits: Amounts): Quantity | undefined {
  const amount = podAmountOf(key);
  if (amount === undefined) {
    return undefined;
  }
  if (amount.of === 'pods') {
    return Quantity.of(1);
  }
  return (amount.of === 'requests' ? requests : limits).get(amount.resource) ?? Quantity.ZERO;
}

const containersState: Rule = {
  id: 'tenancy/quota-amounts-stated',
  row: 'K12',
  on: 'pod-template',
  sees: 'namespace',
  tier: 'advice',
  severity: 'warning',
  summary:
    'If a quota counts CPU or memory, every container in the namespace must set the amount, or get it from a LimitRange.',
  why: 'The quota rejects each pod of the workload: "failed quota: must specify limits.cpu". The workload exists, but its pods do not.',
  source: `${QUOTA_SOURCE} (Constraints)`,
  fix: 'Set resources.requests and resources.limits of the container, or add a LimitRange with defaults to the namespace.',
  *check(template, { set }) {
    if (hasPodLevelResources(template.spec)) {
      return;
    }
    const { namespace } = template.manifest.id;
    const { quotas, defaults } = policyOf(set, namespace);
    if (quotas.length === 0) {
      return;
    }
    for (const { container, path } of containersOf(template.spec)) {
      const amounts = containerAmounts(container, defaults);
      for (const quota of quotas) {
        const missing = [...quota.hard.keys()].filter((key) => {
          const amount = isMandatory(key) ? podAmountOf(key) : undefined;
          return amount !== undefined && amount.of !== 'pods' && !amounts[amount.of].has(amount.resource);
        });
        if (missing.length === 0) {
          continue;
        }
        yield {
          path: `/spec${path}/resources`,
          message: `the container ${asString(container.name) ?? '(no name)'} must set ${missing.join(', ')}, which ${describeId(quota.manifest.id)} requires`,
          expected: missing.join(', '),
          severity: namespaceIsOurs(set, namespace) ? 'error' : 'warning',
        };
      }
    }
  },
};

const onePodFits: Rule = {
  id: 'tenancy/quota-holds-pod',
  on: 'pod-template',
  sees: 'namespace',
  tier: 'advice',
  severity: 'error',
  summary: 'A quota must be large enough for one pod of each workload in its namespace.',
  why: 'A pod that exceeds the quota alone is always rejected.',
  source: QUOTA_SOURCE,
  fix: 'Raise spec.hard of the quota, or lower the requests of the pod.',
  *check(template, { set }) {
    const { quotas } = policyOf(set, template.manifest.id.namespace);
    if (quotas.length === 0) {
      return;
    }
    const { requests, limits } = amountsOf(template, set);
    for (const quota of quotas) {
      for (const [key, hard] of quota.hard) {
        const amount = used(key, requests, limits);
        if (amount === undefined || !amount.isGreaterThan(hard)) {
          continue;
        }
        yield {
          path: '/spec/containers',
          message: `one pod exceeds ${describeId(quota.manifest.id)} (${amount.toString()} > ${hard.toString()} ${key})`,
          found: amount.toString(),
          expected: `at most ${hard.toString()}`,
        };
      }
    }
  },
};

const gangFits: Rule = {
  id: 'tenancy/quota-holds-gang',
  on: 'set',
  tier: 'advice',
  severity: 'warning',
  summary: 'A quota must be large enough for all pods of a workload that starts as a gang.',
  why: 'Pods above the quota are rejected, so the gang never becomes complete; it waits, or holds the devices that it has.',
  source: QUOTA_SOURCE,
  fix: 'Raise spec.hard of the quota, or lower the replicas or the requests of the workload.',
  *check({ set }) {
    for (const manifest of set.manifests) {
      const templates = GANGS.has(manifest.id.group) ? set.podTemplatesOf(manifest) : [];
      const pods = templates.reduce((count, template) => count + (template.count ?? 0), 0);
      const { quotas } = policyOf(set, manifest.id.namespace);
      if (pods < 2 || quotas.length === 0) {
        continue;
      }
      const amounts = templates.map((template) => amountsOf(template, set));
      for (const quota of quotas) {
        for (const [key, hard] of quota.hard) {
          const each = amounts.map(({ requests, limits }) => used(key, requests, limits) ?? Quantity.ZERO);
          const total = each.reduce(
            (all, one, index) => all.add(one.multiply(templates[index].count ?? 0)),
            Quantity.ZERO,
          );
          // Where one pod alone is too large, that is the thing to say.
          if (!total.isGreaterThan(hard) || each.some((one) => one.isGreaterThan(hard))) {
            continue;
          }
          yield {
            manifest,
            path: '/spec',
            message: `the ${pods} pods of the workload exceed ${describeId(quota.manifest.id)} (${total.toString()} > ${hard.toString()} ${key})`,
            found: total.toString(),
            expected: `at most ${hard.toString()}`,
          };
        }
      }
    }
  },
};

export const admissionRules: readonly Rule[] = [containersState, onePodFits, gangFits];

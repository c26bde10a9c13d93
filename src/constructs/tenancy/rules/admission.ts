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
  summary: 'In a namespace whose quota counts CPU or memory, every container states the amount, or a LimitRange does.',
  why: 'The quota refuses each pod of the workload: "failed quota: must specify limits.cpu". The workload exists, its pods do not.',
  source: `${QUOTA_SOURCE} (Constraints)`,
  fix: 'State requests and limits on the container, or add a LimitRange with defaults to the namespace.',
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
          message: `Container ${asString(container.name) ?? '(no name)'} does not state ${missing.join(', ')}, which ${describeId(quota.manifest.id)} makes mandatory.`,
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
  summary: 'A quota is large enough for one pod of each workload of its namespace.',
  why: 'A pod that alone exceeds the quota is refused whenever it is tried.',
  source: QUOTA_SOURCE,
  fix: 'Raise the quota or ask for less.',
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
          message: `One pod takes ${amount.toString()} of ${key}, and ${describeId(quota.manifest.id)} has ${hard.toString()}.`,
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
  summary: 'A quota is large enough for all pods of a workload that starts as a whole.',
  why: 'Pods over the quota are refused, so the gang never becomes complete and waits, or holds what it has.',
  source: QUOTA_SOURCE,
  fix: 'Raise the quota, or make the workload smaller.',
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
            message: `Its ${pods} pods take ${total.toString()} of ${key}, and ${describeId(quota.manifest.id)} has ${hard.toString()}.`,
            found: total.toString(),
            expected: `at most ${hard.toString()}`,
          };
        }
      }
    }
  },
};

export const admissionRules: readonly Rule[] = [containersState, onePodFits, gangFits];

/**
 * The additional pod of a rolling update, and the quotas that count it.
 */
import { isAcceleratorResource } from '../../../facts/catalog';
import { type Rule } from '../../../checks/rules/rule';
import { countedOf } from '../../../checks/server/admission/admit-pod';
import { policyOf, type Quota } from '../../../checks/server/admission/namespace-policy';
import { type CountedPod, countsPod, podUse } from '../../../checks/server/admission/quotas';
import { kindAndName } from '../../../manifests/manifest';
import { asInteger, asObject } from '../../../manifests/read';
import { type Quantity } from '../../../manifests/values/quantity';
import { autoscalersOf, countOf } from './replicas';

export const surgeFits: Rule = {
  id: 'serving/surge-fits-quota',
  row: 'SV5',
  tier: 'advice',
  severity: 'error',
  on: 'object',
  kinds: ['apps/Deployment'],
  summary:
    'The quotas of a namespace must allow the additional pod of a rolling update of a Deployment on accelerators, or maxUnavailable must be at least 1.',
  why: 'With fewer than four replicas a Deployment adds a pod and removes none (25% of them, both ways): if a quota that counts its pods holds just the replicas, an update never starts.',
  source: 'kubernetes 1.36, pkg/controller/deployment/util (ResolveFenceposts); pkg/quota/v1/evaluator/core/pods.go',
  fix: 'Set strategy.rollingUpdate to maxSurge: 0 and maxUnavailable: 1.',
  check: function* (manifest, { set }) {
    const spec = asObject(manifest.object.spec);
    const strategy = asObject(spec.strategy);
    const replicas = asInteger(spec.replicas) ?? 1;
    const [template] = set.podTemplatesOf(manifest);
    const { allQuotas } = policyOf(set, manifest);
    if (
      template === undefined ||
      allQuotas.length === 0 ||
      strategy.type === 'Recreate' ||
      replicas < 1 ||
      autoscalersOf(manifest, set).length > 0
    ) {
      return;
    }
    const { maxSurge, maxUnavailable } = asObject(strategy.rollingUpdate);
    const surge = countOf(maxSurge ?? '25%', replicas, Math.ceil) ?? 1;
    const fewer = countOf(maxUnavailable ?? '25%', replicas, Math.floor) ?? 0;
    const pod = countedOf(template, set);
    // With no surge at all Kubernetes takes one away by itself.
    if (surge === 0 || fewer > 0 || !usesAccelerator(pod)) {
      return;
    }
    for (const quota of allQuotas) {
      const first = exceeded(quota, pod, replicas);
      if (first === undefined) {
        continue;
      }
      const { key, hard, needed } = first;
      yield {
        path: '/spec/strategy',
        message: `a rolling update creates a pod before it removes ${replicas === 1 ? 'the old pod' : `one of the ${replicas} old pods`}, which exceeds the ${kindAndName(quota.manifest.id)} (${needed.toString()} > ${hard.toString()} ${key})`,
        expected: 'maxSurge: 0, maxUnavailable: 1',
      };
    }
  },
};

function usesAccelerator({ amounts }: CountedPod): boolean {
  return [...amounts.requests].some(([name, amount]) => amount.isPositive() && isAcceleratorResource(name));
}

interface Exceeded {
  readonly key: string;
  readonly hard: Quantity;
  /** What the replicas and one more pod use. */
  readonly needed: Quantity;
}

/** The first amount of the quota that holds the replicas, and not one pod more. That it is too small for the replicas is another matter. */
function exceeded(quota: Quota, pod: CountedPod, replicas: number): Exceeded | undefined {
  if (!countsPod(quota, pod)) {
    return undefined;
  }
  let first: Exceeded | undefined;
  for (const [key, hard] of quota.hard) {
    const each = podUse(key, pod.amounts);
    if (each === undefined) {
      continue;
    }
    if (hard.isLessThan(each.multiply(replicas))) {
      return undefined;
    }
    const needed = first === undefined ? each.multiply(replicas + 1) : undefined;
    if (needed !== undefined && hard.isLessThan(needed)) {
      first = { key, hard, needed };
    }
  }
  return first;
}

/**
 * A team's quota and its queue: two statements of one intent, which should not contradict each other.
 */
import { cite } from '../../../facts/upstream';
import { type Rule } from '../../../checks/rules/rule';
import { kindAndName, type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { asObject, asString } from '../../../manifests/read';
import { amountsIn } from '../../../manifests/pods/pod-amounts';
import { type Quota, quotaOf } from '../../../checks/server/admission/namespace-policy';
import { requestsKey } from '../../../checks/server/admission/quota-keys';

const QUEUE = 'scheduling.volcano.sh/Queue';

/** The namespace annotation by which Volcano puts jobs without a queue of their own into one. */
const NAMESPACE_QUEUE = 'scheduling.volcano.sh/queue-name';

interface Pair {
  readonly quota: Quota;
  readonly queue: Manifest;
}

/** Quotas whose namespace uses one queue alone, and that queue no other namespace. */
function* pairsOf(set: ManifestSet): Iterable<Pair> {
  const queuesOf = new Map<string, Set<string>>();
  const namespacesOf = new Map<string, Set<string>>();
  const uses = (namespace: string, queue: string): void => {
    queuesOf.set(namespace, (queuesOf.get(namespace) ?? new Set()).add(queue));
    namespacesOf.set(queue, (namespacesOf.get(queue) ?? new Set()).add(namespace));
  };
  for (const manifest of set.manifests) {
    if (manifest.id.namespace === '') {
      continue;
    }
    for (const reference of set.referencesFrom(manifest)) {
      if (reference.kind === QUEUE) {
        uses(manifest.id.namespace, reference.name);
      }
    }
  }
  for (const { id, object } of set.ofKind('Namespace')) {
    const queue = asString(asObject(asObject(object.metadata).annotations)[NAMESPACE_QUEUE]);
    if (queue !== undefined) {
      uses(id.name, queue);
    }
  }
  for (const manifest of set.ofKind('ResourceQuota')) {
    const quota = quotaOf(manifest);
    const [name, ...others] = queuesOf.get(manifest.id.namespace) ?? [];
    if (quota.scoped || name === undefined || others.length > 0 || namespacesOf.get(name)?.size !== 1) {
      continue;
    }
    const queue = set.get(QUEUE, name);
    if (queue !== undefined) {
      yield { quota, queue };
    }
  }
}

const queueAgrees: Rule = {
  id: 'tenancy/queue-agrees-with-quota',
  on: 'set',
  tier: 'advice',
  severity: 'info',
  summary:
    "A queue for one namespace should deserve no more than the namespace's quota allows, and its capability should be no less.",
  why: 'What the quota rejects never reaches the queue, so a larger share is never used; a smaller capability leaves quota that can never be used.',
  source: `${cite('volcano')}, capacity plugin; Kubernetes resource quotas`,
  fix: 'Set the same amounts in spec.deserved and spec.capability of the queue and in spec.hard of the quota.',
  *check({ set }) {
    for (const { quota, queue } of pairsOf(set)) {
      const spec = asObject(queue.object.spec);
      const capability = amountsIn(spec.capability);
      for (const [resource, deserved] of amountsIn(spec.deserved)) {
        const hard = quota.hard.get(requestsKey(resource)) ?? quota.hard.get(resource);
        if (hard === undefined || !deserved.isGreaterThan(hard)) {
          continue;
        }
        yield {
          manifest: queue,
          path: pointer('/spec/deserved', resource),
          message: `the deserved amount exceeds the ${kindAndName(quota.manifest.id)} of the queue's only namespace (${deserved.toString()} > ${hard.toString()} ${resource})`,
          found: deserved.toString(),
          expected: `at most ${hard.toString()}`,
          fix: `Set ${fieldOf(pointer('/deserved', resource))} to at most ${hard.toString()}, or increase the amount in spec.hard of the ResourceQuota to at least ${deserved.toString()}.`,
        };
      }
      for (const [resource, most] of capability) {
        const hard = quota.hard.get(requestsKey(resource)) ?? quota.hard.get(resource);
        if (hard === undefined || !most.isLessThan(hard)) {
          continue;
        }
        yield {
          manifest: queue,
          path: pointer('/spec/capability', resource),
          message: `the capability is less than the ${kindAndName(quota.manifest.id)} of the queue's only namespace (${most.toString()} < ${hard.toString()} ${resource})`,
          found: most.toString(),
          expected: `at least ${hard.toString()}`,
          fix: `Set ${fieldOf(pointer('/capability', resource))} to at least ${hard.toString()}, or decrease the amount in spec.hard of the ResourceQuota to at most ${most.toString()}.`,
        };
      }
    }
  },
};

export const queueAgreementRules: readonly Rule[] = [queueAgrees];

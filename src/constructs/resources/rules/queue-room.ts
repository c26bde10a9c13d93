/**
 * Workloads of any kind against the limits of the queue that they name: pods that can never run at the same time.
 */
import { fieldOf, pointer } from '../../../manifests/pointer';
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { cite } from '../../../facts/upstream';
import { type SetRule } from '../../../checks/rules/rule';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { type Amounts, amountsIn, podAmounts } from '../../../manifests/pods/pod-amounts';
import { Quantity } from '../../../manifests/values/quantity';
import { asObject, asString } from '../../../manifests/read';
import { type Reference } from '../../../manifests/references/references';

interface Limit {
  readonly amount: Quantity;
  /** The queue that states it. */
  readonly of: string;
}

interface QueueKind {
  readonly parent: string;
  readonly limits: (spec: JsonObject) => Amounts;
  /** The field of the queue that limits the resource. */
  readonly field: (resource: string) => string;
  /** The resources of pods that count toward a limit. */
  readonly counts: (limit: string, resource: string) => boolean;
}

const GPU = /^(nvidia|amd)\.com\/gpu$/;

/** KAI counts CPU in thousandths and memory in millions of bytes, and -1 is no limit. */
function kaiLimits(spec: JsonObject): Amounts {
  const resources = asObject(spec.resources);
  const limit = (of: JsonValue | undefined): number | undefined => {
    const value = asObject(of).limit;
    return typeof value === 'number' && value >= 0 ? value : undefined;
  };
  const [gpu, cpu, memory] = [limit(resources.gpu), limit(resources.cpu), limit(resources.memory)];
  return amountsIn({
    ...(gpu === undefined ? {} : { gpu }),
    ...(cpu === undefined ? {} : { cpu: `${Math.round(cpu)}m` }),
    ...(memory === undefined ? {} : { memory: `${Math.round(memory)}M` }),
  });
}

const QUEUE_KINDS: ReadonlyMap<string, QueueKind> = new Map([
  [
    'scheduling.volcano.sh/Queue',
    {
      parent: 'parent',
      limits: (spec) => amountsIn(spec.capability),
      field: (resource) => fieldOf(pointer('/spec/capability', resource)),
      counts: (limit, resource) => limit === resource,
    },
  ],
  [
    'scheduling.run.ai/Queue',
    {
      parent: 'parentQueue',
      limits: kaiLimits,
      field: (resource) => `resources.${resource}.limit`,
      counts: (limit, resource) => limit === resource || (limit === 'gpu' && GPU.test(resource)),
    },
  ],
]);

/** The most that the queue may hold of each resource: its own limit, or that of the nearest queue above it that has one. */
function limitsOf(set: ManifestSet, kind: string, terms: QueueKind, queue: string): ReadonlyMap<string, Limit> {
  const limits = new Map<string, Limit>();
  const seen = new Set<string>();
  for (let at: string | undefined = queue; at !== undefined && !seen.has(at);) {
    seen.add(at);
    const spec = asObject(set.get(kind, at)?.object.spec);
    for (const [resource, amount] of terms.limits(spec)) {
      // Volcano reads zero as no limit.
      if (!limits.has(resource) && amount.isPositive()) {
        limits.set(resource, { amount, of: at });
      }
    }
    at = asString(spec[terms.parent]);
  }
  return limits;
}

function requested(set: ManifestSet, manifest: Manifest, counts: (resource: string) => boolean): Quantity {
  return set.podTemplatesOf(manifest).reduce((sum, { spec, count = 0 }) => {
    const each = [...podAmounts(spec).requests].filter(([resource]) => counts(resource));
    return each.reduce((total, [, amount]) => total.add(amount.multiply(count)), sum);
  }, Quantity.ZERO);
}

/** Volcano's jobs have a rule that knows what their gangs need. */
function hasOwnRule({ from }: Reference): boolean {
  return from.id.group === 'batch.volcano.sh';
}

export const podsFitQueue: SetRule = {
  id: 'references/pods-fit-queue',
  tier: 'advice',
  severity: 'warning',
  on: 'set',
  summary: 'All pods of a workload should fit within the limits of the queue that it names.',
  why: 'The pods beyond the limit stay pending for as long as the others run; a gang never starts.',
  source: `${cite('volcano')}, pkg/scheduler/plugins/capacity; ${cite('kai-scheduler')}, docs/queues`,
  fix: 'Increase the limit of the queue, or decrease the replicas or the requests of the workload.',
  *check({ set }) {
    if ([...QUEUE_KINDS.keys()].every((kind) => set.ofKind(kind).length === 0)) {
      return;
    }
    for (const manifest of set.manifests) {
      const said = new Set<string>();
      for (const reference of set.referencesFrom(manifest)) {
        const terms = QUEUE_KINDS.get(reference.kind);
        if (terms === undefined || hasOwnRule(reference) || said.has(reference.name)) {
          continue;
        }
        said.add(reference.name);
        for (const [resource, { amount, of }] of limitsOf(set, reference.kind, terms, reference.name)) {
          const all = requested(set, manifest, (name) => terms.counts(resource, name));
          if (all.isGreaterThan(amount)) {
            yield {
              manifest,
              path: reference.path,
              message: `the pods of the workload request more than the limit of the queue "${of}" (${all.toString()} > ${amount.toString()} ${resource})`,
              found: all.toString(),
              expected: `at most ${amount.toString()} ${resource}`,
              fix: `Increase ${terms.field(resource)} in the queue "${of}" to at least ${all.toString()}, or decrease the replicas or the requests of the workload.`,
            };
          }
        }
      }
    }
  },
};

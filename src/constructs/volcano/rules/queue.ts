/**
 * What the queue webhook demands of a queue by itself, and what it takes without counting it.
 */
import { cite } from '../../../facts/upstream';
import { type Manifest } from '../../../manifests/manifest';
import { pointer } from '../../../manifests/pointer';
import { asObject, stringEntries } from '../../../manifests/read';
import { type ObjectRule, type Violation } from '../../../checks/rule';
import { amountsIn, isCountedResource, isIntegerResource } from '../queue-resources';
import { QUEUE_KIND } from '../queue-tree';

const WEBHOOK = `${cite('volcano')}, pkg/webhooks/admission/queues/validate/validate_queue.go`;
const MAPS = ['/spec/capability', '/spec/deserved', '/spec/guarantee/resource'] as const;

/** Every amount that a queue states, with its place. */
function* amountsOf(
  queue: Manifest,
): Iterable<{ readonly path: string; readonly resource: string; readonly written: string }> {
  const spec = asObject(queue.object.spec);
  const maps = [spec.capability, spec.deserved, asObject(spec.guarantee).resource];
  for (const [index, base] of MAPS.entries()) {
    for (const [resource, amount] of Object.entries(asObject(maps[index]))) {
      if (typeof amount === 'string' || typeof amount === 'number') {
        yield { path: pointer(base, resource), resource, written: String(amount) };
      }
    }
  }
}

const guaranteeWithinDeserved: ObjectRule = {
  id: 'volcano/queue-guarantee-within-deserved',
  row: 'VQ1',
  tier: 'webhook',
  severity: 'error',
  on: 'object',
  kinds: [QUEUE_KIND],
  summary: 'Each resource that a queue guarantees is also in `deserved`, with at least that amount.',
  why: 'The webhook refuses the queue: what is guaranteed is the part of the deserved share that is never lent.',
  source: `${WEBHOOK}, validateResourceQuantityOfQueue`,
  fix: 'State `deserved` for each guaranteed resource, at least as much as the guarantee.',
  *check({ object }) {
    const spec = asObject(object.spec);
    const deserved = amountsIn(spec.deserved);
    for (const [resource, guarantee] of amountsIn(asObject(spec.guarantee).resource)) {
      const share = deserved.get(resource);
      if (share !== undefined && !share.isLessThan(guarantee)) {
        continue;
      }
      yield {
        path: share === undefined ? pointer('/spec/guarantee/resource', resource) : pointer('/spec/deserved', resource),
        message:
          share === undefined
            ? `${guarantee.toString()} of ${resource} are guaranteed, but \`deserved\` does not name ${resource}`
            : `${guarantee.toString()} of ${resource} are guaranteed, but only ${share.toString()} deserved`,
        found: share?.toString() ?? null,
        expected: `deserved ${resource} of at least ${guarantee.toString()}`,
      };
    }
  },
};

const deservedWithinCapability: ObjectRule = {
  id: 'volcano/queue-deserved-within-capability',
  row: 'VQ2',
  tier: 'webhook',
  severity: 'error',
  on: 'object',
  kinds: [QUEUE_KIND],
  summary: 'A queue deserves no more of a resource than its capability allows.',
  why: 'The webhook refuses the queue: a share above the hard limit could never be used.',
  source: `${WEBHOOK}, validateResourceQuantityOfQueue`,
  fix: 'Raise the capability or lower the deserved amount.',
  *check({ object }) {
    const spec = asObject(object.spec);
    const capability = amountsIn(spec.capability);
    for (const [resource, deserved] of amountsIn(spec.deserved)) {
      const limit = capability.get(resource);
      if (limit === undefined || !deserved.isGreaterThan(limit)) {
        continue;
      }
      yield {
        path: pointer('/spec/deserved', resource),
        message: `${deserved.toString()} of ${resource} are deserved, but the capability is ${limit.toString()}`,
        found: deserved.toString(),
        expected: `at most ${limit.toString()}`,
      };
    }
  },
};

const amountsValid: ObjectRule = {
  id: 'volcano/queue-amounts-valid',
  row: 'VQ3',
  tier: 'webhook',
  severity: 'error',
  on: 'object',
  kinds: [QUEUE_KIND],
  summary: 'The amounts of a queue are not negative, and those of devices and pods are whole.',
  why: 'The webhook refuses the queue.',
  source: `${WEBHOOK}, ValidateResourceQuantityValue`,
  fix: 'Write a whole amount of zero or more.',
  *check(queue) {
    for (const { path, resource, written } of amountsOf(queue)) {
      const amount = amountsIn({ [resource]: written }).get(resource);
      if (amount === undefined) {
        continue;
      }
      if (amount.isNegative()) {
        yield { path, message: `${written} of ${resource} is negative`, found: written, expected: 'zero or more' };
      } else if (isIntegerResource(resource) && amount.thousandths() % 1000n !== 0n) {
        yield { path, message: `${written} of ${resource} is not whole`, found: written, expected: 'a whole number' };
      }
    }
  },
};

const resourcesCounted: ObjectRule = {
  id: 'volcano/queue-resources-counted',
  tier: 'advice',
  severity: 'error',
  on: 'object',
  kinds: [QUEUE_KIND],
  summary: 'A queue names resources as pods request them.',
  why:
    'Volcano counts cpu, memory, pods, ephemeral-storage, hugepages and extended resources (`domain/name`). Any other name is passed over ' +
    'without a word, so the limit does not exist.',
  source: `${cite('volcano')}, pkg/scheduler/api/resource_info.go NewResource`,
  fix: "Write the name that stands in the containers' resources, for example `nvidia.com/gpu`, without `requests.` or `limits.`.",
  *check(queue) {
    for (const { path, resource } of amountsOf(queue)) {
      if (isCountedResource(resource)) {
        continue;
      }
      const bare = /^(?:requests|limits)\.(.+)$/.exec(resource)?.[1];
      yield {
        path,
        message: `"${resource}" is not counted by Volcano`,
        found: resource,
        expected:
          bare === undefined
            ? 'cpu, memory, pods, ephemeral-storage or an extended resource such as nvidia.com/gpu'
            : `"${bare}"`,
      };
    }
  },
};

const memoryUnit: ObjectRule = {
  id: 'volcano/queue-memory-unit-intended',
  tier: 'advice',
  severity: 'info',
  on: 'object',
  kinds: [QUEUE_KIND],
  summary: 'Memory of a queue is stated in binary units, as nodes report it and pods request it.',
  why: '`500G` is 465.7Gi: 7 % less than 500Gi, so the last pod that was meant to fit does not.',
  source: 'Kubernetes quantities: k, M, G, T are powers of 1000; Ki, Mi, Gi, Ti of 1024',
  fix: 'Write Ki, Mi, Gi or Ti, unless powers of 1000 are meant.',
  *check(queue) {
    for (const { path, resource, written } of amountsOf(queue)) {
      const match = /^(\d+(?:\.\d+)?)([kMGTP])$/.exec(written);
      if (match === null || (resource !== 'memory' && resource !== 'ephemeral-storage')) {
        continue;
      }
      const binary = `${match[1]}${match[2] === 'k' ? 'K' : match[2]}i`;
      yield {
        path,
        message: `${written} of ${resource} counts in powers of 1000`,
        found: written,
        expected: `probably ${binary}`,
      };
    }
  },
};

const HIERARCHY = 'volcano.sh/hierarchy';
const WEIGHTS = 'volcano.sh/hierarchy-weights';

const hierarchyAnnotations: ObjectRule = {
  id: 'volcano/queue-hierarchy-weights-match',
  row: 'VQ4',
  tier: 'webhook',
  severity: 'error',
  on: 'object',
  kinds: [QUEUE_KIND],
  summary: `The annotations ${HIERARCHY} and ${WEIGHTS} have equally many parts, and each weight is a number above zero.`,
  why: 'The webhook refuses the queue: each level of the path needs a weight.',
  source: `${WEBHOOK}, validateHierarchicalAttributes`,
  fix: 'Give one weight per path part, separated by `/`.',
  *check(queue): Iterable<Violation> {
    const annotations = new Map(stringEntries(asObject(queue.object.metadata).annotations));
    const hierarchy = annotations.get(HIERARCHY) ?? '';
    const weights = annotations.get(WEIGHTS) ?? '';
    if (hierarchy === '' && weights === '') {
      return;
    }
    const path = pointer('/metadata/annotations', annotations.has(WEIGHTS) ? WEIGHTS : HIERARCHY);
    const parts = hierarchy.split('/').length;
    const numbers = weights.split('/');
    if (parts !== numbers.length) {
      yield {
        path,
        message: `the path "${hierarchy}" has ${parts} parts, the weights "${weights}" ${numbers.length}`,
        found: weights,
        expected: `${parts} weights`,
      };
      return;
    }
    const wrong = numbers.find(
      (weight) => !/^[+]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(weight) || Number(weight) <= 0,
    );
    if (wrong !== undefined) {
      yield {
        path,
        message: `the weight "${wrong}" is no number above zero`,
        found: weights,
        expected: 'numbers above zero',
      };
    }
  },
};

export const queueRules: readonly ObjectRule[] = [
  guaranteeWithinDeserved,
  deservedWithinCapability,
  amountsValid,
  hierarchyAnnotations,
  resourcesCounted,
  memoryUnit,
];

export { HIERARCHY as HIERARCHY_ANNOTATION };

/**
 * What the queue webhook demands of a queue by itself, and what it takes without counting it.
 */
import { fixesByField } from '../../../checks/rules/field-fix';
import { cite } from '../../../facts/upstream';
import { type Manifest } from '../../../manifests/manifest';
import { pointer, fieldOf } from '../../../manifests/pointer';
import { asObject, stringEntries } from '../../../manifests/read';
import { type ObjectRule, type Violation } from '../../../checks/rules/rule';
import { amountsIn, isCountedResource, isIntegerResource } from '../queue-resources';
import { QUEUE_KIND } from '../queue-tree';
import { counted } from '../../../facts/words';

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
  summary: 'The guarantee of a queue must not exceed its deserved amount of the resource.',
  why: 'The webhook rejects the queue: the guarantee is the part of the deserved share that is never lent.',
  source: `${WEBHOOK}, validateResourceQuantityOfQueue`,
  fix: 'Set spec.deserved of each resource in spec.guarantee to at least the guarantee.',
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
            ? `deserved must be set for ${resource}, which has a guarantee of ${guarantee.toString()}`
            : `the guarantee exceeds the deserved amount (${guarantee.toString()} > ${share.toString()} ${resource})`,
        found: share?.toString() ?? null,
        expected: `a deserved amount of at least ${guarantee.toString()} ${resource}`,
        fix: `Set ${fieldOf(pointer('/deserved', resource))} to at least ${guarantee.toString()}.`,
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
  summary: 'The deserved amount of a queue must not exceed its capability.',
  why: 'The webhook rejects the queue: a share above the hard limit could never be used.',
  source: `${WEBHOOK}, validateResourceQuantityOfQueue`,
  fix: 'Increase spec.capability, or decrease spec.deserved.',
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
        message: `the deserved amount exceeds the capability (${deserved.toString()} > ${limit.toString()} ${resource})`,
        found: deserved.toString(),
        expected: `at most ${limit.toString()}`,
        fix: `Set ${fieldOf(pointer('/deserved', resource))} to at most ${limit.toString()}, or ${fieldOf(pointer('/capability', resource))} to at least ${deserved.toString()}.`,
      };
    }
  },
};

const amountsValid: ObjectRule = fixesByField({
  id: 'volcano/queue-amounts-valid',
  row: 'VQ3',
  tier: 'webhook',
  severity: 'error',
  on: 'object',
  kinds: [QUEUE_KIND],
  summary: 'The amounts of a queue must not be negative, and amounts of devices and pods must be integers.',
  why: 'The webhook rejects the queue.',
  source: `${WEBHOOK}, ValidateResourceQuantityValue`,
  fix: 'Set the amount in spec.deserved, spec.guarantee, or spec.capability to an integer greater than or equal to 0.',
  *check(queue) {
    for (const { path, resource, written } of amountsOf(queue)) {
      const amount = amountsIn({ [resource]: written }).get(resource);
      if (amount === undefined) {
        continue;
      }
      if (amount.isNegative()) {
        yield {
          path,
          message: `${resource} must be greater than or equal to 0, but is ${written}`,
          found: written,
          expected: '0 or more',
        };
      } else if (isIntegerResource(resource) && amount.thousandths() % 1000n !== 0n) {
        yield {
          path,
          message: `${resource} must be an integer, but is ${written}`,
          found: written,
          expected: 'an integer',
        };
      }
    }
  },
});

const resourcesCounted: ObjectRule = {
  id: 'volcano/queue-resources-counted',
  tier: 'advice',
  severity: 'error',
  on: 'object',
  kinds: [QUEUE_KIND],
  summary: 'A queue must name resources as pods request them.',
  why:
    'Volcano counts cpu, memory, pods, ephemeral-storage, hugepages, and extended resources (`domain/name`). It ignores any other name, ' +
    'so the limit does not exist.',
  source: `${cite('volcano')}, pkg/scheduler/api/resource_info.go NewResource`,
  fix: 'Rename the key to a resource name as in resources.limits of a container, for example nvidia.com/gpu.',
  *check(queue) {
    for (const { path, resource } of amountsOf(queue)) {
      if (isCountedResource(resource)) {
        continue;
      }
      const bare = /^(?:requests|limits)\.(.+)$/.exec(resource)?.[1];
      yield {
        path,
        message: `unsupported resource "${resource}": Volcano does not count it`,
        found: resource,
        expected:
          bare === undefined
            ? 'cpu, memory, pods, ephemeral-storage, or an extended resource such as nvidia.com/gpu'
            : `"${bare}"`,
        ...(bare !== undefined && {
          fix: `Rename the key "${resource}" in ${fieldOf(path.slice(0, path.lastIndexOf('/')))} to ${bare}.`,
        }),
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
  summary: 'The memory of a queue should use binary units, as nodes report it and pods request it.',
  why: '`500G` is 465.7Gi, 7% less than 500Gi, so the last pod that was intended to fit does not fit.',
  source: 'Kubernetes quantities: k, M, G, T are powers of 1000; Ki, Mi, Gi, Ti of 1024',
  fix: 'Set the memory in spec.deserved or spec.capability with a binary unit such as Gi, unless the decimal unit is intended.',
  *check(queue) {
    for (const { path, resource, written } of amountsOf(queue)) {
      const match = /^(\d+(?:\.\d+)?)([kMGTP])$/.exec(written);
      if (match === null || (resource !== 'memory' && resource !== 'ephemeral-storage')) {
        continue;
      }
      const binary = `${match[1]}${match[2] === 'k' ? 'K' : match[2]}i`;
      yield {
        path,
        message: `${resource} ${written} uses the decimal unit ${match[2]}, not the binary unit ${binary.replace(/^.*\d/, '')}`,
        found: written,
        expected: binary,
        fix: `Set ${fieldOf(path)} to ${binary}, unless the decimal unit is intended.`,
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
  summary: `The annotations ${HIERARCHY} and ${WEIGHTS} must have the same number of parts, and each weight must be greater than zero.`,
  why: 'The webhook rejects the queue: each level of the path needs a weight.',
  source: `${WEBHOOK}, validateHierarchicalAttributes`,
  fix: `Set the annotation ${WEIGHTS} to one weight for each part of the path, separated by "/".`,
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
        message:
          weights === ''
            ? `the annotation ${WEIGHTS} must be set when ${HIERARCHY} is set`
            : hierarchy === ''
              ? `the annotation ${HIERARCHY} must be set when ${WEIGHTS} is set`
              : `the path "${hierarchy}" has ${counted(parts, 'part')}, but the weights "${weights}" have ${numbers.length}`,
        found: weights,
        expected: hierarchy === '' ? `a path with ${counted(numbers.length, 'part')}` : counted(parts, 'weight'),
        fix:
          hierarchy === ''
            ? `Set the annotation ${HIERARCHY} to a path with ${counted(numbers.length, 'part')}, or remove ${WEIGHTS}.`
            : `Set the annotation ${WEIGHTS} to ${weightsOf(parts)}.`,
      };
      return;
    }
    const wrong = numbers.find(
      (weight) => !/^[+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(weight) || Number(weight) <= 0,
    );
    if (wrong !== undefined) {
      yield {
        path,
        message: `the weight "${wrong}" must be a number greater than 0`,
        found: weights,
        expected: 'numbers greater than 0',
        fix: `Replace the weight "${wrong}" in the annotation ${WEIGHTS} with a number greater than 0.`,
      };
    }
  },
};

/** `3 weights separated by "/", such as "1/1/1"`. */
function weightsOf(parts: number): string {
  if (parts === 1) {
    return '1 weight, such as "1"';
  }
  const example = Array.from({ length: parts }, () => 1).join('/');
  return `${parts} weights separated by "/"${parts > 8 ? '' : `, such as "${example}"`}`;
}

export const queueRules: readonly ObjectRule[] = [
  guaranteeWithinDeserved,
  deservedWithinCapability,
  amountsValid,
  hierarchyAnnotations,
  resourcesCounted,
  memoryUnit,
];

export { HIERARCHY as HIERARCHY_ANNOTATION };

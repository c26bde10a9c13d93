/**
 * Quotas of ClusterQueues and Cohorts: what the webhook demands beyond the schema.
 */
import { fixesByField, withFieldFix } from '../../../checks/rules/field-fix';
import { parseQuantity, Quantity } from '../../../manifests/values/quantity';
import { type Manifest } from '../../../manifests/manifest';
import { type ObjectRule, type Rule, type Violation } from '../../../checks/rules/rule';
import { qualifiedName } from '../../../manifests/values/name-syntax';
import { fieldOf } from '../../../manifests/pointer';
import { asObject } from '../../../manifests/read';
import { CLUSTER_QUEUE, COHORT, KUEUE } from '../kueue-facts';
import { type GroupView, groupsOf, parentOf, type QuotaView } from '../queue-view';

const WEBHOOK = `${KUEUE}, pkg/webhooks/clusterqueue_webhook.go`;

type Facts = Pick<ObjectRule, 'row' | 'summary' | 'why' | 'fix' | 'concerns'> &
  Partial<Pick<ObjectRule, 'source' | 'kinds'>>;

function quotaRule(
  id: string,
  facts: Facts,
  check: (groups: readonly GroupView[], manifest: Manifest) => Iterable<Violation>,
): ObjectRule {
  return {
    kinds: [CLUSTER_QUEUE, COHORT],
    source: WEBHOOK,
    ...facts,
    id: `kueue/${id}`,
    tier: 'webhook',
    severity: 'error',
    on: 'object',
    check: (manifest) => check(groupsOf(manifest), manifest),
  };
}

function everyQuota(groups: readonly GroupView[]): readonly QuotaView[] {
  return groups.flatMap(({ flavors }) => flavors.flatMap(({ quotas }) => quotas));
}

const inCoveredOrder = quotaRule(
  'flavor-resources-in-covered-order',
  {
    row: 'KU1',
    concerns: ['coveredResources'],
    summary: 'Each flavor must list the resources of its group in the order of coveredResources.',
    why: 'The webhook rejects the queue, because it compares the lists element by element.',
    fix: 'List flavors[].resources in the order of coveredResources.',
  },
  function* (groups) {
    for (const { covered, flavors } of groups) {
      for (const { name, quotas } of flavors) {
        const index = quotas.findIndex(({ resource }, place) => place < covered.length && resource !== covered[place]);
        const quota = quotas[index];
        if (quota === undefined) {
          continue;
        }
        yield {
          path: `${quota.path}/name`,
          message: inOther(name, index, quota.resource, covered[index] ?? ''),
          found: quota.resource,
          expected: covered[index],
          fix: `List the resources of ${flavorNamed(name)} in the order of coveredResources: ${covered.map((resource) => (/^[\w./-]+$/.test(resource) ? resource : JSON.stringify(resource))).join(', ')}.`,
        };
      }
    }
  },
);

function inOther(flavor: string, index: number, resource: string, covered: string): string {
  const of = flavorNamed(flavor);
  return resource === ''
    ? `resources[${index}].name of ${of} must be set`
    : `resources[${index}] of ${of} is "${resource}", but coveredResources[${index}] is ${covered === '' ? 'unset' : `"${covered}"`}`;
}

function flavorNamed(name: string): string {
  return name === '' ? 'the flavor' : `the flavor "${name}"`;
}

const once = quotaRule(
  'flavor-and-resource-once',
  {
    row: 'KU2',
    concerns: ['resourceGroups'],
    summary: 'A flavor and a resource must not be in more than one resource group.',
    why: 'The webhook rejects the queue, because the group of a resource would be ambiguous.',
    fix: 'Merge the resource groups that share a resource or a flavor into one entry of spec.resourceGroups.',
  },
  function* (groups) {
    const resources = groups.flatMap(({ covered, path: group }) =>
      covered.map((name, index) => ({ name, group, path: `${group}/coveredResources/${index}` })),
    );
    const flavors = groups.flatMap(({ flavors: own, path: group }) =>
      own.map(({ name, path }) => ({ name, group, path: `${path}/name` })),
    );
    for (const [what, places] of [
      ['resource', resources],
      ['flavor', flavors],
    ] as const) {
      const groupOf = new Map<string, string>();
      for (const { name, group, path } of places) {
        const first = groupOf.get(name);
        if (first !== undefined) {
          const isWithin = first === group;
          yield {
            path,
            message: `duplicate ${what} "${name}"${isWithin ? ' in the resource group' : ': already used in an earlier resource group'}`,
            found: name,
            expected: `each ${what} in one resource group`,
            fix: isWithin
              ? `Remove ${fieldOf(path.replace(/\/name$/, ''))}.`
              : `Remove the ${what} from one of the resource groups, or merge both groups into one entry of spec.resourceGroups.`,
          };
        }
        groupOf.set(name, first ?? group);
      }
    }
  },
);

const resourceNames = fixesByField(
  quotaRule(
    'covered-resource-name-valid',
    {
      row: 'KU2',
      concerns: ['coveredResources'],
      summary: 'The names of covered resources must be valid resource names.',
      why: 'The webhook rejects the queue.',
      fix: 'Set coveredResources to valid names such as nvidia.com/gpu.',
    },
    function* (groups) {
      for (const { covered, path } of groups) {
        for (const [index, name] of covered.entries()) {
          const complaint = qualifiedName(name);
          if (complaint !== undefined) {
            const said = {
              path: `${path}/coveredResources/${index}`,
              message: `the resource name "${name}" must ${complaint}`,
              found: name,
            };
            yield {
              fix: `Set coveredResources[${index}] to a valid name such as nvidia.com/gpu.`,
              ...withFieldFix(said),
            };
          }
        }
      }
    },
  ),
);

const limitsNeedParent = quotaRule(
  'limit-needs-cohort',
  {
    row: 'KU3',
    concerns: ['lendingLimit', 'borrowingLimit'],
    summary: 'A lending or borrowing limit must be set only in a queue with a cohort, or in a cohort with a parent.',
    why: 'The webhook rejects the object, because without a cohort there is no lending or borrowing.',
    fix: 'Set cohortName of the queue or parentName of the cohort, or remove the limit.',
    source: `${WEBHOOK}, validateLimit`,
  },
  function* (groups, manifest) {
    if (parentOf(manifest) !== undefined) {
      return;
    }
    const isCohort = manifest.id.kind === 'Cohort';
    for (const { borrowing, lending, path } of everyQuota(groups)) {
      // The schema of a ClusterQueue refuses a borrowing limit itself.
      for (const [field, value] of [
        ['lendingLimit', lending],
        ['borrowingLimit', isCohort ? borrowing : undefined],
      ] as const) {
        if (value === undefined) {
          continue;
        }
        const parent = isCohort ? 'parentName' : 'cohortName';
        yield {
          path: `${path}/${field}`,
          message: `${field} must not be set without ${parent}`,
          found: value.toString(),
          fix: `Set spec.${parent}, or remove ${field}.`,
        };
      }
    }
  },
);

const lendingWithinNominal = quotaRule(
  'lending-within-nominal',
  {
    row: 'KU3',
    kinds: [CLUSTER_QUEUE],
    concerns: ['lendingLimit'],
    summary: 'A queue must not lend more than its nominal quota.',
    why: 'The webhook rejects the queue.',
    fix: 'Set lendingLimit to at most nominalQuota, or remove it to lend all of the nominal quota.',
  },
  function* (groups) {
    for (const { nominal, lending, path } of everyQuota(groups)) {
      if (nominal === undefined || lending === undefined || lending.compare(nominal) <= 0) {
        continue;
      }
      yield {
        path: `${path}/lendingLimit`,
        message: `lendingLimit must be less than or equal to nominalQuota (${lending.toString()} > ${nominal.toString()})`,
        found: lending.toString(),
        expected: `at most ${nominal.toString()}`,
        fix: `Set lendingLimit to at most ${nominal.toString()}, or remove it to lend all of nominalQuota.`,
      };
    }
  },
);

const notNegative = quotaRule(
  'quota-not-negative',
  {
    row: 'KU3',
    concerns: ['resourceGroups'],
    summary: 'Quotas and limits must not be negative.',
    why: 'The webhook rejects the object.',
    fix: 'Set nominalQuota, borrowingLimit, and lendingLimit to at least 0.',
  },
  function* (groups) {
    for (const quota of everyQuota(groups)) {
      for (const [field, value] of [
        ['nominalQuota', quota.nominal],
        ['borrowingLimit', quota.borrowing],
        ['lendingLimit', quota.lending],
      ] as const) {
        if (value !== undefined && value.isNegative()) {
          yield {
            path: `${quota.path}/${field}`,
            message: `${field} must be greater than or equal to 0, but is ${value.toString()}`,
            found: value.toString(),
            expected: 'at least 0',
          };
        }
      }
    }
  },
);

const MOST = { flavors: 256, resources: 256, combinations: 512 };

const sizes = quotaRule(
  'queue-size-within-limits',
  {
    row: 'KU4',
    kinds: [CLUSTER_QUEUE],
    concerns: ['resourceGroups'],
    summary: `A ClusterQueue must have no more than ${MOST.flavors} flavors and ${MOST.resources} resources in total, and ${MOST.combinations} quotas in a group.`,
    why: 'The webhook rejects the queue.',
    fix: 'Split the ClusterQueue into several, or merge flavors in spec.resourceGroups.',
  },
  function* (groups) {
    const flavors = groups.reduce((sum, group) => sum + group.flavors.length, 0);
    const resources = groups.reduce((sum, group) => sum + group.covered.length, 0);
    for (const [what, count, most] of [
      ['flavors', flavors, MOST.flavors],
      ['covered resources', resources, MOST.resources],
    ] as const) {
      if (count > most) {
        yield {
          path: '/spec/resourceGroups',
          message: `the ClusterQueue must have no more than ${most} ${what}, but has ${count}`,
          found: count,
          expected: `at most ${most}`,
        };
      }
    }
    for (const { path, flavors: members } of groups) {
      const quotas = members.reduce((sum, flavor) => sum + flavor.quotas.length, 0);
      if (quotas > MOST.combinations) {
        yield {
          path,
          message: `the resource group must have no more than ${MOST.combinations} quotas, but has ${quotas}`,
          found: quotas,
          expected: `at most ${MOST.combinations}`,
        };
      }
    }
  },
);

const NANO = parseQuantity('1n') ?? Quantity.ZERO;

const fairWeight: ObjectRule = fixesByField({
  id: 'kueue/fair-sharing-weight-usable',
  row: 'KU12',
  tier: 'webhook',
  severity: 'error',
  on: 'object',
  kinds: [CLUSTER_QUEUE, COHORT],
  concerns: ['fairSharing'],
  summary: 'A fair sharing weight must be 0, or greater than 1n.',
  why: 'The webhook rejects a negative weight, and one that is rounded to 0.',
  source: `${KUEUE}, pkg/webhooks/common.go, validateFairSharing`,
  fix: 'Set fairSharing.weight to 0 for the lowest priority, or to a weight such as 1 or 500m.',
  *check({ object }) {
    const found = asObject(asObject(object.spec).fairSharing).weight;
    const weight = typeof found === 'string' || typeof found === 'number' ? parseQuantity(found) : undefined;
    if (weight === undefined || weight.isZero() || weight.isGreaterThan(NANO)) {
      return;
    }
    yield {
      path: '/spec/fairSharing/weight',
      message: `fairSharing.weight must be 0 or greater than 1n, but is ${weight.toString()}`,
      found,
      expected: '0, or greater than 1n',
      fix: 'Set fairSharing.weight to 0 for the lowest priority, or to a weight such as 1 or 500m.',
    };
  },
});

export const quotaRules: readonly Rule[] = [
  inCoveredOrder,
  once,
  resourceNames,
  limitsNeedParent,
  lendingWithinNominal,
  notNegative,
  sizes,
  fairWeight,
];

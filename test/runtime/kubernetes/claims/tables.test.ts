/**
 * The cases with which Kubernetes tests its allocator of devices: what the scheduler reads, chooses, and writes into the claims is what the
 * allocator answered when they were recorded (`npm run record:claim-tables`).
 */
import { asArray, asObject } from '../../../../src/manifests/read';
import { nanosOf } from '../../../../src/planning/cluster/objects/claims/read-slices';
import { type JsonObject, type JsonValue } from '../../../../src/facts/api/schema';
import { type Outcome, outcomeOf } from './replay';
import { type AllocatorAnswer, type AllocatorCase, readTables } from './tables';

const { tables, cases } = readTables();

/** Cases that Gantry decides otherwise, with the reason. */
const DECIDED_OTHERWISE: ReadonlyMap<string, string> = new Map(
  ['complete', 'incomplete'].map((update) => [
    `multi-host-resource-pool-${update}-update-from-node-1-to-node-2`,
    'only the highest generation of a pool counts; Kubernetes uses an older one if all of its slices are on the node',
  ]),
);

/** Cases of a feature that is off. Gantry has no such switch, since the API server drops the fields of features that are off. */
const WITHOUT_FEATURE: readonly string[] = [
  'admin-access-disabled',
  'binding-conditions-without-feature-gate',
  'consumable-capacity-disabled-feature',
  'consumable-capacity-disabled-feature-with-prioritized-list',
  'list-attributes-disabled-distinct-constraint-with-lists',
  'list-attributes-disabled-match-constraint-with-lists',
  'partitionable-devices-disabled-other-device-do-not-consume-counters',
  'partitionable-devices-disabled-per-device-node-selection',
  'prioritized-list-disabled',
  'tainted-admin-access-disabled',
  'tainted-all-devices-single-disabled',
  'tainted-disabled',
  'tainted-prioritized-list-disabled',
];

/** Errors with which Kubernetes gives a claim up, and what Gantry says instead: in each case, nothing is allocated. */
const ERRORS: readonly (readonly [error: RegExp, kind: Outcome['kind'], words?: string])[] = [
  [/could not retrieve device class|missing device class/, 'problem', 'which does not exist'],
  [/unsupported count mode/, 'problem', 'which is neither ExactCount nor All'],
  [/unsupported constraint type/, 'problem', 'has neither matchAttribute nor distinctAttribute'],
  [/unsupported selector type/, 'problem', 'has a selector without a CEL expression'],
  [/is currently being updated/, 'wait'],
  [/exceeds the claim limit of 32/, 'none'],
  // An expression that cannot be evaluated on a device does not accept it; an attribute without a value is none.
  [/CEL compile error|CEL runtime error/, 'none'],
  [/invalid resource pools/, 'none'],
  [/a claim constraint would not be satisfied/, 'none'],
];

test('each case is decided as Kubernetes decides it, and the claims get the same status', () => {
  expect(cases).toHaveLength(tables.cases);
  const differing = cases.flatMap((one) => {
    const difference = differenceOf(outcomeOf(one), expectedOf(one));
    return difference === undefined ? [] : [[one.name, difference] as const];
  });
  expect(differing.filter(([name]) => !DECIDED_OTHERWISE.has(name))).toEqual([]);
  expect(differing.map(([name]) => name)).toEqual([...DECIDED_OTHERWISE.keys()]);
});

test('the cases cover allocations, nodes without devices, and every error', () => {
  const answers = cases.map(expectedOf);
  const counts = {
    allocated: answers.filter(({ allocations }) => allocations !== undefined).length,
    none: answers.filter(({ allocations, error }) => allocations === undefined && error === undefined).length,
    errors: answers.filter(({ error }) => error !== undefined).length,
  };
  expect(counts).toEqual({ allocated: 135, none: 65, errors: 25 });
  const unused = ERRORS.filter(([pattern]) => !answers.some(({ error = '' }) => pattern.test(error)));
  expect(unused).toEqual([]);
});

test('the list of cases in which a feature is off is complete', () => {
  expect(cases.filter((one) => one.answerOfAllFeatures !== undefined).map(({ name }) => name)).toEqual(WITHOUT_FEATURE);
});

function expectedOf({ answer, answerOfAllFeatures = answer }: AllocatorCase): AllocatorAnswer {
  return answerOfAllFeatures;
}

function differenceOf(ours: Outcome, { error, allocations = [] }: AllocatorAnswer): string | undefined {
  if (error !== undefined) {
    const [, kind, words = ''] = ERRORS.find(([pattern]) => pattern.test(error)) ?? [];
    const said = ours.kind === 'problem' ? ours.problem : '';
    return ours.kind === kind && said.includes(words) ? undefined : `${ours.kind} ${said}, upstream: ${error}`;
  }
  const made = ours.kind === 'allocated' ? ours.allocations : [];
  // Without claims, there is nothing to allocate.
  if (ours.kind !== 'allocated' && (ours.kind !== 'none' || allocations.length > 0)) {
    return `${ours.kind}, upstream: ${JSON.stringify(allocations)}`;
  }
  const [ourText, text] = [made, allocations].map((list) => JSON.stringify(list.map(comparable)));
  return ourText === text ? undefined : `${ourText}, upstream: ${text}`;
}

/** Without what is random or of the moment; amounts in one unit; keys in one order. */
function comparable(allocation: JsonObject): JsonValue {
  const { devices, nodeSelector = null } = allocation;
  const { results, ...others } = asObject(devices);
  return sorted({
    nodeSelector,
    devices: {
      ...others,
      results: asArray(results)
        .map(asObject)
        .map((result): JsonObject => ({
          ...result,
          ...(result.shareID !== undefined && { shareID: 'share' }),
          ...(result.consumedCapacity !== undefined && {
            consumedCapacity: amounts(asObject(result.consumedCapacity)),
          }),
        })),
    },
  });
}

function amounts(capacity: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(capacity).map(([name, amount]) => [name, String(nanosOf(amount))]));
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, one]) => [key, sorted(one)]),
      )
    : value;
}

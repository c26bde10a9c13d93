import * as fc from 'fast-check';
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { volcanoRules } from '../../../src/constructs/volcano/rules';
import { readSchedulerConfig } from '../../../src/constructs/volcano/scheduler-config-text';
import { findingsOf } from '../../support/findings';
import {
  configMap,
  cronJob,
  deployment,
  exactly,
  hyperNode,
  job,
  jobFlow,
  jobTemplate,
  member,
  podGroup,
  queue,
} from './cases/world';
import { samples } from '../../support/samples';

const SEED = 20261120;
const yaml = (manifests: readonly JsonValue[]): string =>
  manifests.map((manifest) => JSON.stringify(manifest)).join('\n---\n');

/** Every kind that the rules look at, with something in every part. */
const platform = (): JsonObject[] => [
  queue(
    'p',
    { deserved: { cpu: 1 }, guarantee: { resource: { cpu: 1 } }, capability: { cpu: 1 } },
    { 'volcano.sh/hierarchy': 'root/p', 'volcano.sh/hierarchy-weights': '1/1' },
  ),
  queue('c', { parent: 'p', deserved: { cpu: 1 } }),
  podGroup('g', {
    minMember: 1,
    minTaskMember: { a: 1 },
    networkTopology: { highestTierAllowed: 1 },
    subGroupPolicy: [{ networkTopology: {} }],
    queue: 'p',
  }),
  job({
    minAvailable: 1,
    queue: 'c',
    volumes: [{ mountPath: '/a', volumeClaimName: 'b' }],
    networkTopology: { mode: 'hard' },
  }),
  cronJob({ timeZone: 'UTC' }),
  jobTemplate('t'),
  jobFlow([{ name: 't', dependsOn: { targets: [] } }]),
  hyperNode('h', 2, [
    member('HyperNode', exactly('i')),
    member('Node', { regexMatch: { pattern: 'a' } }),
    member('Node', { labelMatch: { matchLabels: { a: 'b' } } }),
  ]),
  hyperNode('i', 1, [member('Node', exactly('n'))]),
  deployment(
    1,
    { annotations: { 'scheduling.k8s.io/group-name': 'g', 'volcano.sh/jdb-min-available': '1' } },
    { 'scheduling.volcano.sh/group-min-member': '1' },
  ),
  configMap(),
];

/** The places of a value, those of containers before those inside. */
function places(value: JsonValue, path: readonly (string | number)[] = []): readonly (readonly (string | number)[])[] {
  if (value === null || typeof value !== 'object') {
    return [path];
  }
  const entries: [string | number, JsonValue][] = Array.isArray(value)
    ? value.map((item, index) => [index, item])
    : Object.entries(value);
  return [path, ...entries.flatMap(([key, item]) => places(item, [...path, key]))];
}

function replaced(value: JsonValue, path: readonly (string | number)[], by: JsonValue): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) {
    return by;
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === key ? replaced(item, rest, by) : item));
  }
  const object = value as JsonObject;
  return { ...object, [key]: replaced(object[key] ?? null, rest, by) };
}

const junk: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>(
    null,
    '',
    0,
    -1,
    1.5,
    true,
    [],
    {},
    [null],
    [[]],
    { '': null },
    '*',
    '$(',
    '--',
    '\u0000',
    'a/b/c',
    [{}],
    { __proto__: 1 },
    'constructor',
  ),
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>,
);

test('no rule fails, whatever replaces any part of a manifest', () => {
  const good = platform();
  const targets = good.flatMap((manifest, index) =>
    places(manifest)
      .filter(([first]) => first === 'spec' || first === 'data' || first === 'metadata')
      .map((path) => [index, ...path]),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...targets), junk), { minLength: 1, maxLength: 3 }), (changes) => {
      let set: JsonValue = good;
      for (const [path, value] of changes) {
        // An earlier change may have taken the place away.
        if (exists(set, path)) {
          set = replaced(set, path, value);
        }
      }
      findingsOf(yaml(set as JsonValue[]), volcanoRules);
    }),
    { seed: SEED, numRuns: samples(250) },
  );
});

function exists(value: JsonValue, path: readonly (string | number)[]): boolean {
  let at: JsonValue | undefined = value;
  for (const key of path) {
    if (at === null || typeof at !== 'object') {
      return false;
    }
    at = Array.isArray(at) ? at[Number(key)] : at[key];
  }
  return at !== undefined;
}

test('any text is read as a scheduler configuration without failing', () => {
  const words = fc.constantFrom(
    'actions:',
    'tiers:',
    '- plugins:',
    '- name: gang',
    'arguments:',
    '&a',
    '*a',
    '<<:',
    '"',
    '{',
    '[',
    '  ',
    '\n',
    '\t',
    '--flag',
    ': ',
    'binpack',
    '2026-01-01',
    '!!binary',
    '%',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(words).map((parts) => parts.join(' ')),
        fc.array(words).map((parts) => parts.join('\n')),
      ),
      (text) => {
        const { problems, refused } = readSchedulerConfig(text);
        if (refused) {
          expect(problems.length).toBeGreaterThan(0);
        }
      },
    ),
    { seed: SEED, numRuns: samples(500) },
  );
});

describe('queue trees', () => {
  interface Share {
    readonly cpu: number;
    readonly gpu: number;
  }
  const share: fc.Arbitrary<Share> = fc.record({
    cpu: fc.integer({ min: 0, max: 8 }),
    gpu: fc.integer({ min: 0, max: 4 }),
  });
  const amounts = ({ cpu, gpu }: Share): JsonObject => ({ cpu: cpu, 'nvidia.com/gpu': gpu });

  test('the sums of children are reported exactly where they exceed the parent', () => {
    fc.assert(
      fc.property(share, fc.array(share, { minLength: 1, maxLength: 5 }), (parent, children) => {
        const set = [
          queue('p', { deserved: amounts(parent) }),
          ...children.map((child, index) => queue(`c${index}`, { parent: 'p', deserved: amounts(child) })),
        ];
        const sum = (of: (share: Share) => number): number => children.reduce((total, child) => total + of(child), 0);
        const tooMuch = [
          ...(sum(({ cpu }) => cpu) > parent.cpu ? ['/spec/deserved/cpu'] : []),
          ...(sum(({ gpu }) => gpu) > parent.gpu ? ['/spec/deserved/nvidia.com~1gpu'] : []),
        ];
        const found = findingsOf(yaml(set), volcanoRules).filter(
          ({ rule }) => rule === 'volcano/queue-children-deserved-within-parent',
        );
        expect(found.map(({ path }) => path).sort()).toEqual(tooMuch.sort());
      }),
      { seed: SEED, numRuns: samples(200) },
    );
  });

  test('a capability is reported exactly where it exceeds that of the nearest ancestor with a limit', () => {
    const limits = fc.array(fc.option(fc.integer({ min: 1, max: 9 })), { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(limits, (chain) => {
        const set = chain.map((limit, level) =>
          queue(`q${level}`, {
            ...(level === 0 ? {} : { parent: `q${level - 1}` }),
            ...(limit === null ? {} : { capability: { cpu: limit } }),
          }),
        );
        const expected = chain.flatMap((limit, level) => {
          const nearest = chain
            .slice(0, level)
            .reverse()
            .find((other) => other !== null);
          return limit !== null && nearest != null && limit > nearest ? [`q${level}`] : [];
        });
        const found = findingsOf(yaml(set), volcanoRules).filter(
          ({ rule }) => rule === 'volcano/queue-capability-within-ancestor',
        );
        expect(found.map(({ object }) => object.split(' ').at(-1)).sort()).toEqual(expected);
      }),
      { seed: SEED, numRuns: samples(200) },
    );
  });
});

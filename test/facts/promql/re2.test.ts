/**
 * Regular expressions are compiled up to a length: beyond it, the time of the engine grows with the square of it.
 */
import { RE2JS } from '@bufbuild/re2';
import * as fc from 'fast-check';
import { isTooLongForRe2, re2Of, re2Problem } from '../../../src/facts/promql/re2';
import { withShortLiterals } from '../../../src/facts/promql/short-literals';
import { regularExpressionProblem } from '../../../src/facts/promql';
import { check, readManifests } from '../../../src/interfaces/checks';
import { givenPatternOf } from '../../../src/manifests/values/patterns';
import { samples } from '../../support/samples';

const LONGEST = 32_768;
const long = (tail = ''): string => `${'{'.repeat(LONGEST + 1 - tail.length)}${tail}`;

test('an expression is judged as far as it is compiled', () => {
  expect(typeof re2Of('a+')).toBe('object');
  expect(re2Problem('a+')).toBeUndefined();
  expect(re2Problem('a(?=b)')).toMatch(/invalid/);
  const longest = long('(').slice(1);
  expect([longest.length, isTooLongForRe2(longest), isTooLongForRe2(long())]).toEqual([LONGEST, false, true]);
  expect(re2Problem(longest)).toMatch(/missing/);
  expect(re2Problem(long('('))).toBeUndefined();
  expect(re2Of(long())).toBe('the expression has more than 32768 characters');
});

test('no text is compared with a pattern that is not compiled', () => {
  const pattern = long('(');
  expect(givenPatternOf(pattern)).toMatchObject({ isUnjudged: true });
  expect(givenPatternOf(pattern)?.test('x')).toBe(true);
  expect(givenPatternOf(pattern)?.findAll('x', -1)).toBeUndefined();
  expect(givenPatternOf(pattern.slice(1))).toBeUndefined();
});

const PIECES = [
  ...[
    'a',
    'b',
    '\\.',
    '\\x41',
    '\\x{1F600}',
    '\\pL',
    '\\p{Greek}',
    '[a-z]',
    '[^]a]',
    '[[:alpha:]x]',
    '(',
    '(?:',
    '(?P<n>',
    '(?i:',
    ')',
    '|',
    '*',
  ],
  ...[
    '+?',
    '{2}',
    '{1,3}',
    '{',
    '}',
    '\\Qab.c\\E',
    '\\101',
    '^',
    '$',
    '.',
    'é',
    '😀',
    '-',
    ']',
    '\\d',
    '\\b',
    'ab'.repeat(40),
    `\\Q${'a.'.repeat(60)}`,
  ],
];
const TEXTS = [
  'a',
  'aab.c',
  'A',
  'Aa',
  '😀é',
  'zz',
  'ab'.repeat(40),
  'ab'.repeat(39),
  'a.'.repeat(60),
  'α',
  ']a',
  '{',
  'a-b',
];
const compiled = (source: string): RE2JS | undefined => {
  try {
    return RE2JS.compile(source);
  } catch {
    return undefined;
  }
};

test('a long expression means the same once its literals are broken up', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 90 }),
      (pieces, size) => {
        const names = pieces.map((piece, index) => (piece === '(?P<n>' ? `(?P<${'n'.repeat(size)}${index}>` : piece));
        const source = `${names.join('')}|${'z'.repeat(1000)}`;
        const [as, broken] = [compiled(source), compiled(withShortLiterals(source))];
        expect(TEXTS.map((text) => broken?.test(text))).toEqual(TEXTS.map((text) => as?.test(text)));
      },
    ),
    { numRuns: samples(300) },
  );
});

test('literals are broken up where they are long, and nowhere else', () => {
  expect(withShortLiterals('a'.repeat(1000))).toBe('a'.repeat(1000));
  const broken = withShortLiterals(`${'a'.repeat(640)}(?P<${'n'.repeat(400)}>\\Q${'b'.repeat(400)}`);
  expect(Math.max(...broken.split(/\(\?:\)|\(\?P<n+>|\\[QE]/).map(({ length }) => length))).toBe(64);
});

const REGEX = '{'.repeat(500_000);
const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: string, pattern: '${REGEX}'}}}}}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: a, namespace: ns}
spec: x
`;

test.each([
  [
    'a relabeling',
    `apiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {name: a, namespace: ns}\nspec: {selector: {}, podMetricsEndpoints: [{port: web, relabelings: [{targetLabel: a, regex: '${REGEX}'}]}]}\n`,
  ],
  [
    'a matcher of PromQL',
    `apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: a, namespace: ns}\nspec: {groups: [{name: a, rules: [{record: 'a:b', expr: 'sum(up{a=~"${REGEX}"})'}]}]}\n`,
  ],
  [
    'a selector of nodes',
    `apiVersion: topology.volcano.sh/v1alpha1\nkind: HyperNode\nmetadata: {name: a}\nspec: {tier: 1, members: [{type: Node, selector: {regexMatch: {pattern: '${REGEX}'}}}]}\n`,
  ],
  ['a pattern of a definition, and an object of its kind', definition],
])('%s of half a megabyte costs little', (_, text) => {
  const { user } = process.cpuUsage();
  const { findings } = check(readManifests(text));
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect((process.cpuUsage().user - user) / 1e6).toBeLessThan(3);
});

test('a long expression of names is still read', () => {
  const names = Array.from({ length: 2000 }, (_, index) => `metric_${index}`).join('|');
  expect(regularExpressionProblem(names)).toBeUndefined();
});

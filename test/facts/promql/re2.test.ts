/**
 * Regular expressions are compiled up to a length: beyond it, the time of the engine grows with the square of it.
 */
import { compileRe2, isTooLongForRe2, re2Problem } from '../../../src/facts/promql/re2';
import { regularExpressionProblem } from '../../../src/facts/promql';
import { check, readManifests } from '../../../src/interfaces/checks';
import { matchByRe2, patternOf } from '../../../src/manifests/values/patterns';

const LONGEST = 4000;
const long = (tail = ''): string => `${'{'.repeat(LONGEST + 1 - tail.length)}${tail}`;

test('an expression is judged as far as it is compiled', () => {
  expect(compileRe2('a+').matches('aa')).toBe(true);
  expect(re2Problem('a+')).toBeUndefined();
  expect(re2Problem('a(?=b)')).toMatch(/invalid/);
  const longest = long('(').slice(1);
  expect([longest.length, isTooLongForRe2(longest), isTooLongForRe2(long())]).toEqual([LONGEST, false, true]);
  expect(re2Problem(longest)).toMatch(/missing/);
  expect(re2Problem(long('('))).toBeUndefined();
  expect(() => compileRe2(long())).toThrow('the expression has more than 4000 characters');
});

test('no text is held to a pattern that is not compiled', () => {
  const pattern = long('(');
  matchByRe2(pattern);
  expect(patternOf(pattern)?.test('x')).toBe(true);
  expect(patternOf(pattern)?.findAll('x', -1)).toBeUndefined();
  expect(patternOf(pattern.slice(1))).toBeUndefined();
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

/**
 * The cost of rules. The numbers of items are those up to which kube-apiserver 1.36.3 takes a list with the rule, asked item by item.
 */
import { celList } from '@bufbuild/cel';
import { check, readManifests } from '../../src/interfaces/checks';
import { programOf } from '../../src/cel/rule-program';

function costOf(rule: string, count: number): number | string {
  const program = programOf(rule);
  if (typeof program === 'string') {
    throw new TypeError(program);
  }
  const outcome = program.run(celList(Array.from({ length: count }, (_, index) => `b${index}`)));
  return 'error' in outcome ? outcome.error : outcome.cost;
}

const TOO_MUCH = 'it exceeds the cost limit of 1000000 units for one rule';

describe('a rule', () => {
  it('may cost what the server lets it', () => {
    const rule = 'self.all(x, self.all(y, x in self))';
    expect(costOf(rule, 98)).toBeGreaterThan(950_000);
    expect(costOf(rule, 98)).toBeLessThan(1_000_000);
    expect(costOf(rule, 101)).toBe(TOO_MUCH);
  });

  it.each([
    ['self.all(x, self.exists(y, x == y))', 531],
    ['self.all(x, self.all(y, x.size() + y.size() < 100))', 332],
    ['self.all(x, self.all(y, x.startsWith("a") || y != "q"))', 376],
    ['self.map(x, self.map(y, y)).size() < 1000', 276],
  ])('costs what the server counts, as far as the number of items it takes shows: %s, %d', (rule, items) => {
    const cost = Number(costOf(rule, 100));
    expect(cost * (items / 100) ** 2).toBeGreaterThan(960_000);
    expect(cost * (items / 100) ** 2).toBeLessThan(1_040_000);
  });

  it('that loops in loops is stopped', () => {
    const nested = 'self.all(a, self.all(b, self.all(c, self.all(d, self.all(e, a + b + c + d + e != "")))))';
    expect(costOf(nested, 200)).toBe(TOO_MUCH);
  });

  it.each([
    ['self.size()', 2],
    ['self.size() > 0 && self.size() > 1', 6],
    ['self.size() > 5 && self.size() > 1', 3],
    ['self.size() > 0 ? self.size() : self.size() + self.size()', 5],
    ['[1, 2, 3]', 10],
    ['{"a": 1}', 30],
    ['"abcdefghijk".contains("a")', 2],
    ['"abcdefghijk".startsWith("abcdefghijk")', 2],
    ['"abcdefghijk".matches("^abcdefg$")', 6],
    ['"a" in self', 4],
  ])('pays for what is evaluated: %s costs %d', (rule, cost) => {
    expect(costOf(rule, 3)).toBe(cost);
  });
});

test('the rules of an object together cost no more than the server lets them', () => {
  const rule = 'self.all(x, self.all(y, x in self))';
  const rules = Array.from({ length: 15 }, (_, index) => `{rule: '${rule} || ${index} > 99'}`);
  const manifests = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ws.x.io}
spec:
  group: x.io
  names: {kind: W, plural: ws, singular: w, listKind: WList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {l: {type: array, items: {type: string}, x-kubernetes-validations: [${rules.join(', ')}]}}}}
---
apiVersion: x.io/v1
kind: W
metadata: {name: a}
spec: {l: [${Array.from({ length: 97 }, (_, index) => `a${index}`).join(', ')}]}
`;
  const { findings } = check(readManifests(manifests), { tiers: ['cel'] });
  expect(findings.map(({ message }) => message)).toEqual([
    'the rules of the object exceed the cost budget of 10000000 units for one object',
  ]);
});

/**
 * Expressions that the API server rejects for what they may cost. The estimates themselves are compared in `test/cel/estimates`, and with a live
 * server in `test/e2e/costs`.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { coreRules } from '../../../src/checks/server/rules';
import { findingsOf } from '../../support/findings';

function findings(object: JsonObject): readonly string[] {
  return findingsOf(JSON.stringify(object), coreRules, { kubernetes: '1.36' }).map(
    ({ path, message, found }) => `${path}: ${message}, found ${JSON.stringify(found)}`,
  );
}

function definition(spec: JsonObject): JsonObject {
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      names: { kind: 'Thing', listKind: 'ThingList', plural: 'things', singular: 'thing' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

const SPEC = '/spec/versions/0/schema/openAPIV3Schema/properties/spec';

function list(limits: JsonObject, rules: readonly JsonObject[]): JsonObject {
  const items = { type: 'string', maxLength: 63 };
  return { type: 'array', items, ...limits, 'x-kubernetes-validations': [...rules] };
}

const UNIQUE = { rule: 'self.all(x, self.exists_one(y, x == y))' };

describe('a rule of a definition', () => {
  it('may loop in a loop only over a list whose length has a limit', () => {
    expect(findings(definition(list({}, [UNIQUE])))).toEqual([
      '/spec/versions/0/schema/openAPIV3Schema: the estimated cost of all rules of the schema exceeds 100000000, found 32985292210202',
      `${SPEC}/x-kubernetes-validations/0/rule: the estimated cost of the rule exceeds 10000000, found 32985292210202`,
    ]);
    expect(findings(definition(list({ maxItems: 100 }, [UNIQUE])))).toEqual([]);
  });

  it('costs as much more as there can be values around it', () => {
    const inner = list({ maxItems: 100 }, [UNIQUE]);
    const within = (maxItems: number): JsonObject => definition({ type: 'array', items: inner, maxItems });
    expect(findings(within(10))).toEqual([]);
    expect(findings(within(100))).toEqual([
      expect.stringContaining(`${SPEC}/items/x-kubernetes-validations/0/rule: the estimated cost of the rule exceeds`),
    ]);
    const inMap = { type: 'object', additionalProperties: inner };
    expect(findings(definition({ ...inMap, maxProperties: 10 }))).toEqual([]);
    expect(findings(definition(inMap))).toHaveLength(2);
  });

  it('counts toward what all rules of the schema may cost', () => {
    const rules = (count: number): JsonObject[] => Array.from({ length: count }, () => UNIQUE);
    expect(findings(definition(list({ maxItems: 500 }, rules(10))))).toEqual([]);
    expect(findings(definition(list({ maxItems: 500 }, rules(30))))).toEqual([
      expect.stringMatching(/openAPIV3Schema: the estimated cost of all rules/),
    ]);
  });

  it('has a message with a limit of its own', () => {
    const messageExpression = 'self.map(x, self.map(y, x + y)).size() > 3 ? "a" : "b"';
    expect(findings(definition(list({ maxItems: 1000 }, [{ rule: 'size(self) < 5', messageExpression }])))).toEqual([
      expect.stringContaining(
        '/x-kubernetes-validations/0/messageExpression: the estimated cost of the expression exceeds',
      ),
    ]);
  });

  it('says where the cost has no limit', () => {
    const rule = { rule: 'self.map(x, self.map(y, self.map(z, x + y + z))).size() < 3' };
    expect(findings(definition(list({}, [rule, rule])))[0]).toMatch(/found "a cost without a limit"$/);
  });
});

describe('a selector of devices', () => {
  const ofClass = (expression: string): readonly string[] =>
    findings({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'DeviceClass',
      metadata: { name: 'gpu' },
      spec: { selectors: [{ cel: { expression } }] },
    });

  it('may loop over attributes three times, and not four times', () => {
    const loop = (inner: string): string => `device.attributes.exists(d, device.attributes[d].exists(k, ${inner}))`;
    expect(ofClass(loop('device.attributes.exists(e, e == k)'))).toEqual([]);
    expect(ofClass(loop(loop('d == k')))).toEqual([
      expect.stringMatching(
        /^\/spec\/selectors\/0\/cel\/expression: the estimated cost of the expression exceeds 1000000/,
      ),
    ]);
  });
});

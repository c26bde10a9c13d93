/**
 * Expressions of growing cost, as objects: definitions with one rule, definitions with many rules, and device classes with one selector. Near the limits
 * of the API server, each step costs little more than the one before it.
 */
import { type JsonObject } from '../../../src/facts/api/schema';

/** Objects of which the first are accepted and the last are not. */
export interface Growing {
  readonly name: string;
  readonly steps: readonly JsonObject[];
}

const STEPS = 25;

function series(name: string, from: number, by: number, make: (size: number) => JsonObject): Growing {
  return { name, steps: Array.from({ length: STEPS }, (_, index) => make(from + index * by)) };
}

export function growing(): readonly Growing[] {
  return [
    series('a loop in a loop over a list of limited length', 600, 20, (maxItems) =>
      definition({ list: list({ type: 'string', maxLength: 20 }, maxItems) }, [
        'self.list.all(x, self.list.exists(y, x == y))',
      ]),
    ),
    series('a pattern on strings of limited length', 300, 300, (maxLength) =>
      definition({ list: list({ type: 'string', maxLength }, 500) }, [
        "self.list.all(x, x.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'))",
      ]),
    ),
    series('a rule within a list', 1400, 15, (maxItems) =>
      definition(
        { list: list(withRules({ a: { type: 'string', maxLength: 200 } }, ['self.a.contains(self.a)']), maxItems) },
        [],
      ),
    ),
    series('a rule within a list without a limit, whose items have required fields', 30, 1, (count) => {
      const names = Array.from({ length: count }, (_, index) => `required${index}`);
      const fields = Object.fromEntries(names.map((name) => [name, { type: 'string', maxLength: 10 }]));
      const item = {
        ...withRules({ ...fields, a: { type: 'string', maxLength: 5000 } }, ["self.a.contains('abcdefghij')"]),
      };
      return definition({ list: list({ ...item, required: names }) }, []);
    }),
    series('many rules', 4, 1, (count) =>
      definition(
        { list: list({ type: 'string', maxLength: 64 }, 400) },
        Array.from({ length: count }, (_, index) => `self.list.all(x, self.list.exists(y, x == y + '${index}'))`),
      ),
    ),
    series('a message', 100_000, 5_000, (maxItems) =>
      definition({ list: list({ type: 'string', maxLength: 100 }, maxItems) }, ['size(self.list) < 5'], {
        messageExpression: "self.list.map(x, x.lowerAscii()).filter(x, x.startsWith('a')).size() > 3 ? 'too long' : ''",
      }),
    ),
    series('a selector with a long range', 250, 6, (count) =>
      deviceClass(
        `lists.range(${count}).all(x, lists.range(${count}).all(y, x * y < ${count} && device.driver == 'a'))`,
      ),
    ),
    series('a selector with a long pattern', 400, 15, (length) =>
      deviceClass(`device.attributes.all(d, v, v.all(k, w, d.matches('${'a'.repeat(length)}')))`),
    ),
  ];
}

function list(items: JsonObject, maxItems?: number): JsonObject {
  return { type: 'array', items, ...(maxItems === undefined ? {} : { maxItems }) };
}

function withRules(properties: JsonObject, rules: readonly string[], more: JsonObject = {}): JsonObject {
  return {
    type: 'object',
    properties,
    ...(rules.length === 0 ? {} : { 'x-kubernetes-validations': rules.map((rule) => ({ rule, ...more })) }),
  };
}

function definition(properties: JsonObject, rules: readonly string[], more: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'costs.gantry.example.com' },
    spec: {
      group: 'gantry.example.com',
      names: { kind: 'Cost', listKind: 'CostList', plural: 'costs', singular: 'cost' },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: 'object', properties: { spec: withRules(properties, rules, more) } },
          },
        },
      ],
    },
  };
}

function deviceClass(expression: string): JsonObject {
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'DeviceClass',
    metadata: { name: 'costs.example.com' },
    spec: { selectors: [{ cel: { expression } }] },
  };
}

/**
 * What the engine itself says of a text, and of a CEL rule that cannot be evaluated: under which id.
 */
import { type JsonObject } from '../../src/facts/api/schema';
import { check } from '../../src/checks/engine';
import { ManifestSet } from '../../src/manifests/manifest-set';
import { parseYaml } from '../../src/manifests/yaml';

const HEAD = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a, namespace: b }\n';
const found = (text: string, crds: readonly JsonObject[] = []): readonly string[] => {
  const { manifests, problems } = parseYaml(text, 'a.yaml');
  return check(new ManifestSet(manifests, problems), { rules: [], crds }).findings.map(
    ({ rule, severity, line }) => `${severity} ${rule} ${line ?? '-'}`,
  );
};

test.each([
  ['a key that appears twice', `${HEAD}data: { x: "1", x: "2" }\n`, 'error yaml/unique-keys 4'],
  ['a text that is no YAML', `${HEAD}data: [`, 'error yaml/syntax 4'],
  ['a document that is no object', '- a\n- b\n', 'error yaml/kubernetes-object 1'],
])('%s', (_what, text, finding) => {
  expect(found(text)).toEqual([finding]);
  expect(found(`${HEAD}data: { x: "1" }\n`)).toEqual([]);
});

test('a number that loses digits', () => {
  const sized = (value: string): string =>
    `apiVersion: example.com/v1\nkind: Thing\nmetadata: { name: a }\nspec: { size: ${value} }\n`;
  expect(found(sized('9007199254740993'))).toEqual([expect.stringContaining(' yaml/exact-integer 4')]);
  expect(found(sized('9007199254740991'))).toEqual([]);
});

test('a CEL rule that reads a field that is not there', () => {
  const schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: { a: { type: 'integer' } },
        'x-kubernetes-validations': [{ rule: 'self.a > 1' }],
      },
    },
  };
  const crd: JsonObject = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { kind: 'Thing', plural: 'things' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
  const thing = (spec: string): string =>
    `apiVersion: example.com/v1\nkind: Thing\nmetadata: { name: a }\nspec: ${spec}\n`;
  expect(found(thing('{}'), [crd])).toEqual(['error cel/rule-evaluates 4']);
  expect(found(thing('{ a: 1 }'), [crd])).toEqual(['error cel/rule 4']);
  expect(found(thing('{ a: 2 }'), [crd])).toEqual([]);
});

test.each([
  [`${HEAD}data: { x: "1", x: "2" }\n`, 'Remove all but one of the entries with the key "x".'],
  ['{"apiVersion": "v1", "apiVersion": "v1"}', 'Remove all but one of the entries with the key "apiVersion".'],
  ['- a\n', 'Replace the document with an object that sets apiVersion and kind, or remove the document.'],
])('what to do about %j', (text, fix) => {
  const { manifests, problems } = parseYaml(text, 'a.yaml');
  expect(check(new ManifestSet(manifests, problems), { rules: [] }).findings.map((one) => one.fix)).toContain(fix);
});

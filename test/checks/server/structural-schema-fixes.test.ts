/**
 * What to write for a schema in a CustomResourceDefinition that is not structural.
 */
import { check } from '../../../src/interfaces/checks';
import { parseYaml } from '../../../src/manifests/yaml';
import { ManifestSet } from '../../../src/manifests/manifest-set';

function fixesOf(field: object, version: object = {}): readonly (string | undefined)[] {
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { f: field } } },
          ...version,
        },
      ],
    },
  };
  const { findings } = check(new ManifestSet(parseYaml(JSON.stringify(definition), 'a.yaml').manifests), {
    tiers: ['server'],
  });
  return findings.map(({ fix }) => fix);
}

const STRING = { type: 'string' };
const listOf = (items: object, type: string, keys?: readonly string[]): object => ({
  type: 'array',
  'x-kubernetes-list-type': type,
  ...(keys === undefined ? {} : { 'x-kubernetes-list-map-keys': keys }),
  items,
});

test.each([
  ['additionalProperties: false', { type: 'object', additionalProperties: false }, 'Remove f.additionalProperties.'],
  ['a set of null', listOf({ type: 'string', nullable: true }, 'set'), 'Remove items.nullable.'],
  [
    'a map without keys',
    listOf({ type: 'object', required: ['k'], properties: { k: STRING } }, 'map'),
    'Set f.x-kubernetes-list-map-keys to a list of fields of the items, such as [name].',
  ],
  [
    'an unknown key',
    listOf({ type: 'object', properties: { k: STRING } }, 'map', ['z']),
    'Add z to items.properties, or remove it from x-kubernetes-list-map-keys.',
  ],
  [
    'an optional key',
    listOf({ type: 'object', properties: { k: STRING } }, 'map', ['k']),
    'Add k to required of the items, or set a default for it.',
  ],
  [
    'a key that may be null',
    listOf({ type: 'object', required: ['k'], properties: { k: { ...STRING, nullable: true } } }, 'map', ['k']),
    'Remove k.nullable.',
  ],
  [
    'a key that is an object',
    listOf({ type: 'object', required: ['k'], properties: { k: { type: 'object' } } }, 'map', ['k']),
    'Set k.type to string, integer, number, or boolean, or remove k from x-kubernetes-list-map-keys.',
  ],
])('%s', (_what, field, fix) => {
  expect(fixesOf(field)).toEqual([fix]);
});

test('a list of schemas is replaced with one', () => {
  expect(fixesOf({ type: 'array', items: [STRING] })).toContain(
    'Replace the list in f.items with one schema, such as { type: string }.',
  );
});

test('fields that metadata and the root must not have are removed', () => {
  const root = { type: 'object', nullable: true, properties: { metadata: { type: 'object', description: 'x' } } };
  expect(fixesOf(STRING, { schema: { openAPIV3Schema: root } })).toEqual([
    'Remove openAPIV3Schema.nullable.',
    'Remove description from properties.metadata.',
  ]);
});

test('what is selectable anyway or cannot be selected', () => {
  expect(fixesOf({ type: 'object' }, { selectableFields: [{ jsonPath: '.f' }] })).toEqual([
    'Set selectableFields[0].jsonPath to the path of a string, a boolean, or an integer.',
  ]);
});

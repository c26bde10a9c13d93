/**
 * What to write for a schema in a CustomResourceDefinition that is not structural.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { coreRules } from '../../../src/checks/server/rules';
import { findingsOf } from '../../support/findings';
import { widgetDefinition } from '../../support/widget-definition';
import { yaml } from './valid';

const inField = (field: JsonObject): JsonObject => ({ type: 'object', properties: { f: field } });
const fixesOf = (schema: JsonObject, version: JsonObject = {}): readonly (string | undefined)[] =>
  findingsOf(yaml(widgetDefinition(schema, version)), coreRules).map(({ fix }) => fix);

const STRING = { type: 'string' };
const listOf = (items: JsonObject, type: string, keys?: string[]): JsonObject => ({
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
  expect(fixesOf(inField(field))).toEqual([fix]);
});

test('a list of schemas is replaced with one', () => {
  expect(fixesOf(inField({ type: 'array', items: [STRING] }))).toContain(
    'Replace the list in f.items with one schema, such as { type: string }.',
  );
});

test('fields that metadata and the root must not have are removed', () => {
  const root = { type: 'object', nullable: true, properties: { metadata: { type: 'object', description: 'x' } } };
  expect(fixesOf(root)).toEqual(['Remove openAPIV3Schema.nullable.', 'Remove description from properties.metadata.']);
});

test('what is selectable anyway or cannot be selected', () => {
  expect(fixesOf(inField({ type: 'object' }), { selectableFields: [{ jsonPath: '.f' }] })).toEqual([
    'Set selectableFields[0].jsonPath to the path of a string, a boolean, or an integer.',
  ]);
});

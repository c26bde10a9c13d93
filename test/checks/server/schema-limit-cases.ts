/**
 * CustomResourceDefinitions for each alternative of what the server checks in their schemas: defaults, lists, embedded resources, branches, and rules.
 */
import { crd, first, schemaOf } from './faults/fault';
import { faulty, type LimitCase, valid } from './limit-case';
import { type Json } from './valid';

const SCHEMA = '/spec/versions/0/schema/openAPIV3Schema';
const FIELD = `${SCHEMA}/properties/spec/properties/field`;

function definition(change: (spec: Json) => unknown): Json {
  const object = crd();
  change(object.spec as Json);
  return object;
}
/** With a field of this schema, and more members of the schema around it. */
const field = (schema: Json, more: Json = {}): Json =>
  definition((spec) => {
    (schemaOf(spec).properties as Json).spec = { type: 'object', properties: { field: schema }, ...more };
  });
const defaulted = (schema: Json, value: Json[string]): Json => field({ ...schema, default: value });
const listed = (kind: string, items: Json, more: Json = {}): Json =>
  field({ type: 'array', items, 'x-kubernetes-list-type': kind, ...more });
const keyed = (properties: Json, more: Json = {}): Json =>
  listed(
    'map',
    { type: 'object', properties, required: Object.keys(properties), ...more },
    { 'x-kubernetes-list-map-keys': ['name'] },
  );
const selectable = (jsonPath: string, schema: Json): Json =>
  definition((spec) => {
    (schemaOf(spec).properties as Json).spec = { type: 'object', properties: { 'a-b': schema, mode: schema } };
    first(spec.versions).selectableFields = [{ jsonPath }];
  });
const ruled = (rule: Json): Json => field({ type: 'string', 'x-kubernetes-validations': [rule] });

const named = (name: Json): Json => ({ type: 'object', properties: { name }, required: ['name'] });
const PERSON = named({ type: 'string' });

/** A default that the schema allows, and one that it does not. */
const bounded = (schema: Json, good: Json[string], bad: Json[string], words: string): readonly LimitCase[] => [
  valid(`a good default of ${JSON.stringify(schema)}`, defaulted(schema, good)),
  faulty(`a bad default of ${JSON.stringify(schema)}`, defaulted(schema, bad), `${FIELD}/default`, words),
];

const EMBEDDED: Json = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
};
const RESOURCE: Json = { apiVersion: 'v1', kind: 'A', metadata: { name: 'a' }, spec: { size: 1 } };

/** With these properties at the root, beside those of the kind. */
const rooted = (properties: Json): Json =>
  definition((spec) => Object.assign(schemaOf(spec).properties as Json, properties));
const TYPE_META: Json = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'object' } };
const METADATA = `${SCHEMA}/properties/metadata`;
const naming = (more: Json): Json => rooted({ metadata: { type: 'object', ...more } });
const short: Json = { type: 'string', maxLength: 20 };

const TYPES_OF_ROOTS: readonly LimitCase[] = [
  valid('the types that every object begins with', rooted(TYPE_META)),
  ...['apiVersion', 'kind'].map((name) =>
    faulty(
      `a number as ${name}`,
      rooted({ [name]: { type: 'number' } }),
      `${SCHEMA}/properties/${name}/type`,
      'number',
    ),
  ),
  faulty('metadata as a string', rooted({ metadata: { type: 'string' } }), `${METADATA}/type`, 'string'),
  valid('metadata with a short name', naming({ properties: { name: short, generateName: short } })),
  faulty('metadata with labels', naming({ properties: { labels: { type: 'object' } } }), METADATA, 'not labels'),
  faulty('metadata with a description', naming({ description: 'Names.' }), METADATA, 'not description'),
];

const DEFAULTS: readonly LimitCase[] = [
  valid('a default of an embedded resource', defaulted(EMBEDDED, RESOURCE)),
  faulty(
    'a default of an embedded resource with an unknown field',
    defaulted(EMBEDDED, { ...RESOURCE, status: {} }),
    `${FIELD}/default/status`,
    'unknown',
  ),
  valid(
    'a default with null for a nullable field',
    defaulted(named({ type: 'string', nullable: true }), { name: null }),
  ),
  faulty('a default with null', defaulted(named({ type: 'string' }), { name: null }), `${FIELD}/default/name`, 'null'),
  valid('a default with its fields', defaulted(PERSON, { name: 'a' })),
  faulty('a default without a required field', defaulted(PERSON, {}), `${FIELD}/default`, 'must contain "name"'),
  faulty('a default with another field', defaulted(PERSON, { name: 'a', age: 1 }), `${FIELD}/default/age`, 'unknown'),
  ...bounded({ type: 'integer', multipleOf: 4 }, 8, 6, 'must be a multiple of 4'),
  ...bounded({ type: 'integer', minimum: 4 }, 4, 3, '4'),
  ...bounded({ type: 'integer', maximum: 4 }, 4, 5, '4'),
  ...bounded({ type: 'string', minLength: 2 }, '😀é', 'a', 'at least 2 characters'),
  ...bounded({ type: 'string', maxLength: 2 }, '😀é', 'abc', 'no more than 2 characters'),
  ...bounded({ type: 'string', pattern: '^a+$' }, 'aa', 'ab', ''),
  ...bounded({ type: 'string', enum: ['a', 'b'] }, 'b', 'c', 'one of the values in enum'),
];

const LISTS: readonly LimitCase[] = [
  valid('a set of strings', listed('set', { type: 'string' })),
  valid('a set of atomic objects', listed('set', { type: 'object', 'x-kubernetes-map-type': 'atomic' })),
  faulty('a set of objects', listed('set', { type: 'object' }), `${FIELD}/items/x-kubernetes-map-type`, 'atomic'),
  faulty(
    'a set of sets',
    listed('set', { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' }),
    `${FIELD}/items/x-kubernetes-list-type`,
    'lists in a set must be atomic',
  ),
  faulty('a set of what may be null', listed('set', { type: 'string', nullable: true }), `${FIELD}/items/nullable`),
  faulty('a list of another type', listed('bag', { type: 'string' }), `${FIELD}/x-kubernetes-list-type`, '"bag"'),
  faulty(
    'a set with keys',
    listed('set', { type: 'string' }, { 'x-kubernetes-list-map-keys': ['name'] }),
    `${FIELD}/x-kubernetes-list-map-keys`,
    'only for a list of type map',
  ),
  valid('a map with a key', keyed({ name: { type: 'string' } })),
  valid('a map with a key that has a default', keyed({ name: { type: 'string', default: 'a' } }, { required: [] })),
  faulty(
    'a map with a key that may be unset',
    keyed({ name: { type: 'string' } }, { required: [] }),
    `${FIELD}/x-kubernetes-list-map-keys/0`,
    'must be required or have a default',
  ),
  faulty(
    'a map with a list as key',
    keyed({ name: { type: 'array', items: { type: 'string' } } }),
    `${FIELD}/items/properties/name/type`,
    'scalar',
  ),
  faulty(
    'a map with a key that may be null',
    keyed({ name: { type: 'string', nullable: true } }),
    `${FIELD}/items/properties/name/nullable`,
    'must not be nullable',
  ),
  faulty(
    'a map with a key that its items do not have',
    keyed({ id: { type: 'string' } }),
    `${FIELD}/x-kubernetes-list-map-keys/0`,
    'no field "name"',
  ),
];

const STRUCTURE: readonly LimitCase[] = [
  valid(
    'an embedded resource',
    field({ type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true }),
  ),
  faulty(
    'an embedded resource without fields',
    field({ type: 'object', 'x-kubernetes-embedded-resource': true }),
    `${FIELD}/properties`,
  ),
  faulty(
    'an embedded resource with any fields of one type',
    field({
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
      additionalProperties: { type: 'string' },
    }),
    `${FIELD}/additionalProperties`,
    'must not be set for an embedded resource',
  ),
  valid('an object that is granular', field({ type: 'object', 'x-kubernetes-map-type': 'granular' })),
  faulty(
    'a string that is granular',
    field({ type: 'string', 'x-kubernetes-map-type': 'granular' }),
    `${FIELD}/x-kubernetes-map-type`,
    'atomic or granular',
  ),
  faulty(
    'fields that are not preserved',
    field({ type: 'object', 'x-kubernetes-preserve-unknown-fields': false }),
    `${FIELD}/x-kubernetes-preserve-unknown-fields`,
    'true or unset',
  ),
  faulty('a pattern that RE2 cannot read', field({ type: 'string', pattern: '(?=a)' }), `${FIELD}/pattern`, 'RE2'),
  faulty(
    'metadata in a branch',
    field({
      type: 'object',
      properties: { metadata: { type: 'object' } },
      anyOf: [{ properties: { metadata: {} } }],
    }),
    `${FIELD}/anyOf/0/properties/metadata`,
    'metadata must not be set inside',
  ),
];

const RULES: readonly LimitCase[] = [
  valid('a rule with its message', ruled({ rule: "self != ''", message: 'must be set', reason: 'FieldValueRequired' })),
  faulty('a rule without an expression', ruled({ rule: '' }), `${FIELD}/x-kubernetes-validations/0/rule`, 'empty'),
  faulty(
    'a rule with a blank message',
    ruled({ rule: 'true', message: ' ' }),
    `${FIELD}/x-kubernetes-validations/0/message`,
    'must not be empty',
  ),
  faulty(
    'a rule with a message of two lines',
    ruled({ rule: 'true', message: 'a\nb' }),
    `${FIELD}/x-kubernetes-validations/0/message`,
    'line breaks',
  ),
  faulty(
    'a rule of two lines without a message',
    ruled({ rule: 'true &&\ntrue' }),
    `${FIELD}/x-kubernetes-validations/0/message`,
    'several lines',
  ),
  faulty(
    'a rule with another reason',
    ruled({ rule: 'true', reason: 'Bad' }),
    `${FIELD}/x-kubernetes-validations/0/reason`,
    '"Bad"',
  ),
  faulty(
    'a blank expression for the message',
    ruled({ rule: 'true', messageExpression: ' ' }),
    `${FIELD}/x-kubernetes-validations/0/messageExpression`,
    'empty',
  ),
];

const converted = (conversion: Json): Json => definition((spec) => (spec.conversion = conversion));
const convertedBy = (...conversionReviewVersions: string[]): Json =>
  converted({
    strategy: 'Webhook',
    webhook: { clientConfig: { url: 'https://a.example/b' }, conversionReviewVersions },
  });

const DEFINITIONS: readonly LimitCase[] = [
  faulty(
    'a list of the name of its items',
    definition((spec) => (spec.names = { plural: 'queues', kind: 'Queue', listKind: 'Queue' })),
    '/spec/names/listKind',
    'must be different',
  ),
  faulty(
    'a warning about a version that is not deprecated',
    definition((spec) => (first(spec.versions).deprecationWarning = 'use v2')),
    '/spec/versions/0/deprecationWarning',
    'unless deprecated is true',
  ),
  faulty(
    'an empty warning',
    definition((spec) => Object.assign(first(spec.versions), { deprecated: true, deprecationWarning: '' })),
    '/spec/versions/0/deprecationWarning',
    '1 to 256 printable characters',
  ),
  faulty('a conversion of another kind', converted({ strategy: 'Magic' }), '/spec/conversion/strategy', '"Magic"'),
  faulty(
    'a webhook without its strategy',
    converted({ strategy: 'None', webhook: { conversionReviewVersions: ['v1'] } }),
    '/spec/conversion/webhook',
    'unless strategy is Webhook',
  ),
  faulty(
    'a conversion webhook without a client',
    converted({ strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'] } }),
    '/spec/conversion/webhook/clientConfig',
    'clientConfig must be set',
  ),
  valid('a conversion webhook', convertedBy('v2', 'v1')),
  faulty(
    'a conversion webhook of a later version only',
    convertedBy('v2'),
    '/spec/conversion/webhook/conversionReviewVersions',
    'a version that the server supports',
  ),
  faulty(
    'a conversion webhook of one version twice',
    convertedBy('v1', 'v1'),
    '/spec/conversion/webhook/conversionReviewVersions',
    'valid and unique versions',
  ),
  valid('a selectable field', selectable('.spec.mode', { type: 'string' })),
  faulty(
    'a selectable field in brackets',
    selectable("['spec']['a-b']", { type: 'string' }),
    '/spec/versions/0/selectableFields/0/jsonPath',
    'the path of a field',
  ),
  faulty(
    'a selectable field that is absent',
    selectable('.spec.other', { type: 'string' }),
    '/spec/versions/0/selectableFields/0/jsonPath',
    'the path of a field in the schema',
  ),
  faulty(
    'a selectable number',
    selectable('.spec.mode', { type: 'number' }),
    '/spec/versions/0/selectableFields/0/jsonPath',
    'a string, a boolean, or an integer',
  ),
];

export const SCHEMA_LIMIT_CASES: readonly LimitCase[] = [
  ...TYPES_OF_ROOTS,
  ...DEFAULTS,
  ...LISTS,
  ...STRUCTURE,
  ...RULES,
  ...DEFINITIONS,
];

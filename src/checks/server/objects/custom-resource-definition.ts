/**
 * CustomResourceDefinition: names, versions, and the main demands on a structural schema.
 */
import { type JsonObject, type JsonValue } from '../../../api/schema';
import { pointer } from '../../../manifests/pointer';
import { asObject, isObject } from '../../../manifests/read';
import { type Rule } from '../../rule';
import { type Say, objectRule } from '../server-rule';
import { dns1035Label, dnsSubdomain } from '../syntax';
import { given, itemsOf, size, text, textsOf } from '../values';
import { checkClient } from './admission';

const KIND = 'apiextensions.k8s.io/CustomResourceDefinition';
const SOURCE = 'k8s.io/apiextensions-apiserver 0.36.2, pkg/apis/apiextensions/validation/validation.go';
const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const TYPES: ReadonlySet<string> = new Set(['array', 'boolean', 'integer', 'number', 'object', 'string']);

export const customResourceDefinitionRules: readonly Rule[] = [
  objectRule('crd-names-valid', [KIND], {
    source: SOURCE,
    summary: 'The group of a CRD is a domain; its plural, singular, kind and short names are DNS labels; its scope is Namespaced or Cluster.',
    fix: 'Correct the names.',
  }, (object, say) => {
    const spec = asObject(object.spec);
    const names = asObject(spec.names);
    const group = text(spec.group);
    const badGroup = group === '' ? 'be given' : dnsSubdomain(group) ?? (group.includes('.') ? undefined : 'hold a dot');
    if (badGroup !== undefined) say('/spec/group', `the group must ${badGroup}`);
    if (!['Cluster', 'Namespaced'].includes(text(spec.scope))) say('/spec/scope', `the scope "${text(spec.scope)}" does not exist`, { expected: 'Namespaced or Cluster' });
    const kind = text(names.kind);
    const singular = text(names.singular) || kind.toLowerCase();
    for (const [field, value] of [['plural', text(names.plural)], ['singular', singular], ['kind', kind.toLowerCase()], ['listKind', (text(names.listKind) || (kind === '' ? '' : `${kind}List`)).toLowerCase()]] as const) {
      const bad = value === '' ? 'be given' : dns1035Label(value);
      if (bad !== undefined) say(`/spec/names/${field}`, `${field} must ${bad}`);
    }
    if (kind !== '' && kind === text(names.listKind)) say('/spec/names/listKind', 'kind and listKind are the same');
    for (const field of ['shortNames', 'categories']) {
      for (const { value, path } of textsOf(names[field], `/spec/names/${field}`)) {
        const bad = dns1035Label(value);
        if (bad !== undefined) say(path, `"${value}" must ${bad}`);
      }
    }
  }),

  objectRule('crd-versions-valid', [KIND], {
    source: SOURCE,
    summary: 'A CRD has versions with unique names and a schema each, exactly one of them stored.',
    fix: 'Mark one version with storage: true, and give each a schema.',
  }, (object, say) => {
    const spec = asObject(object.spec);
    const versions = itemsOf(spec.versions, '/spec/versions');
    const seen = new Set<string>();
    for (const { value, path } of versions) {
      const name = text(value.name);
      const bad = dns1035Label(name);
      if (bad !== undefined) say(`${path}/name`, `the version's name must ${bad}`);
      if (seen.has(name)) say(`${path}/name`, `a version "${name}" stands here already`);
      seen.add(name);
      if (!isObject(asObject(value.schema).openAPIV3Schema)) say(`${path}/schema/openAPIV3Schema`, 'the version has no schema');
      if (given(value.deprecationWarning) && value.deprecated !== true) say(`${path}/deprecationWarning`, 'only a deprecated version has a warning');
      checkSubresources(asObject(value.subresources), `${path}/subresources`, say);
      for (const column of itemsOf(value.additionalPrinterColumns, `${path}/additionalPrinterColumns`)) checkColumn(column.value, column.path, say);
    }
    const stored = versions.filter(({ value }) => value.storage === true).length;
    if (stored !== 1) say('/spec/versions', `${stored} versions are stored`, { found: stored, expected: 'exactly one' });
    checkConversion(spec, say);
    if (spec.preserveUnknownFields === true) say('/spec/preserveUnknownFields', 'unknown fields are kept by x-kubernetes-preserve-unknown-fields in the schema');
  }),

  objectRule('crd-schema-structural', [KIND], {
    source: SOURCE,
    summary: 'Each part of a CRD\'s schema has a type, no $ref and no additionalProperties beside properties; list keys name fields that are there.',
    fix: 'Correct the schema; controller-gen makes structural ones.',
  }, (object, say) => {
    for (const { value, path } of itemsOf(asObject(object.spec).versions, '/spec/versions')) {
      const root = asObject(value.schema).openAPIV3Schema;
      if (!isObject(root)) continue;
      const anything = text(root.type) === '' && root['x-kubernetes-preserve-unknown-fields'] === true;
      if (text(root.type) !== 'object' && !anything) say(`${path}/schema/openAPIV3Schema/type`, 'the root of the schema is an object', { expected: 'object' });
      if (root.nullable === true) say(`${path}/schema/openAPIV3Schema/nullable`, 'the root of the schema cannot be null');
      checkSchema(root, `${path}/schema/openAPIV3Schema`, say, false);
    }
  }),
];

/** Inside allOf, anyOf, oneOf and not nothing may be typed that is not typed outside already. */
function checkSchema(schema: JsonObject, path: string, say: Say, junctor: boolean): void {
  const type = text(schema.type);
  const intOrString = schema['x-kubernetes-int-or-string'] === true;
  const preserve = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (type !== '' && !TYPES.has(type)) say(`${path}/type`, `the type "${type}" does not exist`, { expected: [...TYPES].join(', ') });
  if (!junctor && type === '' && !intOrString && !preserve) say(`${path}/type`, 'this part of the schema has no type', { expected: 'a type' });
  if (intOrString && preserve) say(`${path}/x-kubernetes-int-or-string`, 'an int-or-string keeps no unknown fields');
  for (const field of ['$ref', 'definitions', 'dependencies', 'patternProperties', 'additionalItems', 'id', '$schema']) {
    const empty = isObject(schema[field]) && size(schema[field]) === 0 && field !== 'additionalItems';
    if (given(schema[field]) && schema[field] !== '' && !empty) say(pointer(path, field), `${field} cannot stand in a structural schema`);
  }
  const mapType = schema['x-kubernetes-map-type'];
  if (given(mapType) && (type !== 'object' || (mapType !== 'atomic' && mapType !== 'granular'))) say(`${path}/x-kubernetes-map-type`, 'the map type of an object is atomic or granular');
  for (const rule of itemsOf(schema['x-kubernetes-validations'], `${path}/x-kubernetes-validations`)) {
    const reason = text(rule.value.reason);
    if (text(rule.value.rule).trim() === '') say(`${rule.path}/rule`, 'the rule is empty');
    if (given(rule.value.reason) && !REASONS.includes(reason)) say(`${rule.path}/reason`, `the reason "${reason}" does not exist`, { expected: REASONS.join(', ') });
  }
  if (schema.uniqueItems === true) say(`${path}/uniqueItems`, 'uniqueItems costs too much', { fix: 'Use x-kubernetes-list-type: set.' });
  if (given(schema.additionalProperties) && size(schema.properties) > 0) say(`${path}/additionalProperties`, 'additionalProperties and properties exclude each other');
  if (schema.additionalProperties === false) say(`${path}/additionalProperties`, 'additionalProperties false cannot stand in a structural schema');
  if (type === 'array' && !isObject(schema.items) && !junctor) say(`${path}/items`, 'the list has no schema of its items');
  if (Array.isArray(schema.items)) say(`${path}/items`, 'the items of a list have one schema');
  if (!junctor) checkList(schema, path, say);
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) say(`${path}/x-kubernetes-preserve-unknown-fields`, 'the field is true or absent');
  if (junctor) {
    for (const field of ['type', 'default', 'nullable', 'additionalProperties', 'description', 'title']) {
      if (given(schema[field]) && schema[field] !== '' && schema[field] !== false) say(`${path}/${field}`, `${field} stands outside of allOf, anyOf, oneOf and not`);
    }
  }
  for (const [name, part] of Object.entries(asObject(schema.properties))) {
    if (isObject(part) || part === null) checkSchema(asObject(part), pointer(path, 'properties', name), say, junctor);
  }
  for (const field of ['items', 'additionalProperties', 'not']) {
    const part = schema[field];
    if (isObject(part)) checkSchema(part, `${path}/${field}`, say, junctor || field === 'not');
  }
  for (const field of ['allOf', 'anyOf', 'oneOf']) {
    if (field === 'anyOf' && intOrString && isIntOrString(schema.anyOf)) continue;
    for (const [index, part] of itemsOf(schema[field], `${path}/${field}`).entries()) {
      if (field === 'allOf' && index === 0 && intOrString && Object.keys(part.value).length === 1 && isIntOrString(part.value.anyOf)) continue;
      checkSchema(part.value, part.path, say, true);
    }
  }
}

/** What may be said of a value in a branch of a union. */
const VALUE_FIELDS: ReadonlySet<string> = new Set([
  'type', 'format', 'pattern', 'enum', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength',
]);

/** The one union whose branches may have types. */
function isIntOrString(union: JsonValue | undefined): boolean {
  const types = itemsOf(union, '').map(({ value }) => (Object.keys(value).some((field) => !VALUE_FIELDS.has(field)) ? '' : text(value.type)));
  return types.length === 2 && types[0] === 'integer' && types[1] === 'string';
}

function checkList(schema: JsonObject, path: string, say: Say): void {
  const kind = schema['x-kubernetes-list-type'];
  if (!given(kind)) {
    if (size(schema['x-kubernetes-list-map-keys']) > 0) say(`${path}/x-kubernetes-list-map-keys`, 'list keys need x-kubernetes-list-type: map');
    return;
  }
  if (schema.type !== 'array') say(`${path}/x-kubernetes-list-type`, 'only a list has a list type');
  if (!['atomic', 'set', 'map'].includes(text(kind))) say(`${path}/x-kubernetes-list-type`, `the list type "${text(kind)}" does not exist`, { expected: 'atomic, set or map' });
  const keys = textsOf(schema['x-kubernetes-list-map-keys'], `${path}/x-kubernetes-list-map-keys`);
  if (kind !== 'map') {
    if (keys.length > 0) say(`${path}/x-kubernetes-list-map-keys`, 'only a list of type map has keys');
    return;
  }
  if (keys.length === 0) say(`${path}/x-kubernetes-list-map-keys`, 'a list of type map has keys');
  const item = asObject(schema.items);
  if (text(item.type) !== 'object') say(`${path}/items/type`, 'the items of a list of type map are objects', { expected: 'object' });
  if (new Set(keys.map(({ value }) => value)).size < keys.length) say(`${path}/x-kubernetes-list-map-keys`, 'a key stands there twice');
  for (const key of keys) {
    const field = asObject(item.properties)[key.value];
    if (!isObject(field)) say(key.path, `the items have no field "${key.value}"`);
    else if (!given(field.default) && !textsOf(item.required, '').some(({ value }) => value === key.value)) say(key.path, `the key "${key.value}" is neither required nor defaulted`);
  }
}

function checkSubresources(subresources: JsonObject, path: string, say: Say): void {
  if (!isObject(subresources.scale)) return;
  const paths: readonly (readonly [string, string, boolean])[] = [
    ['specReplicasPath', '.spec.', true], ['statusReplicasPath', '.status.', true], ['labelSelectorPath', '.spec. or .status.', false],
  ];
  for (const [field, prefix, required] of paths) {
    const value = text(subresources.scale[field]);
    if (value === '' && !required) continue;
    const fits = field === 'labelSelectorPath' ? /^\.(spec|status)\../.test(value) : value.startsWith(prefix) && value.length > prefix.length;
    if (!fits) say(`${path}/scale/${field}`, `${field} must begin with ${prefix}`);
  }
}

function checkColumn(column: JsonObject, path: string, say: Say): void {
  if (text(column.name) === '') say(`${path}/name`, 'the column has no name');
  if (!['integer', 'number', 'string', 'boolean', 'date'].includes(text(column.type))) say(`${path}/type`, `the column type "${text(column.type)}" does not exist`, { expected: 'integer, number, string, boolean or date' });
  if (!['', 'int32', 'int64', 'float', 'double', 'byte', 'date', 'date-time', 'password'].includes(text(column.format))) say(`${path}/format`, `the format "${text(column.format)}" does not exist`);
  if (!/^\.[A-Za-z_.[\]'"\-0-9/\\]*/.test(text(column.jsonPath))) say(`${path}/jsonPath`, 'the column\'s jsonPath must begin with "."');
}

function checkConversion(spec: JsonObject, say: Say): void {
  if (!isObject(spec.conversion)) return;
  const { conversion } = spec;
  const strategy = text(conversion.strategy);
  if (!['None', 'Webhook'].includes(strategy)) say('/spec/conversion/strategy', `the conversion "${strategy}" does not exist`, { expected: 'None or Webhook' });
  const webhook = conversion.webhook;
  if (strategy !== 'Webhook') {
    if (given(webhook)) say('/spec/conversion/webhook', 'only the strategy Webhook has a webhook');
    return;
  }
  const client = asObject(webhook).clientConfig;
  if (isObject(client)) checkClient(client, '/spec/conversion/webhook/clientConfig', say);
  else say('/spec/conversion/webhook/clientConfig', 'the conversion webhook has no client');
  const versions = textsOf(asObject(webhook).conversionReviewVersions, '').map(({ value }) => value);
  if (new Set(versions).size < versions.length || versions.some((version) => dns1035Label(version) !== undefined)) {
    say('/spec/conversion/webhook/conversionReviewVersions', 'a version stands there twice or is none');
  }
  if (!versions.includes('v1') && !versions.includes('v1beta1')) say('/spec/conversion/webhook/conversionReviewVersions', 'no version of ConversionReview that the server knows', { expected: 'v1 or v1beta1' });
}

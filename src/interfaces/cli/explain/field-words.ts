/**
 * What a schema says about a field, in words.
 */
import { type JsonObject, type JsonValue, type Schema } from '../../../facts/api/schema';
import { tokensOf } from '../../../manifests/pointer';
import { asArray, isObject } from '../../../manifests/read';

/** A field of an object, as its schema knows it. */
export interface SchemaField {
  readonly schema: Schema;
  readonly required: boolean;
}

/** The schema of the field at a JSON pointer; `undefined` where the schema ends before it. */
export function fieldAt(schema: Schema, pointer: string, object: JsonObject): SchemaField | undefined {
  let field: SchemaField = { schema, required: false };
  let value: JsonValue | undefined = object;
  for (const token of tokensOf(pointer)) {
    const next: Schema | undefined = Array.isArray(value) ? field.schema.items : memberOf(field.schema, token);
    if (next === undefined) {
      return undefined;
    }
    field = { schema: next, required: field.schema.required?.includes(token) ?? false };
    value = Array.isArray(value) ? asArray(value)[Number(token)] : isObject(value) ? value[token] : undefined;
  }
  return field;
}

function memberOf({ properties, additionalProperties }: Schema, name: string): Schema | undefined {
  if (properties !== undefined && Object.hasOwn(properties, name)) {
    return properties[name];
  }
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/** Type, default, and limits, each as a label with a text. */
export function fieldWords({ schema, required }: SchemaField): readonly (readonly [label: string, text: string])[] {
  return [
    ['type', typeText(schema)],
    ['required', required ? 'yes' : 'no'],
    ...(schema.default === undefined ? [] : [['default', JSON.stringify(schema.default)] as const]),
    ...(schema.enum === undefined
      ? []
      : [['values', schema.enum.map((one) => JSON.stringify(one)).join(', ')] as const]),
    ...limits(schema).map((text) => ['limit', text] as const),
    ...(schema['x-kubernetes-validations'] ?? []).map(({ rule }) => ['rule', rule] as const),
    ...(schema.properties === undefined ? [] : [['fields', Object.keys(schema.properties).sort().join(', ')] as const]),
  ];
}

function typeText(schema: Schema): string {
  const { type, format, items, additionalProperties } = schema;
  if (schema['x-kubernetes-int-or-string'] === true) {
    return 'integer or string';
  }
  if (type === 'array' && items !== undefined) {
    const keys = schema['x-kubernetes-list-map-keys'];
    return `list of ${typeText(items)}${keys === undefined ? '' : `, by ${keys.join(' and ')}`}`;
  }
  if (type === 'object' && typeof additionalProperties === 'object') {
    return `map of ${typeText(additionalProperties)}`;
  }
  return `${type ?? 'any'}${format === undefined ? '' : ` (${format})`}`;
}

function limits(schema: Schema): readonly string[] {
  const bounds: readonly (readonly [number | undefined, string])[] = [
    [schema.minimum, schema.exclusiveMinimum === true ? 'greater than' : 'at least'],
    [schema.maximum, schema.exclusiveMaximum === true ? 'less than' : 'at most'],
    [schema.multipleOf, 'a multiple of'],
  ];
  const counts: readonly (readonly [number | undefined, string, string])[] = [
    [schema.minLength, 'at least', 'characters'],
    [schema.maxLength, 'at most', 'characters'],
    [schema.minItems, 'at least', 'items'],
    [schema.maxItems, 'at most', 'items'],
    [schema.minProperties, 'at least', 'members'],
    [schema.maxProperties, 'at most', 'members'],
  ];
  return [
    ...bounds.flatMap(([bound, words]) => (bound === undefined ? [] : [`${words} ${bound}`])),
    ...counts.flatMap(([bound, words, unit]) => (bound === undefined ? [] : [`${words} ${bound} ${unit}`])),
    ...(schema.pattern === undefined ? [] : [`matches ${schema.pattern}`]),
    ...(schema.uniqueItems === true || schema['x-kubernetes-list-type'] === 'set' ? ['items are unique'] : []),
  ];
}

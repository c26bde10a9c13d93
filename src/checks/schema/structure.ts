/**
 * How the API server divides a value: which objects and lists are merged element by element, and what tells their elements apart.
 *
 * Source: structured-merge-diff v6, typed/helpers.go; kube-openapi, schemaconv (lists without a type are atomic, objects are granular).
 */
import { type JsonObject, type JsonValue, type Schema } from '../../facts/api/schema';
import { isObject } from '../../manifests/read';

/** One element of a value that is merged. */
export interface Element {
  /** As FieldsV1 writes it: `f:NAME`, `k:KEYS`, `v:VALUE`. */
  readonly token: string;
  readonly value: JsonValue;
  readonly schema: Schema | undefined;
  /** A field that the schema names, not an entry of a map. */
  readonly isNamed: boolean;
}

export function isGranularMap(schema: Schema | undefined): boolean {
  return schema?.['x-kubernetes-map-type'] !== 'atomic';
}

/** The elements of a value that is merged; `undefined` for scalars and for what is replaced as a whole. */
export function elementsOf(value: JsonValue, schema: Schema | undefined): readonly Element[] | undefined {
  if (isObject(value)) {
    return isGranularMap(schema) ? membersOf(value, schema) : undefined;
  }
  const listType = schema?.['x-kubernetes-list-type'];
  if (!Array.isArray(value) || (listType !== 'map' && listType !== 'set')) {
    return undefined;
  }
  return value.map((item) => ({
    token: itemToken(item, schema),
    value: item,
    schema: schema?.items,
    isNamed: false,
  }));
}

function membersOf(object: JsonObject, schema: Schema | undefined): readonly Element[] {
  return Object.entries(object).map(([name, value]) => ({
    token: `f:${name}`,
    value,
    schema: childSchema(schema, `f:${name}`),
    isNamed: namedField(schema, name) !== undefined,
  }));
}

/** The schema of a field that an object's schema names. */
export function namedField(schema: Schema | undefined, name: string): Schema | undefined {
  const { properties } = schema ?? {};
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** The schema of the element with this token. */
export function childSchema(schema: Schema | undefined, token: string): Schema | undefined {
  if (!token.startsWith('f:')) {
    return schema?.items;
  }
  const { additionalProperties } = schema ?? {};
  return (
    namedField(schema, token.slice(2)) ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
  );
}

/** `k:{"containerPort":80,"protocol":"TCP"}`: keys in the order of their names, unset ones with their defaults. */
function itemToken(item: JsonValue, schema: Schema | undefined): string {
  if (schema?.['x-kubernetes-list-type'] === 'set' || !isObject(item)) {
    return `v:${JSON.stringify(item)}`;
  }
  const keys = [...(schema?.['x-kubernetes-list-map-keys'] ?? [])].sort();
  const entries = keys.map((key) => [key, item[key] ?? namedField(schema?.items, key)?.default]);
  return `k:${JSON.stringify(Object.fromEntries(entries.filter(([, value]) => value !== undefined)))}`;
}

/** The first object or list of the value that is replaced as a whole where it is merged: `.spec.containers[main].args`; `undefined` for none. */
export function atomicFieldIn(value: JsonValue, schema: Schema | undefined): string | undefined {
  if (schema === undefined || typeof value !== 'object' || value === null) {
    return undefined;
  }
  const elements = elementsOf(value, schema);
  if (elements === undefined) {
    return schema.type === undefined ? undefined : '';
  }
  for (const element of elements) {
    const below = atomicFieldIn(element.value, element.schema);
    if (below !== undefined) {
      return `${placeOf(element)}${below}`;
    }
  }
  return undefined;
}

/** `.name` of a field, `[main]` of an item by the values of its keys. */
function placeOf({ token, value }: Element): string {
  if (token.startsWith('f:')) {
    return `.${token.slice(2)}`;
  }
  const keys = token.startsWith('k:') ? Object.values(JSON.parse(token.slice(2)) as JsonObject) : [value];
  return `[${keys.map((key) => (typeof key === 'string' ? key : JSON.stringify(key))).join(', ')}]`;
}

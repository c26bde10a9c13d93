/**
 * An object as a server passes it to webhooks: with the defaults of its schema, with a name and a namespace, and without a status.
 */
import { findKind } from '../../../src/facts/api/kinds';
import { type JsonObject, type JsonValue, type KubernetesMinor, type Schema } from '../../../src/facts/api/schema';
import { loadSchema } from '../../../src/facts/api/schemas';
import { idOf } from '../../../src/manifests/identity';
import { isObject } from '../../../src/manifests/read';

export function withDefaults(object: JsonObject, minor: KubernetesMinor): JsonObject {
  const { apiVersion, kind } = idOf(object);
  const info = findKind(apiVersion, kind);
  const named = info?.scope === 'Namespaced' ? withNamespace(withName(object)) : withName(object);
  if (info?.builtIn === true) {
    return kind === 'Job' ? withJobDefaults(named) : named;
  }
  return info === undefined ? named : (filled(named, loadSchema(info, minor)) as JsonObject);
}

/** The one built-in kind that is put before webhooks here: what pkg/apis/batch/v1/defaults.go fills in of what they read. */
function withJobDefaults(object: JsonObject): JsonObject {
  const spec = isObject(object.spec) ? object.spec : {};
  const both: JsonObject = spec.completions === undefined && spec.parallelism === undefined ? { completions: 1 } : {};
  return { ...object, spec: { ...both, parallelism: 1, ...spec } };
}

/**
 * Before webhooks validate, the server makes a name of `generateName` and sets the generation. It takes a status only through its
 * subresource.
 */
function withName({ status: _status, ...given }: JsonObject): JsonObject {
  const object = withoutGeneration(given);
  const { metadata } = object;
  if (!isObject(metadata) || typeof metadata.generateName !== 'string' || typeof metadata.name === 'string') {
    return object;
  }
  return { ...object, metadata: { ...metadata, name: `${metadata.generateName.slice(0, 58)}x4q7z` } };
}

function withoutGeneration(object: JsonObject): JsonObject {
  const { metadata } = object;
  return isObject(metadata) && metadata.generation !== undefined
    ? { ...object, metadata: Object.fromEntries(Object.entries(metadata).filter(([key]) => key !== 'generation')) }
    : object;
}

/** The namespace of the request, which kubectl takes from the user's context. */
function withNamespace(object: JsonObject): JsonObject {
  const { metadata } = object;
  return isObject(metadata) && metadata.namespace === undefined
    ? { ...object, metadata: { ...metadata, namespace: 'default' } }
    : object;
}

function filled(value: JsonValue, schema: Schema): JsonValue {
  if (Array.isArray(value)) {
    return schema.items === undefined ? value : value.map((item) => filled(item, schema.items ?? {}));
  }
  if (!isObject(value)) {
    return value;
  }
  const result: Record<string, JsonValue> = {};
  for (const [key, item] of Object.entries(value)) {
    const child = schema.properties?.[key] ?? schema.additionalProperties;
    // A null where none is allowed counts as absent if there is a default, and is dropped or refused otherwise.
    if (item === null && typeof child === 'object' && child.nullable !== true) {
      continue;
    }
    result[key] = typeof child === 'object' ? filled(item, child) : item;
  }
  for (const [key, child] of Object.entries(schema.properties ?? {})) {
    if (child.default !== undefined && !Object.hasOwn(result, key)) {
      result[key] = filled(structuredClone(child.default), child);
    }
  }
  return result;
}

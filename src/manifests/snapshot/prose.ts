/**
 * Schemas without what only people read: descriptions are most of the bytes of an OpenAPI document.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { isObject } from '../read';

const PROSE: ReadonlySet<string> = new Set(['description', 'title', 'example', 'examples', 'externalDocs']);
/** Keywords whose members are names of fields, each with a schema. */
const BY_NAME: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'definitions']);
/** Keywords whose value is data, not a schema: a default may well have a member `title`. */
const DATA: ReadonlySet<string> = new Set(['default', 'enum', 'x-kubernetes-validations', 'required']);
/** Deeper than any schema that a server serves, and less than what the stack holds. */
const DEEPEST = 200;

/** @returns the schema; an empty one below a depth that no served schema has */
export function withoutProse(schema: JsonValue, depth = 0): JsonValue {
  if (Array.isArray(schema)) {
    return schema.map((item) => withoutProse(item, depth + 1));
  }
  if (!isObject(schema)) {
    return schema;
  }
  if (depth > DEEPEST) {
    return {};
  }
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => !PROSE.has(keyword))
      .map(([keyword, value]) => [keyword, memberOf(keyword, value, depth)]),
  );
}

function memberOf(keyword: string, value: JsonValue, depth: number): JsonValue {
  if (DATA.has(keyword)) {
    return value;
  }
  if (BY_NAME.has(keyword) && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, withoutProse(schema, depth + 1)]));
  }
  return withoutProse(value, depth + 1);
}

/** A CustomResourceDefinition with schemas without prose. */
export function definitionWithoutProse(spec: JsonObject): JsonObject {
  if (!Array.isArray(spec.versions)) {
    return spec;
  }
  const versions = spec.versions.map((version): JsonValue => {
    if (!isObject(version)) {
      return version;
    }
    const { schema } = version;
    const rest = Object.fromEntries(
      Object.entries(version).filter(([key]) => key !== 'additionalPrinterColumns' && key !== 'schema'),
    );
    return isObject(schema) && isObject(schema.openAPIV3Schema)
      ? { ...rest, schema: { openAPIV3Schema: withoutProse(schema.openAPIV3Schema) } }
      : rest;
  });
  return { ...spec, versions };
}

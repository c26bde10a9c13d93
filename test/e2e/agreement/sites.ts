/**
 * The places of a manifest where a mutation can act: every value with the schema that it is held against.
 */
import { findKind } from '../../../src/facts/api/kinds';
import { type JsonObject, type JsonValue, type KubernetesMinor, type Schema } from '../../../src/facts/api/schema';
import { loadSchema } from '../../../src/facts/api/schemas';
import { idOf } from '../../../src/manifests/identity';
import { isObject } from '../../../src/manifests/read';

export type Path = readonly (string | number)[];

export interface Site {
  readonly path: Path;
  readonly value: JsonValue;
  /** Empty where nothing is said about the place. */
  readonly schema: Schema;
  /** Names that the object around it must have; empty for list items and map values. */
  readonly requiredBeside: readonly string[];
}

const NOTHING: Schema = {};

/** Every value of the manifest, the root first, parents before children. */
export function sitesOf(object: JsonObject, minor: KubernetesMinor): readonly Site[] {
  const sites: Site[] = [];
  const { apiVersion, kind } = idOf(object);
  const root = schemaOf(apiVersion, kind, minor);
  const metadata = schemaOf('v1', 'ConfigMap', minor).properties?.metadata ?? NOTHING;
  visit(
    { path: [], value: object, schema: { ...root, properties: { ...root.properties, metadata } }, requiredBeside: [] },
    sites,
  );
  return sites;
}

function schemaOf(apiVersion: string, kind: string, minor: KubernetesMinor): Schema {
  const info = findKind(apiVersion, kind);
  return info === undefined || info.minors?.includes(minor) === false ? NOTHING : loadSchema(info, minor);
}

function visit(site: Site, sites: Site[]): void {
  sites.push(site);
  const { path, value, schema } = site;
  if (Array.isArray(value)) {
    const items = schema.items ?? NOTHING;
    value.forEach((item, index) =>
      visit({ path: [...path, index], value: item, schema: items, requiredBeside: [] }, sites),
    );
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      const child =
        schema.properties?.[key] ??
        (isObjectSchema(schema.additionalProperties) ? schema.additionalProperties : NOTHING);
      visit({ path: [...path, key], value: item, schema: child, requiredBeside: schema.required ?? [] }, sites);
    }
  }
}

function isObjectSchema(schema: Schema | boolean | undefined): schema is Schema {
  return typeof schema === 'object';
}

/** A deep copy of the object with the value at the path replaced, or taken away where `value` is undefined. */
export function withValue(object: JsonObject, path: Path, value: JsonValue | undefined): JsonObject {
  const copy = structuredClone(object);
  const last = path[path.length - 1];
  let parent: JsonValue = copy;
  for (const token of path.slice(0, -1)) {
    parent = (parent as JsonObject)[token];
  }
  if (Array.isArray(parent)) {
    if (value === undefined) {
      parent.splice(Number(last), 1);
    } else {
      parent[Number(last)] = value;
    }
  } else if (isObject(parent)) {
    if (value === undefined) {
      delete parent[last];
    } else {
      parent[last] = value;
    }
  }
  return copy;
}

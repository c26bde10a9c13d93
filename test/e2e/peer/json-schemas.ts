/**
 * Strict JSON schemas for kubeconform, made of the same schemas that the server serves, in the way its users make them, at its strictest:
 * objects closed, the root too; int-or-string spelled out; null allowed for optional fields of built-in kinds, as in the published schemas.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isBuiltInGroup } from '../../../src/facts/api/kinds';
import { type JsonObject, type JsonValue, type KindInfo, type KubernetesMinor } from '../../../src/facts/api/schema';
import { loadSchema } from '../../../src/facts/api/schemas';
import { asArray, asObject, asString, isObject } from '../../../src/manifests/read';
import { type ApiClient } from '../control-plane/api-client';
import { type Discovery } from '../control-plane/discovery';

/** kubeconform's template for the files that `writeJsonSchemas` writes. Of the core group, `v1` is both group and version to it. */
export const SCHEMA_LOCATION = '{{.Group}}_{{.ResourceAPIVersion}}_{{.ResourceKind}}.json';

export async function writeJsonSchemas(
  folder: string,
  client: ApiClient,
  discovery: Discovery,
  crds: readonly JsonObject[],
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const crd of crds) {
    const { group, names, versions } = asObject(crd.spec);
    for (const version of asArray(versions).map(asObject)) {
      const schema = asObject(asObject(version.schema).openAPIV3Schema);
      write(
        folder,
        asString(group) ?? '',
        asString(version.name) ?? '',
        asString(asObject(names).kind) ?? '',
        closed(ofObject(schema)),
      );
    }
  }
  for (const apiVersion of new Set(discovery.all().map((kind) => kind.apiVersion))) {
    if (!isBuiltInGroup(groupOf(apiVersion))) {
      continue;
    }
    const path = apiVersion.includes('/') ? `apis/${apiVersion}` : `api/${apiVersion}`;
    const { body } = await client.request('GET', `/openapi/v3/${path}`);
    writeBuiltIn(folder, apiVersion, asObject(asObject(body.components).schemas));
  }
}

function writeBuiltIn(folder: string, apiVersion: string, schemas: JsonObject): void {
  const definitions = Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, closed(nullable(schema))]),
  );
  const version = apiVersion.slice(apiVersion.lastIndexOf('/') + 1);
  for (const [name, schema] of Object.entries(schemas)) {
    for (const gvk of asArray(asObject(schema)['x-kubernetes-group-version-kind']).map(asObject)) {
      const isObjectOfThis = gvk.group === groupOf(apiVersion) && gvk.version === version;
      if (!isObjectOfThis || asObject(asObject(schema).properties).metadata === undefined) {
        continue;
      }
      write(folder, asString(gvk.group) ?? '', version, asString(gvk.kind) ?? '', {
        $ref: `#/definitions/${name}`,
        definitions,
      });
    }
  }
}

/** Writes the schemas that Gantry has of these kinds, which must not reach themselves. */
export function writeBundledSchemas(folder: string, kinds: readonly KindInfo[], minor: KubernetesMinor): void {
  mkdirSync(folder, { recursive: true });
  for (const info of kinds) {
    const schema = asObject(JSON.parse(JSON.stringify(loadSchema(info, minor))) as JsonValue);
    write(folder, info.group, info.version, info.kind, closed(ofObject(schema)));
  }
}

/** With what every object has, which a definition need not declare. */
function ofObject(schema: JsonObject): JsonObject {
  const ofEvery = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'object' } };
  return { ...schema, properties: { ...ofEvery, ...asObject(schema.properties) } };
}

function write(folder: string, group: string, version: string, kind: string, schema: JsonValue): void {
  writeFileSync(join(folder, `${group || version}_${version}_${kind.toLowerCase()}.json`), JSON.stringify(schema));
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}

/** No object takes fields that it does not name. */
function closed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    return value.map(closed);
  }
  if (!isObject(value)) {
    return value;
  }
  if (typeof value.$ref === 'string') {
    return { ...value, $ref: value.$ref.replace('#/components/schemas/', '#/definitions/') };
  }
  if (value.format === 'int-or-string') {
    return { oneOf: [{ type: 'string' }, { type: 'integer' }] };
  }
  // As the published schemas of the built-in kinds have it.
  if (value.format === 'quantity') {
    return { oneOf: [{ type: 'string' }, { type: 'number' }] };
  }
  const copy: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    if (key === 'properties') {
      copy[key] = Object.fromEntries(Object.entries(asObject(item)).map(([name, child]) => [name, closed(child)]));
    }
    // JSON Schema's draft 6 and later say these by numbers.
    else if ((key === 'exclusiveMinimum' || key === 'exclusiveMaximum') && typeof item === 'boolean') {
      continue;
    } else if (!key.startsWith('x-kubernetes-') && key !== 'default' && key !== 'nullable') {
      copy[key] = closed(item);
    }
  }
  const open = value['x-kubernetes-preserve-unknown-fields'] === true || value.additionalProperties !== undefined;
  if (isObject(value.properties) && !open) {
    copy.additionalProperties = false;
  }
  return value.nullable === true ? { anyOf: [copy, { type: 'null' }] } : copy;
}

/** With null allowed for what is optional, as the published schemas of the built-in kinds have it. */
function nullable(value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    return value.map(nullable);
  }
  if (!isObject(value)) {
    return value;
  }
  const required = new Set(asArray(value.required));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (key !== 'properties' || !isObject(item)) {
        return [key, nullable(item)];
      }
      const properties = Object.entries(item).map(([name, child]) => {
        return [name, required.has(name) ? nullable(child) : { anyOf: [nullable(child), { type: 'null' }] }];
      });
      return [key, Object.fromEntries(properties) as JsonObject];
    }),
  );
}

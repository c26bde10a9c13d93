/**
 * Reads Kubernetes' own API from the OpenAPI v3 files of one minor release (`api/openapi-spec/v3`).
 *
 * v3 is read rather than v2 since only v3 states defaults (`protocol: TCP` decides whether two container ports are the same list item).
 * Go's zero values, which it also writes as defaults of every required field, are dropped: they would make `required` mean nothing.
 */
import { type JsonObject, type JsonValue, type KubernetesMinor, type Schema } from '../../src/facts/api/schema';
import { isZeroDefault, specialDefinition } from '../../src/checks/cluster/definition-facts';
import { keptSchema, type MutableSchema } from './kept-schema';

/** A named definition, `io.k8s.api.core.v1.PodSpec`. Definitions may refer to themselves, so they are a graph. */
export interface Definition {
  readonly name: string;
  readonly schema: Schema;
}

export interface BuiltInKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly hasStatusSubresource: boolean;
  readonly definition: Definition;
}

export interface KubernetesApi {
  readonly minor: KubernetesMinor;
  readonly kinds: readonly BuiltInKind[];
  readonly definitions: ReadonlyMap<string, Definition>;
  /** The definition that a schema node is, by identity. */
  readonly nameOf: ReadonlyMap<Schema, string>;
}

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** @param files text of the v3 files by path */
export function readKubernetesApi(minor: KubernetesMinor, files: ReadonlyMap<string, string>): KubernetesApi {
  const raw = new Map<string, JsonObject>();
  const paths = new Map<string, JsonObject>();
  for (const path of [...files.keys()].sort()) {
    const document = JSON.parse(files.get(path)!) as JsonObject;
    const schemas = ((document.components as JsonObject | undefined)?.schemas ?? {}) as JsonObject;
    for (const [name, schema] of Object.entries(schemas)) {
      if (!raw.has(name)) {
        raw.set(name, schema as JsonObject);
      }
    }
    for (const [url, item] of Object.entries((document.paths ?? {}) as JsonObject)) {
      paths.set(url, item as JsonObject);
    }
  }

  const definitions = new Map<string, Definition>();
  const nameOf = new Map<Schema, string>();
  const define = (name: string): Definition => {
    const known = definitions.get(name);
    if (known) {
      return known;
    }
    const source = raw.get(name);
    if (!source) {
      throw new Error(`Kubernetes ${minor}: no definition ${name}`);
    }
    // The node is entered before it is filled: a definition that reaches itself finds this very node.
    const schema: MutableSchema = {};
    const definition: Definition = { name, schema };
    definitions.set(name, definition);
    nameOf.set(schema, name);
    const kept =
      specialDefinition(name) ??
      keptSchema(withoutZeroDefaults(source), name, (ref) => define(ref.slice(ref.lastIndexOf('/') + 1)).schema);
    Object.assign(schema, kept);
    return definition;
  };

  const kinds: BuiltInKind[] = [];
  const byGvk = definitionsByGvk(raw);
  for (const [key, served] of servedKinds(paths)) {
    const name = byGvk.get(key);
    if (name === undefined) {
      continue;
    }
    kinds.push({ ...served, definition: define(name) });
  }
  return { minor, kinds: kinds.sort((a, b) => order(gvkKey(a), gvkKey(b))), definitions, nameOf };
}

export function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function gvkKey(gvk: GroupVersionKind): string {
  return `${gvk.group}/${gvk.version}/${gvk.kind}`;
}

/** A definition that is a kind says so once; shared ones (DeleteOptions) list every group and are not kinds of their own. */
function definitionsByGvk(raw: ReadonlyMap<string, JsonObject>): Map<string, string> {
  const byGvk = new Map<string, string>();
  for (const [name, schema] of raw) {
    const gvks = schema['x-kubernetes-group-version-kind'] as unknown as readonly GroupVersionKind[] | undefined;
    if (gvks?.length === 1) {
      byGvk.set(gvkKey(gvks[0]), name);
    }
  }
  return byGvk;
}

const RESOURCE_PATH =
  /^\/(?:api|apis\/[^/]+)\/[^/]+(\/namespaces\/\{namespace\})?\/([a-z0-9]+)(?:\/\{name\}(\/status)?)?$/;

/** Kinds that can be written as an object of their own: they have a collection path. Scope is whether that path holds a namespace. */
function servedKinds(paths: ReadonlyMap<string, JsonObject>): Map<string, Omit<BuiltInKind, 'definition'>> {
  const found = new Map<string, Omit<BuiltInKind, 'definition'>>();
  const withStatus = new Set<string>();
  for (const [url, item] of paths) {
    const match = RESOURCE_PATH.exec(url);
    if (!match) {
      continue;
    }
    const operation = (item.post ?? item.put ?? item.get) as JsonObject | undefined;
    const gvk = operation?.['x-kubernetes-group-version-kind'] as unknown as GroupVersionKind | undefined;
    if (!gvk) {
      continue;
    }
    const namespaced = match[1] !== undefined;
    if (match[3] !== undefined) {
      withStatus.add(gvkKey(gvk));
      continue;
    }
    // `/api/v1/pods` lists over all namespaces and has no POST; `/api/v1/namespaces/{name}` is the Namespace itself.
    if (!namespaced && found.get(gvkKey(gvk))?.scope === 'Namespaced') {
      continue;
    }
    found.set(gvkKey(gvk), {
      group: gvk.group,
      version: gvk.version,
      kind: gvk.kind,
      plural: match[2],
      scope: namespaced ? 'Namespaced' : 'Cluster',
      hasStatusSubresource: false,
    });
  }
  for (const [key, kind] of found) {
    if (withStatus.has(key)) {
      found.set(key, { ...kind, hasStatusSubresource: true });
    }
  }
  return found;
}

function withoutZeroDefaults(value: JsonObject): JsonObject {
  const walk = (node: JsonValue, isMap: boolean): JsonValue => {
    if (Array.isArray(node)) {
      return node.map((item) => walk(item, false));
    }
    if (node === null || typeof node !== 'object') {
      return node;
    }
    const out: JsonObject = {};
    for (const [key, child] of Object.entries(node)) {
      if (!isMap && key === 'default' && isZeroDefault(child)) {
        continue;
      }
      out[key] = walk(child, !isMap && key === 'properties');
    }
    return out;
  };
  return walk(value, false) as JsonObject;
}

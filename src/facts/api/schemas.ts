/**
 * Reads schemas from the compressed bundles of `schemas/`: a bundle is read when the first kind of it is asked for, and only the nodes that
 * a kind reaches are ever parsed.
 *
 * A bundle is brotli-compressed text, one schema node per line, references to other nodes as line numbers (see the generator's
 * schema pool). Equal nodes are one object in memory, across kinds, versions and projects.
 */
import { readFileSync } from 'fs';
import { brotliDecompressSync } from 'zlib';
import { schemaPlace } from './kinds';
import { type KindInfo, type KubernetesMinor, type Schema } from './schema';
import { schemaFile } from './schema-files';

const COMMON = 'common';

interface Bundle {
  readonly lines: readonly string[];
  readonly nodes: (Schema | undefined)[];
}

type Reference = number;

/** A schema node as it stands in a bundle: references in place of nodes. */
interface StoredNode extends Omit<
  Schema,
  'properties' | 'items' | 'not' | 'allOf' | 'anyOf' | 'oneOf' | 'additionalProperties'
> {
  properties?: Record<string, Reference>;
  items?: Reference;
  not?: Reference;
  allOf?: Reference[];
  anyOf?: Reference[];
  oneOf?: Reference[];
  additionalProperties?: Reference | boolean;
}

const bundles = new Map<string, Bundle>();

/**
 * The schema of a kind as the API server of that minor has it. Custom resources have the same schema whatever the minor.
 *
 * @throws Error where a built-in kind's version is not served by the minor (`info.minors` says which are)
 */
export function loadSchema(info: KindInfo, minor: KubernetesMinor): Schema {
  const place = schemaPlace(info, minor);
  if (place === undefined) {
    throw new Error(`${info.apiVersion} ${info.kind} is not served by Kubernetes ${minor}`);
  }
  return node(place.bundle, place.reference);
}

function bundle(name: string): Bundle {
  let loaded = bundles.get(name);
  if (!loaded) {
    const lines = brotliDecompressSync(readFileSync(schemaFile(name)))
      .toString('utf8')
      .split('\n');
    loaded = { lines, nodes: new Array<Schema | undefined>(lines.length) };
    bundles.set(name, loaded);
  }
  return loaded;
}

function node(bundleName: string, reference: Reference): Schema {
  const home = reference < 0 ? COMMON : bundleName;
  const { lines, nodes } = bundle(home);
  const line = reference < 0 ? -reference - 1 : reference;
  const known = nodes[line];
  if (known) {
    return known;
  }
  const stored = JSON.parse(lines[line]) as StoredNode;
  // Entered before its children are read: JSONSchemaProps reaches itself.
  const schema = stored as unknown as Schema;
  nodes[line] = schema;
  const filled = stored as unknown as Record<string, unknown>;
  const read = (child: Reference): Schema => node(home, child);
  if (stored.properties) {
    const properties: Record<string, Schema> = {};
    for (const name of Object.keys(stored.properties)) {
      properties[name] = read(stored.properties[name]);
    }
    filled.properties = properties;
  }
  if (stored.items !== undefined) {
    filled.items = read(stored.items);
  }
  if (stored.not !== undefined) {
    filled.not = read(stored.not);
  }
  if (typeof stored.additionalProperties === 'number') {
    filled.additionalProperties = read(stored.additionalProperties);
  }
  for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const) {
    if (stored[keyword]) {
      filled[keyword] = stored[keyword].map(read);
    }
  }
  return schema;
}

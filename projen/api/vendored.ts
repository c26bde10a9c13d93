/**
 * Schemas of projects whose modules cannot be fetched, in the compact form of `vendor/`: one file for each project, every distinct schema
 * once, one on each line, without prose. In a schema, a number where a schema belongs is the index of the schema in the list.
 */
import { type JsonObject, type JsonValue } from '../../src/facts/api/schema';
import { keptSchema } from './kept-schema';

/** One file of `vendor/`. */
export interface VendoredProject {
  readonly project: string;
  readonly version: string;
  readonly kinds: readonly VendoredKind[];
  readonly schemas: readonly JsonObject[];
}

export interface VendoredKind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: string;
  readonly versions: readonly VendoredVersion[];
}

export interface VendoredVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated: boolean;
  readonly subresources: readonly string[];
  /** Index in `schemas`. */
  readonly schema: number;
}

/** A kind as a file that holds the whole schema of each version. */
export interface WholeKind extends Omit<VendoredKind, 'versions'> {
  readonly versions: readonly (Omit<VendoredVersion, 'schema'> & { readonly schema: JsonObject })[];
}

const BRANCHES = ['allOf', 'anyOf', 'oneOf'] as const;
const SINGLE = ['items', 'additionalProperties', 'not'] as const;

/** The text of a file of `vendor/`: equal kinds give equal text. */
export function vendoredText(project: string, version: string, kinds: readonly WholeKind[]): string {
  const lines: string[] = [];
  const indexOf = new Map<string, number>();
  const add = (schema: JsonObject): number => {
    const text = JSON.stringify(mapSchemas(schema, (child) => add(child as JsonObject)));
    const known = indexOf.get(text);
    if (known !== undefined) {
      return known;
    }
    indexOf.set(text, lines.length);
    return lines.push(text) - 1;
  };
  const sorted = [...kinds].sort((a, b) => (`${a.group}/${a.kind}` < `${b.group}/${b.kind}` ? -1 : 1));
  const kindLines = sorted.map(({ group, kind, plural, scope, versions }) =>
    JSON.stringify({
      group,
      kind,
      plural,
      scope,
      versions: versions.map(({ name, served, storage, deprecated, subresources, schema }) => ({
        name,
        served,
        storage,
        deprecated,
        subresources: [...subresources].sort(),
        schema: add(keptSchema(schema, `${kind}/${name}`) as unknown as JsonObject),
      })),
    }),
  );
  return [
    '{',
    `"project": ${JSON.stringify(project)},`,
    `"version": ${JSON.stringify(version)},`,
    `"kinds": [\n${kindLines.join(',\n')}\n],`,
    `"schemas": [\n${lines.join(',\n')}\n]`,
    '}',
    '',
  ].join('\n');
}

export function isVendored(object: JsonObject): boolean {
  return typeof object.project === 'string' && Array.isArray(object.kinds) && Array.isArray(object.schemas);
}

/**
 * The kinds of a file of `vendor/`, each version with its whole schema.
 *
 * @throws Error where a number names no schema, or one that comes later in the list
 */
export function readVendored(file: VendoredProject, path: string): readonly WholeKind[] {
  const whole: JsonObject[] = [];
  const schemaAt = (index: JsonValue): JsonObject => {
    const schema = typeof index === 'number' ? whole[index] : undefined;
    if (schema === undefined) {
      throw new Error(`${path}: ${JSON.stringify(index)} is not the index of an earlier schema`);
    }
    return schema;
  };
  for (const schema of file.schemas) {
    whole.push(mapSchemas(schema, schemaAt));
  }
  return file.kinds.map((kind) => ({
    ...kind,
    versions: kind.versions.map((version) => ({ ...version, schema: schemaAt(version.schema) })),
  }));
}

/** A schema with `change` applied to everything inside it that is a schema. */
function mapSchemas(schema: JsonObject, change: (child: JsonValue) => JsonValue): JsonObject {
  const mapped: Record<string, JsonValue> = { ...schema };
  if (schema.properties !== undefined) {
    mapped.properties = Object.fromEntries(
      Object.entries(schema.properties as JsonObject).map(([name, child]) => [name, change(child)]),
    );
  }
  for (const keyword of SINGLE) {
    const child = schema[keyword];
    if (child !== undefined && typeof child !== 'boolean') {
      mapped[keyword] = change(child);
    }
  }
  for (const keyword of BRANCHES) {
    const branches = schema[keyword];
    if (Array.isArray(branches)) {
      mapped[keyword] = branches.map(change);
    }
  }
  return mapped;
}

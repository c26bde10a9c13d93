/**
 * `tsx projen/api/compare.ts [DIR]`: compares the generated schemas, as the library loads them, with the schemas that stand beside the
 * project, at every node: CRDs one by one, and Kubernetes' definitions through every kind. Prints one line per difference.
 */
import { existsSync, readdirSync, readFileSync } from 'fs';
import { join, resolve } from 'path';
import { findKind, KUBERNETES_MINORS } from '../../src/facts/api/kinds';
import { type JsonObject, type JsonValue, type KubernetesMinor, type Schema } from '../../src/facts/api/schema';
import { loadSchema } from '../../src/facts/api/schemas';
import { crdVersions } from './crd';
import { PROJECT_ROOT } from './lock';

export const REFERENCE_FOLDER = resolve(PROJECT_ROOT, '..', 'shared', 'crds');

export interface Difference {
  /** `volcano scheduling.volcano.sh/v1beta1 Queue` */
  readonly kind: string;
  /** Pointer into the schema; empty for the kind itself. */
  readonly path: string;
  readonly what: string;
}

export interface Comparison {
  readonly kinds: number;
  readonly nodes: number;
  readonly differences: readonly Difference[];
}

export function compareCrds(folder: string): Comparison {
  const comparer = new Comparer();
  for (const project of readdirSync(folder).sort()) {
    if (project === 'kubernetes') {
      continue;
    }
    for (const file of readdirSync(join(folder, project)).sort()) {
      if (!file.endsWith('.json') || file === 'scalers-schema.json') {
        continue;
      }
      for (const version of crdVersions(readFileSync(join(folder, project, file), 'utf8'), file)) {
        const apiVersion = `${version.group}/${version.version}`;
        comparer.kind = `${project} ${apiVersion} ${version.kind}`;
        comparer.kinds++;
        const info = findKind(apiVersion, version.kind);
        if (!info) {
          comparer.differ('', 'is missing');
          continue;
        }
        for (const fact of ['scope', 'served', 'storage', 'deprecated', 'hasStatusSubresource', 'plural'] as const) {
          if (info[fact] !== version[fact]) {
            comparer.differ('', `${fact} is ${String(info[fact])}, reference ${String(version[fact])}`);
          }
        }
        comparer.compare('', loadSchema(info, '1.35'), version.schema);
      }
    }
  }
  return comparer;
}

/** The reference holds OpenAPI v2 definitions, without defaults: defaults are not compared, and scalars only where v2 says the same. */
export function compareKubernetes(folder: string): Comparison {
  const comparer = new Comparer();
  for (const minor of KUBERNETES_MINORS) {
    const file = join(folder, 'kubernetes', `openapi-${minor}.json`);
    if (!existsSync(file)) {
      continue;
    }
    const { definitions } = JSON.parse(readFileSync(file, 'utf8')) as { definitions: Record<string, JsonObject> };
    for (const definition of Object.values(definitions)) {
      const gvks = definition['x-kubernetes-group-version-kind'] as unknown as
        { group: string; version: string; kind: string }[] | undefined;
      if (gvks?.length !== 1) {
        continue;
      }
      const { group, version, kind } = gvks[0];
      const info = findKind(group === '' ? version : `${group}/${version}`, kind);
      if (!info?.minors?.includes(minor)) {
        continue;
      }
      comparer.kind = `${minor} ${info.apiVersion} ${kind}`;
      comparer.kinds++;
      comparer.compareWithDefinition('', loadSchema(info, minor), definition, definitions);
    }
  }
  return comparer;
}

/** Definitions that v2 states as a plain string or object and that are kept as what they are. */
const RESTATED = /\.(Quantity|IntOrString|Time|MicroTime|RawExtension|FieldsV1|JSON|JSONSchemaPropsOr\w+)$/;

class Comparer implements Comparison {
  kind = '';
  kinds = 0;
  nodes = 0;
  readonly differences: Difference[] = [];
  private readonly done = new Map<Schema, Set<JsonObject>>();

  differ(path: string, what: string): void {
    this.differences.push({ kind: this.kind, path, what });
  }

  /** Both sides are canonical, so children are met in the same order. */
  compare(path: string, found: Schema, reference: Schema): void {
    this.nodes++;
    for (const keyword of new Set([...Object.keys(found), ...Object.keys(reference)]) as Set<keyof Schema>) {
      const a = found[keyword];
      const b = reference[keyword];
      if (keyword === 'properties') {
        this.compareMembers(path, (a ?? {}) as Record<string, Schema>, (b ?? {}) as Record<string, Schema>);
      } else if (isSchema(keyword, a) && isSchema(keyword, b)) {
        this.compare(`${path}/${keyword}`, a, b);
      } else if (isBranches(keyword) && Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
        a.forEach((branch, i) => this.compare(`${path}/${keyword}/${i}`, branch as Schema, b[i] as Schema));
      } else if (stable(a) !== stable(b)) {
        this.differ(path, `${keyword} is ${stable(a)}, reference ${stable(b)}`);
      }
    }
  }

  private compareMembers(
    path: string,
    found: Readonly<Record<string, Schema>>,
    reference: Readonly<Record<string, Schema>>,
  ): void {
    for (const name of new Set([...Object.keys(found), ...Object.keys(reference)])) {
      if (!(name in found)) {
        this.differ(`${path}/${name}`, 'only in the reference');
      } else if (!(name in reference)) {
        this.differ(`${path}/${name}`, 'not in the reference');
      } else {
        this.compare(`${path}/${name}`, found[name], reference[name]);
      }
    }
  }

  compareWithDefinition(
    path: string,
    found: Schema,
    raw: JsonObject,
    definitions: Readonly<Record<string, JsonObject>>,
  ): void {
    const name = typeof raw.$ref === 'string' ? raw.$ref.slice(raw.$ref.lastIndexOf('/') + 1) : undefined;
    if (name !== undefined && RESTATED.test(name)) {
      return;
    }
    const reference = name === undefined ? raw : definitions[name];
    const seen = this.done.get(found) ?? new Set();
    this.done.set(found, seen);
    if (seen.has(reference)) {
      return;
    }
    seen.add(reference);
    this.nodes++;
    for (const keyword of [
      'type',
      'format',
      'x-kubernetes-list-type',
      'x-kubernetes-list-map-keys',
      'x-kubernetes-map-type',
      'enum',
    ] as const) {
      if (stable(found[keyword]) !== stable(reference[keyword])) {
        this.differ(path, `${keyword} is ${stable(found[keyword])}, reference ${stable(reference[keyword])}`);
      }
    }
    const required = [...((reference.required ?? []) as string[])].sort();
    if (stable(found.required ?? []) !== stable(required)) {
      this.differ(path, `required is ${stable(found.required)}, reference ${stable(required)}`);
    }
    const members = (reference.properties ?? {}) as Record<string, JsonObject>;
    for (const member of new Set([...Object.keys(found.properties ?? {}), ...Object.keys(members)])) {
      const child = found.properties?.[member];
      if (!child) {
        this.differ(`${path}/${member}`, 'only in the reference');
      } else if (!(member in members)) {
        this.differ(`${path}/${member}`, 'not in the reference');
      } else {
        this.compareWithDefinition(`${path}/${member}`, child, members[member], definitions);
      }
    }
    if (found.items && reference.items) {
      this.compareWithDefinition(`${path}/[]`, found.items, reference.items as JsonObject, definitions);
    }
    if (typeof found.additionalProperties === 'object' && reference.additionalProperties) {
      this.compareWithDefinition(
        `${path}/{}`,
        found.additionalProperties,
        reference.additionalProperties as JsonObject,
        definitions,
      );
    }
  }
}

function isSchema(keyword: keyof Schema, value: unknown): value is Schema {
  return (
    (keyword === 'items' || keyword === 'not' || keyword === 'additionalProperties') &&
    typeof value === 'object' &&
    value !== null
  );
}

function isBranches(keyword: keyof Schema): boolean {
  return keyword === 'allOf' || keyword === 'anyOf' || keyword === 'oneOf';
}

/** JSON with sorted keys. */
function stable(value: unknown): string {
  const sorted = (_key: string, member: unknown): unknown =>
    member !== null && typeof member === 'object' && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member as Record<string, JsonValue>).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member;
  return JSON.stringify(value, sorted) ?? 'absent';
}

function main(): void {
  const folder = resolve(process.argv[2] ?? REFERENCE_FOLDER);
  if (!existsSync(folder)) {
    console.log(`${folder} is not there: nothing to compare with`);
    return;
  }
  for (const [what, comparison] of [
    ['custom resources', compareCrds(folder)],
    ['Kubernetes', compareKubernetes(folder)],
  ] as const) {
    for (const { kind, path, what: difference } of comparison.differences) {
      console.log(`${kind} ${path}: ${difference}`);
    }
    console.log(
      `${what}: ${comparison.kinds} kinds, ${comparison.nodes} nodes, ${comparison.differences.length} differences`,
    );
  }
}

export type { KubernetesMinor };
if (require.main === module) {
  main();
}

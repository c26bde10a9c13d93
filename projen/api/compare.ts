/**
 * Compares the generated schemas, as the library loads them, with upstream definitions at every node: CustomResourceDefinitions one by one,
 * and Kubernetes' definitions through every kind.
 */
import { SCALE_PATHS } from '../../src/checks/schema/known-kinds';
import { findKind } from '../../src/facts/api/kinds';
import { type JsonObject, type JsonValue, type KubernetesMinor, type Schema } from '../../src/facts/api/schema';
import { loadSchema } from '../../src/facts/api/schemas';
import { type ProjectFiles } from './api-files';
import { crdVersions } from './crd';

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

/** Compares what the library loads with the definitions of these projects. */
export function compareCrds(projects: readonly Pick<ProjectFiles, 'project' | 'files'>[]): Comparison {
  const comparer = new Comparer();
  for (const { project, files } of projects) {
    for (const version of [...files].flatMap(([path, text]) => crdVersions(text, path))) {
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
          comparer.differ('', `${fact} is ${String(info[fact])}, upstream ${String(version[fact])}`);
        }
      }
      const scale = SCALE_PATHS[`${version.group}/${version.kind}`];
      if (version.scalePath !== undefined && version.scalePath !== scale) {
        comparer.differ('', `the scale path is ${scale ?? 'absent'}, upstream ${version.scalePath}`);
      }
      comparer.compare('', loadSchema(info, '1.35'), version.schema);
    }
  }
  return comparer;
}

/**
 * Compares what the library loads for one minor with OpenAPI v2, which the generator does not read. Version 2 has no defaults: defaults are
 * not compared, and scalars only where version 2 says the same.
 *
 * @param text `api/openapi-spec/swagger.json` of Kubernetes
 */
export function compareKubernetes(minor: KubernetesMinor, text: string): Comparison {
  const comparer = new Comparer();
  const { definitions } = JSON.parse(text) as { definitions: Record<string, JsonObject> };
  for (const definition of Object.values(definitions)) {
    const gvks = definition['x-kubernetes-group-version-kind'] as unknown as
      | { group: string; version: string; kind: string }[]
      | undefined;
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
        this.differ(path, `${keyword} is ${stable(a)}, upstream ${stable(b)}`);
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
        this.differ(`${path}/${name}`, 'only upstream');
      } else if (!(name in reference)) {
        this.differ(`${path}/${name}`, 'not upstream');
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
    this.compareKeywords(path, found, reference);
    this.compareDefinedMembers(path, found, reference, definitions);
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

  private compareKeywords(path: string, found: Schema, reference: JsonObject): void {
    for (const keyword of [
      'type',
      'format',
      'x-kubernetes-list-type',
      'x-kubernetes-list-map-keys',
      'x-kubernetes-map-type',
      'enum',
    ] as const) {
      if (stable(found[keyword]) !== stable(reference[keyword])) {
        this.differ(path, `${keyword} is ${stable(found[keyword])}, upstream ${stable(reference[keyword])}`);
      }
    }
    const required = [...((reference.required ?? []) as string[])].sort();
    if (stable(found.required ?? []) !== stable(required)) {
      this.differ(path, `required is ${stable(found.required)}, upstream ${stable(required)}`);
    }
  }

  private compareDefinedMembers(
    path: string,
    found: Schema,
    reference: JsonObject,
    definitions: Readonly<Record<string, JsonObject>>,
  ): void {
    const members = (reference.properties ?? {}) as Record<string, JsonObject>;
    for (const member of new Set([...Object.keys(found.properties ?? {}), ...Object.keys(members)])) {
      const child = found.properties?.[member];
      if (!child) {
        this.differ(`${path}/${member}`, 'only upstream');
      } else if (!(member in members)) {
        this.differ(`${path}/${member}`, 'not upstream');
      } else {
        this.compareWithDefinition(`${path}/${member}`, child, members[member], definitions);
      }
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

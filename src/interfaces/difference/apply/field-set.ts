/**
 * Sets of field paths, as server-side apply records them for each manager in `metadata.managedFields`.
 *
 * Source: structured-merge-diff v6, fieldpath (set.go, serialize.go) and typed/tofieldset.go.
 */
import { type JsonValue, type Schema } from '../../../facts/api/schema';
import { isObject } from '../../../manifests/read';
import { childSchema, elementsOf, isGranularMap, namedField } from '../../../checks/schema/structure';

/** A set of paths. A path element is a token of FieldsV1: `f:NAME`, `k:KEYS`, `v:VALUE`. */
export interface FieldSet {
  /** Elements whose own path is in the set. */
  readonly members: ReadonlySet<string>;
  /** Elements below which there are further paths. */
  readonly children: ReadonlyMap<string, FieldSet>;
}

export const NO_FIELDS: FieldSet = { members: new Set(), children: new Map() };

/** Reads FieldsV1. What is not of its form is left out. */
export function readFields(fields: JsonValue | undefined): FieldSet {
  const members = new Set<string>();
  const children = new Map<string, FieldSet>();
  for (const [token, value] of Object.entries(isObject(fields) ? fields : {})) {
    if (token === '.' || !isObject(value)) {
      continue;
    }
    const below = Object.keys(value);
    if (below.length === 0 || below.includes('.')) {
      members.add(token);
    }
    if (below.some((name) => name !== '.')) {
      children.set(token, readFields(value));
    }
  }
  return { members, children };
}

/** The paths of a value: its scalars, what is replaced as a whole, entries of maps, and items of keyed lists and sets. */
export function fieldsOf(value: JsonValue, schema: Schema | undefined): FieldSet {
  const members = new Set<string>();
  const children = new Map<string, FieldSet>();
  for (const { token, value: child, schema: below, isNamed } of elementsOf(value, schema) ?? []) {
    const set = elementsOf(child, below) === undefined ? undefined : fieldsOf(child, below);
    if (set === undefined || !isNamed || (isObject(child) && Object.keys(child).length === 0)) {
      members.add(token);
    }
    if (set !== undefined && !isEmpty(set)) {
      children.set(token, set);
    }
  }
  return { members, children };
}

/** With each field of an object that has a path below it. */
export function withNamedFields(set: FieldSet, schema: Schema | undefined): FieldSet {
  const members = new Set(set.members);
  const children = new Map<string, FieldSet>();
  for (const [token, below] of set.children) {
    if (token.startsWith('f:') && isGranularMap(schema) && namedField(schema, token.slice(2)) !== undefined) {
      members.add(token);
    }
    children.set(token, withNamedFields(below, childSchema(schema, token)));
  }
  return { members, children };
}

export function union(...sets: readonly FieldSet[]): FieldSet {
  const members = new Set(sets.flatMap((set) => [...set.members]));
  const tokens = new Set(sets.flatMap((set) => [...set.children.keys()]));
  const children = new Map(
    [...tokens].map((token) => [token, union(...sets.flatMap((set) => set.children.get(token) ?? []))]),
  );
  return { members, children };
}

export function difference(set: FieldSet, without: FieldSet): FieldSet {
  const members = new Set([...set.members].filter((token) => !without.members.has(token)));
  return {
    members,
    children: below(set, (child, token) => difference(child, without.children.get(token) ?? NO_FIELDS)),
  };
}

export function intersection(set: FieldSet, other: FieldSet): FieldSet {
  const members = new Set([...set.members].filter((token) => other.members.has(token)));
  return {
    members,
    children: below(set, (child, token) => intersection(child, other.children.get(token) ?? NO_FIELDS)),
  };
}

function below(set: FieldSet, made: (child: FieldSet, token: string) => FieldSet): ReadonlyMap<string, FieldSet> {
  const children = [...set.children].map(([token, child]) => [token, made(child, token)] as const);
  return new Map(children.filter(([, child]) => !isEmpty(child)));
}

export function isEmpty({ members, children }: FieldSet): boolean {
  return members.size === 0 && children.size === 0;
}

/** The value without the paths of the set, and all that is below them; null where nothing is left of an object or a list. */
export function withoutFields(value: JsonValue, set: FieldSet, schema: Schema | undefined): JsonValue {
  const elements = elementsOf(value, schema);
  if (elements === undefined || isEmpty(set)) {
    return value;
  }
  const kept = elements
    .filter(({ token }) => !set.members.has(token))
    .map((element) => ({
      ...element,
      value: withoutFields(element.value, set.children.get(element.token) ?? NO_FIELDS, element.schema),
    }));
  if (kept.length === 0) {
    return null;
  }
  return Array.isArray(value)
    ? kept.map((element) => element.value)
    : Object.fromEntries(kept.map((element) => [element.token.slice(2), element.value]));
}

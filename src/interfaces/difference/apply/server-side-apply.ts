/**
 * What the API server makes of an object when a manifest is applied to it: fields of the manifest replace those of the object, fields that the
 * same manager applied before and no longer sets are removed, and everything else stays.
 *
 * Source: structured-merge-diff v6, merge/update.go (Apply, prune) and typed/merge.go.
 */
import { type JsonObject, type JsonValue, type Schema } from '../../../facts/api/schema';
import { sameJson } from '../../../checks/schema/canonical';
import { asArray, asObject, asString, isObject } from '../../../manifests/read';
import { SERVER_METADATA } from '../server-fields';
import {
  difference,
  type FieldSet,
  fieldsOf,
  intersection,
  readFields,
  union,
  withNamedFields,
  withoutFields,
} from './field-set';
import { mergedWith } from '../../../checks/schema/structured-merge';
import { childSchema, elementsOf } from '../../../checks/schema/structure';

/** A field that the manifest changes and another manager owns. */
export interface FieldConflict {
  readonly manager: string;
  /** Place in the object after the apply. */
  readonly place: readonly string[];
}

/** The result of an apply. */
export interface Applied {
  readonly object: JsonObject;
  readonly conflicts: readonly FieldConflict[];
}

/** The manager that `kubectl apply --server-side` uses; it takes over what `kubectl apply` has set. */
export const KUBECTL = 'kubectl';
const CLIENT_SIDE = 'kubectl-client-side-apply';

/**
 * Applies a manifest to an object of the server.
 *
 * @param manager who applies, as `--field-manager` of kubectl names it
 */
export function appliedTo(
  live: JsonObject,
  manifest: JsonObject,
  schema: Schema | undefined,
  manager: string,
): Applied {
  const config = configOf(manifest);
  const entries = asArray(asObject(live.metadata).managedFields).filter(isObject);
  const own = entries.filter((entry) => ownsFields(entry, manager));
  const others = entries.filter((entry) => !own.includes(entry) && asString(entry.subresource) === undefined);
  const setOf = (entry: JsonObject): FieldSet => readFields(entry.fieldsV1);
  const merged = mergedWith(live, config, schema);
  const conflicts = others.flatMap((entry) =>
    changedPlaces(live, merged, setOf(entry), schema).map((place) => ({
      manager: asString(entry.manager) ?? '',
      place,
    })),
  );
  const last = union(...own.map(setOf));
  const now = fieldsOf(config, schema);
  const object = pruned(merged, { last, owned: union(now, ...others.map(setOf)) }, schema);
  return { object: asObject(object), conflicts };
}

/** The manifest without what the server ignores. */
function configOf(manifest: JsonObject): JsonObject {
  const without = (object: JsonObject, names: readonly string[]): JsonObject =>
    Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
  return { ...without(manifest, ['status']), metadata: without(asObject(manifest.metadata), SERVER_METADATA) };
}

/** Whether an entry of `managedFields` is of the manager who applies. */
export function ownsFields({ manager, operation, subresource }: JsonObject, name: string): boolean {
  return (
    subresource === undefined &&
    ((manager === name && operation === 'Apply') || (name === KUBECTL && manager === CLIENT_SIDE))
  );
}

interface Owners {
  /** What the manager applied before. */
  readonly last: FieldSet;
  /** What the manager applies now, and what others own. */
  readonly owned: FieldSet;
}

/** Without what the manager applied before, where no manager owns it now. */
function pruned(merged: JsonValue, owners: Owners, schema: Schema | undefined): JsonValue {
  const last = withNamedFields(owners.last, schema);
  const owned = withNamedFields(owners.owned, schema);
  const all = withNamedFields(fieldsOf(merged, schema), schema);
  const left = withNamedFields(fieldsOf(withoutFields(merged, last, schema), schema), schema);
  return withoutFields(merged, intersection(difference(all, union(left, owned)), last), schema);
}

/** Places of the new value that are in the set and differ from the old value. */
function changedPlaces(
  before: JsonValue | undefined,
  after: JsonValue,
  set: FieldSet,
  schema: Schema | undefined,
): readonly (readonly string[])[] {
  const old = new Map(
    (before === undefined ? [] : (elementsOf(before, schema) ?? [])).map(({ token, value }) => [token, value]),
  );
  return (elementsOf(after, schema) ?? []).flatMap(({ token, value, schema: below }, index) => {
    const name = Array.isArray(after) ? String(index) : token.slice(2);
    const former = old.get(token);
    const isWhole = set.members.has(token) && elementsOf(value, below) === undefined;
    const isChanged = isWhole && !(former !== undefined && sameJson(former, value));
    const children = set.children.get(token);
    return [
      ...(isChanged ? [[name]] : []),
      ...(children === undefined ? [] : changedPlaces(former, value, children, below).map((rest) => [name, ...rest])),
    ];
  });
}

/** Places of custom resources that the apply leaves without a value, and whose schema requires one. */
export function emptiedPlaces(value: JsonValue, schema: Schema | undefined): readonly (readonly string[])[] {
  if (value === null) {
    const isRejected = schema?.type !== undefined && schema.nullable !== true && schema.default === undefined;
    return isRejected ? [[]] : [];
  }
  const children: readonly [string, JsonValue, Schema | undefined][] = Array.isArray(value)
    ? value.map((item: JsonValue, index) => [String(index), item, schema?.items])
    : isObject(value)
      ? Object.entries(value).map(([name, child]) => [name, child, childSchema(schema, `f:${name}`)])
      : [];
  const missing = isObject(value)
    ? (schema?.required ?? []).filter(
        (name) => !Object.hasOwn(value, name) && childSchema(schema, `f:${name}`)?.default === undefined,
      )
    : [];
  return [
    ...missing.map((name) => [name]),
    ...children.flatMap(([name, child, below]) => emptiedPlaces(child, below).map((rest) => [name, ...rest])),
  ];
}

/**
 * Whether two objects mean the same to a cluster, and where they do not: quantities by amount, numbers and their strings where a field
 * takes either, unset fields by their defaults, and lists without an order by their keys.
 */
import { DEFAULT_MINOR, findKind } from '../../facts/api/kinds';
import { type JsonObject, type JsonValue, type KindInfo, type Schema } from '../../facts/api/schema';
import { loadSchema } from '../../facts/api/schemas';
import { sameJson } from '../../checks/schema/canonical';
import { parseGoDuration } from '../../manifests/values/go-duration';
import { parseQuantity } from '../../manifests/values/quantity';
import { asObject, asString, isObject } from '../../manifests/read';
import { defaultOf } from './defaults';

/** A place where two objects differ. */
export interface Difference {
  /** Path in the second object. */
  readonly path: readonly string[];
  /** Path in the first object; items of a list may be in another place there. */
  readonly beforePath: readonly string[];
  /** Absent where the first object does not set the field. */
  readonly before?: JsonValue;
  /** Absent where the second object does not set the field. */
  readonly after?: JsonValue;
}

/** Lists whose order has no effect, with the fields that tell their items apart; none: the whole item. */
const UNORDERED: Readonly<Record<string, readonly string[]>> = {
  claims: ['name'],
  imagePullSecrets: ['name'],
  ports: ['containerPort', 'port', 'protocol', 'name'],
  resourceClaims: ['name'],
  tolerations: [],
  volumeMounts: ['mountPath', 'subPath'],
  volumes: ['name'],
};

/** Objects and lists that mean the same empty as unset. */
const MAY_BE_EMPTY: ReadonlySet<string> = new Set([
  'annotations',
  'args',
  'command',
  'env',
  'envFrom',
  'imagePullSecrets',
  'initContainers',
  'labels',
  'limits',
  'nodeSelector',
  'policies',
  'ports',
  'requests',
  'resources',
  'rules',
  'runPolicy',
  'securityContext',
  'spec',
  'status',
  'strategy',
  'tolerations',
  'updateStrategy',
  'volumeMounts',
  'volumes',
]);

const DURATION = /(?:timeout|duration|interval|period)$/i;

/**
 * Where `after` does not mean the same as `before`.
 *
 * @param lists whether a list that has other items is one difference, or each of its items
 * @param schema of both; by default the bundled one of the first
 */
export function differences(
  before: JsonObject,
  after: JsonObject,
  lists: 'whole' | 'by-item' = 'whole',
  schema: Schema | undefined = schemaOf(before),
): readonly Difference[] {
  const comparison = new Comparison(before, after, lists === 'by-item');
  comparison.objects(before, after, schema, [], []);
  return comparison.found;
}

/** Whether two objects mean the same. */
export function isSame(before: JsonObject, after: JsonObject): boolean {
  return differences(before, after).length === 0;
}

const schemas = new Map<string, Schema | undefined>();

function schemaOf(object: JsonObject): Schema | undefined {
  const apiVersion = asString(object.apiVersion) ?? '';
  const kind = asString(object.kind) ?? '';
  const key = `${apiVersion}/${kind}`;
  if (!schemas.has(key)) {
    const info = findKind(apiVersion, kind);
    schemas.set(key, info === undefined ? undefined : loadSchema(info, minorOf(info)));
  }
  return schemas.get(key);
}

function minorOf({ minors }: KindInfo): `1.${number}` {
  return minors === undefined || minors.includes(DEFAULT_MINOR) ? DEFAULT_MINOR : (minors.at(-1) ?? DEFAULT_MINOR);
}

class Comparison {
  readonly found: Difference[] = [];

  constructor(
    private readonly beforeRoot: JsonObject,
    private readonly afterRoot: JsonObject,
    private readonly byItem: boolean,
  ) {}

  objects(
    before: JsonObject,
    after: JsonObject,
    schema: Schema | undefined,
    path: readonly string[],
    beforePath: readonly string[],
  ): void {
    const [left, right] = [completed(before, after, path), completed(after, before, path)];
    for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
      this.values(
        own(left, name),
        own(right, name),
        memberSchema(schema, name),
        [...path, name],
        [...beforePath, name],
      );
    }
  }

  private values(
    before: JsonValue | undefined,
    after: JsonValue | undefined,
    schema: Schema | undefined,
    path: readonly string[],
    beforePath: readonly string[],
  ): void {
    if (isNothing(before) || isNothing(after)) {
      this.unset(before ?? undefined, after ?? undefined, schema, path, beforePath);
    } else if (isObject(before) && isObject(after)) {
      this.objects(before, after, schema, path, beforePath);
    } else if (Array.isArray(before) && Array.isArray(after)) {
      this.lists(before, after, schema, path, beforePath);
    } else if (!sameScalar(before, after, schema, path.at(-1) ?? '')) {
      this.found.push({ path, beforePath, before, after });
    }
  }

  /** One side does not set the field: equal where the other has its default. */
  private unset(
    before: JsonValue | undefined,
    after: JsonValue | undefined,
    schema: Schema | undefined,
    path: readonly string[],
    beforePath: readonly string[],
  ): void {
    const value = isNothing(before) ? after : before;
    const root = isNothing(before) ? this.beforeRoot : this.afterRoot;
    if (isNothing(value) || isDefault(root, value, schema, isNothing(before) ? beforePath : path)) {
      return;
    }
    this.found.push({
      path,
      beforePath,
      ...(isNothing(before) ? {} : { before }),
      ...(isNothing(after) ? {} : { after }),
    });
  }

  private lists(
    before: readonly JsonValue[],
    after: readonly JsonValue[],
    schema: Schema | undefined,
    path: readonly string[],
    beforePath: readonly string[],
  ): void {
    const name = path.at(-1) ?? '';
    const keys = Object.hasOwn(UNORDERED, name) ? UNORDERED[name] : undefined;
    const keyOf = itemKey(before, after, schema, keys, (member, value) =>
      isDefault(this.afterRoot, value, memberSchema(schema?.items, member), [...path, '0', member]),
    );
    const matching = this.byItem ? matched(before, after, keyOf, keys) : undefined;
    if (matching !== undefined) {
      this.items(matching, before, after, schema, path, beforePath);
      return;
    }
    const order = keys === undefined ? before.map((_, index) => index) : paired(before, after, keys);
    if (before.length !== after.length || order === undefined) {
      this.found.push({ path, beforePath, before: [...before], after: [...after] });
      return;
    }
    after.forEach((item, index) => {
      const place = order[index] ?? index;
      this.values(before[place], item, schema?.items, [...path, String(index)], [...beforePath, String(place)]);
    });
  }

  private items(
    { places, gone }: Matching,
    before: readonly JsonValue[],
    after: readonly JsonValue[],
    schema: Schema | undefined,
    path: readonly string[],
    beforePath: readonly string[],
  ): void {
    after.forEach((item, index) => {
      const place = places[index];
      const here = [...path, String(index)];
      if (place === undefined) {
        this.found.push({ path: here, beforePath, after: item });
      } else {
        this.values(before[place], item, schema?.items, here, [...beforePath, String(place)]);
      }
    });
    for (const place of gone) {
      this.found.push({ path, beforePath: [...beforePath, String(place)], before: before[place] });
    }
  }
}

/** Which items of two lists are the same item. */
interface Matching {
  /** For each item of the second list, its place in the first; `undefined` where it is new. */
  readonly places: readonly (number | undefined)[];
  /** Places in the first list of items that the second does not have. */
  readonly gone: readonly number[];
}

type ItemKey = (item: JsonValue) => string;

/** What tells the items of a list apart; `undefined` where only their places do. */
function itemKey(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  schema: Schema | undefined,
  unordered: readonly string[] | undefined,
  isUnset: (member: string, value: JsonValue) => boolean,
): ItemKey | undefined {
  const named = [...before, ...after].every((item) => isObject(item) && typeof item.name === 'string');
  const keys = schema?.['x-kubernetes-list-map-keys'] ?? unordered ?? (named ? ['name'] : undefined);
  if (keys !== undefined && keys.length > 0) {
    const defaults = schema?.items?.properties;
    const setValue = (key: string, value: JsonValue | undefined): JsonValue =>
      value === undefined || isUnset(key, value) ? null : value;
    return (item) =>
      JSON.stringify(isObject(item) ? keys.map((key) => setValue(key, item[key] ?? defaults?.[key]?.default)) : item);
  }
  return keys !== undefined || schema?.['x-kubernetes-list-type'] === 'set'
    ? (item) =>
        JSON.stringify(
          isObject(item)
            ? Object.entries(item)
                .filter(([key, value]) => !isNothing(value) && !isUnset(key, value))
                .sort(([a], [b]) => (a < b ? -1 : 1))
            : item,
        )
    : undefined;
}

/** `undefined` where items cannot be told apart, or a list with an order has its items in another one. */
function matched(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  keyOf: ItemKey | undefined,
  unordered: readonly string[] | undefined,
): Matching | undefined {
  if (keyOf === undefined) {
    return undefined;
  }
  const left = new Map(before.map((item, place) => [keyOf(item), place]));
  const places = after.map((item) => left.get(keyOf(item)));
  const common = places.filter((place) => place !== undefined);
  const isOrdered = common.every((place, index) => index === 0 || place > common[index - 1]);
  if (left.size < before.length || new Set(common).size < common.length || (unordered === undefined && !isOrdered)) {
    return undefined;
  }
  const kept = new Set(common);
  return { places, gone: before.map((_, place) => place).filter((place) => !kept.has(place)) };
}

/** For each item the place of the item before with the same keys; `undefined` where one has none. */
function paired(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  keys: readonly string[],
): readonly number[] | undefined {
  const keyOf = (item: JsonValue): string =>
    JSON.stringify(isObject(item) && keys.length > 0 ? keys.map((key) => item[key] ?? null) : sorted(item));
  const places = new Map<string, number[]>();
  before.forEach((item, index) => {
    const key = keyOf(item);
    places.set(key, [...(places.get(key) ?? []), index]);
  });
  const order = after.map((item) => places.get(keyOf(item))?.shift());
  return order.every((place): place is number => place !== undefined) ? order : undefined;
}

function sorted(value: JsonValue): JsonValue {
  return isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
}

/** With what Kubernetes fills in from other fields, where the other side states it. */
function completed(object: JsonObject, other: JsonObject, path: readonly string[]): JsonObject {
  if (path.at(-1) === 'resources') {
    return filled(object, 'requests', object.limits, other.requests);
  }
  return path.at(-2) === 'limits' && object.type === 'Container'
    ? filled(
        filled(object, 'default', object.max, other.default),
        'defaultRequest',
        object.default,
        other.defaultRequest,
      )
    : object;
}

function filled(
  object: JsonObject,
  field: string,
  from: JsonValue | undefined,
  other: JsonValue | undefined,
): JsonObject {
  if (!isObject(from) || !isObject(other)) {
    return object;
  }
  const implied = Object.entries(from).filter(([name]) => Object.hasOwn(other, name));
  return { ...object, [field]: { ...Object.fromEntries(implied), ...asObject(object[field]) } };
}

function isDefault(root: JsonObject, value: JsonValue, schema: Schema | undefined, path: readonly string[]): boolean {
  const name = path.at(-1) ?? '';
  const stated = schema?.default ?? defaultOf(root, path);
  if (stated !== undefined && (sameJson(stated, value) || sameScalar(stated, value, schema, name))) {
    return true;
  }
  if (Array.isArray(value)) {
    return value.length === 0 && MAY_BE_EMPTY.has(name);
  }
  if (!isObject(value) || !(MAY_BE_EMPTY.has(name) || isObject(stated ?? null))) {
    return false;
  }
  return Object.entries(value).every(
    ([member, content]) =>
      isNothing(content) || isDefault(root, content, memberSchema(schema, member), [...path, member]),
  );
}

function sameScalar(a: JsonValue, b: JsonValue, schema: Schema | undefined, name: string): boolean {
  if (a === b) {
    return true;
  }
  if (!isScalar(a) || !isScalar(b)) {
    return sameJson(a, b);
  }
  const either = schema?.['x-kubernetes-int-or-string'] === true || schema?.format === 'int-or-string';
  if (schema?.format === 'quantity' || either) {
    const [left, right] = [parseQuantity(a), parseQuantity(b)];
    return left !== undefined && right !== undefined ? left.equals(right) : String(a) === String(b);
  }
  if (typeof a === 'string' && typeof b === 'string' && schema?.type === 'string' && DURATION.test(name)) {
    const [left, right] = [parseGoDuration(a), parseGoDuration(b)];
    return left !== undefined && left === right;
  }
  return false;
}

function isScalar(value: JsonValue): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function isNothing(value: JsonValue | undefined): value is null | undefined {
  return value === undefined || value === null;
}

function own(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function memberSchema(schema: Schema | undefined, name: string): Schema | undefined {
  if (schema?.properties !== undefined && Object.hasOwn(schema.properties, name)) {
    return schema.properties[name];
  }
  return typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

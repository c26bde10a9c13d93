/**
 * Whether two objects mean the same to a cluster, and where they do not: quantities by amount, numbers and their strings where a field
 * takes either, unset fields by their defaults, and lists without an order by their keys.
 */
import { DEFAULT_MINOR, findKind } from '../../../facts/api/kinds';
import { type JsonObject, type JsonValue, type KindInfo, type Schema } from '../../../facts/api/schema';
import { loadSchema } from '../../../facts/api/schemas';
import { sameJson } from '../../../checks/schema/canonical';
import { parseGoDuration } from '../../../manifests/go-duration';
import { parseQuantity } from '../../../manifests/quantity';
import { asString, isObject } from '../../../manifests/read';
import { defaultOf } from './defaults';

/** A place where two objects differ. */
export interface Difference {
  /** Path in the object that was rendered. */
  readonly path: readonly string[];
  /** Path in the object that was wanted; items of a list may be in another place there. */
  readonly wantedPath: readonly string[];
  /** Absent where the field is not wanted. */
  readonly wanted?: JsonValue;
  /** Absent where the field was not rendered. */
  readonly rendered?: JsonValue;
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
  'runPolicy',
  'securityContext',
  'status',
  'strategy',
  'tolerations',
  'updateStrategy',
  'volumeMounts',
  'volumes',
]);

const DURATION = /(?:timeout|duration|interval|period)$/i;

/** Where `rendered` does not mean the same as `wanted`. */
export function differences(wanted: JsonObject, rendered: JsonObject): readonly Difference[] {
  const comparison = new Comparison(wanted, rendered);
  comparison.objects(wanted, rendered, schemaOf(wanted), [], []);
  return comparison.found;
}

/** Whether two objects mean the same. */
export function isSame(wanted: JsonObject, rendered: JsonObject): boolean {
  return differences(wanted, rendered).length === 0;
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
    private readonly wantedRoot: JsonObject,
    private readonly renderedRoot: JsonObject,
  ) {}

  objects(
    wanted: JsonObject,
    rendered: JsonObject,
    schema: Schema | undefined,
    path: readonly string[],
    wantedPath: readonly string[],
  ): void {
    const pair = path.at(-1) === 'resources' ? [withRequests(wanted), withRequests(rendered)] : [wanted, rendered];
    const [left = wanted, right = rendered] = pair;
    for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
      this.values(
        own(left, name),
        own(right, name),
        memberSchema(schema, name),
        [...path, name],
        [...wantedPath, name],
      );
    }
  }

  private values(
    wanted: JsonValue | undefined,
    rendered: JsonValue | undefined,
    schema: Schema | undefined,
    path: readonly string[],
    wantedPath: readonly string[],
  ): void {
    if (isNothing(wanted) || isNothing(rendered)) {
      this.unset(wanted ?? undefined, rendered ?? undefined, schema, path, wantedPath);
    } else if (isObject(wanted) && isObject(rendered)) {
      this.objects(wanted, rendered, schema, path, wantedPath);
    } else if (Array.isArray(wanted) && Array.isArray(rendered)) {
      this.lists(wanted, rendered, schema, path, wantedPath);
    } else if (!sameScalar(wanted, rendered, schema, path.at(-1) ?? '')) {
      this.found.push({ path, wantedPath, wanted, rendered });
    }
  }

  /** One side does not set the field: equal where the other has its default. */
  private unset(
    wanted: JsonValue | undefined,
    rendered: JsonValue | undefined,
    schema: Schema | undefined,
    path: readonly string[],
    wantedPath: readonly string[],
  ): void {
    const value = isNothing(wanted) ? rendered : wanted;
    const root = isNothing(wanted) ? this.wantedRoot : this.renderedRoot;
    if (isNothing(value) || isDefault(root, value, schema, isNothing(wanted) ? wantedPath : path)) {
      return;
    }
    this.found.push({
      path,
      wantedPath,
      ...(isNothing(wanted) ? {} : { wanted }),
      ...(isNothing(rendered) ? {} : { rendered }),
    });
  }

  private lists(
    wanted: readonly JsonValue[],
    rendered: readonly JsonValue[],
    schema: Schema | undefined,
    path: readonly string[],
    wantedPath: readonly string[],
  ): void {
    const name = path.at(-1) ?? '';
    const keys = Object.hasOwn(UNORDERED, name) ? UNORDERED[name] : undefined;
    const order = keys === undefined ? wanted.map((_, index) => index) : paired(wanted, rendered, keys);
    if (wanted.length !== rendered.length || order === undefined) {
      this.found.push({ path, wantedPath, wanted: [...wanted], rendered: [...rendered] });
      return;
    }
    rendered.forEach((item, index) => {
      const place = order[index] ?? index;
      this.values(wanted[place], item, schema?.items, [...path, String(index)], [...wantedPath, String(place)]);
    });
  }
}

/** For each rendered item the place of the wanted item with the same keys; `undefined` where one has none. */
function paired(
  wanted: readonly JsonValue[],
  rendered: readonly JsonValue[],
  keys: readonly string[],
): readonly number[] | undefined {
  const keyOf = (item: JsonValue): string =>
    JSON.stringify(isObject(item) && keys.length > 0 ? keys.map((key) => item[key] ?? null) : sorted(item));
  const places = new Map<string, number[]>();
  wanted.forEach((item, index) => {
    const key = keyOf(item);
    places.set(key, [...(places.get(key) ?? []), index]);
  });
  const order = rendered.map((item) => places.get(keyOf(item))?.shift());
  return order.every((place): place is number => place !== undefined) ? order : undefined;
}

function sorted(value: JsonValue): JsonValue {
  return isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
}

/** Kubernetes requests what is limited and not requested. */
function withRequests(resources: JsonObject): JsonObject {
  const { limits, requests } = resources;
  if (!isObject(limits)) {
    return resources;
  }
  return { ...resources, requests: { ...limits, ...(isObject(requests) ? requests : {}) } };
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

/**
 * Merges what a user adds by hand into a rendered object: objects member by member, lists by the key that Kubernetes merges them by,
 * other lists of objects by appending, plain lists (`command`, `args`) by replacing. Nothing that is given is dropped, whether the
 * types know it or not.
 */

import {
  type Carried,
  type CarriedMap,
  type Deferred,
  isDeferred,
  known,
  membersOf,
} from '../../manifests/values/deferred';

/** Lists whose items have a key, so that an added item with the same key changes the existing one. */
const LIST_KEYS: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  ephemeralContainers: 'name',
  volumes: 'name',
  env: 'name',
  imagePullSecrets: 'name',
  resourceClaims: 'name',
  claims: 'name',
  schedulingGates: 'name',
  volumeMounts: 'mountPath',
  volumeDevices: 'devicePath',
  ports: 'containerPort',
  hostAliases: 'ip',
};

/** Some members of `T` at any depth, and any others: what is unknown here is written as it is, and the checks report it. */
export type OpenPartial<T> =
  T extends Deferred<unknown>
    ? T
    : T extends readonly (infer Item)[]
      ? readonly (Item | OpenPartial<Item>)[]
      : T extends object
        ? { readonly [Member in keyof T]?: Carried<T[Member] | OpenPartial<T[Member]>> } & {
            readonly [member: string]: unknown;
          }
        : T;
type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isDeferred(value);
}

const EACH = 'Give each member its own Output';

/**
 * `base` with `extra` merged in; neither is changed.
 *
 * @throws if `extra` is an Output
 */
export function merged<T extends object>(base: T, extra: object | undefined): T {
  return extra === undefined ? base : (mergedFields(base as Fields, known('overrides', extra as Fields, EACH)) as T);
}

function mergedFields(base: Fields, extra: Fields): Fields {
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(extra)) {
    if (value === undefined) {
      continue;
    }
    const present = result[key];
    if (isFields(present) && isFields(value)) {
      result[key] = mergedFields(present, value);
    } else if ((isFields(present) && isDeferred(value)) || (isDeferred(present) && isFields(value))) {
      result[key] = {
        ...membersOf(key, present as CarriedMap<unknown>),
        ...membersOf(key, value as CarriedMap<unknown>),
      };
    } else if (Array.isArray(present) && Array.isArray(value)) {
      result[key] = mergedList(key, present, value);
    } else {
      result[key] = value;
    }
  }
  return result;
}

function mergedList(field: string, base: readonly unknown[], extra: readonly unknown[]): readonly unknown[] {
  if (!extra.every(isFields) || !base.every(isFields)) {
    return extra;
  }
  const key = LIST_KEYS[field];
  if (key === undefined) {
    return [...base, ...extra];
  }
  const result: Fields[] = [...base];
  for (const item of extra) {
    const index = result.findIndex((present) => present[key] !== undefined && present[key] === item[key]);
    const present = result[index];
    if (present === undefined) {
      result.push(item);
    } else {
      result[index] = mergedFields(present, item);
    }
  }
  return result;
}

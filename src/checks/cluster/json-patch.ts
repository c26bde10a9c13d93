/**
 * JSON Patch, as mutating admission policies return it.
 *
 * Source: RFC 6902; evanphx/json-patch v4, with which the API server applies it: a missing parent is an error, and `replace` sets a member that is
 * not there. A patch whose test fails changes nothing (apiserver, pkg/admission/plugin/policy/mutating/patch/json_patch.go).
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { asString, isObject } from '../../manifests/read';
import { pointer, tokensOf, valueAt } from '../../manifests/pointer';
import { sameJson } from '../schema/canonical';

class PatchError extends Error {}
class TestFailed extends Error {}

/** @returns the patched object, or why the patch fails */
export function patched(object: JsonObject, operations: readonly JsonObject[]): JsonObject | string {
  try {
    const result = operations.reduce<JsonValue>((root, operation) => appliedTo(root, operation), object);
    return isObject(result) ? result : 'its JSONPatch replaces the object by a value that is not an object';
  } catch (error) {
    if (error instanceof TestFailed) {
      return object;
    }
    if (error instanceof PatchError) {
      return error.message;
    }
    throw error;
  }
}

interface Operation {
  readonly path: string;
  readonly from: string;
  readonly value: JsonValue;
}

const OPERATIONS: Readonly<Record<string, (root: JsonValue, operation: Operation) => JsonValue>> = {
  add: (root, { path, value }) => changed(root, path, 'add', value),
  replace: (root, { path, value }) => changed(root, path, 'replace', value),
  remove: (root, { path }) => changed(root, path, 'remove'),
  copy: (root, { path, from }) => changed(root, path, 'add', existing(root, from)),
  move: (root, { path, from }) => changed(changed(root, from, 'remove'), path, 'add', existing(root, from)),
  test: (root, { path, value }) => {
    if (!sameJson(valueAt(root, path) ?? null, value)) {
      throw new TestFailed();
    }
    return root;
  },
};

function appliedTo(root: JsonValue, { op, path, from, value = null }: JsonObject): JsonValue {
  const name = asString(op) ?? '';
  if (!Object.hasOwn(OPERATIONS, name)) {
    throw new PatchError(`its JSONPatch has the unknown operation "${name}"`);
  }
  return OPERATIONS[name](root, { path: asString(path) ?? '', from: asString(from) ?? '', value });
}

function existing(root: JsonValue, path: string): JsonValue {
  const value = valueAt(root, path);
  if (value === undefined) {
    throw new PatchError(`its JSONPatch reads ${path}, which is not set`);
  }
  return value;
}

type Change = 'add' | 'replace' | 'remove';

/** A copy of the value in which the place is changed. */
function changed(root: JsonValue, path: string, change: Change, value: JsonValue = null): JsonValue {
  const place = (at: JsonValue, [token, ...rest]: readonly string[]): JsonValue => {
    if (token === undefined) {
      return value;
    }
    const child = valueAt(at, pointer('', token));
    if (rest.length === 0) {
      const result = Array.isArray(at) ? ofList(at, token, change, value) : ofObject(at, token, change, value);
      if (result !== undefined) {
        return result;
      }
    } else if (child !== undefined) {
      const below = place(child, rest);
      return (Array.isArray(at) ? ofList(at, token, 'replace', below) : ofObject(at, token, 'replace', below)) ?? at;
    }
    throw new PatchError(`its JSONPatch cannot ${change} ${path}: "${token}" is not set`);
  };
  return place(root, tokensOf(path));
}

/** `undefined` if there is no such item. */
function ofList(list: readonly JsonValue[], token: string, change: Change, value: JsonValue): JsonValue | undefined {
  const index = token === '-' && change === 'add' ? list.length : /^\d+$/.test(token) ? Number(token) : Infinity;
  if (index > list.length || (index === list.length && change !== 'add')) {
    return undefined;
  }
  return list.toSpliced(index, change === 'add' ? 0 : 1, ...(change === 'remove' ? [] : [value]));
}

/** `undefined` if there is no such member. */
function ofObject(object: JsonValue, token: string, change: Change, value: JsonValue): JsonValue | undefined {
  if (!isObject(object) || (change === 'remove' && !Object.hasOwn(object, token))) {
    return undefined;
  }
  const others = Object.entries(object).filter(([key]) => key !== token);
  return Object.fromEntries(change === 'remove' ? others : [...others, [token, value]]);
}

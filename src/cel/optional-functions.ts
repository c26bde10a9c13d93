/**
 * Optional values (cel-go's `OptionalTypes`), and the functions that rewritten syntax calls (`syntax-extensions.ts`).
 */
import {
  CelScalar,
  celFunc,
  celList,
  celMap,
  celMethod,
  isCelList,
  isCelMap,
  type CelFunc,
  type CelInput,
  type CelList,
  type CelMap,
  type CelValue,
} from '@bufbuild/cel';
import { LIST, MAP } from './kubernetes-functions';
import { isOptional, optionalNone, optionalOf } from './opaque';

const { STRING, INT, BOOL, DYN } = CelScalar;

function present(value: CelValue): CelList {
  if (!isOptional(value)) {
    throw new Error('no such overload: expected an optional');
  }
  return value;
}

function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === '' || value === 0 || value === 0n) {
    return true;
  }
  return (isCelList(value) || isCelMap(value)) && value.size === 0;
}

function select(target: CelValue, key: CelValue): CelInput {
  const from = isOptional(target) ? target.get(0) : target;
  if (from === undefined) {
    return optionalNone();
  }
  let found: CelValue | undefined;
  if (isCelMap(from) && (typeof key === 'string' || typeof key === 'bigint' || typeof key === 'boolean')) {
    found = from.get(key);
  } else if (isCelList(from) && typeof key === 'bigint') {
    found = from.get(Number(key));
  } else {
    throw new Error('no such overload: optional selection');
  }
  return found === undefined ? optionalNone() : optionalOf(found);
}

/** The same selection on maps, lists and optionals (which travel as lists). */
function selectors(name: string): CelFunc[] {
  return [STRING, INT, BOOL].flatMap((key) => [
    celMethod(name, MAP, [key], DYN, function (index) {
      return select(this, index);
    }),
    celMethod(name, LIST, [key], DYN, function (index) {
      return select(this, index);
    }),
  ]);
}

function entriesOf(map: CelMap): Map<string | bigint | boolean, CelInput> {
  const entries = new Map<string | bigint | boolean, CelInput>();
  for (const [key, value] of map.entries()) {
    if (typeof key !== 'object') {
      entries.set(key, value);
    }
  }
  return entries;
}

export const optionalFunctions: readonly CelFunc[] = [
  celFunc('optional.of', [DYN], DYN, (value) => optionalOf(value)),
  celFunc('optional.ofNonZeroValue', [DYN], DYN, (value) => (isZero(value) ? optionalNone() : optionalOf(value))),
  celFunc('optional.none', [], DYN, () => optionalNone()),
  celFunc('optionalOf__', [DYN], DYN, (value) => optionalOf(value)),
  celFunc('optionalNone__', [], DYN, () => optionalNone()),
  celMethod('hasValue', LIST, [], BOOL, function () {
    return present(this).size === 1;
  }),
  celMethod('value', LIST, [], DYN, function () {
    const value = present(this).get(0);
    if (value === undefined) {
      throw new Error('optional.none() dereference');
    }
    return value;
  }),
  celMethod('orValue', LIST, [DYN], DYN, function (other) {
    return present(this).get(0) ?? other;
  }),
  celMethod('or', LIST, [LIST], DYN, function (other) {
    return present(this).size === 1 ? this : present(other);
  }),
  ...selectors('optSelect__'),
  ...selectors('optIndex__'),
  celFunc('keysOf__', [MAP], LIST, (map) => [...map.keys()].flatMap((key): CelInput[] => [key])),
  celFunc('keysOf__', [LIST], LIST, (list) => Array.from({ length: list.size }, (_, i) => BigInt(i))),
  celFunc('withEntry__', [MAP, DYN, DYN], MAP, (map, key, value) => {
    if (typeof key !== 'string' && typeof key !== 'bigint' && typeof key !== 'boolean') {
      throw new Error('unsupported key type');
    }
    return celMap(entriesOf(map).set(key, value));
  }),
  // Optional entries of a list and a map: `[?a]`, `{?k: a}`.
  celFunc('entriesOf__', [LIST], LIST, (value) => celList([...present(value)])),
  celFunc('withOptional__', [MAP, DYN, LIST], MAP, (map, key, value) => {
    if (typeof key !== 'string' && typeof key !== 'bigint' && typeof key !== 'boolean') {
      throw new Error('unsupported key type');
    }
    const given = present(value).get(0);
    return given === undefined ? map : celMap(entriesOf(map).set(key, given));
  }),
  celFunc('withEntries__', [MAP, MAP], MAP, (map, more) => celMap(new Map([...entriesOf(map), ...entriesOf(more)]))),
];

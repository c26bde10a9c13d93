/**
 * The CEL functions that Kubernetes adds to the language (apiserver `pkg/cel/library`, and cel-go's `ext`): lists, regex, quantities, sets.
 *
 * Addresses, URLs, and versions are in `address-functions.ts`, optionals in `optional-functions.ts`.
 */
import {
  CelScalar,
  celFunc,
  celList,
  celMethod,
  isCelList,
  isCelMap,
  isCelUint,
  listType,
  mapType,
  type CelFunc,
  type CelInput,
  type CelList,
  type CelListType,
  type CelMap,
  type CelMapType,
  type CelValue,
} from '@bufbuild/cel';
import { payForPattern } from './cost';
import { strings } from '@bufbuild/cel/ext';
import { escapedToken } from '../manifests/pointer';
import { parseQuantity, Quantity } from '../manifests/values/quantity';
import { givenPatternOf } from '../manifests/values/patterns';
import { opaque, opaqueKind, opaqueValue } from './opaque';
import { unjudged } from './unjudged';
import { isUnordered } from './unordered';

const { STRING, INT, BOOL, DOUBLE, DYN } = CelScalar;
export const LIST: CelListType = listType(DYN);
export const MAP: CelMapType = mapType(DYN, DYN);

/** Equality as in CEL, except that sets and keyed lists of the schema compare in any order. */
export function equal(left: CelValue, right: CelValue): boolean {
  if (left === right) {
    return true;
  }
  const a = isCelUint(left) ? left.value : left;
  const b = isCelUint(right) ? right.value : right;
  if (isNumber(a) && isNumber(b)) {
    return compareNumbers(a, b) === 0;
  }
  if (isCelList(a)) {
    return isCelList(b) && equalLists(a, b);
  }
  if (isCelMap(a)) {
    return isCelMap(b) && equalMaps(a, b);
  }
  if (a instanceof Uint8Array) {
    return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  }
  if (typeof a === 'object' && a !== null && typeof b === 'object' && b !== null) {
    return sameMessage(a, b);
  }
  return false;
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function equalMaps(a: CelMap, b: CelMap): boolean {
  if (a.size !== b.size) {
    return false;
  }
  for (const [key, value] of a.entries()) {
    const other = b.get(key);
    if (other === undefined || !equal(value, other)) {
      return false;
    }
  }
  return true;
}

function equalLists(a: CelList, b: CelList): boolean {
  if (a.size !== b.size) {
    return false;
  }
  const left = [...a];
  const right = [...b];
  if (!isUnordered(a) && !isUnordered(b)) {
    return left.every((item, i) => equal(item, right[i] ?? null));
  }
  return left.every((item) => {
    const index = right.findIndex((other) => equal(item, other));
    if (index < 0) {
      return false;
    }
    right.splice(index, 1);
    return true;
  });
}

/** Timestamps and durations: the two messages that values of an object can be. */
function sameMessage(a: object, b: object): boolean {
  const parts = (value: object): string | undefined => {
    const message =
      'message' in value && typeof value.message === 'object' && value.message !== null ? value.message : value;
    if (!('seconds' in message) || !('nanos' in message) || !('$typeName' in message)) {
      return undefined;
    }
    return `${String(message.$typeName)} ${String(message.seconds)} ${String(message.nanos)}`;
  };
  const left = parts(a);
  return left !== undefined && left === parts(b);
}

export function compareNumbers(a: number | bigint, b: number | bigint): -1 | 0 | 1 | undefined {
  return a < b ? -1 : a > b ? 1 : Number.isNaN(Number(a)) || Number.isNaN(Number(b)) ? undefined : 0;
}

/** Order of values that have one; -1, 0 or 1. @throws Error where they have none */
export function order(left: CelValue, right: CelValue): number {
  const a = isCelUint(left) ? left.value : left;
  const b = isCelUint(right) ? right.value : right;
  if ((typeof a === 'number' || typeof a === 'bigint') && (typeof b === 'number' || typeof b === 'bigint')) {
    return compareNumbers(a, b) ?? 0;
  }
  if (typeof a === 'string' && typeof b === 'string') {
    return a < b ? -1 : a > b ? 1 : 0;
  }
  if (typeof a === 'boolean' && typeof b === 'boolean') {
    return Number(a) - Number(b);
  }
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    return Buffer.compare(a, b);
  }
  const [first, second] = [nanosOf(a), nanosOf(b)];
  if (first !== undefined && second !== undefined) {
    return first < second ? -1 : first > second ? 1 : 0;
  }
  throw new Error('no such overload: values without an order');
}

function nanosOf(value: CelValue): bigint | undefined {
  if (typeof value !== 'object' || value === null || !('message' in value)) {
    return undefined;
  }
  const message: unknown = value.message;
  if (typeof message !== 'object' || message === null || !('seconds' in message) || !('nanos' in message)) {
    return undefined;
  }
  return typeof message.seconds === 'bigint' && typeof message.nanos === 'number'
    ? message.seconds * 1_000_000_000n + BigInt(message.nanos)
    : undefined;
}

/** By index: the engine's iterators cost several times as much, and rules look values up in loops. */
function hasItem(list: CelList, value: CelValue): boolean {
  for (let index = 0; index < list.size; index++) {
    const item = list.get(index);
    if (item !== undefined && equal(item, value)) {
      return true;
    }
  }
  return false;
}

const equality: readonly CelFunc[] = [
  celFunc('_==_', [DYN, DYN], BOOL, equal),
  celFunc('_!=_', [DYN, DYN], BOOL, (a, b) => !equal(a, b)),
  celFunc('@in', [DYN, LIST], BOOL, (value, list) => hasItem(list, value)),
];

/** Conversions that the engine leaves to JavaScript, which takes more than Go does. */
const conversions: readonly CelFunc[] = [
  celFunc('int', [STRING], INT, (text) => {
    if (!/^[+-]?\d+$/.test(text)) {
      throw new Error(`strconv.ParseInt: parsing "${text}": invalid syntax`);
    }
    const value = BigInt(text.replace(/^\+/, ''));
    if (BigInt.asIntN(64, value) !== value) {
      throw new Error(`strconv.ParseInt: parsing "${text}": value out of range`);
    }
    return value;
  }),
  celFunc('double', [STRING], DOUBLE, (text) => {
    if (!/^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|inf|infinity|nan)$/i.test(text)) {
      throw new Error(`strconv.ParseFloat: parsing "${text}": invalid syntax`);
    }
    return /inf/i.test(text) ? (text.startsWith('-') ? -Infinity : Infinity) : Number(text);
  }),
];

const texts: readonly CelFunc[] = [
  ...strings,
  celMethod('split', STRING, [STRING, INT], LIST, function (separator, count) {
    const parts = this.split(separator);
    const limit = Number(count);
    if (limit === 0) {
      return celList([]);
    }
    if (limit < 0 || parts.length <= limit) {
      return celList(parts);
    }
    return celList([...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)]);
  }),
  celMethod('replace', STRING, [STRING, STRING], STRING, function (old, fresh) {
    return this.split(old).join(fresh);
  }),
  celMethod('matches', STRING, [STRING], BOOL, function (pattern) {
    return matches(this.toString(), pattern);
  }),
  celFunc('matches', [STRING, STRING], BOOL, matches),
];

function matches(text: string, source: string): boolean {
  const pattern = givenPatternOf(source);
  if (pattern === undefined) {
    throw new Error(`error parsing regexp: ${source}`);
  }
  payForPattern(text, source);
  return pattern.isUnjudged ? unjudged('a pattern of matches() is too long') : pattern.test(text);
}

function findAll(text: string, source: string, limit = -1): readonly string[] {
  const pattern = givenPatternOf(source);
  if (pattern === undefined) {
    throw new Error(`error parsing regexp: ${source}`);
  }
  return pattern.findAll(text, limit) ?? unjudged('the pattern of a find() or findAll() is too complex');
}

const patches: readonly CelFunc[] = [celFunc('jsonpatch.escapeKey', [STRING], STRING, (key) => escapedToken(key))];

const regex: readonly CelFunc[] = [
  celMethod('find', STRING, [STRING], STRING, function (pattern) {
    return findAll(this.toString(), pattern, 1)[0] ?? '';
  }),
  celMethod('findAll', STRING, [STRING], LIST, function (pattern) {
    return celList(findAll(this.toString(), pattern));
  }),
  celMethod('findAll', STRING, [STRING, INT], LIST, function (pattern, limit) {
    return celList(findAll(this.toString(), pattern, Number(limit)));
  }),
];

function best(list: CelList, sign: number): CelInput {
  let found: CelValue | undefined;
  for (const item of list) {
    if (found === undefined || order(item, found) * sign > 0) {
      found = item;
    }
  }
  if (found === undefined) {
    throw new Error(`${sign > 0 ? 'max' : 'min'} called on empty list`);
  }
  return found;
}

function sorted(list: CelList): CelValue[] {
  return [...list].sort(order);
}

const lists: readonly CelFunc[] = [
  celMethod('isSorted', LIST, [], BOOL, function () {
    const items = [...this];
    return items.every((item, i) => i === 0 || order(items[i - 1] ?? null, item) <= 0);
  }),
  celMethod('sum', LIST, [], DYN, function () {
    let whole = 0n;
    let real = 0;
    let isReal = false;
    for (const item of this) {
      const value = isCelUint(item) ? item.value : item;
      if (typeof value === 'bigint') {
        whole += value;
      } else if (typeof value === 'number') {
        real += value;
        isReal = true;
      } else {
        throw new Error('no such overload: sum');
      }
    }
    return isReal ? real + Number(whole) : whole;
  }),
  celMethod('min', LIST, [], DYN, function () {
    return best(this, -1);
  }),
  celMethod('max', LIST, [], DYN, function () {
    return best(this, 1);
  }),
  celMethod('indexOf', LIST, [DYN], INT, function (value) {
    return BigInt([...this].findIndex((item) => equal(item, value)));
  }),
  celMethod('lastIndexOf', LIST, [DYN], INT, function (value) {
    return BigInt([...this].findLastIndex((item) => equal(item, value)));
  }),
  celMethod('distinct', LIST, [], LIST, function () {
    const kept: CelValue[] = [];
    for (const item of this) {
      if (!kept.some((other) => equal(item, other))) {
        kept.push(item);
      }
    }
    return celList(kept);
  }),
  celMethod('reverse', LIST, [], LIST, function () {
    return celList([...this].reverse());
  }),
  celMethod('sort', LIST, [], LIST, function () {
    return celList(sorted(this));
  }),
  celMethod('slice', LIST, [INT, INT], LIST, function (from, to) {
    if (from < 0n || to < from || to > BigInt(this.size)) {
      throw new Error(`cannot slice(${from}, ${to}), list has length ${this.size}`);
    }
    return celList([...this].slice(Number(from), Number(to)));
  }),
  celMethod('flatten', LIST, [], LIST, function () {
    return celList(flattened(this, 1));
  }),
  celMethod('flatten', LIST, [INT], LIST, function (depth) {
    return celList(flattened(this, Number(depth)));
  }),
  celFunc('lists.range', [INT], LIST, (count) => celList(Array.from({ length: Number(count) }, (_, i) => BigInt(i)))),
];

function flattened(list: CelList, depth: number): CelValue[] {
  return [...list].flatMap((item) => (isCelList(item) && depth > 0 ? flattened(item, depth - 1) : [item]));
}

const contains = (list: CelList, part: CelList): boolean => [...part].every((item) => hasItem(list, item));
const sets: readonly CelFunc[] = [
  celFunc('sets.contains', [LIST, LIST], BOOL, contains),
  celFunc('sets.equivalent', [LIST, LIST], BOOL, (a, b) => contains(a, b) && contains(b, a)),
  celFunc('sets.intersects', [LIST, LIST], BOOL, (a, b) => [...a].some((item) => hasItem(b, item))),
];

function readQuantity(text: string): Quantity | undefined {
  // Unlike the decoder, the library reads the string unchanged.
  return text.trim() === text ? parseQuantity(text) : undefined;
}

function quantityOf(value: CelValue): Quantity {
  const quantity = opaqueValue(value, 'quantity');
  if (!(quantity instanceof Quantity)) {
    throw new Error('no such overload: expected a quantity');
  }
  return quantity;
}

const LARGEST_INT = 2n ** 63n - 1n;

const quantities: readonly CelFunc[] = [
  celFunc('quantity', [STRING], MAP, (text) => {
    const quantity = readQuantity(text);
    if (quantity === undefined) {
      throw new Error(`quantities must match the regular expression of quantities: '${text}'`);
    }
    return opaque('quantity', quantity, String(quantity.nanos));
  }),
  celFunc('isQuantity', [STRING], BOOL, (text) => readQuantity(text) !== undefined),
  celFunc('sign', [MAP], INT, (value) => {
    const quantity = quantityOf(value);
    return quantity.isZero() ? 0n : quantity.isNegative() ? -1n : 1n;
  }),
  celMethod('isInteger', MAP, [], BOOL, function () {
    const quantity = quantityOf(this);
    return quantity.isInteger() && quantity.wholeUnits() <= LARGEST_INT && quantity.wholeUnits() >= -LARGEST_INT - 1n;
  }),
  celMethod('asInteger', MAP, [], INT, function () {
    const quantity = quantityOf(this);
    if (!quantity.isInteger()) {
      throw new Error('cannot convert value to integer');
    }
    return quantity.wholeUnits();
  }),
  celMethod('asApproximateFloat', MAP, [], DOUBLE, function () {
    return quantityOf(this).toNumber();
  }),
  ...(['add', 'sub'] as const).flatMap((name) => [
    celMethod(name, MAP, [MAP], MAP, function (other) {
      const result =
        name === 'add' ? quantityOf(this).add(quantityOf(other)) : quantityOf(this).subtract(quantityOf(other));
      return opaque('quantity', result, String(result.nanos));
    }),
    celMethod(name, MAP, [INT], MAP, function (other) {
      const result =
        name === 'add' ? quantityOf(this).add(Quantity.of(other)) : quantityOf(this).subtract(Quantity.of(other));
      return opaque('quantity', result, String(result.nanos));
    }),
  ]),
];

/** Comparisons that quantities share with versions; see `address-functions.ts` for the latter. */
export function compareQuantities(left: CelValue, right: CelValue): number | undefined {
  return opaqueKind(left) === 'quantity' ? quantityOf(left).compare(quantityOf(right)) : undefined;
}

export const kubernetesFunctions: readonly CelFunc[] = [
  ...conversions,
  ...texts,
  ...patches,
  ...regex,
  ...lists,
  ...sets,
  ...quantities,
  ...equality,
];

/**
 * Values of types that CEL has no notion of: quantities, addresses, URLs, versions, optionals.
 *
 * The engine takes only its own kinds of values, so such a value is passed as a map, and an optional as a list, with the original value kept
 * beside it. The map holds a key that makes equal values equal to the engine too.
 */
import { celList, celMap, type CelInput, type CelList, type CelMap, type CelValue } from '@bufbuild/cel';

export type OpaqueKind = 'quantity' | 'ip' | 'cidr' | 'url' | 'semver' | 'format';

interface Opaque {
  readonly kind: OpaqueKind;
  readonly value: unknown;
}

const opaques = new WeakMap<object, Opaque>();
const optionals = new WeakSet<object>();

/** @param key equal for equal values of the kind */
export function opaque(kind: OpaqueKind, value: unknown, key: string): CelMap {
  const map = celMap(new Map([[`@${kind}`, key]]));
  opaques.set(map, { kind, value });
  return map;
}

export function opaqueKind(value: CelValue): OpaqueKind | undefined {
  return typeof value === 'object' && value !== null ? opaques.get(value)?.kind : undefined;
}

/**
 * The original value of an opaque value.
 * @throws Error, which the engine reports as a missing overload, where the value is of another kind
 */
export function opaqueValue(value: CelValue, kind: OpaqueKind): unknown {
  const known = typeof value === 'object' && value !== null ? opaques.get(value) : undefined;
  if (known?.kind !== kind) {
    throw new Error(`no such overload: expected a ${kind}`);
  }
  return known.value;
}

export function optionalOf(value: CelInput): CelList {
  const list = celList([value]);
  optionals.add(list);
  return list;
}

export function optionalNone(): CelList {
  const list = celList([]);
  optionals.add(list);
  return list;
}

export function isOptional(value: CelValue): value is CelList {
  return typeof value === 'object' && value !== null && optionals.has(value);
}

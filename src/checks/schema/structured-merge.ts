/**
 * Merges an apply configuration into an object, as the API server does.
 *
 * Source: structured-merge-diff v6, typed/merge.go.
 */
import { type JsonValue, type Schema } from '../../facts/api/schema';
import { type Element, elementsOf } from './structure';

/** `rhs` over `lhs`: objects field by field, lists with keys item by item, everything else as a whole. */
export function mergedWith<T extends JsonValue>(lhs: T, rhs: JsonValue, schema: Schema | undefined): T {
  const [left, right] = [elementsOf(lhs, schema), elementsOf(rhs, schema)];
  if (left === undefined || right === undefined || Array.isArray(lhs) !== Array.isArray(rhs)) {
    return rhs as T;
  }
  const all = inOrder(left, right).map(({ old, now }) =>
    old === undefined || now === undefined
      ? (now ?? old)!
      : { ...now, value: mergedWith(old.value, now.value, now.schema) },
  );
  return (
    Array.isArray(lhs)
      ? all.map(({ value }) => value)
      : Object.fromEntries(all.map(({ token, value }) => [token.slice(2), value]))
  ) as T;
}

interface Pair {
  readonly old?: Element;
  readonly now?: Element;
}

/** New elements in their order; each old one that is not among them stays before the new one that it was before. */
function inOrder(left: readonly Element[], right: readonly Element[]): readonly Pair[] {
  const [old, now] = [left, right].map((elements) => new Map(elements.map((element) => [element.token, element])));
  const pairs: Pair[] = [];
  const taken = new Set<string>();
  let next = 0;
  for (const element of left) {
    while (now.has(element.token) && !taken.has(element.token) && next < right.length) {
      const { token } = right[next];
      taken.add(token);
      pairs.push({ old: old.get(token), now: right[next++] });
    }
    if (!now.has(element.token)) {
      pairs.push({ old: element });
    }
  }
  return [...pairs, ...right.slice(next).map((element) => ({ old: old.get(element.token), now: element }))];
}

/**
 * What a matcher is, how a plain value becomes one, and the differences that matchers report.
 */
import { type JsonValue } from '../../facts/api/schema';
import { pointer } from '../../manifests/pointer';
import { isObject } from '../../manifests/read';

/** One place where a value is not what a pattern says. */
export interface Difference {
  /** JSON pointer (RFC 6901) into the object; empty for the object itself. */
  readonly path: string;
  /** What the pattern says, in words, such as `expected 2`. */
  readonly expected: string;
  /** The value there; `undefined` if there is none. */
  readonly found: JsonValue | undefined;
  /** How many values of the pattern have nothing to be compared with there; the object with the least is the closest. @default 1 */
  readonly weight?: number;
}

/**
 * A pattern that says more than a plain value can: that a field is absent, that a list holds an element, that two quantities are equal.
 * `Match` makes them; a class of your own works in the same places.
 *
 * @example
 * class Even extends Matcher {
 *   readonly name = 'an even number';
 *   differences(value: JsonValue | undefined, path: string): readonly Difference[] {
 *     return typeof value === 'number' && value % 2 === 0 ? [] : [{ path, expected: this.name, found: value }];
 *   }
 * }
 */
export abstract class Matcher {
  /** What the matcher accepts, in words that follow "expected": `any value`, `a quantity equal to 64Gi`. */
  abstract readonly name: string;

  /**
   * Compares a value with the pattern.
   *
   * @param value `undefined` if the field is absent
   * @param path JSON pointer of the value
   * @returns nothing if the value matches
   */
  abstract differences(value: JsonValue | undefined, path: string): readonly Difference[];

  /**
   * How many values the pattern compares: the weight by which the closest object is chosen.
   * @default 1
   */
  get size(): number {
    return 1;
  }
}

/**
 * What an object of type `T` is compared with: a part of it, in which a matcher may replace any value.
 */
export type Pattern<T> =
  | Matcher
  | (T extends string | number | boolean | null | undefined
      ? T
      : T extends readonly (infer E)[]
        ? readonly Pattern<E>[]
        : { readonly [K in keyof T]?: Pattern<T[K]> });

/** How plain objects inside of a pattern compare. */
export type ObjectMode = 'partial' | 'exact';

/**
 * The matcher of a pattern: objects by the given mode, lists element by element, everything else by equality.
 *
 * @throws TypeError if the pattern holds what JSON has no form for, such as `undefined` or a function
 */
export function matcherOf(pattern: unknown, mode: ObjectMode, path = ''): Matcher {
  if (pattern instanceof Matcher) {
    return pattern;
  }
  if (Array.isArray(pattern)) {
    return new ListMatcher(pattern.map((element, index) => matcherOf(element, mode, pointer(path, index))));
  }
  if (typeof pattern === 'object' && pattern !== null) {
    const fields = Object.entries(pattern).map(
      ([key, value]) => [key, matcherOf(value, mode, pointer(path, key))] as const,
    );
    return new ObjectMatcher(new Map(fields), mode);
  }
  if (pattern === null || typeof pattern === 'string' || typeof pattern === 'number' || typeof pattern === 'boolean') {
    return new ValueMatcher(pattern);
  }
  throw new TypeError(
    `the pattern has ${pattern === undefined ? 'undefined' : `a ${typeof pattern}`} at ${path === '' ? 'its root' : path}; ` +
      (pattern === undefined
        ? 'use Match.absent() for a field that must not be set'
        : 'use a JSON value or a matcher of Match'),
  );
}

/** Equality with one JSON value that is neither an object nor a list. */
class ValueMatcher extends Matcher {
  constructor(private readonly value: string | number | boolean | null) {
    super();
  }

  get name(): string {
    return JSON.stringify(this.value);
  }

  differences(value: JsonValue | undefined, path: string): readonly Difference[] {
    return value === this.value ? [] : [{ path, expected: this.name, found: value }];
  }
}

/** A list of the same length, each element against its own pattern. */
class ListMatcher extends Matcher {
  constructor(private readonly elements: readonly Matcher[]) {
    super();
  }

  get name(): string {
    return this.elements.length === 1 ? 'a list of 1 element' : `a list of ${this.elements.length} elements`;
  }

  override get size(): number {
    return sizeOf(this.elements);
  }

  differences(value: JsonValue | undefined, path: string): readonly Difference[] {
    if (!Array.isArray(value)) {
      return [{ path, expected: this.name, found: value, weight: this.size }];
    }
    const list: readonly JsonValue[] = value;
    const different = this.elements.flatMap((matcher, index) =>
      index < list.length ? matcher.differences(list[index], pointer(path, index)) : [],
    );
    return list.length === this.elements.length
      ? different
      : [{ path, expected: this.name, found: value }, ...different];
  }
}

/** An object whose fields match; in the exact mode without any other field. */
class ObjectMatcher extends Matcher {
  constructor(
    private readonly fields: ReadonlyMap<string, Matcher>,
    private readonly mode: ObjectMode,
  ) {
    super();
  }

  get name(): string {
    const keys = [...this.fields.keys()];
    return keys.length === 0 ? 'an object' : `an object with ${keys.join(', ')}`;
  }

  override get size(): number {
    return sizeOf([...this.fields.values()]);
  }

  differences(value: JsonValue | undefined, path: string): readonly Difference[] {
    if (!isObject(value)) {
      return [{ path, expected: this.name, found: value, weight: this.size }];
    }
    const different = [...this.fields].flatMap(([key, matcher]) =>
      matcher.differences(Object.hasOwn(value, key) ? value[key] : undefined, pointer(path, key)),
    );
    const others = this.mode === 'partial' ? [] : Object.keys(value).filter((key) => !this.fields.has(key));
    return [
      ...different,
      ...others.map((key) => ({ path: pointer(path, key), expected: 'no such field', found: value[key] })),
    ];
  }
}

/** How far a value is from a pattern. */
export function weightOf(differences: readonly Difference[]): number {
  return differences.reduce((sum, { weight = 1 }) => sum + weight, 0);
}

function sizeOf(matchers: readonly Matcher[]): number {
  return 1 + matchers.reduce((sum, { size }) => sum + size, 0);
}

/**
 * The matchers: what a pattern says beyond plain values.
 */
import { type JsonValue } from '../../facts/api/schema';
import { pointer } from '../../manifests/pointer';
import { parseQuantity, type Quantity } from '../../manifests/values/quantity';
import { parseValue } from '../../manifests/yaml';
import { type Difference, Matcher, matcherOf, weightOf } from './matcher';

/**
 * Patterns for `Template`, each usable in place of any value inside of another pattern. Plain objects inside of `objectLike` compare
 * partially, those inside of `exact` as a whole; a plain list compares element by element and must have the same length.
 *
 * @example
 * new kplus.Deployment(chart, 'server', { replicas: 2, containers: [{ image: 'registry.example.com/server:1' }] });
 * Template.fromChart(chart).hasResource('Deployment', {
 *   spec: Match.objectLike({
 *     replicas: 2,
 *     paused: Match.absent(),
 *     template: { spec: { containers: Match.arrayWith([{ image: Match.stringLikeRegexp('^registry\\.example\\.com/') }]) } },
 *   }),
 * });
 */
export class Match {
  /** Matches an object that has at least these fields. Objects inside of it compare in the same way. */
  static objectLike(fields: Readonly<Record<string, unknown>>): Matcher {
    return matcherOf(fields, 'partial');
  }

  /** Matches a value that is equal as a whole: an object with these fields and no other, a list with these elements and no other. */
  static exact(value: unknown): Matcher {
    return matcherOf(value, 'exact');
  }

  /** Matches a list that has all these elements, in this order, perhaps with others before, between, and after them. */
  static arrayWith(elements: readonly unknown[]): Matcher {
    return new ArrayWith(elements.map((element) => matcherOf(element, 'partial')));
  }

  /** Matches where the field is not set. */
  static absent(): Matcher {
    return new Test('no value', (value) => value === undefined);
  }

  /** Matches any value, as long as the field is set. */
  static anyValue(): Matcher {
    return new Test('any value', (value) => value !== undefined && value !== null);
  }

  /**
   * Matches a string in which the expression matches somewhere. `^` and `$` match the beginning and the end of the string.
   *
   * @throws SyntaxError if the text is not a regular expression
   */
  static stringLikeRegexp(expression: string | RegExp): Matcher {
    const { source, flags } = new RegExp(expression);
    // A global or sticky expression would remember where it stopped.
    const expected = new RegExp(source, flags.replace(/[gy]/g, ''));
    return new Test(`a string that matches ${expected}`, (value) => typeof value === 'string' && expected.test(value));
  }

  /**
   * Matches a quantity of the same amount, however it is written: `64Gi`, `65536Mi`, and the number 68719476736 are equal.
   *
   * @param amount a Kubernetes quantity, such as `64Gi` or `500m`
   * @throws TypeError if the amount is not a quantity
   */
  static quantity(amount: string | number): Matcher {
    const expected = parseQuantity(amount);
    if (expected === undefined) {
      throw new TypeError(
        `Match.quantity(${JSON.stringify(amount)}): must be a Kubernetes quantity, such as 64Gi or 500m`,
      );
    }
    return new Test(`a quantity equal to ${amount}`, (value) => quantityOf(value)?.equals(expected) === true);
  }

  /** Matches a string that holds a JSON document, and the document matches the pattern. */
  static serializedJson(pattern: unknown): Matcher {
    return new Serialized('JSON', readJson, matcherOf(pattern, 'partial'));
  }

  /** Matches a string that holds one YAML document, and the document matches the pattern. */
  static serializedYaml(pattern: unknown): Matcher {
    return new Serialized('YAML', readYaml, matcherOf(pattern, 'partial'));
  }

  /** Matches what the pattern does not match. */
  static not(pattern: unknown): Matcher {
    const matcher = matcherOf(pattern, 'partial');
    return new Test(`anything but ${matcher.name}`, (value) => matcher.differences(value, '').length > 0);
  }
}

/** A condition on one value. */
class Test extends Matcher {
  constructor(
    readonly name: string,
    private readonly accepts: (value: JsonValue | undefined) => boolean,
  ) {
    super();
  }

  differences(value: JsonValue | undefined, path: string): readonly Difference[] {
    return this.accepts(value) ? [] : [{ path, expected: this.name, found: value }];
  }
}

class ArrayWith extends Matcher {
  constructor(private readonly elements: readonly Matcher[]) {
    super();
  }

  get name(): string {
    return `a list with ${this.elements.map(({ name }) => name).join(', ')}`;
  }

  override get size(): number {
    return this.elements.reduce((sum, { size }) => sum + size, 1);
  }

  /** Takes for each pattern the first element that matches: in a fixed order no other choice finds more. */
  differences(value: JsonValue | undefined, path: string): readonly Difference[] {
    if (!Array.isArray(value)) {
      return [{ path, expected: this.name, found: value, weight: this.size }];
    }
    const list: readonly JsonValue[] = value;
    let next = 0;
    for (const matcher of this.elements) {
      const found = list.findIndex((element, index) => index >= next && matcher.differences(element, '').length === 0);
      if (found < 0) {
        return this.missing(matcher, list, next, path);
      }
      next = found + 1;
    }
    return [];
  }

  /** What keeps the element that comes closest from being the one that is missing. */
  private missing(matcher: Matcher, list: readonly JsonValue[], from: number, path: string): readonly Difference[] {
    const candidates = list
      .map((element, index) => matcher.differences(element, pointer(path, index)))
      .slice(from)
      .sort((a, b) => weightOf(a) - weightOf(b));
    const after = from === 0 ? '' : ` after element ${from - 1}`;
    return [
      { path, expected: `an element that is ${matcher.name}${after}`, found: [...list] },
      ...(candidates[0] ?? []).filter(({ path: place }) => tokenCount(place) > tokenCount(path) + 1),
    ];
  }
}

function tokenCount(path: string): number {
  return path.split('/').length;
}

class Serialized extends Matcher {
  constructor(
    private readonly language: string,
    private readonly read: (text: string) => { readonly value: JsonValue } | undefined,
    private readonly pattern: Matcher,
  ) {
    super();
  }

  get name(): string {
    return `a ${this.language} document that is ${this.pattern.name}`;
  }

  override get size(): number {
    return this.pattern.size;
  }

  differences(value: JsonValue | undefined, path: string): readonly Difference[] {
    const document = typeof value === 'string' ? this.read(value) : undefined;
    return document === undefined
      ? [{ path, expected: this.name, found: value, weight: this.size }]
      : this.pattern.differences(document.value, path);
  }
}

function readJson(text: string): { readonly value: JsonValue } | undefined {
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch {
    return undefined;
  }
}

function readYaml(text: string): { readonly value: JsonValue } | undefined {
  const read = parseValue(text, 'text');
  return 'value' in read ? read : undefined;
}

function quantityOf(value: JsonValue | undefined): Quantity | undefined {
  return typeof value === 'string' || typeof value === 'number' ? parseQuantity(value) : undefined;
}

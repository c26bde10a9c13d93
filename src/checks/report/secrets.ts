/**
 * Keeps the values of Secrets out of reports, which are printed in logs and uploaded to other places.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { addAll } from '../../facts/collections';
import { type Manifest } from '../../manifests/manifest';
import { unguarded } from '../../manifests/values/unknown';
import { type Violation } from '../rules/rule';

const HIDDEN = '(value of a Secret)';
/** What a Secret shows of itself. Everything else may hold a value, also under a misspelled name. */
const SHOWN: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'type']);
/** Shorter values occur by chance in any text. */
const SHORTEST = 4;

/** The violation without what a Secret holds; the same violation for every other object. */
export function withoutSecretValues(violation: Violation, { id, object: asRead }: Manifest): Violation {
  if (id.kind !== 'Secret' || id.group !== '') {
    return violation;
  }
  const values = secretValuesOf(unguarded(asRead));
  const hidden = (text: string): string => values.hiddenIn(text);
  const { path = '', found, message, expected, fix } = violation;
  return {
    ...violation,
    message: hidden(message),
    ...(found === undefined ? {} : { found: isBelowSecret(path) || path === '' ? HIDDEN : hiddenValue(found, hidden) }),
    ...(expected === undefined ? {} : { expected: hidden(expected) }),
    ...(fix === undefined ? {} : { fix: hidden(fix) }),
  };
}

const known = new WeakMap<JsonObject, SecretValues>();

function secretValuesOf(object: JsonObject): SecretValues {
  let values = known.get(object);
  if (values === undefined) {
    known.set(object, (values = new SecretValues(object)));
  }
  return values;
}

/** All forms of the values of a Secret, sorted: of all values, a neighbor of a text begins with most of its characters. */
class SecretValues {
  private readonly sorted: readonly string[];
  private readonly beginnings: ReadonlySet<string>;

  constructor(object: JsonObject) {
    this.sorted = Object.keys(object)
      .filter(isSecret)
      .flatMap((field) => scalarsIn(object[field]))
      .flatMap((value) => [value, JSON.stringify(value).slice(1, -1), Buffer.from(value, 'base64').toString('utf8')])
      .filter((value) => value.length >= SHORTEST)
      .sort(byUnits);
    this.beginnings = new Set(this.sorted.map((value) => value.slice(0, SHORTEST)));
  }

  /** The text without these values. Messages cut long values, so that the beginning of one is hidden as well. */
  hiddenIn(text: string): string {
    let shown = '';
    let from = 0;
    for (let at = 0; at + SHORTEST <= text.length; at++) {
      if (this.beginnings.has(text.slice(at, at + SHORTEST))) {
        shown += text.slice(from, at) + HIDDEN;
        from = at + this.longestAt(text, at);
        at = from - 1;
      }
    }
    return shown + text.slice(from);
  }

  /** The most characters, from this position on, that are the beginning of a value. */
  private longestAt(text: string, at: number): number {
    const rest = text.slice(at);
    let low = 0;
    let high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (byUnits(this.sorted[middle], rest) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return Math.max(commonLength(this.sorted[low - 1] ?? '', rest), commonLength(this.sorted[low] ?? '', rest));
  }
}

function byUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a.charAt(length) === b.charAt(length)) {
    length++;
  }
  return length;
}

function isSecret(field: string): boolean {
  return !SHOWN.has(field);
}

function isBelowSecret(path: string): boolean {
  return isSecret(path.split('/')[1] ?? '');
}

/** The strings and numbers in a value. Truth values and null tell nothing. */
function scalarsIn(value: JsonValue | undefined): readonly string[] {
  const found: string[] = [];
  const open: (JsonValue | undefined)[] = [value];
  for (let next = open.pop(); open.length > 0 || next !== undefined; next = open.pop()) {
    if (typeof next === 'string' || typeof next === 'number') {
      found.push(String(next));
    } else if (typeof next === 'object' && next !== null) {
      addAll(open, Object.values(next));
    }
  }
  return found;
}

/** Annotations may repeat the whole object. */
function hiddenValue(value: JsonValue, hidden: (text: string) => string): JsonValue {
  return typeof value === 'string' ? hidden(value) : typeof value === 'object' && value !== null ? HIDDEN : value;
}

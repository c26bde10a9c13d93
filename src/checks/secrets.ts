/**
 * Keeps the values of Secrets out of reports, which are printed in logs and uploaded to other places.
 */
import { type JsonValue } from '../facts/api/schema';
import { type Manifest } from '../manifests/manifest';
import { unguarded } from '../manifests/unknown';
import { type Violation } from './rule';

const HIDDEN = '(value of a Secret)';
/** What a Secret shows of itself. Everything else may hold a value, also under a misspelled name. */
const SHOWN: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'type']);
/** Shorter values occur by chance in any text. */
const SHORTEST = 4;

/** The violation without what a Secret holds; the same violation for every other object. */
export function withoutSecretValues(violation: Violation, { id, object: asRead }: Manifest): Violation {
  const object = unguarded(asRead);
  if (id.kind !== 'Secret' || id.group !== '') {
    return violation;
  }
  const values = Object.keys(object)
    .filter(isSecret)
    .flatMap((field) => scalarsIn(object[field]))
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1), Buffer.from(value, 'base64').toString('utf8')])
    .filter((value) => value.length >= SHORTEST);
  const hidden = (text: string): string => values.reduce(withoutValue, text);
  const { path = '', found, message, expected, fix } = violation;
  return {
    ...violation,
    message: hidden(message),
    ...(found === undefined ? {} : { found: isBelowSecret(path) || path === '' ? HIDDEN : hiddenValue(found, hidden) }),
    ...(expected === undefined ? {} : { expected: hidden(expected) }),
    ...(fix === undefined ? {} : { fix: hidden(fix) }),
  };
}

/** Messages cut long values, so that the beginning of one is hidden as well. */
function withoutValue(text: string, value: string): string {
  const beginning = value.slice(0, SHORTEST);
  let left = text;
  for (let at = left.indexOf(beginning); at >= 0; at = left.indexOf(beginning, at + HIDDEN.length)) {
    let length = SHORTEST;
    while (length < value.length && left.charAt(at + length) === value.charAt(length)) {
      length++;
    }
    left = `${left.slice(0, at)}${HIDDEN}${left.slice(at + length)}`;
  }
  return left;
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
      open.push(...Object.values(next));
    }
  }
  return found;
}

/** Annotations may repeat the whole object. */
function hiddenValue(value: JsonValue, hidden: (text: string) => string): JsonValue {
  return typeof value === 'string' ? hidden(value) : typeof value === 'object' && value !== null ? HIDDEN : value;
}

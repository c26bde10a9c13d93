/**
 * What to write in a field, as a sentence: `Set ports[0].protocol to TCP, UDP, or SCTP.`
 */
import { oneOf } from '../../facts/words';
import { contentOf } from './field-content';

const TYPES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'an integer',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

/** More names than this are left to `expected`. */
const MOST_NAMES = 8;

/** Expected values that end a sentence: `a, b, or c`, `at least 2`, `a path that begins with "/"`. */
export function alternatives(expected: string): string {
  const [, from, to] = /^(-?\d+)(?: to |-)(-?\d+)$/.exec(expected) ?? [];
  if (from !== undefined && to !== undefined) {
    return from === to ? from : `a number from ${from} to ${to}`;
  }
  if (/^such as /.test(expected)) {
    return `a value ${expected}`;
  }
  const names = expected.replace(/^one of /, '').split(/, (?:or )?| or /);
  if (names.length > MOST_NAMES) {
    return `one of the expected values, for example ${names[0]}`;
  }
  if (names.some((name) => /\s/.test(name))) {
    return expected;
  }
  if (names.length === 1) {
    return Object.hasOwn(TYPES, expected) ? TYPES[expected] : names[0];
  }
  return oneOf(names);
}

/** @param expected what the field must be, or empty: then the name of the field says what it holds */
export function setTo(field: string, expected: string): string {
  if (/^[\w.[\]"/-]+: /.test(expected)) {
    return `Set ${expected}.`;
  }
  const [, value = expected, otherwise] = /^(.+?),? or unset\b(.*)$/.exec(expected) ?? [];
  if (/^at least one [a-z]/.test(value)) {
    return `Add ${value} to ${field}${otherwise === undefined ? '' : `, or remove it${otherwise}`}.`;
  }
  if (/^at most \d+ (?:characters|bytes)\b/.test(expected)) {
    return `Shorten ${field} to ${expected}.`;
  }
  if (otherwise !== undefined) {
    return `Set ${field} to ${alternatives(value)}, or remove it${otherwise}.`;
  }
  const last = field.split('.').at(-1) ?? '';
  if (expected === '' || field.endsWith(expected) || expected === `a ${last}`) {
    const content = contentOf(field);
    if (content !== undefined) {
      return `Set ${field} to ${content}.`;
    }
    return /\[\d+\]$/.test(field) ? `Set ${field} to a string that is not empty, or remove it.` : `Set ${field}.`;
  }
  if (last === 'type' && Object.hasOwn(TYPES, expected)) {
    return `Set ${field} to ${expected}.`;
  }
  const isName = /name$/i.test(last) && /^an? (?:entry|volume|claim|container|job) (?:in|of) /.test(expected);
  return `Set ${field} to ${isName ? 'the name of ' : ''}${alternatives(expected)}.`;
}

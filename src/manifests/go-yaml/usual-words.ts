/**
 * Words of documents of the usual forms: which characters begin and end them, and what unquoted ones mean.
 */
import { type JsonValue } from '../../facts/api/schema';
import { keyOf, resolvePlain } from '../texts/yaml-scalars';

/** Ends the reading. It is caught where the reading began. */
export const UNUSUAL = new Error('not of the usual form');

export const MOST_DEPTH = 100;
/** A key and its colon may be farther apart, but are hardly ever. */
export const LONGEST_KEY = 500;
/** The longest word that is no string. */
const LONGEST_WORD = 5;

/** Codes of characters. */
export const CODES = {
  TAB: 9,
  BREAK: 10,
  SPACE: 32,
  DOUBLE_QUOTE: 34,
  HASH: 35,
  PERCENT: 37,
  SINGLE_QUOTE: 39,
  COMMA: 44,
  DASH: 45,
  DOT: 46,
  NINE: 57,
  COLON: 58,
  QUESTION: 63,
  OPEN_BRACKET: 91,
  BACKSLASH: 92,
  CLOSE_BRACKET: 93,
  OPEN_BRACE: 123,
  PIPE: 124,
  CLOSE_BRACE: 125,
  GREATER: 62,
} as const;

/** What begins no plain string, or hardly ever one. */
export const NO_BEGIN = codes('?:,[]{}#&*!|>\'"%@`\t\n ');
/** What ends a plain string within brackets, or may. */
export const FLOW_END = codes(',?[]{}#\t\n');
/** What begins a word that may be something else than a string. */
const HINT = codes('-+0123456789.yYnNtTfFoO~');

function codes(characters: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const character of characters) {
    table[character.charCodeAt(0)] = 1;
  }
  return table;
}

export function isIn(table: Uint8Array, code: number): boolean {
  return code < 128 && table[code] === 1;
}

export function isGap(code: number): boolean {
  return code === CODES.SPACE || code === CODES.BREAK || code === CODES.TAB;
}

/** Whether a plain string is one to kubectl, without a closer look. */
function isSurelyString(text: string): boolean {
  const code = text.charCodeAt(0);
  return !isIn(HINT, code) || (code > CODES.NINE && text.length > LONGEST_WORD);
}

export function valueOf(text: string): JsonValue {
  if (isSurelyString(text)) {
    return text;
  }
  const { value, inexact } = resolvePlain(text);
  if (inexact === true || (typeof value === 'number' && !Number.isFinite(value))) {
    throw UNUSUAL;
  }
  return value;
}

export function nameOf(text: string): string {
  const name = isSurelyString(text) ? text : keyOf(resolvePlain(text));
  if (name === undefined) {
    throw UNUSUAL;
  }
  return name;
}

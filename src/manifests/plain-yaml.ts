/**
 * The short way through YAML: most manifests hold nothing but maps, lists, words and texts, and one document.
 *
 * `js-yaml` reads those several times faster than the library that also knows places. It is asked first, and believed only where the text
 * holds nothing that the two, or kubectl, see in different ways: anchors, tags, merge keys, words that are no text used as keys,
 * numbers that no double holds, or anything wrong. The rest is read in full (`yaml-text.ts`), which also words the errors; a test
 * holds the two to the same answers.
 */
import { FAILSAFE_SCHEMA, load, Type } from 'js-yaml';
import { type JsonObject, type JsonValue } from '../facts/api/schema';
import { isObject } from './read';
import { resolvePlain } from './yaml-scalars';

const MAX_DEPTH = 100;

/** What only the full reader may judge, wherever in the text it stands, be it in a comment. */
const UNCERTAIN = new RegExp(
  [
    /[^\n\P{Cc}]|[\u2028\u2029\uFEFF]/u, // control characters, tabs among them, and line ends of other alphabets
    /^(?:\.\.\.|%|---\S)/, // document ends and directives
    /(?:^|[\s,[{])[&*!?]|<<|__proto__/, // anchors, aliases, tags, explicit keys, merge keys
    /[:-] +(?:>|\|[+-]?[1-9])/, // folded texts, and blocks that state their indentation
    /(?:^|[\s,[{])(?:"(?:[^"\\\n]|\\[^\n])*\\?|'(?:[^'\n]|'')*)$/, // quoted texts that go on in the next line
    /^ *(?:- +)*- *(?:#.*)?$/, // items that begin on the next line
    /[\]}] *:/, // lists and maps as keys
    /["'\]}]#/, // a comment that no space sets apart
  ]
    .map(({ source }) => source)
    .join('|'),
  'mu',
);

/** Thrown and caught in this file only: what is given up is read again, so that nobody sees it. */
const GIVE_UP = new Error('left to the full reader');

/** An unquoted word, as kubectl understands it. */
const WORD = new Type('tag:gantry.dev,2026:word', {
  kind: 'scalar',
  resolve: (text: string | null) => text !== null && resolvePlain(text).tag !== 'str',
  construct: (text: string): JsonValue => {
    const { value, inexact } = resolvePlain(text);
    if (inexact === true || (typeof value === 'number' && !Number.isFinite(value))) {
      throw GIVE_UP;
    }
    return value;
  },
});

const SCHEMA = FAILSAFE_SCHEMA.extend({ implicit: [WORD] });

/** The value of a text that holds one document; `undefined` where the full reader has to look. */
export function readPlainYaml(text: string): JsonObject | undefined {
  if (UNCERTAIN.test(text) || !closesBrackets(text)) {
    return undefined;
  }
  try {
    const value = load(text, { schema: SCHEMA }) as JsonValue | undefined;
    return isObject(value) && new KeyCheck(text).holds(value, 0) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether lists and maps in brackets end on the line on which they begin, as far as a count can tell. */
function closesBrackets(text: string): boolean {
  for (const [line] of text.matchAll(/^.*[[\]{}].*$/gm)) {
    let open = 0;
    for (const character of line) {
      if (character === '[' || character === '{') {
        open++;
      } else if (character === ']' || character === '}') {
        open--;
      }
    }
    if (open !== 0) {
      return false;
    }
  }
  return true;
}

/**
 * Whether every key is a text that stands on one line before its colon (and was no other word before: `yes`, `0x10`, nothing at all), and
 * nothing is nested too deep.
 */
class KeyCheck {
  private readonly known = new Set<string>();

  constructor(private readonly text: string) {}

  holds(value: JsonValue, depth: number): boolean {
    if (typeof value !== 'object' || value === null) {
      return true;
    }
    if (depth > MAX_DEPTH) {
      return false;
    }
    if (Array.isArray(value)) {
      return value.every((item) => this.holds(item, depth + 1));
    }
    for (const key in value) {
      if (!this.isPlain(key) || !this.holds(value[key], depth + 1)) {
        return false;
      }
    }
    return true;
  }

  private isPlain(key: string): boolean {
    if (this.known.has(key)) {
      return true;
    }
    if (resolvePlain(key).tag !== 'str') {
      return false;
    }
    const written = [`${key}:`, `"${key}":`, `'${key.replaceAll("'", "''")}':`];
    if (!written.some((form) => this.text.includes(form))) {
      return false;
    }
    this.known.add(key);
    return true;
  }
}

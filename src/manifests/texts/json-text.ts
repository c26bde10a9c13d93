/**
 * Reads JSON with what `JSON.parse` does not tell: duplicate keys, integers that a double cannot hold, and places.
 *
 * Several objects may follow one another, as kubectl takes them.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { hasMember, setMember } from './json-member';
import { pointer } from '../pointer';
import { remembered, type TextDocument, type TextProblem } from './source-text';
import { inexactInteger, losesDigits } from './yaml-scalars';

const MAX_DEPTH = 500;
const SPACE = /[ \t\r\n]*/y;
const CONTROL = /\p{Cc}/u;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
/** Up to the closing quote; control characters, which JSON forbids here, are refused by `JSON.parse` after it. */
const WORD = /true|false|null/y;

/** Offset of the value at a pointer, or of its nearest parent. */
type PlaceFinder = (path: string) => number;

class JsonSyntaxError extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}

/** All documents of a text. After the first broken place nothing more is read. */
export function readJson(text: string): TextDocument[] {
  const documents: TextDocument[] = [];
  const placesFrom = remembered((from: number) => new JsonReader(text, from).places());
  let start = skipSpace(text, text.startsWith('\uFEFF') ? 1 : 0);
  while (start < text.length) {
    const reader = new JsonReader(text, start);
    const { value, problems } = reader.read();
    const from = start;
    documents.push({ index: documents.length, start, value, problems, offsetOf: (path) => placesFrom(from)(path) });
    if (value === undefined) {
      break;
    }
    start = skipSpace(text, reader.at);
  }
  return documents;
}

function skipSpace(text: string, from: number): number {
  SPACE.lastIndex = from;
  SPACE.exec(text);
  return SPACE.lastIndex;
}

/** Half of a surrogate pair is not a character, and Go puts the replacement character in its place. */
function wellFormed(text: string): string {
  return /\p{Surrogate}/u.test(text) ? text.replace(/\p{Surrogate}/gu, '\uFFFD') : text;
}

class JsonReader {
  at: number;
  private readonly problems: TextProblem[] = [];
  private path = '';
  /** Set while a place is looked for: offset of every value, by pointer. */
  private offsets?: Map<string, number>;

  constructor(
    private readonly text: string,
    start: number,
  ) {
    this.at = start;
  }

  read(): { readonly value: JsonValue | undefined; readonly problems: readonly TextProblem[] } {
    try {
      return { value: this.value(0), problems: this.problems };
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) {
        throw error;
      }
      return { value: undefined, problems: [{ kind: 'syntax', offset: error.offset, message: error.message }] };
    }
  }

  /** Reads the text again and records the position of every value. */
  places(): PlaceFinder {
    const offsets = new Map([['', this.at]]);
    this.offsets = offsets;
    this.read();
    return (path) => {
      let nearest = path;
      while (!offsets.has(nearest)) {
        nearest = nearest.slice(0, nearest.lastIndexOf('/'));
      }
      return offsets.get(nearest)!;
    };
  }

  private value(depth: number): JsonValue {
    if (depth > MAX_DEPTH) {
      this.fail(`values are nested more than ${MAX_DEPTH} deep`);
    }
    const character = this.text[this.at];
    if (character === '{') {
      return this.object(depth);
    }
    if (character === '[') {
      return this.array(depth);
    }
    if (character === '"') {
      return this.string();
    }
    if (this.match(WORD) !== undefined) {
      return this.word();
    }
    return this.number();
  }

  private object(depth: number): JsonObject {
    const object: JsonObject = {};
    const parent = this.path;
    this.at++;
    this.space();
    if (this.take('}')) {
      return object;
    }
    for (;;) {
      const keyAt = this.at;
      if (this.text[this.at] !== '"') {
        this.fail('a key in double quotes is expected here');
      }
      const key = this.string();
      this.space();
      if (!this.take(':')) {
        this.fail('a colon is expected here');
      }
      this.space();
      this.path = pointer(parent, key);
      this.offsets?.set(this.path, keyAt);
      if (hasMember(object, key)) {
        this.problems.push({
          kind: 'duplicate-key',
          offset: keyAt,
          message: `duplicate key ${JSON.stringify(key)} in this object`,
          path: this.path,
        });
      }
      setMember(object, key, this.value(depth + 1));
      this.path = parent;
      this.space();
      if (this.take('}')) {
        return object;
      }
      if (!this.take(',')) {
        this.fail('a comma or } is expected here');
      }
      this.space();
    }
  }

  private array(depth: number): JsonValue[] {
    const array: JsonValue[] = [];
    const parent = this.path;
    this.at++;
    this.space();
    if (this.take(']')) {
      return array;
    }
    for (;;) {
      this.path = pointer(parent, array.length);
      this.offsets?.set(this.path, this.at);
      array.push(this.value(depth + 1));
      this.path = parent;
      this.space();
      if (this.take(']')) {
        return array;
      }
      if (!this.take(',')) {
        this.fail('a comma or ] is expected here');
      }
      this.space();
    }
  }

  private string(): string {
    const start = this.at;
    const text = this.text.slice(start, this.stringEnd());
    this.at += text.length;
    if (!text.includes('\\') && !CONTROL.test(text)) {
      return text.slice(1, -1);
    }
    try {
      return wellFormed(JSON.parse(text) as string);
    } catch {
      throw new JsonSyntaxError(
        'a string contains an escape sequence or a control character that JSON does not allow',
        start,
      );
    }
  }

  /** The offset after the closing quote. A regular expression would run out of stack on strings of many megabytes. */
  private stringEnd(): number {
    for (let at = this.at + 1; at < this.text.length; at++) {
      const character = this.text[at];
      if (character === '"') {
        return at + 1;
      }
      if (character === '\\') {
        at++;
      }
      if (this.text[at] === '\n') {
        break;
      }
    }
    return this.fail('a string must end on the line on which it begins');
  }

  private word(): boolean | null {
    const word = this.match(WORD)!;
    this.at += word.length;
    return word === 'null' ? null : word === 'true';
  }

  /** A number beyond every double is given as the text that it is: what reads numbers as text, quantities, takes it so. */
  private number(): number | string {
    const text = this.match(NUMBER);
    if (text === undefined) {
      this.fail(this.at >= this.text.length ? 'unexpected end of the text' : 'a value is expected here');
    }
    const value = Number(text);
    if (!Number.isFinite(value)) {
      this.problems.push({
        kind: 'huge-number',
        offset: this.at,
        message: `the number ${text} exceeds the range of JSON parsers (about 1.8e308)`,
        path: this.path,
      });
      this.at += text.length;
      return text;
    }
    if (!Number.isSafeInteger(value) && /^-?[0-9]+$/.test(text) && losesDigits(text, value)) {
      const message = inexactInteger(text, value);
      this.problems.push({ kind: 'inexact-number', offset: this.at, message, path: this.path });
    }
    this.at += text.length;
    return value;
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text)?.[0];
  }

  private take(character: string): boolean {
    if (this.text[this.at] !== character) {
      return false;
    }
    this.at++;
    return true;
  }

  private space(): void {
    this.at = skipSpace(this.text, this.at);
  }

  private fail(message: string): never {
    throw new JsonSyntaxError(message, this.at);
  }
}

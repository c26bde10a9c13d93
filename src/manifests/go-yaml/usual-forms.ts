/**
 * The forms of YAML that nearly all manifests have, read straight into JSON: maps and lists in block style, strings in any style, and brackets on
 * one line.
 *
 * Nothing is reported here. What has another form, and what may be wrong, has no result, and the document is read as nodes, which are what
 * kubectl makes of any text. What has a result has the same one there.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { setMember } from '../texts/json-member';
import { keyOf, resolvePlain } from '../texts/yaml-scalars';
import { readBlockScalar, readQuoted } from './scalars';
import { Source, YamlSyntaxError } from './source';

/** Breaks other than line feeds, byte order marks, and what YAML does not allow. */
// oxlint-disable-next-line no-control-regex
const UNUSUAL_CHARACTER = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/;

/** Ends the reading. It is no error: nobody sees it. */
const UNUSUAL = new Error('not of the usual form');

const MOST_DEPTH = 100;
/** A key and its colon may be farther apart, but are hardly ever. */
const LONGEST_KEY = 500;
/** The longest word that is no string. */
const LONGEST_WORD = 5;
/** The column where no line is left. */
const NO_LINE = -1;

const TAB = 9;
const BREAK = 10;
const SPACE = 32;
const DOUBLE_QUOTE = 34;
const HASH = 35;
const PERCENT = 37;
const SINGLE_QUOTE = 39;
const COMMA = 44;
const DASH = 45;
const DOT = 46;
const NINE = 57;
const COLON = 58;
const QUESTION = 63;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const PIPE = 124;
const CLOSE_BRACE = 125;
const GREATER = 62;

/** What begins no plain string, or hardly ever one. */
const NO_BEGIN = codes('?:,[]{}#&*!|>\'"%@`\t\n ');
/** What ends a plain string within brackets, or may. */
const FLOW_END = codes(',?[]{}#\t\n');
/** What begins a word that may be something else than a string. */
const HINT = codes('-+0123456789.yYnNtTfFoO~');

function codes(characters: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const character of characters) {
    table[character.charCodeAt(0)] = 1;
  }
  return table;
}

function isIn(table: Uint8Array, code: number): boolean {
  return code < 128 && table[code] === 1;
}

function isGap(code: number): boolean {
  return code === SPACE || code === BREAK || code === TAB;
}

/**
 * The value of one document of a text; `undefined` if it has to be read in another way.
 *
 * @param end after the line feed that ends the document
 */
export function readUsual(text: string, start: number, end: number): JsonValue | undefined {
  try {
    return new UsualReader(text, start, end).read();
  } catch (error) {
    if (error !== UNUSUAL && !(error instanceof YamlSyntaxError)) {
      throw error;
    }
    return undefined;
  }
}

/** Whether a text has none of the characters that make it unusual. */
export function isUsualText(text: string): boolean {
  return !UNUSUAL_CHARACTER.test(text);
}

class UsualReader {
  private at: number;
  /** Of the line that is read next, once one is found. */
  private column = NO_LINE;
  private depth = 0;

  constructor(
    private readonly text: string,
    start: number,
    private readonly end: number,
  ) {
    this.at = text.startsWith('---\n', start) ? start + 4 : start;
  }

  read(): JsonValue {
    this.toLine();
    const value = this.column === NO_LINE ? null : this.block(NO_LINE);
    if (this.column !== NO_LINE) {
      throw UNUSUAL;
    }
    return value;
  }

  /** From the beginning of a line to the text of the next one that has any. */
  private toLine(): void {
    const { text, end } = this;
    let { at } = this;
    while (at < end) {
      const lineStart = at;
      let code = text.charCodeAt(at);
      while (code === SPACE) {
        code = text.charCodeAt(++at);
      }
      if (code === HASH) {
        at = text.indexOf('\n', at) + 1;
      } else if (code === BREAK) {
        at++;
      } else {
        this.at = at;
        this.column = at - lineStart;
        if (this.column === 0 && (code === PERCENT || this.isMarker(code))) {
          throw UNUSUAL;
        }
        return;
      }
    }
    this.at = end;
    this.column = NO_LINE;
  }

  private isMarker(code: number): boolean {
    return (
      (code === DASH && this.text.startsWith('---', this.at)) || (code === DOT && this.text.startsWith('...', this.at))
    );
  }

  /** From the end of a value to the text of the next line; a comment may be between. */
  private finishLine(): void {
    const { text } = this;
    const from = this.at;
    let { at } = this;
    let code = text.charCodeAt(at);
    while (code === SPACE) {
      code = text.charCodeAt(++at);
    }
    if (code === HASH && at > from) {
      at = text.indexOf('\n', at);
    } else if (code !== BREAK) {
      throw UNUSUAL;
    }
    this.at = at + 1;
    this.toLine();
  }

  private isItem(): boolean {
    return this.text.charCodeAt(this.at) === DASH && isGap(this.text.charCodeAt(this.at + 1));
  }

  /** A map or a list on lines of its own. */
  private block(indent: number): JsonValue {
    if (++this.depth > MOST_DEPTH) {
      throw UNUSUAL;
    }
    const { column } = this;
    const value = this.isItem() ? this.list(column, indent) : this.map(column, this.key());
    this.depth--;
    return value;
  }

  private map(column: number, firstKey: string): JsonObject {
    const object: JsonObject = {};
    let count = 1;
    setMember(object, firstKey, this.member(column));
    while (this.column === column) {
      const key = this.key();
      setMember(object, key, this.member(column));
      count++;
    }
    // A line that is deeper goes on with the last value, and of two equal keys one is lost.
    if (this.column > column || Object.keys(object).length !== count) {
      throw UNUSUAL;
    }
    return object;
  }

  /** A key and its colon. */
  private key(): string {
    const { text, at: start } = this;
    const code = text.charCodeAt(start);
    if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
      return this.quotedKey(this.quoted(code), start);
    }
    if (!this.readPlain()) {
      throw UNUSUAL;
    }
    return this.plainKey(start);
  }

  private plainKey(start: number): string {
    const text = this.text.slice(start, this.at);
    if (text.length > LONGEST_KEY || text.endsWith(' ') || text === '<<') {
      throw UNUSUAL;
    }
    this.at++;
    return nameOf(text);
  }

  private quotedKey(value: string, start: number): string {
    const { text, at } = this;
    if (
      text.charCodeAt(at) !== COLON ||
      !isGap(text.charCodeAt(at + 1)) ||
      at - start > LONGEST_KEY ||
      value === '<<'
    ) {
      throw UNUSUAL;
    }
    const lineFeed = text.indexOf('\n', start);
    if (lineFeed < at) {
      throw UNUSUAL;
    }
    this.at++;
    return value;
  }

  /** What follows the colon of a key. */
  private member(column: number): JsonValue {
    const code = this.skipSpaces();
    if (code !== BREAK && code !== HASH) {
      return this.value(code, column);
    }
    this.finishLine();
    if (this.column > column) {
      return this.block(column);
    }
    return this.column === column && this.isItem() ? this.list(column, column) : null;
  }

  /** A comment is one only behind a space. */
  private skipSpaces(): number {
    const { text } = this;
    let { at } = this;
    let code = text.charCodeAt(at);
    while (code === SPACE) {
      code = text.charCodeAt(++at);
    }
    this.at = code === HASH ? at - 1 : at;
    return code;
  }

  private list(column: number, indent: number): JsonValue[] {
    const items: JsonValue[] = [];
    do {
      items.push(this.item(column));
    } while (this.column === column && this.isItem());
    if (this.column > column || (this.column === column && column > indent)) {
      throw UNUSUAL;
    }
    return items;
  }

  private item(column: number): JsonValue {
    const dash = this.at;
    this.at++;
    const code = this.skipSpaces();
    if (code === BREAK || code === HASH) {
      this.finishLine();
      return this.column > column ? this.block(column) : null;
    }
    const { at: start } = this;
    this.column = column + start - dash;
    if (code === DASH && this.isItem()) {
      return this.block(column);
    }
    if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
      const value = this.quoted(code);
      if (this.text.charCodeAt(this.at) === COLON) {
        return this.mapInItem(this.quotedKey(value, start));
      }
      this.finishLine();
      return value;
    }
    if (code === OPEN_BRACKET || code === OPEN_BRACE || code === PIPE || code === GREATER) {
      return this.value(code, column);
    }
    return this.readPlain() ? this.mapInItem(this.plainKey(start)) : this.plainValue(start);
  }

  private mapInItem(firstKey: string): JsonObject {
    if (++this.depth > MOST_DEPTH) {
      throw UNUSUAL;
    }
    const object = this.map(this.column, firstKey);
    this.depth--;
    return object;
  }

  /** A value that begins on this line, up to the next line. */
  private value(code: number, indent: number): JsonValue {
    switch (code) {
      case DOUBLE_QUOTE:
      case SINGLE_QUOTE: {
        const value = this.quoted(code);
        this.finishLine();
        return value;
      }
      case OPEN_BRACKET:
      case OPEN_BRACE: {
        const value = this.brackets(code);
        this.finishLine();
        return value;
      }
      case PIPE:
      case GREATER:
        return this.blockScalar(indent);
      default: {
        const start = this.at;
        if (this.readPlain()) {
          throw UNUSUAL;
        }
        return this.plainValue(start);
      }
    }
  }

  /** Reads a plain string up to the colon of a key, or to the end of the line or a comment: whether it is a key. */
  private readPlain(): boolean {
    const { text } = this;
    let { at } = this;
    let code = text.charCodeAt(at);
    if (isIn(NO_BEGIN, code) || (code === DASH && isGap(text.charCodeAt(at + 1)))) {
      throw UNUSUAL;
    }
    let before = code;
    while (code !== BREAK) {
      if (code === COLON && isGap(text.charCodeAt(at + 1))) {
        this.at = at;
        return true;
      }
      if (code === HASH && before === SPACE) {
        break;
      }
      if (code === TAB) {
        throw UNUSUAL;
      }
      before = code;
      code = text.charCodeAt(++at);
    }
    this.at = at;
    return false;
  }

  /** The value of the plain string that was read, and the line after it. */
  private plainValue(start: number): JsonValue {
    const { text } = this;
    let { at } = this;
    while (text.charCodeAt(at - 1) === SPACE) {
      at--;
    }
    const value = valueOf(text.slice(start, at));
    this.at = at;
    this.finishLine();
    return value;
  }

  private quoted(quote: number): string {
    const { text } = this;
    const start = this.at + 1;
    for (let at = start; ; at++) {
      const code = text.charCodeAt(at);
      if (code === quote && (quote === DOUBLE_QUOTE || text.charCodeAt(at + 1) !== quote)) {
        this.at = at + 1;
        return text.slice(start, at);
      }
      if (code === BREAK || code === quote || (quote === DOUBLE_QUOTE && code === BACKSLASH)) {
        const source = this.sourceHere();
        const value = readQuoted(source);
        this.continueAt(source.at);
        return value;
      }
    }
  }

  private blockScalar(indent: number): string {
    const source = this.sourceHere();
    const value = readBlockScalar(source, indent);
    this.continueAt(source.at - source.column);
    this.toLine();
    return value;
  }

  /** The reader of strings knows the whole text, and not where the document ends. */
  private continueAt(at: number): void {
    if (at > this.end) {
      throw UNUSUAL;
    }
    this.at = at;
  }

  private sourceHere(): Source {
    const source = new Source(this.text);
    source.at = this.at;
    return source;
  }

  /** A list or a map in brackets. */
  private brackets(open: number): JsonValue {
    if (++this.depth > MOST_DEPTH) {
      throw UNUSUAL;
    }
    this.at++;
    const value = open === OPEN_BRACKET ? this.flowList() : this.flowMap();
    this.at++;
    this.depth--;
    return value;
  }

  private flowList(): JsonValue[] {
    const items: JsonValue[] = [];
    let code = this.skipFlowSpaces();
    while (code !== CLOSE_BRACKET) {
      items.push(this.flowValue(code));
      code = this.afterEntry(CLOSE_BRACKET);
    }
    return items;
  }

  private flowMap(): JsonObject {
    const object: JsonObject = {};
    let count = 0;
    let code = this.skipFlowSpaces();
    while (code !== CLOSE_BRACE) {
      const key = this.flowKey(code);
      code = this.skipFlowSpaces();
      setMember(object, key, code === COMMA || code === CLOSE_BRACE ? null : this.flowValue(code));
      count++;
      code = this.afterEntry(CLOSE_BRACE);
    }
    if (Object.keys(object).length !== count) {
      throw UNUSUAL;
    }
    return object;
  }

  private afterEntry(close: number): number {
    const code = this.skipFlowSpaces();
    if (code === COMMA) {
      this.at++;
      return this.skipFlowSpaces();
    }
    if (code !== close) {
      throw UNUSUAL;
    }
    return code;
  }

  private skipFlowSpaces(): number {
    const { text } = this;
    let code = text.charCodeAt(this.at);
    while (code === SPACE) {
      code = text.charCodeAt(++this.at);
    }
    return code;
  }

  private flowKey(code: number): string {
    const { text, at: start } = this;
    let key: string;
    if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
      key = this.quoted(code);
      if (this.at - start > LONGEST_KEY || text.slice(start, this.at).includes('\n')) {
        throw UNUSUAL;
      }
    } else {
      key = this.flowPlain();
      if (key.length > LONGEST_KEY || key === '<<') {
        throw UNUSUAL;
      }
      key = nameOf(key);
    }
    if (text.charCodeAt(this.at) !== COLON) {
      throw UNUSUAL;
    }
    this.at++;
    return key;
  }

  private flowValue(code: number): JsonValue {
    if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      return this.brackets(code);
    }
    return code === DOUBLE_QUOTE || code === SINGLE_QUOTE ? this.quoted(code) : valueOf(this.flowPlain());
  }

  /** A plain string within brackets. */
  private flowPlain(): string {
    const { text, at: start } = this;
    let at = start;
    let code = text.charCodeAt(at);
    if (isIn(NO_BEGIN, code) || (code === DASH && isGap(text.charCodeAt(at + 1)))) {
      throw UNUSUAL;
    }
    while (!isIn(FLOW_END, code) && !(code === COLON && isGap(text.charCodeAt(at + 1)))) {
      code = text.charCodeAt(++at);
    }
    if (code === HASH || code === QUESTION || code === TAB || code === BREAK) {
      throw UNUSUAL;
    }
    this.at = at;
    while (text.charCodeAt(at - 1) === SPACE) {
      at--;
    }
    return text.slice(start, at);
  }
}

/** Whether a plain string is one to kubectl, without a closer look. */
function isSurelyString(text: string): boolean {
  const code = text.charCodeAt(0);
  return !isIn(HINT, code) || (code > NINE && text.length > LONGEST_WORD);
}

function valueOf(text: string): JsonValue {
  if (isSurelyString(text)) {
    return text;
  }
  const { value, inexact } = resolvePlain(text);
  if (inexact === true || (typeof value === 'number' && !Number.isFinite(value))) {
    throw UNUSUAL;
  }
  return value;
}

function nameOf(text: string): string {
  const name = isSurelyString(text) ? text : keyOf(resolvePlain(text));
  if (name === undefined) {
    throw UNUSUAL;
  }
  return name;
}

/**
 * The forms of YAML that nearly all manifests have, read straight into JSON: maps and lists in block style, strings in any style, and brackets on
 * one line.
 *
 * Nothing is reported here. What has another form, and what may be wrong, has no result, and the document is read as nodes, which are what
 * kubectl makes of any text. What has a result has the same one there. Places are noted only if they are asked for.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { setMember } from '../texts/json-member';
import { NotedPlaces } from './noted-places';
import { readBlockScalar } from './scalars';
import { YamlSyntaxError } from './source';
import { UsualLineReader } from './usual-lines';
import { CODES, isGap, isIn, LONGEST_KEY, MOST_DEPTH, nameOf, NO_BEGIN, UNUSUAL, valueOf } from './usual-words';

const {
  TAB,
  BREAK,
  SPACE,
  DOUBLE_QUOTE,
  HASH,
  PERCENT,
  SINGLE_QUOTE,
  DASH,
  DOT,
  COLON,
  OPEN_BRACKET,
  OPEN_BRACE,
  PIPE,
  GREATER,
} = CODES;

/** Breaks other than line feeds, byte order marks, and what YAML does not allow. */
// oxlint-disable-next-line no-control-regex
const UNUSUAL_CHARACTER = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/;

/** The column where no line is left. */
const NO_LINE = -1;

/**
 * The value of one document of a text; `undefined` if it has to be read in another way.
 *
 * @param end after the line feed that ends the document; without one, it is not read here
 */
export function readUsual(text: string, start: number, end: number, places?: NotedPlaces): JsonValue | undefined {
  if (end > start && text.charCodeAt(end - 1) !== BREAK) {
    return undefined;
  }
  try {
    return new UsualReader(text, start, end, places).read();
  } catch (error) {
    if (error !== UNUSUAL && !(error instanceof YamlSyntaxError)) {
      throw error;
    }
    return undefined;
  }
}

/** Finds the place of a value: that of its key, for a member of a map, or of the nearest value around it. */
export type FindPlace = (tokens: readonly string[]) => number;

/** The places of a document that is a whole text; `undefined` if it has to be read in another way. */
export function usualPlaces(text: string): FindPlace | undefined {
  const noted = new NotedPlaces();
  const value = isUsualText(text) ? readUsual(text, 0, text.length, noted) : undefined;
  return typeof value === 'object' && value !== null ? (tokens) => noted.placeOf(value, tokens) : undefined;
}

/** Whether a text has none of the characters that make it unusual. */
export function isUsualText(text: string): boolean {
  return !UNUSUAL_CHARACTER.test(text);
}

class UsualReader extends UsualLineReader {
  /** Of the line that is read next, once one is found. */
  private column = NO_LINE;

  constructor(text: string, start: number, end: number, places: NotedPlaces | undefined) {
    super(text, text.startsWith('---\n', start) ? start + 4 : start, end, places);
  }

  read(): JsonValue {
    this.toLine();
    if (this.places !== undefined) {
      this.places.root = this.at;
    }
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
    const { column, at } = this;
    const value = this.isItem() ? this.list(column, indent) : this.map(column, this.key(), at);
    this.depth--;
    return value;
  }

  private map(column: number, firstKey: string, start: number): JsonObject {
    const object: JsonObject = {};
    let count = 1;
    this.places?.note(object, firstKey, start);
    setMember(object, firstKey, this.member(column));
    while (this.column === column) {
      const { at } = this;
      const key = this.key();
      this.places?.note(object, key, at);
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
      items.push(this.item(column, items));
    } while (this.column === column && this.isItem());
    if (this.column > column || (this.column === column && column > indent)) {
      throw UNUSUAL;
    }
    return items;
  }

  private item(column: number, items: readonly JsonValue[]): JsonValue {
    const dash = this.at;
    this.at++;
    const code = this.skipSpaces();
    if (code === BREAK || code === HASH) {
      this.finishLine();
      const isEmpty = this.column <= column;
      this.places?.note(items, items.length, isEmpty ? dash : this.at);
      return isEmpty ? null : this.block(column);
    }
    const { at: start } = this;
    this.places?.note(items, items.length, start);
    this.column = column + start - dash;
    if (code === DASH && this.isItem()) {
      return this.block(column);
    }
    if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
      const value = this.quoted(code);
      if (this.text.charCodeAt(this.at) === COLON) {
        return this.mapInItem(this.quotedKey(value, start), start);
      }
      this.finishLine();
      return value;
    }
    if (code === OPEN_BRACKET || code === OPEN_BRACE || code === PIPE || code === GREATER) {
      return this.value(code, column);
    }
    return this.readPlain() ? this.mapInItem(this.plainKey(start), start) : this.plainValue(start);
  }

  private mapInItem(firstKey: string, start: number): JsonObject {
    if (++this.depth > MOST_DEPTH) {
      throw UNUSUAL;
    }
    const object = this.map(this.column, firstKey, start);
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

  private blockScalar(indent: number): string {
    const source = this.sourceHere();
    const value = readBlockScalar(source, indent);
    this.continueAt(source.at - source.column);
    this.toLine();
    return value;
  }
}

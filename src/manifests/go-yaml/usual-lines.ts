/**
 * What documents of the usual forms have within lines: strings in quotes, and lists and maps in brackets.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { setMember } from '../texts/json-member';
import { type NotedPlaces } from './noted-places';
import { readQuoted } from './scalars';
import { Source } from './source';
import {
  CODES,
  FLOW_END,
  isGap,
  isIn,
  LONGEST_KEY,
  MOST_DEPTH,
  nameOf,
  NO_BEGIN,
  UNUSUAL,
  valueOf,
} from './usual-words';

const {
  TAB,
  BREAK,
  SPACE,
  DOUBLE_QUOTE,
  HASH,
  SINGLE_QUOTE,
  COMMA,
  DASH,
  COLON,
  QUESTION,
  OPEN_BRACKET,
  BACKSLASH,
  CLOSE_BRACKET,
  OPEN_BRACE,
  CLOSE_BRACE,
} = CODES;

export class UsualLineReader {
  protected depth = 0;

  /**
   * @param at where the document begins
   * @param end after the line feed that ends it
   */
  constructor(
    protected readonly text: string,
    protected at: number,
    protected readonly end: number,
    protected readonly places: NotedPlaces | undefined,
  ) {}

  protected quoted(quote: number): string {
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

  /** The reader of strings knows the whole text, and not where the document ends. */
  protected continueAt(at: number): void {
    if (at > this.end) {
      throw UNUSUAL;
    }
    this.at = at;
  }

  protected sourceHere(): Source {
    const source = new Source(this.text);
    source.at = this.at;
    return source;
  }

  /** A list or a map in brackets. */
  protected brackets(open: number): JsonValue {
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
      this.places?.note(items, items.length, this.at);
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
      const { at } = this;
      const key = this.flowKey(code);
      this.places?.note(object, key, at);
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

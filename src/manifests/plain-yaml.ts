/**
 * A fast reader for the part of YAML in which manifests are written.
 *
 * Nearly every manifest is block maps and lists, one-line words and quoted texts, `|` blocks and short `{}` and `[]`. This reader
 * takes just that, several times faster than a reader of all of YAML, and gives up on the document at the first thing it is not
 * certain of: anchors, tags, tabs, texts over several lines, duplicate keys, anything wrong. Whatever it gives up on is read by the
 * full reader (`yaml-text.ts`), which also words the errors; where it does answer, both answer alike, and a test holds them to that.
 */
import { type JsonObject, type JsonValue } from '../api/schema';
import { hasMember } from './json-member';
import { keyOf, resolvePlain } from './yaml-scalars';

const MAX_DEPTH = 100;

/** What only the full reader may judge: control characters (tabs among them) and the line ends of other alphabets. */
const UNCERTAIN = /[^\n\P{Cc}]|[\u2028\u2029\uFEFF]/u;

/** The escapes that JSON and YAML share. */
const SHARED_ESCAPES = /^(?:[^\\]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*$/;

/** A word in braces or brackets ends here. */
const FLOW_END = /[,[\]{}]/;

/** First characters that make something other than a plain word of a value. */
const INDICATORS = new Set('?:,[]{}#&*!|>\'"%@`');

/** Thrown and caught in this file only, and made once: what is given up is read again, so that nobody sees where it was thrown. */
const GIVE_UP = new Error('left to the full reader');

/** The value of a text that holds one document; `undefined` where the full reader has to look. */
export function readPlainYaml(text: string): JsonObject | undefined {
  if (UNCERTAIN.test(text)) return undefined;
  try {
    return new PlainReader(text).document();
  } catch (reason) {
    if (reason === GIVE_UP) return undefined;
    throw reason;
  }
}

class PlainReader {
  /** Start of the current line's content, and how far it is indented; `end` is where its line ends. */
  private at = 0;
  private indent = -1;
  private end = -1;

  constructor(private readonly text: string) {}

  document(): JsonObject {
    const marker = /^---[ ]*(?:#.*)?(?:\n|$)/.exec(this.text);
    this.end = marker === null ? -1 : marker[0].length - 1;
    this.nextLine();
    if (this.indent !== 0 || this.startsItem()) giveUp();
    const value = this.map(0, 0);
    if (this.indent >= 0) giveUp();
    return value;
  }

  /** Goes to the next line that holds something; `indent` is -1 after the last. */
  private nextLine(): void {
    const { text } = this;
    for (let start = this.end + 1; start < text.length; start = this.end + 1) {
      const newline = text.indexOf('\n', start);
      this.end = newline < 0 ? text.length : newline;
      let at = start;
      while (text.charCodeAt(at) === 32) at++;
      if (at >= this.end || text.charCodeAt(at) === 35) continue;
      this.at = at;
      this.indent = at - start;
      return;
    }
    this.at = this.end = text.length;
    this.indent = -1;
  }

  /** The line's content is an item of a list. */
  private startsItem(): boolean {
    if (this.text.charCodeAt(this.at) !== 45) return false;
    return this.at + 1 === this.end || this.text.charCodeAt(this.at + 1) === 32;
  }

  private map(indent: number, depth: number): JsonObject {
    if (depth > MAX_DEPTH) giveUp();
    const object: JsonObject = {};
    while (this.indent === indent) {
      if (this.startsItem()) giveUp();
      const { key, after } = this.key(this.at) ?? giveUp();
      if (key === '__proto__' || hasMember(object, key)) giveUp();
      this.at = this.skipSpaces(after);
      object[key] = this.atLineEnd(this.at) ? this.below(indent, true, depth) : this.inline(indent);
    }
    if (this.indent > indent) giveUp();
    return object;
  }

  private list(indent: number, depth: number): JsonValue[] {
    if (depth > MAX_DEPTH) giveUp();
    const items: JsonValue[] = [];
    while (this.indent === indent && this.startsItem()) {
      const dash = this.at;
      this.at = this.skipSpaces(dash + 1);
      if (this.atLineEnd(this.at)) {
        items.push(this.below(indent, false, depth));
        continue;
      }
      // What stands behind the dash may go on in lines that begin below it.
      const column = indent + this.at - dash;
      if (this.startsItem()) {
        this.indent = column;
        items.push(this.list(column, depth + 1));
      } else if (this.key(this.at) !== undefined) {
        this.indent = column;
        items.push(this.map(column, depth + 1));
      } else {
        items.push(this.inline(indent));
      }
    }
    if (this.indent > indent) giveUp();
    return items;
  }

  /** The value of a key or dash that nothing stands behind. */
  private below(parent: number, ofKey: boolean, depth: number): JsonValue {
    this.nextLine();
    if (this.indent > parent) return this.startsItem() ? this.list(this.indent, depth + 1) : this.map(this.indent, depth + 1);
    // A list may stand at the column of its key.
    return ofKey && this.indent === parent && this.startsItem() ? this.list(parent, depth + 1) : null;
  }

  /** A key that begins at an offset, and where its colon ends; `undefined` where there is none on this line. */
  private key(from: number): { readonly key: string; readonly after: number } | undefined {
    const { text } = this;
    const first = text[from];
    if (first === '"' || first === "'") {
      const { value, after } = this.quoted(from);
      const colon = this.skipSpaces(after);
      return text[colon] === ':' && this.endsKey(colon) ? { key: value, after: colon + 1 } : undefined;
    }
    if (INDICATORS.has(first)) {
      if (first === '[' || first === '{' || first === '|') return undefined;
      return giveUp();
    }
    for (let colon = text.indexOf(':', from); colon >= 0 && colon < this.end; colon = text.indexOf(':', colon + 1)) {
      if (!this.endsKey(colon)) continue;
      const word = text.slice(from, colon).trimEnd();
      return word.includes(' #') ? undefined : { key: this.name(word), after: colon + 1 };
    }
    return undefined;
  }

  private endsKey(colon: number): boolean {
    return colon + 1 === this.end || this.text.charCodeAt(colon + 1) === 32;
  }

  private name(word: string): string {
    if (word === '<<') giveUp();
    return keyOf(resolvePlain(word)) ?? giveUp();
  }

  /** A value that begins on this line. Leaves the reader at the next line. */
  private inline(parent: number): JsonValue {
    const { text } = this;
    const first = text[this.at];
    let value: JsonValue;
    if (first === '|') return this.block(parent);
    if (first === '"' || first === "'") {
      const quoted = this.quoted(this.at);
      value = quoted.value;
      this.closeLine(quoted.after);
    } else if (first === '[' || first === '{') {
      const flow = this.flow(this.at, 0);
      value = flow.value;
      this.closeLine(flow.after);
    } else {
      if (INDICATORS.has(first) || this.startsItem()) giveUp();
      const line = text.slice(this.at, this.end);
      const comment = line.indexOf(' #');
      const word = (comment < 0 ? line : line.slice(0, comment)).trimEnd();
      if (word.includes(': ') || word.endsWith(':')) giveUp();
      value = this.word(word);
    }
    this.nextLine();
    // The text goes on, or the line is indented wrongly.
    if (this.indent > parent) giveUp();
    return value;
  }

  private word(word: string): JsonValue {
    const { value, inexact } = resolvePlain(word);
    if (inexact === true || (typeof value === 'number' && !Number.isFinite(value))) giveUp();
    return value;
  }

  /** Only a comment may follow. */
  private closeLine(after: number): void {
    const rest = this.skipSpaces(after);
    if (rest < this.end && (rest === after || this.text[rest] !== '#')) giveUp();
  }

  /** A `|` block: its lines without their common indentation. */
  private block(parent: number): string {
    const { text } = this;
    const header = /\|([-+]?)[ ]*(?: #[^\n]*)?(?=\n)/y;
    header.lastIndex = this.at;
    const chomping = (header.exec(text) ?? giveUp())[1];
    let column = -1;
    const lines: string[] = [];
    let lastFilled = -1;
    for (let start = this.end + 1; start < text.length; start = this.end + 1) {
      const newline = text.indexOf('\n', start);
      const end = newline < 0 ? text.length : newline;
      let at = start;
      while (text.charCodeAt(at) === 32) at++;
      const spaces = at - start;
      if (at < end) {
        if (column < 0 && spaces > parent) column = spaces;
        if (column < 0 || spaces < column) {
          if (spaces > parent) giveUp();
          break;
        }
        if (newline < 0) giveUp();
        lastFilled = lines.length;
      } else if (column < 0 ? spaces > 0 : spaces > column) {
        // Spaces beyond the indentation are text; in front of the first line they would have to agree with it.
        if (column < 0 || newline < 0) giveUp();
        lastFilled = lines.length;
      }
      lines.push(column < 0 ? '' : text.slice(Math.min(start + column, end), end));
      this.end = end;
    }
    if (column < 0) giveUp();
    this.nextLine();
    if (chomping === '+') return `${lines.join('\n')}\n`;
    return `${lines.slice(0, lastFilled + 1).join('\n')}${chomping === '-' ? '' : '\n'}`;
  }

  /** A quoted text that ends on its line. */
  private quoted(from: number): { readonly value: string; readonly after: number } {
    const { text } = this;
    const single = text[from] === "'";
    for (let at = from + 1; at < this.end; at++) {
      const character = text.charCodeAt(at);
      if (single && character === 39) {
        if (text.charCodeAt(at + 1) !== 39) return { value: text.slice(from + 1, at).replaceAll("''", "'"), after: at + 1 };
        at++;
      } else if (!single && character === 92) {
        at++;
      } else if (!single && character === 34) {
        const inside = text.slice(from + 1, at);
        if (!inside.includes('\\')) return { value: inside, after: at + 1 };
        if (!SHARED_ESCAPES.test(inside)) giveUp();
        return { value: JSON.parse(`"${inside}"`) as string, after: at + 1 };
      }
    }
    return giveUp();
  }

  /** A `[…]` or `{…}` that ends on its line. */
  private flow(from: number, depth: number): { readonly value: JsonValue; readonly after: number } {
    if (depth > MAX_DEPTH) giveUp();
    const { text } = this;
    const isList = text[from] === '[';
    const close = isList ? ']' : '}';
    const list: JsonValue[] = [];
    const object: JsonObject = {};
    let at = this.skipSpaces(from + 1);
    if (text[at] === close) return { value: isList ? list : object, after: at + 1 };
    for (;;) {
      if (isList) {
        const item = this.flowValue(at, depth);
        list.push(item.value);
        at = item.after;
      } else {
        const { key, after } = this.flowKey(at);
        if (key === '__proto__' || hasMember(object, key)) giveUp();
        const member = this.flowValue(this.skipSpaces(after), depth);
        object[key] = member.value;
        at = member.after;
      }
      at = this.skipSpaces(at);
      if (text[at] === close && at < this.end) return { value: isList ? list : object, after: at + 1 };
      if (text[at] !== ',' || at >= this.end) giveUp();
      at = this.skipSpaces(at + 1);
    }
  }

  private flowKey(from: number): { readonly key: string; readonly after: number } {
    const { text } = this;
    if (text[from] === '"' || text[from] === "'") {
      const { value, after } = this.quoted(from);
      if (text[after] !== ':') giveUp();
      return { key: value, after: after + 1 };
    }
    const word = this.flowWord(from);
    if (text[from + word.length] !== ':') giveUp();
    return { key: this.name(word.trimEnd()), after: from + word.length + 1 };
  }

  private flowValue(from: number, depth: number): { readonly value: JsonValue; readonly after: number } {
    const first = this.text[from];
    if (from >= this.end) giveUp();
    if (first === '[' || first === '{') return this.flow(from, depth + 1);
    if (first === '"' || first === "'") return this.quoted(from);
    const word = this.flowWord(from);
    // `[a: b]` is a map in a list.
    if (this.text[from + word.length] === ':') giveUp();
    return { value: this.word(word.trimEnd()), after: from + word.length };
  }

  /** Letters up to what ends a word in braces; a colon ends it where a space or the end follows. */
  private flowWord(from: number): string {
    const { text } = this;
    const first = text[from];
    if (INDICATORS.has(first) || (first === '-' && !/[\w.-]/.test(text[from + 1] ?? ''))) giveUp();
    let at = from;
    for (; at < this.end; at++) {
      const character = text[at];
      if (FLOW_END.test(character)) break;
      if (character === '#' || (character === ':' && text[at + 1] !== ' ' && at + 1 < this.end && FLOW_END.test(text[at + 1]))) giveUp();
      if (character === ':' && (at + 1 >= this.end || text[at + 1] === ' ')) break;
    }
    if (at === from) giveUp();
    return text.slice(from, at);
  }

  private skipSpaces(from: number): number {
    let at = from;
    while (this.text.charCodeAt(at) === 32) at++;
    return at;
  }

  private atLineEnd(at: number): boolean {
    return at >= this.end || (this.text.charCodeAt(at) === 35 && this.text.charCodeAt(at - 1) === 32);
  }
}

function giveUp(): never {
  throw GIVE_UP;
}

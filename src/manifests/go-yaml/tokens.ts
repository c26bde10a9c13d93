/**
 * Tokens of a YAML text, as libyaml finds them.
 *
 * kubectl reads YAML with go-yaml 2, whose scanner is libyaml's. Where libyaml and the specification differ, manifests that
 * people use follow libyaml, so this file keeps its decisions one by one: which columns open a block, where a key may begin, how
 * far a key may be from its colon. `test/e2e/yaml` compares the two on thousands of documents.
 *
 * Derived from libyaml (`scanner.c`), under this license:
 *
 * Copyright (c) 2006 Kirill Simonov
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
 * files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
 * modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software
 * is furnished to do so, subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES
 * OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE
 * LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR
 * IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
 */
import { Cursor, isBlank, isBlankOrEnd, isBreak, SPACE, TAB } from './cursor';
import { scanDirective, scanName, scanTag } from './scan-properties';
import { scanBlockScalar, scanPlainScalar, scanQuotedScalar } from './scan-scalars';

export type TokenType =
  | 'stream-end'
  | 'version-directive'
  | 'tag-directive'
  | 'document-start'
  | 'document-end'
  | 'block-list-start'
  | 'block-map-start'
  | 'block-end'
  | 'flow-list-start'
  | 'flow-list-end'
  | 'flow-map-start'
  | 'flow-map-end'
  | 'block-entry'
  | 'flow-entry'
  | 'key'
  | 'value'
  | 'alias'
  | 'anchor'
  | 'tag'
  | 'scalar';

export interface Token {
  readonly type: TokenType;
  /** Offset in the text. */
  readonly start: number;
  /** Of a scalar, its value; of an alias or an anchor, its name; of a tag, its handle; of a version directive, the version. */
  readonly value: string;
  /** Of a tag, what follows the handle; of a tag directive, the prefix. */
  readonly suffix?: string;
  /** A scalar without quotes. */
  readonly plain?: boolean;
}

/** A place where a key may have begun: only the colon tells. */
interface KeyCandidate {
  possible: boolean;
  /** The line is at the indentation of a map, so that it has to be a key. */
  required: boolean;
  /** Number of the token that would be the key. */
  token: number;
  pos: number;
  line: number;
  column: number;
}

/** A key and its colon are at most this far apart. */
const LONGEST_KEY = 1024;

const INDICATORS = new Set([...'-?:,[]{}#&*!|>\'"%@`'].map((character) => character.charCodeAt(0)));

export class Scanner {
  private readonly cursor: Cursor;
  private tokens: Token[] = [];
  /** Number of the tokens that were handed out. */
  private taken = 0;
  private flowLevel = 0;
  private indent = -1;
  private readonly indents: number[] = [];
  private keyAllowed = true;
  /** One for each level of brackets. */
  private readonly candidates: KeyCandidate[] = [noCandidate()];
  private readonly candidateOfToken = new Map<number, number>();

  constructor(text: string) {
    this.cursor = new Cursor(text);
  }

  /** Offset of the next character that was not read. */
  get offset(): number {
    return this.cursor.pos;
  }

  peek(): Token {
    while (this.needsMore()) {
      this.fetch();
    }
    return this.tokens[0];
  }

  next(): Token {
    const token = this.peek();
    this.tokens.shift();
    this.taken++;
    return token;
  }

  /** The first token may turn out to have a key in front of it as long as no colon was seen. */
  private needsMore(): boolean {
    if (this.tokens.length === 0) {
      return true;
    }
    const index = this.candidateOfToken.get(this.taken);
    return index !== undefined && this.isStillPossible(this.candidates[index]);
  }

  private fetch(): void {
    const { cursor } = this;
    this.skipToNextToken();
    this.closeBlocks(cursor.column);
    const code = cursor.code();
    if (code === 0) {
      this.fetchEnd();
      return;
    }
    if (code === 0x25 && cursor.column === 0) {
      this.fetchDirective();
      return;
    }
    if (cursor.atDocumentMarker()) {
      this.resetLine();
      this.add(code === 0x2d ? 'document-start' : 'document-end', cursor.pos);
      cursor.skip(3);
      return;
    }
    this.fetchContent(code);
  }

  private fetchContent(code: number): void {
    const { cursor } = this;
    const inFlow = this.flowLevel > 0;
    switch (String.fromCharCode(code)) {
      case '[':
        return this.fetchFlowStart('flow-list-start');
      case '{':
        return this.fetchFlowStart('flow-map-start');
      case ']':
        return this.fetchFlowEnd('flow-list-end');
      case '}':
        return this.fetchFlowEnd('flow-map-end');
      case ',':
        this.dropCandidate();
        this.keyAllowed = true;
        return this.addIndicator('flow-entry');
      case '*':
        return this.fetchName('alias');
      case '&':
        return this.fetchName('anchor');
      case '!':
        return this.fetchTag();
      case "'":
      case '"':
        return this.fetchQuoted();
      default:
    }
    const blankFollows = isBlankOrEnd(cursor.code(1));
    if (code === 0x2d && blankFollows) {
      return this.fetchBlockEntry();
    }
    if (code === 0x3f && (inFlow || blankFollows)) {
      return this.fetchKey();
    }
    if (code === 0x3a && (inFlow || blankFollows)) {
      return this.fetchValue();
    }
    if ((code === 0x7c || code === 0x3e) && !inFlow) {
      return this.fetchBlockScalar();
    }
    if (
      !(INDICATORS.has(code) || code === TAB) ||
      (code === 0x2d && !isBlank(cursor.code(1))) ||
      (!inFlow && (code === 0x3f || code === 0x3a) && !blankFollows)
    ) {
      return this.fetchPlain();
    }
    if (code === TAB) {
      cursor.fail('a tab must not be used for indentation');
    }
    cursor.fail(`a string must not begin with ${String.fromCharCode(code)}: put it in quotes`);
  }

  private skipToNextToken(): void {
    const { cursor } = this;
    for (;;) {
      // Tabs are no indentation: not at the beginning of a line of a block, nor after `-`, `?`, and `:`.
      let code = cursor.code();
      while (code === SPACE || (code === TAB && (this.flowLevel > 0 || !this.keyAllowed))) {
        cursor.skip();
        code = cursor.code();
      }
      if (code === 0x23) {
        cursor.skipLine();
      }
      if (!isBreak(cursor.code())) {
        return;
      }
      cursor.takeBreak();
      if (this.flowLevel === 0) {
        this.keyAllowed = true;
      }
    }
  }

  private fetchEnd(): void {
    if (this.cursor.column !== 0) {
      this.cursor.startLine();
    }
    this.resetLine();
    this.add('stream-end', this.cursor.pos);
  }

  private fetchDirective(): void {
    this.resetLine();
    const { cursor } = this;
    const start = cursor.pos;
    const directive = scanDirective(cursor);
    if (typeof directive === 'string') {
      this.add('version-directive', start, { value: directive });
    } else {
      const { handle, prefix } = directive;
      this.add('tag-directive', start, { value: handle, suffix: prefix });
    }
  }

  /** What a document marker, a directive, and the end of the text have in common. */
  private resetLine(): void {
    this.closeBlocks(-1);
    this.dropCandidate();
    this.keyAllowed = false;
  }

  private fetchFlowStart(type: TokenType): void {
    this.saveCandidate();
    this.candidates.push({ ...noCandidate(), token: this.taken + this.tokens.length });
    this.flowLevel++;
    this.keyAllowed = true;
    this.addIndicator(type);
  }

  private fetchFlowEnd(type: TokenType): void {
    this.dropCandidate();
    if (this.flowLevel > 0) {
      this.flowLevel--;
      this.candidateOfToken.delete(this.candidates.at(-1)?.token ?? -1);
      this.candidates.pop();
    }
    this.keyAllowed = false;
    this.addIndicator(type);
  }

  private fetchBlockEntry(): void {
    const { cursor } = this;
    if (this.flowLevel === 0) {
      if (!this.keyAllowed) {
        cursor.fail('a list item must begin on a line of its own');
      }
      this.openBlock(cursor.column, 'block-list-start', cursor.pos);
    }
    this.dropCandidate();
    this.keyAllowed = true;
    this.addIndicator('block-entry');
  }

  private fetchKey(): void {
    const { cursor } = this;
    if (this.flowLevel === 0) {
      if (!this.keyAllowed) {
        cursor.fail('a map key must begin on a line of its own');
      }
      this.openBlock(cursor.column, 'block-map-start', cursor.pos);
    }
    this.dropCandidate();
    this.keyAllowed = this.flowLevel === 0;
    this.addIndicator('key');
  }

  private fetchValue(): void {
    const { cursor } = this;
    const candidate = this.candidates[this.candidates.length - 1];
    if (this.isStillPossible(candidate)) {
      this.insert(candidate.token, { type: 'key', start: candidate.pos, value: '' });
      this.openBlock(candidate.column, 'block-map-start', candidate.pos, candidate.token);
      candidate.possible = false;
      this.candidateOfToken.delete(candidate.token);
      this.keyAllowed = false;
    } else {
      if (this.flowLevel === 0) {
        if (!this.keyAllowed) {
          cursor.fail('a map must not begin inside a value: a string that contains ": " needs quotes');
        }
        this.openBlock(cursor.column, 'block-map-start', cursor.pos);
      }
      this.keyAllowed = this.flowLevel === 0;
    }
    this.addIndicator('value');
  }

  private fetchName(type: 'alias' | 'anchor'): void {
    const start = this.beginScalar();
    this.add(type, start, { value: scanName(this.cursor, type) });
  }

  private fetchTag(): void {
    const start = this.beginScalar();
    const { handle, suffix } = scanTag(this.cursor);
    this.add('tag', start, { value: handle, suffix });
  }

  private fetchQuoted(): void {
    const start = this.beginScalar();
    this.add('scalar', start, { value: scanQuotedScalar(this.cursor) });
  }

  private fetchPlain(): void {
    const start = this.beginScalar();
    const { value, endsOnNewLine } = scanPlainScalar(this.cursor, this.indent, this.flowLevel > 0);
    this.keyAllowed = endsOnNewLine;
    this.add('scalar', start, { value, plain: true });
  }

  private fetchBlockScalar(): void {
    this.dropCandidate();
    this.keyAllowed = true;
    const start = this.cursor.pos;
    this.add('scalar', start, { value: scanBlockScalar(this.cursor, this.indent) });
  }

  /** What may be a key, and may not be followed by one. */
  private beginScalar(): number {
    this.saveCandidate();
    this.keyAllowed = false;
    return this.cursor.pos;
  }

  private isStillPossible(candidate: KeyCandidate): boolean {
    if (!candidate.possible) {
      return false;
    }
    if (candidate.line === this.cursor.line && !this.isFarFrom(candidate)) {
      return true;
    }
    if (candidate.required) {
      this.failForColon(candidate);
    }
    candidate.possible = false;
    return false;
  }

  /** libyaml counts characters, not UTF-16 units. */
  private isFarFrom({ pos }: KeyCandidate): boolean {
    const { cursor } = this;
    if (cursor.pos - pos <= LONGEST_KEY) {
      return false;
    }
    const between = cursor.text.slice(pos, cursor.pos);
    return between.length - (between.match(/[\ud800-\udbff]/g)?.length ?? 0) > LONGEST_KEY;
  }

  private saveCandidate(): void {
    const { cursor } = this;
    if (!this.keyAllowed) {
      return;
    }
    this.dropCandidate();
    const required = this.flowLevel === 0 && this.indent === cursor.column;
    const token = this.taken + this.tokens.length;
    const index = this.candidates.length - 1;
    this.candidates[index] = {
      possible: true,
      required,
      token,
      pos: cursor.pos,
      line: cursor.line,
      column: cursor.column,
    };
    this.candidateOfToken.set(token, index);
  }

  private dropCandidate(): void {
    const candidate = this.candidates[this.candidates.length - 1];
    if (!candidate.possible) {
      return;
    }
    if (candidate.required) {
      this.failForColon(candidate);
    }
    candidate.possible = false;
    this.candidateOfToken.delete(candidate.token);
  }

  private failForColon(candidate: KeyCandidate): never {
    this.cursor.fail(
      'a key and its colon must be on one line; a colon may be missing, or a string with a colon needs quotes',
      candidate.pos,
    );
  }

  private openBlock(column: number, type: TokenType, start: number, before?: number): void {
    if (this.flowLevel > 0 || this.indent >= column) {
      return;
    }
    this.indents.push(this.indent);
    this.indent = column;
    const token: Token = { type, start, value: '' };
    if (before === undefined) {
      this.tokens.push(token);
    } else {
      this.insert(before, token);
    }
  }

  private closeBlocks(column: number): void {
    if (this.flowLevel > 0) {
      return;
    }
    while (this.indent > column) {
      this.add('block-end', this.cursor.pos);
      this.indent = this.indents.pop() ?? -1;
    }
  }

  private insert(number: number, token: Token): void {
    this.tokens.splice(number - this.taken, 0, token);
  }

  private addIndicator(type: TokenType): void {
    this.add(type, this.cursor.pos);
    this.cursor.skip();
  }

  private add(type: TokenType, start: number, more?: Pick<Token, 'suffix' | 'plain'> & { value: string }): void {
    this.tokens.push({ type, start, value: '', ...more });
  }
}

function noCandidate(): KeyCandidate {
  return { possible: false, required: false, token: 0, pos: 0, line: 0, column: 0 };
}

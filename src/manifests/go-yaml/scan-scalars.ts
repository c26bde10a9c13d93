/**
 * Scalars as libyaml reads them: block (`|`, `>`), quoted, and plain.
 *
 * libyaml holds a scalar in quotes to no indentation at all, which is how many projects write JSON inside YAML.
 */
import { isBlank, isBlankOrEnd, isBreak, isBreakOrEnd, isDigit, SPACE, TAB, type Cursor } from './cursor';

/**
 * Reads a block scalar; the cursor is at its `|` or `>`.
 *
 * @param parentIndent indentation of the collection around it; -1 at the top
 */
export function scanBlockScalar(cursor: Cursor, parentIndent: number): string {
  const literal = cursor.code() === 0x7c;
  cursor.skip();
  const { chomping, increment } = scanBlockHeader(cursor);
  const breaks = new BlockIndent(cursor, parentIndent, increment);
  let value = '';
  let leadingBreak = '';
  let leadingBlank = false;
  let trailingBreaks = breaks.skip();
  while (cursor.column === breaks.indent && cursor.code() !== 0) {
    const blank = isBlank(cursor.code());
    if (!literal && leadingBreak.startsWith('\n') && !leadingBlank && !blank) {
      value += trailingBreaks === '' ? ' ' : trailingBreaks;
    } else {
      value += leadingBreak + trailingBreaks;
    }
    leadingBlank = blank;
    const start = cursor.pos;
    cursor.skipLine();
    value += cursor.text.slice(start, cursor.pos);
    leadingBreak = cursor.takeBreak();
    trailingBreaks = breaks.skip();
  }
  return `${value}${chomping === '-' ? '' : leadingBreak}${chomping === '+' ? trailingBreaks : ''}`;
}

/** Indicators after `|` or `>` in either order, then nothing but a comment. */
function scanBlockHeader(cursor: Cursor): { readonly chomping: string; readonly increment: number } {
  let chomping = '';
  let increment = 0;
  const takeChomping = (): void => {
    const character = String.fromCharCode(cursor.code());
    if (chomping === '' && (character === '+' || character === '-')) {
      chomping = character;
      cursor.skip();
    }
  };
  takeChomping();
  if (isDigit(cursor.code())) {
    increment = cursor.code() - 0x30;
    if (increment === 0) {
      cursor.fail('the indentation of a block scalar must be between 1 and 9');
    }
    cursor.skip();
    takeChomping();
  }
  cursor.skipBlanks();
  if (cursor.code() === 0x23) {
    cursor.skipLine();
  }
  if (!isBreakOrEnd(cursor.code())) {
    cursor.fail('the text of a block scalar must begin on the line after its "|" or ">"');
  }
  cursor.takeBreak();
  return { chomping, increment };
}

/** The indentation of a block scalar, which its first line with text sets where the header does not. */
class BlockIndent {
  indent: number;

  constructor(
    private readonly cursor: Cursor,
    private readonly parentIndent: number,
    increment: number,
  ) {
    this.indent = increment === 0 ? 0 : Math.max(parentIndent, 0) + increment;
  }

  /** Moves past indentation and empty lines, and returns the breaks of the lines. */
  skip(): string {
    const { cursor } = this;
    let breaks = '';
    let deepest = 0;
    for (;;) {
      while ((this.indent === 0 || cursor.column < this.indent) && cursor.code() === SPACE) {
        cursor.skip();
      }
      deepest = Math.max(deepest, cursor.column);
      if ((this.indent === 0 || cursor.column < this.indent) && cursor.code() === TAB) {
        cursor.fail('a tab must not be used for indentation in a block scalar');
      }
      if (!isBreak(cursor.code())) {
        break;
      }
      breaks += cursor.takeBreak();
    }
    if (this.indent === 0) {
      this.indent = Math.max(deepest, this.parentIndent + 1, 1);
    }
    return breaks;
  }
}

/** Blanks and line breaks between two words of a flow scalar: blanks on one line stay, breaks are folded. */
class Gap {
  folded = false;
  private blanks = '';
  private first = '';
  private more = '';

  constructor(private readonly cursor: Cursor) {}

  /** Reads one blank or one break. */
  take(): void {
    const { cursor } = this;
    if (isBreak(cursor.code())) {
      const text = cursor.takeBreak();
      if (this.folded) {
        this.more += text;
      } else {
        this.blanks = '';
        this.first = text;
        this.folded = true;
      }
      return;
    }
    if (!this.folded) {
      this.blanks += cursor.text.charAt(cursor.pos);
    }
    cursor.skip();
  }

  get text(): string {
    if (!this.folded) {
      return this.blanks;
    }
    if (this.first.startsWith('\n')) {
      return this.more === '' ? ' ' : this.more;
    }
    return this.first + this.more;
  }

  /** A break after a backslash joins the lines: it folds to nothing, and later ones to themselves. */
  escaped(): void {
    this.folded = true;
  }
}

const ESCAPES = new Map(
  Object.entries({
    '0': '\0',
    a: '\x07',
    b: '\b',
    t: '\t',
    '\t': '\t',
    n: '\n',
    v: '\v',
    f: '\f',
    r: '\r',
    e: '\x1b',
    ' ': ' ',
    '"': '"',
    "'": "'",
    '\\': '\\',
    N: '\x85',
    _: '\xa0',
    L: '\u2028',
    P: '\u2029',
  }),
);
const CODE_LENGTHS = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

const SINGLE_QUOTE = 0x27;
const DOUBLE_QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Reads a scalar in quotes; the cursor is at the opening one. */
export function scanQuotedScalar(cursor: Cursor): string {
  const opening = cursor.pos;
  const quote = cursor.code();
  cursor.skip();
  let value = '';
  for (;;) {
    if (cursor.atDocumentMarker()) {
      cursor.fail('a quoted string is not closed before the document ends', opening);
    }
    if (cursor.code() === 0) {
      cursor.fail(`missing closing quote (${String.fromCharCode(quote)})`, opening);
    }
    let joined = false;
    let from = cursor.pos;
    for (let code = cursor.code(); !isBlankOrEnd(code); code = cursor.code()) {
      if (code === quote && quote === SINGLE_QUOTE && cursor.code(1) === SINGLE_QUOTE) {
        value += cursor.text.slice(from, cursor.pos + 1);
        cursor.skip(2);
        from = cursor.pos;
      } else if (code === quote) {
        break;
      } else if (code === BACKSLASH && quote === DOUBLE_QUOTE) {
        value += cursor.text.slice(from, cursor.pos);
        if (isBreak(cursor.code(1))) {
          cursor.skip();
          cursor.takeBreak();
          joined = true;
          from = cursor.pos;
          break;
        }
        value += scanEscape(cursor);
        from = cursor.pos;
      } else {
        cursor.skip();
      }
    }
    value += cursor.text.slice(from, cursor.pos);
    if (cursor.code() === quote) {
      break;
    }
    const gap = new Gap(cursor);
    if (joined) {
      gap.escaped();
    }
    while (isBlank(cursor.code()) || isBreak(cursor.code())) {
      gap.take();
    }
    value += gap.text;
  }
  cursor.skip();
  return value;
}

function scanEscape(cursor: Cursor): string {
  const letter = cursor.text.charAt(cursor.pos + 1);
  const length = CODE_LENGTHS.get(letter);
  if (length === undefined) {
    const character = ESCAPES.get(letter);
    if (character === undefined || cursor.code(1) === 0) {
      cursor.fail(`unknown escape sequence "\\${letter === '\0' ? '' : letter}" in a double-quoted string`);
    }
    cursor.skip(2);
    return character;
  }
  const digits = cursor.text.slice(cursor.pos + 2, cursor.pos + 2 + length);
  const code = Number.parseInt(digits, 16);
  if (digits.length < length || !/^[0-9a-f]+$/i.test(digits)) {
    cursor.fail(`the escape sequence "\\${letter}" must be followed by ${length} hexadecimal digits`);
  }
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) {
    cursor.fail(`the escape sequence "\\${letter}${digits}" is not a Unicode character`);
  }
  cursor.skip(2 + length);
  return String.fromCodePoint(code);
}

/**
 * Reads a scalar without quotes.
 *
 * @returns its value, and whether it ends at the beginning of a line, where a key may follow
 */
export function scanPlainScalar(
  cursor: Cursor,
  parentIndent: number,
  inFlow: boolean,
): { readonly value: string; readonly endsOnNewLine: boolean; readonly end: number } {
  const start = cursor.pos;
  const { text } = cursor;
  const indent = parentIndent + 1;
  let value = '';
  let end = start;
  let gap: Gap | undefined;
  for (;;) {
    if (cursor.atDocumentMarker() || cursor.code() === 0x23) {
      break;
    }
    const from = cursor.pos;
    let at = from;
    for (let code = text.charCodeAt(at); !isBlankOrEnd(code); code = text.charCodeAt(++at)) {
      if (code === 0x3a && isBlankOrEnd(text.charCodeAt(at + 1))) {
        break;
      }
      if (inFlow && isFlowIndicator(code)) {
        break;
      }
    }
    if (at > from) {
      value += (gap?.text ?? '') + text.slice(from, at);
      gap = undefined;
      cursor.pos = at;
      end = at;
    }
    if (!isBlank(cursor.code()) && !isBreak(cursor.code())) {
      break;
    }
    gap ??= new Gap(cursor);
    while (isBlank(cursor.code()) || isBreak(cursor.code())) {
      if (gap.folded && cursor.column < indent && cursor.code() === TAB) {
        cursor.fail('a tab must not be used for indentation');
      }
      gap.take();
    }
    if (!inFlow && cursor.column < indent) {
      break;
    }
  }
  return { value, endsOnNewLine: gap?.folded === true, end };
}

/** `,`, `?`, `[`, `]`, `{`, `}`: what ends a plain scalar inside brackets. */
function isFlowIndicator(code: number): boolean {
  return code === 0x2c || code === 0x3f || code === 0x5b || code === 0x5d || code === 0x7b || code === 0x7d;
}

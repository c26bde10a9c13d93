/**
 * Strings in each of the styles of YAML: plain, in quotes, and as block.
 */
import { isBreak, isGap, isSpace, type Source, YamlSyntaxError } from './source';

/** What cannot begin a plain string. */
const RESERVED = new Set('-?:,[]{}#&*!|>\'"%@`');

/** The line breaks between two lines of a folded string: one is a space, and of several the first is dropped. */
function folded(breaks: readonly string[]): string {
  const [first, ...others] = breaks;
  return first === '\n' ? others.join('') || ' ' : breaks.join('');
}

export function beginsPlain(source: Source): boolean {
  const { char, next } = source;
  if (!RESERVED.has(char)) {
    return !isGap(char);
  }
  return !isGap(next) && (char === '-' || (source.flowDepth === 0 && (char === '?' || char === ':')));
}

/** @param indent the column of the block around it; further lines must be indented deeper, except in brackets */
export function readPlain(source: Source, indent: number): string {
  const { text } = source;
  let value = '';
  let between = '';
  while (!source.isMarker && source.char !== '#') {
    const start = source.at;
    while (!endsPlain(source)) {
      source.at++;
    }
    if (source.at === start) {
      break;
    }
    value += between + text.slice(start, source.at);
    source.blockAllowed = false;
    if (!isSpace(source.char) && !isBreak(source.char)) {
      break;
    }
    between = readBetween(source, indent);
    if (source.flowDepth === 0 && source.column <= indent) {
      break;
    }
  }
  return value;
}

function endsPlain(source: Source): boolean {
  const { char } = source;
  return isGap(char) || (char === ':' && isGap(source.next)) || (source.flowDepth > 0 && ',?[]{}'.includes(char));
}

/** Blanks and line breaks after a word of a plain string. */
function readBetween(source: Source, indent: number): string {
  const start = source.at;
  const breaks: string[] = [];
  for (;;) {
    while (isSpace(source.char)) {
      if (source.char === '\t' && breaks.length > 0 && source.column <= indent) {
        throw new YamlSyntaxError(source.at, 'a tab must not be used for indentation');
      }
      source.at++;
    }
    if (!isBreak(source.char)) {
      return breaks.length > 0 ? folded(breaks) : source.text.slice(start, source.at);
    }
    breaks.push(source.readBreak());
  }
}

/** Blanks and line breaks within quotes. After an escaped break, all further breaks count. */
function readQuotedGap(source: Source, escaped: boolean): string {
  const start = source.at;
  const breaks: string[] = [];
  for (;;) {
    source.skipSpaces();
    if (!isBreak(source.char)) {
      break;
    }
    breaks.push(source.readBreak());
  }
  if (escaped) {
    return breaks.join('');
  }
  return breaks.length > 0 ? folded(breaks) : source.text.slice(start, source.at);
}

export function readQuoted(source: Source): string {
  const start = source.at;
  const quote = source.char;
  let value = '';
  source.at++;
  for (;;) {
    const { char } = source;
    if (source.isMarker || char === '') {
      throw new YamlSyntaxError(start, `missing closing quote (${quote})`);
    }
    if (char === quote) {
      source.at++;
      if (quote === '"' || source.char !== quote) {
        source.blockAllowed = false;
        return value;
      }
      source.at++;
      value += quote;
    } else if (char === '\\' && quote === '"') {
      source.at++;
      if (isBreak(source.char)) {
        source.readBreak();
        value += readQuotedGap(source, true);
      } else {
        value += readEscape(source, start);
      }
    } else if (isSpace(char) || isBreak(char)) {
      value += readQuotedGap(source, false);
    } else {
      value += char;
      source.at++;
    }
  }
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['0', '\0'],
  ['a', '\x07'],
  ['b', '\b'],
  ['t', '\t'],
  ['\t', '\t'],
  ['n', '\n'],
  ['v', '\v'],
  ['f', '\f'],
  ['r', '\r'],
  ['e', '\x1b'],
  [' ', ' '],
  ['"', '"'],
  ["'", "'"],
  ['\\', '\\'],
  ['N', '\u0085'],
  ['_', '\u00a0'],
  ['L', '\u2028'],
  ['P', '\u2029'],
]);

const HEX_DIGITS: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

/** Reads what follows a backslash. */
function readEscape(source: Source, start: number): string {
  const { char } = source;
  source.at++;
  const simple = ESCAPES.get(char);
  if (simple !== undefined) {
    return simple;
  }
  const count = HEX_DIGITS.get(char);
  if (count === undefined) {
    throw new YamlSyntaxError(start, `unknown escape sequence "\\${char}" in a string in double quotes`);
  }
  const digits = source.text.slice(source.at, source.at + count);
  if (digits.length < count || !/^[0-9A-Fa-f]*$/.test(digits)) {
    throw new YamlSyntaxError(start, `the escape sequence "\\${char}" must be followed by ${count} hexadecimal digits`);
  }
  const code = Number.parseInt(digits, 16);
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
    throw new YamlSyntaxError(start, `the escape sequence "\\${char}${digits}" is not a Unicode character`);
  }
  source.at += count;
  return String.fromCodePoint(code);
}

/** @param indent the column of the block around it */
export function readBlockScalar(source: Source, indent: number): string {
  const isFolded = source.char === '>';
  const { chomping, digit } = readHeader(source);
  const given = digit === undefined ? undefined : Math.max(indent, 0) + Number(digit);
  const least = Math.max(indent + 1, 1);
  const { margin, breaks: leading } = readMargin(source, given, least);
  let value = leading.join('');
  let last = '';
  let following: string[] = [];
  let wasIndented = true;
  let isFirst = true;
  while (source.column === margin && source.char !== '') {
    const isIndented = isSpace(source.char);
    if (!isFirst) {
      const breaks = [last, ...following];
      value += isFolded && !isIndented && !wasIndented ? folded(breaks) : breaks.join('');
    }
    isFirst = false;
    wasIndented = isIndented;
    const from = source.at;
    source.skipLine();
    value += source.text.slice(from, source.at);
    last = source.char === '' ? '' : source.readBreak();
    following = readMargin(source, margin, least).breaks;
  }
  source.blockAllowed = true;
  if (isFirst) {
    return chomping === '+' ? value : '';
  }
  return value + (chomping === '-' ? '' : last) + (chomping === '+' ? following.join('') : '');
}

/** Empty lines, and the indentation of the next line up to the margin, which is the deepest of all where none is given. */
function readMargin(
  source: Source,
  given: number | undefined,
  least: number,
): { readonly margin: number; readonly breaks: string[] } {
  const breaks: string[] = [];
  let deepest = least;
  for (;;) {
    while (source.char === ' ' && (given === undefined || source.column < given)) {
      source.at++;
    }
    deepest = Math.max(deepest, source.column);
    if (source.char === '\t' && (given === undefined || source.column < given)) {
      throw new YamlSyntaxError(source.at, 'a tab must not be used for indentation in a block scalar');
    }
    if (!isBreak(source.char)) {
      return { margin: given ?? deepest, breaks };
    }
    breaks.push(source.readBreak());
  }
}

/** The line of a block scalar's indicator: what becomes of its last breaks, and its indentation. */
function readHeader(source: Source): { readonly chomping: string | undefined; readonly digit: string | undefined } {
  const start = source.at;
  const header = /^[|>](?:([-+])([1-9])?|([1-9])([-+])?)?/.exec(source.text.slice(start, start + 3)) ?? [''];
  const chomping = header[1] ?? header[4];
  const digit = header[2] ?? header[3];
  source.at += header[0].length;
  if (source.char === '0') {
    throw new YamlSyntaxError(start, 'the indentation of a block scalar must be from 1 to 9');
  }
  source.skipSpaces();
  if (source.char === '#') {
    source.skipLine();
  }
  if (source.char !== '' && !isBreak(source.char)) {
    throw new YamlSyntaxError(source.at, 'the text of a block scalar must begin on the line after its "|" or ">"');
  }
  if (source.char !== '') {
    source.readBreak();
  }
  return { chomping, digit };
}

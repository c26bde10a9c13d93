/**
 * Anchors, aliases, tags, and directives as libyaml reads them.
 */
import { isBlank, isBlankOrEnd, isBreakOrEnd, isDigit, isWordCharacter, type Cursor } from './cursor';

export interface TagDirective {
  readonly handle: string;
  readonly prefix: string;
}

/** Reads `&name` or `*name`; the cursor is at the first character. */
export function scanName(cursor: Cursor, what: 'alias' | 'anchor'): string {
  cursor.skip();
  const name = scanWord(cursor);
  if (name === '' || !(isBlankOrEnd(cursor.code()) || '?:,]}%@`'.includes(String.fromCharCode(cursor.code())))) {
    cursor.fail(`the name of an ${what} must consist of letters, digits, "-", and "_"`);
  }
  return name;
}

function scanWord(cursor: Cursor): string {
  const start = cursor.pos;
  while (isWordCharacter(cursor.code())) {
    cursor.skip();
  }
  return cursor.text.slice(start, cursor.pos);
}

/** Reads a tag; `!<...>` has no handle, and the tag `!` is a suffix without one. */
export function scanTag(cursor: Cursor): { readonly handle: string; readonly suffix: string } {
  const found = scanTagParts(cursor);
  if (!isBlankOrEnd(cursor.code())) {
    cursor.fail('a space must follow a tag');
  }
  return found;
}

function scanTagParts(cursor: Cursor): { readonly handle: string; readonly suffix: string } {
  if (cursor.code(1) === 0x3c) {
    cursor.skip(2);
    const suffix = scanTagUri(cursor, '');
    if (cursor.code() !== 0x3e) {
      cursor.fail('the tag must end with ">"');
    }
    cursor.skip();
    return { handle: '', suffix };
  }
  const handle = scanTagHandle(cursor, false);
  if (handle.length > 1 && handle.endsWith('!')) {
    return { handle, suffix: scanTagUri(cursor, '') };
  }
  const suffix = scanTagUri(cursor, handle);
  return suffix === '' ? { handle: '', suffix: '!' } : { handle: '!', suffix };
}

function scanTagHandle(cursor: Cursor, inDirective: boolean): string {
  if (cursor.code() !== 0x21) {
    cursor.fail('a tag handle must begin with "!"');
  }
  const start = cursor.pos;
  cursor.skip();
  scanWord(cursor);
  if (cursor.code() === 0x21) {
    cursor.skip();
  } else if (inDirective && cursor.pos > start + 1) {
    cursor.fail('a tag handle must end with "!"');
  }
  return cursor.text.slice(start, cursor.pos);
}

/** @param head what was read already, which begins with `!` where it is not empty */
function scanTagUri(cursor: Cursor, head: string): string {
  let uri = head.slice(1);
  let found = head !== '';
  for (;;) {
    const code = cursor.code();
    const character = String.fromCharCode(code);
    if (character === '%') {
      uri += scanUriEscapes(cursor);
    } else if (isWordCharacter(code) || (code !== 0 && ";/?:@&=+$,.!~*'()[]".includes(character))) {
      uri += character;
      cursor.skip();
    } else if (!found) {
      cursor.fail('a tag must not be empty');
    } else {
      return uri;
    }
    found = true;
  }
}

/** One character, as UTF-8 in hexadecimal octets. */
function scanUriEscapes(cursor: Cursor): string {
  const octets: number[] = [];
  let width = 1;
  while (octets.length < width) {
    const digits = /^%([0-9a-fA-F]{2})$/.exec(cursor.text.slice(cursor.pos, cursor.pos + 3))?.[1];
    const octet = digits === undefined ? undefined : Number.parseInt(digits, 16);
    if (octet === undefined || (octets.length > 0 && (octet & 0xc0) !== 0x80)) {
      cursor.fail('"%" in a tag must be followed by two hexadecimal digits of UTF-8');
    }
    if (octets.length === 0) {
      width =
        octet < 0x80 ? 1 : (octet & 0xe0) === 0xc0 ? 2 : (octet & 0xf0) === 0xe0 ? 3 : (octet & 0xf8) === 0xf0 ? 4 : 0;
      if (width === 0) {
        cursor.fail('"%" in a tag must be followed by two hexadecimal digits of UTF-8');
      }
    }
    octets.push(octet);
    cursor.skip(3);
  }
  return Buffer.from(octets).toString('utf8');
}

/** Reads a directive; the cursor is at its `%`. The version of `%YAML`, or what `%TAG` says. */
export function scanDirective(cursor: Cursor): string | TagDirective {
  const start = cursor.pos;
  cursor.skip();
  const name = scanWord(cursor);
  if (name === '' || !isBlankOrEnd(cursor.code()) || (name !== 'YAML' && name !== 'TAG')) {
    cursor.fail('unknown directive: a line that begins with "%" must be %YAML or %TAG', start);
  }
  cursor.skipBlanks();
  const directive = name === 'YAML' ? scanVersion(cursor) : scanTagDirective(cursor);
  cursor.skipBlanks();
  if (cursor.code() === 0x23) {
    cursor.skipLine();
  }
  if (!isBreakOrEnd(cursor.code())) {
    cursor.fail('nothing but a comment may follow a directive');
  }
  cursor.takeBreak();
  return directive;
}

function scanVersion(cursor: Cursor): string {
  const major = scanVersionNumber(cursor);
  if (cursor.code() !== 0x2e) {
    cursor.fail('the version of a %YAML directive must be two numbers with a dot between them');
  }
  cursor.skip();
  return `${major}.${scanVersionNumber(cursor)}`;
}

function scanVersionNumber(cursor: Cursor): number {
  const start = cursor.pos;
  while (isDigit(cursor.code())) {
    cursor.skip();
  }
  const digits = cursor.text.slice(start, cursor.pos);
  if (digits === '' || digits.length > 2) {
    cursor.fail('the version of a %YAML directive must be two numbers with a dot between them', start);
  }
  return Number(digits);
}

function scanTagDirective(cursor: Cursor): TagDirective {
  const handle = scanTagHandle(cursor, true);
  if (!isBlank(cursor.code())) {
    cursor.fail('a space must follow the handle of a %TAG directive');
  }
  cursor.skipBlanks();
  const prefix = scanTagUri(cursor, '');
  if (!isBlankOrEnd(cursor.code())) {
    cursor.fail('a space must follow the prefix of a %TAG directive');
  }
  return { handle, prefix };
}

/**
 * What may be in front of a value: its anchor and its tag; and the directives in front of a document.
 */
import { isBreak, isGap, type Source, YamlSyntaxError } from './source';

export interface Properties {
  readonly start: number;
  readonly anchor?: string;
  readonly tag?: string;
}

const URI_CHARACTERS = /(?:[-\w;/?:@&=+$,.!~*'()[\]]|%[0-9A-Fa-f]{2})*/y;
const WORD = /[-\w]*/y;

function match(pattern: RegExp, { text, at }: Source): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

/** Reads `&name` or `*name`. */
export function readName(source: Source): string {
  const what = source.char === '&' ? 'an anchor' : 'an alias';
  const start = source.at;
  source.at++;
  const name = match(WORD, source);
  source.at += name.length;
  if (name === '' || !(isGap(source.char) || '?:,]}%@`'.includes(source.char))) {
    throw new YamlSyntaxError(start, `the name of ${what} must consist of letters, digits, "-", and "_"`);
  }
  source.blockAllowed = false;
  return name;
}

/** Reads a tag and returns its long form. */
export function readTag(source: Source, handles: ReadonlyMap<string, string> | undefined): string {
  const start = source.at;
  let tag: string;
  if (source.next === '<') {
    source.at += 2;
    tag = readUri(source, start);
    if (tag === '' || source.char !== '>') {
      throw new YamlSyntaxError(source.at, tag === '' ? 'the tag must not be empty' : 'the tag must end with ">"');
    }
    source.at++;
  } else {
    const handle =
      /^!(?:[-\w]*!)?/.exec(source.text.slice(start, start + 1 + match(WORD_AFTER, source).length))?.[0] ?? '!';
    source.at += handle.length;
    const name = readUri(source, start);
    if (name === '' && handle !== '!') {
      throw new YamlSyntaxError(start, `the tag ${handle} must be followed by a name`);
    }
    const prefix = handles === undefined ? '' : handles.get(handle);
    if (prefix === undefined) {
      throw new YamlSyntaxError(start, `the tag handle ${handle} is not defined`);
    }
    tag = name === '' ? '!' : prefix + name;
  }
  if (!isGap(source.char)) {
    throw new YamlSyntaxError(source.at, 'a space must follow a tag');
  }
  source.blockAllowed = false;
  return tag;
}

const WORD_AFTER = /![-\w]*!?/y;

function readUri(source: Source, start: number): string {
  const uri = match(URI_CHARACTERS, source);
  source.at += uri.length;
  if (source.char === '%') {
    throw new YamlSyntaxError(start, 'a "%" in a tag must be followed by two hexadecimal digits');
  }
  try {
    return decodeURIComponent(uri);
  } catch {
    throw new YamlSyntaxError(start, 'the escaped characters of a tag must be UTF-8');
  }
}

/** Reads the lines that begin with `%`, and returns the prefix of each tag handle. */
export function readDirectives(source: Source): ReadonlyMap<string, string> {
  const handles = new Map<string, string>();
  let hasVersion = false;
  while (source.column === 0 && source.char === '%') {
    const directive = readDirective(source, true);
    if (directive === 'version') {
      if (hasVersion) {
        throw new YamlSyntaxError(source.at, 'the directive %YAML must not be repeated');
      }
      hasVersion = true;
    } else {
      const [handle, prefix] = directive;
      if (handles.has(handle)) {
        throw new YamlSyntaxError(source.at, `the directive %TAG ${handle} must not be repeated`);
      }
      handles.set(handle, prefix);
    }
    source.skipGap();
  }
  return new Map([['!', '!'], ['!!', 'tag:yaml.org,2002:'], ...handles]);
}

const LINE = /[^\r\n\u0085\u2028\u2029]*/y;

export function readDirective(source: Source, mustBeSupported: boolean): 'version' | readonly [string, string] {
  const start = source.at;
  const line = match(LINE, source);
  const version = /^%YAML[ \t]+(\d{1,9})\.(\d{1,9})[ \t]*(?:#.*)?$/.exec(line);
  const tag =
    /^%TAG[ \t]+(!(?:[-\w]*!)?)[ \t]+((?:[-\w;/?:@&=+$,.!~*'()[\]]|%[0-9A-Fa-f]{2})+)(?:[ \t]+(?:#.*)?)?$/.exec(line);
  if (version === null && tag === null) {
    throw new YamlSyntaxError(start, 'unknown directive: a line that begins with "%" must be %YAML or %TAG');
  }
  if (mustBeSupported && version !== null && (Number(version[1]) !== 1 || Number(version[2]) !== 1)) {
    throw new YamlSyntaxError(start, `unsupported YAML version ${version[1]}.${version[2]}: kubectl supports 1.1 only`);
  }
  source.at += line.length;
  if (isBreak(source.char)) {
    source.readBreak();
  }
  return tag === null ? 'version' : [tag[1], decodeURIComponent(tag[2])];
}

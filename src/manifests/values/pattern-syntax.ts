/**
 * The syntax of RE2 in that of JavaScript: most patterns mean the same to both once a few classes are written out.
 */

const SYNTAX = /[\^$\\.*+?()[\]{}|/]/;
const CHARACTER_ESCAPES: Readonly<Record<string, string>> = { t: '\\t', n: '\\n', f: '\\f', r: '\\r', v: '\\v' };
const CLASS_ESCAPES: Readonly<Record<string, string>> = { d: '0-9', w: '0-9A-Za-z_', s: '\\t\\n\\f\\r ' };
const ESCAPES: Readonly<Record<string, string>> = {
  ...CHARACTER_ESCAPES,
  d: '[0-9]',
  D: '[^0-9]',
  w: '[0-9A-Za-z_]',
  W: '[^0-9A-Za-z_]',
  s: '[\\t\\n\\f\\r ]',
  S: '[^\\t\\n\\f\\r ]',
};

/** The same pattern for JavaScript's `u` flag; `undefined` where it holds something that the two read differently. */
export function translate(source: string): string | undefined {
  let out = '';
  let i = 0;
  while (i < source.length) {
    const char = source.charAt(i);
    if (char === '\\') {
      const next = source.charAt(i + 1);
      const known = ESCAPES[next] ?? (isPunctuation(next) ? escaped(next) : undefined);
      if (known === undefined) {
        return undefined;
      }
      out += known;
      i += 2;
    } else if (char === '[') {
      const end = translateClass(source, i);
      if (end === undefined) {
        return undefined;
      }
      out += end.text;
      i = end.next;
    } else if (char === '(' && source.charAt(i + 1) === '?' && source.charAt(i + 2) !== ':') {
      return undefined;
    } else if (char === '.') {
      out += '[^\\n]';
      i += 1;
    } else if (char === '{') {
      const repeat = /^\{\d{1,3}(,\d{0,3})?\}/.exec(source.slice(i, i + 12));
      if (repeat === null) {
        return undefined;
      }
      out += repeat[0];
      i += repeat[0].length;
    } else if (char === '}' || char === ']') {
      out += `\\${char}`;
      i += 1;
    } else {
      out += char;
      i += 1;
    }
  }
  try {
    new RegExp(out, 'u');
    return out;
  } catch {
    return undefined;
  }
}

/** A bracketed class, read as RE2 reads it: class escapes first, then single characters and ranges, with a minus sign allowed anywhere. */
function translateClass(source: string, start: number): { readonly text: string; readonly next: number } | undefined {
  let i = start + 1;
  let text = '[';
  if (source.charAt(i) === '^') {
    text += '^';
    i += 1;
  }
  for (let first = true; i < source.length; first = false) {
    if (source.charAt(i) === ']' && !first) {
      return { text: `${text}]`, next: i + 1 };
    }
    if (source.startsWith('[:', i)) {
      return undefined;
    }
    const set = source.charAt(i) === '\\' ? CLASS_ESCAPES[source.charAt(i + 1)] : undefined;
    if (set !== undefined) {
      text += set;
      i += 2;
      continue;
    }
    const low = classCharacter(source, i);
    if (low === undefined) {
      return undefined;
    }
    text += low.text;
    i = low.next;
    if (source.charAt(i) === '-' && i + 1 < source.length && source.charAt(i + 1) !== ']') {
      const high = classCharacter(source, i + 1);
      if (high === undefined) {
        return undefined;
      }
      text += `-${high.text}`;
      i = high.next;
    }
  }
  return undefined;
}

function classCharacter(source: string, at: number): { readonly text: string; readonly next: number } | undefined {
  const char = String.fromCodePoint(source.codePointAt(at) ?? 0);
  if (char !== '\\') {
    return { text: escapedInClass(char), next: at + char.length };
  }
  const next = source.charAt(at + 1);
  const known = CHARACTER_ESCAPES[next] ?? (isPunctuation(next) ? escapedInClass(next) : undefined);
  return known === undefined ? undefined : { text: known, next: at + 2 };
}

function isPunctuation(char: string): boolean {
  return char !== '' && /[!-/:-@[-`{-~]/.test(char);
}

function escaped(char: string): string {
  return SYNTAX.test(char) ? `\\${char}` : char;
}

function escapedInClass(char: string): string {
  return /[\^$\\.*+?()[\]{}|/-]/.test(char) ? `\\${char}` : char;
}

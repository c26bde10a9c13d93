/**
 * Expressions as TypeScript.
 */
import { Call, type Expression, type Fields, KindName, Reference, Unset } from './expression';

/** Longest line that a literal is kept on. */
const WIDTH = 100;

/** Notes what a printed expression imports, and returns the name by which the source knows it. */
export interface Imports {
  library(name: string): void;
  kind(kind: KindName): string;
}

/** The text of an expression; members that are `undefined` are left out. */
export function print(expression: Expression, imports: Imports, indent = ''): string {
  if (expression === undefined || expression instanceof Unset) {
    return 'undefined';
  }
  if (typeof expression === 'string') {
    return stringText(expression);
  }
  if (typeof expression !== 'object' || expression === null) {
    return Object.is(expression, -0) ? '0' : String(expression);
  }
  if (expression instanceof Reference) {
    const { declared, member } = expression;
    return member === undefined ? declared.variable : `${declared.variable}.${member}`;
  }
  if (expression instanceof KindName) {
    return imports.kind(expression);
  }
  if (expression instanceof Call) {
    return callText(expression, imports, indent);
  }
  if (Array.isArray(expression)) {
    const list = expression as readonly Expression[];
    return wrapped(
      '[',
      list.map((item) => (inner) => print(item, imports, inner)),
      ']',
      indent,
    );
  }
  const members = Object.entries(expression as Fields).filter(([, value]) => value !== undefined);
  return wrapped(
    '{',
    members.map(
      ([name, value]) =>
        (inner: string) =>
          `${keyText(name)}: ${print(value, imports, inner)}`,
    ),
    '}',
    indent,
  );
}

function callText({ target, args, isNew }: Call, imports: Imports, indent: string): string {
  imports.library(target.split('.')[0] ?? target);
  const given = [...args];
  while (given.length > 0 && given.at(-1) === undefined) {
    given.pop();
  }
  return `${isNew ? 'new ' : ''}${target}(${given.map((argument) => print(argument, imports, indent)).join(', ')})`;
}

/** Items on one line where they fit, otherwise one on each line. */
function wrapped(open: string, items: readonly ((indent: string) => string)[], close: string, indent: string): string {
  if (items.length === 0) {
    return `${open}${close}`;
  }
  const space = open === '{' ? ' ' : '';
  const short = items.map((item) => item('')).join(', ');
  if (short.length + indent.length < WIDTH && !short.includes('\n')) {
    return `${open}${space}${short}${space}${close}`;
  }
  const inner = `${indent}  `;
  return `${open}\n${items.map((item) => `${inner}${item(inner)},\n`).join('')}${indent}${close}`;
}

/** `__proto__` would set the prototype unless it is computed. */
function keyText(name: string): string {
  if (name === '__proto__') {
    return "['__proto__']";
  }
  return /^[A-Za-z_$][\w$]*$/.test(name) || /^(?:0|[1-9]\d{0,8})$/.test(name) ? name : quoted(name);
}

/** Text of several lines as a template, so that it reads as it is; all other text in quotes. */
export function stringText(text: string): string {
  return text.includes('\n') && text.trim() !== '' && text.length > 20 ? template(text) : quoted(text);
}

function template(text: string): string {
  const escaped = text
    .replace(/\\/g, '\\\\')
    .replace(/`/g, '\\`')
    .replace(/\$\{/g, '\\${')
    .replace(CONTROL, (character) => (character === '\n' ? '\n' : escape(character)));
  return `\`${escaped}\``;
}

function quoted(text: string): string {
  const escaped = text
    .replace(/\\/g, '\\\\')
    .replace(CONTROL, (character) => (character === '\n' ? '\\n' : escape(character)));
  return escaped.includes("'") && !escaped.includes('"') ? `"${escaped}"` : `'${escaped.replace(/'/g, "\\'")}'`;
}

/** Characters that a source must not contain as they are: controls, separators of lines, halves of pairs, and directions of text. */
const CONTROL =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function escape(character: string): string {
  if (character === '\t') {
    return '\\t';
  }
  if (character === '\r') {
    return '\\r';
  }
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Expressions as TypeScript.
 */
import { Call, type Expression, type Fields, isFields, KindName, Reference, Unset } from './expression';

/** Longest line that a literal is kept on. */
const WIDTH = 100;

/** Notes what a printed expression imports, and returns the name by which the source knows it. */
export interface Imports {
  library(name: string): void;
  kind(kind: KindName): string;
}

/** The text of an expression: on one line where it fits, members that are `undefined` left out. */
export function print(expression: Expression, imports: Imports, indent = ''): string {
  const line = flat(expression, imports, WIDTH - indent.length);
  if (line !== undefined) {
    return line;
  }
  const inner = `${indent}  `;
  const lines = (open: string, items: readonly string[], close: string): string =>
    `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${indent}${close}`;
  if (Array.isArray(expression)) {
    const list = expression as readonly Expression[];
    return lines(
      '[',
      list.map((item) => print(item, imports, inner)),
      ']',
    );
  }
  if (expression instanceof Call) {
    const given = givenArguments(expression).map((argument) => print(argument, imports, indent));
    return `${calleeText(expression, imports)}(${given.join(', ')})`;
  }
  if (isFields(expression)) {
    return lines(
      '{',
      membersOf(expression).map(([name, value]) => `${keyText(name)}: ${print(value, imports, inner)}`),
      '}',
    );
  }
  return scalarText(expression, imports);
}

/** The text on one line; `undefined` as soon as it is longer than the room, so that deep values are not printed at each level. */
function flat(expression: Expression, imports: Imports, room: number): string | undefined {
  if (Array.isArray(expression)) {
    return joined('[', ']', '', expression as readonly Expression[], (item, left) => flat(item, imports, left), room);
  }
  if (expression instanceof Call) {
    const callee = calleeText(expression, imports);
    const list = givenArguments(expression);
    return joined(`${callee}(`, ')', '', list, (item, left) => flat(item, imports, left), room);
  }
  if (isFields(expression)) {
    return joined(
      '{',
      '}',
      ' ',
      membersOf(expression),
      ([name, value], left) => {
        const key = `${keyText(name)}: `;
        const text = flat(value, imports, left - key.length);
        return text === undefined ? undefined : `${key}${text}`;
      },
      room,
    );
  }
  const text = scalarText(expression, imports);
  return text.length > room || text.includes('\n') ? undefined : text;
}

function joined<T>(
  open: string,
  close: string,
  space: string,
  items: readonly T[],
  textOf: (item: T, room: number) => string | undefined,
  room: number,
): string | undefined {
  const texts: string[] = [];
  let left = room - open.length - close.length - 2 * space.length;
  for (const item of items) {
    const text = left < 0 ? undefined : textOf(item, left);
    if (text === undefined) {
      return undefined;
    }
    left -= text.length + 2;
    texts.push(text);
  }
  return texts.length === 0 ? `${open}${close}` : `${open}${space}${texts.join(', ')}${space}${close}`;
}

function scalarText(expression: Expression, imports: Imports): string {
  if (expression === undefined || expression instanceof Unset) {
    return 'undefined';
  }
  if (typeof expression === 'string') {
    return stringText(expression);
  }
  if (expression instanceof Reference) {
    return expression.text;
  }
  if (expression instanceof KindName) {
    return imports.kind(expression);
  }
  return Object.is(expression, -0) ? '0' : JSON.stringify(expression);
}

function membersOf(fields: Fields): readonly (readonly [string, Expression])[] {
  return Object.entries(fields).filter(([, value]) => value !== undefined);
}

function calleeText({ target, isNew }: Call, imports: Imports): string {
  imports.library(target.split('.')[0] ?? target);
  return `${isNew ? 'new ' : ''}${target}`;
}

function givenArguments({ args }: Call): readonly Expression[] {
  const given = [...args];
  while (given.length > 0 && given.at(-1) === undefined) {
    given.pop();
  }
  return given;
}

/** `__proto__` would set the prototype unless it is computed. */
function keyText(name: string): string {
  if (name === '__proto__') {
    return "['__proto__']";
  }
  return /^[A-Za-z_$][\w$]*$/.test(name) || /^(?:0|[1-9]\d{0,8})$/.test(name) ? name : stringLiteral(name);
}

/** Text of several lines as a template, so that it reads as it is; all other text in quotes. */
function stringText(text: string): string {
  return text.includes('\n') && text.trim() !== '' && text.length > 20 ? template(text) : stringLiteral(text);
}

function template(text: string): string {
  const escaped = text
    .replace(/\\/g, '\\\\')
    .replace(/`/g, '\\`')
    .replace(/\$\{/g, '\\${')
    .replace(CONTROL, (character) => (character === '\n' ? '\n' : escape(character)));
  return `\`${escaped}\``;
}

function stringLiteral(text: string): string {
  const escaped = text
    .replace(/\\/g, '\\\\')
    .replace(CONTROL, (character) => (character === '\n' ? '\\n' : escape(character)));
  return escaped.includes("'") && !escaped.includes('"') ? `"${escaped}"` : `'${escaped.replace(/'/g, "\\'")}'`;
}

/** Characters that a source must not contain as they are: controls, separators of lines, halves of pairs, and directions of text. */
const CONTROL =
  // oxlint-disable-next-line no-control-regex
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

/**
 * The words of a formula, as expr (expr-lang v1.17) tells them apart.
 */

export interface Token {
  readonly kind: 'name' | 'operator' | 'bracket' | 'number' | 'string' | 'end';
  readonly text: string;
  /** In characters of the formula, counted from 0. */
  readonly at: number;
}

/** What keeps a formula from being compiled. */
export class FormulaError extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

const WORD_OPERATORS: ReadonlySet<string> = new Set([
  'not',
  'in',
  'or',
  'and',
  'matches',
  'contains',
  'startsWith',
  'endsWith',
  'let',
  'if',
  'else',
]);

const NAME = /[\p{L}_$][\p{L}\p{Nd}_$]*/uy;
const NUMBER =
  /0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:\d[\d_]*(?:\.(?!\.)[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?[\d_]+)?/y;
const STRING = /[bB]?(?:"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*')|`(?:``|[^`])*`/y;
const BLANK = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const OPERATOR = /\?\.|\?\?|\|\||&&|==|!=|<=|>=|\*\*|\.\.|::|[|&=!<>*?.,;:%+\-^/#]/y;

/** @throws FormulaError where no word begins with the character */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const match = (pattern: RegExp, at: number): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  for (let at = 0; at < text.length;) {
    const blank = match(BLANK, at);
    if (blank !== undefined) {
      at += blank.length;
      continue;
    }
    const token = nextToken(text, at, match);
    if (token.kind === 'number' && match(NAME, at + token.text.length) !== undefined) {
      throw new FormulaError(
        `"${token.text}${match(NAME, at + token.text.length) ?? ''}" is not a valid number, and a name must not begin with a digit`,
        at,
      );
    }
    tokens.push(token);
    at += token.text.length;
  }
  return [...tokens, { kind: 'end', text: '', at: text.length }];
}

function nextToken(text: string, at: number, match: (pattern: RegExp, at: number) => string | undefined): Token {
  const string = match(STRING, at);
  if (string !== undefined) {
    return { kind: 'string', text: string, at };
  }
  const number = match(NUMBER, at);
  if (number !== undefined) {
    return { kind: 'number', text: number, at };
  }
  const name = match(NAME, at);
  if (name !== undefined) {
    return { kind: WORD_OPERATORS.has(name) ? 'operator' : 'name', text: name, at };
  }
  const first = text[at] ?? '';
  if ('()[]{}'.includes(first)) {
    return { kind: 'bracket', text: first, at };
  }
  const operator = match(OPERATOR, at);
  if (operator !== undefined) {
    return { kind: 'operator', text: operator, at };
  }
  throw new FormulaError(
    first === '"' || first === "'" ? 'a string is not terminated' : `"${first}" is not a valid character`,
    at,
  );
}

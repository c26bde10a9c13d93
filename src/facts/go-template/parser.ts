/**
 * Whether Go's text/template can parse a template.
 *
 * Source: Go 1.26, text/template/parse/parse.go.
 */
import { type Token, type TokenKind, tokensOf } from './lexer';

/** What a template is parsed with. */
export interface TemplateScope {
  /** Functions, Go's own included. */
  readonly functions: ReadonlySet<string>;
  /** Variables that are defined before the template begins, `$labels`. */
  readonly variables: readonly string[];
}

/** Why Go rejects a template; `undefined` where it parses it. */
export function templateProblem(text: string, scope: TemplateScope): string | undefined {
  try {
    new Parser(tokensOf(text), scope).parse();
    return undefined;
  } catch (error) {
    if (error instanceof TemplateError) {
      return error.message;
    }
    throw error;
  }
}

class TemplateError extends Error {}

/** Deeper nesting is not read; Go's own limit is far above what fits in the size that users write. */
const DEEPEST = 500;
const TERMS: ReadonlySet<TokenKind> = new Set([
  ...(['identifier', 'variable', 'field', 'dot', 'nil'] as const),
  ...(['boolean', 'number', 'character', 'string'] as const),
]);
const NOT_EXECUTABLE: ReadonlySet<TokenKind> = new Set(['boolean', 'dot', 'nil', 'number', 'string']);

class Parser {
  private next = 0;
  private depth = 0;
  private ranges = 0;
  private variables: string[];

  constructor(
    private readonly tokens: readonly Token[],
    private readonly scope: TemplateScope,
  ) {
    this.variables = ['$', ...scope.variables];
  }

  parse(): void {
    for (;;) {
      const { kind } = this.take();
      if (kind === 'end') {
        return;
      }
      if (kind === 'open') {
        const { text } = this.peekNonSpace();
        if (text === 'define') {
          this.takeNonSpace();
          this.definition();
        } else {
          const word = this.action();
          if (word !== undefined) {
            fail(`unexpected {{${word}}}`);
          }
        }
      }
    }
  }

  private definition(): void {
    const name = this.takeNonSpace();
    if (name.kind !== 'string') {
      fail(`unexpected ${shown(name)} in define clause`);
    }
    this.expectClose('define clause');
    const { variables, ranges } = this;
    [this.variables, this.ranges] = [['$'], 0];
    if (this.list() !== 'end') {
      fail('unexpected {{else}} in define clause');
    }
    [this.variables, this.ranges] = [variables, ranges];
  }

  /** Reads up to `{{ end }}` or `{{ else … `, and says which. */
  private list(): 'end' | 'else' {
    this.depth += 1;
    if (this.depth > DEEPEST) {
      fail(`blocks are nested more than ${DEEPEST} deep`);
    }
    for (;;) {
      const { kind } = this.take();
      if (kind === 'end') {
        fail('unexpected EOF');
      }
      const word = kind === 'open' ? this.action() : undefined;
      if (word !== undefined) {
        this.depth -= 1;
        return word;
      }
    }
  }

  private action(): 'end' | 'else' | undefined {
    const token = this.peekNonSpace();
    if (token.kind !== 'keyword') {
      this.pipeline('command', 'close');
      return undefined;
    }
    this.takeNonSpace();
    switch (token.text) {
      case 'if':
      case 'range':
      case 'with':
        this.control(token.text);
        return undefined;
      case 'end':
        this.expectClose('end');
        return 'end';
      case 'else':
        return this.elseBegins();
      case 'break':
      case 'continue':
        this.expectClose(`{{${token.text}}}`);
        return this.ranges > 0 ? undefined : fail(`{{${token.text}}} outside {{range}}`);
      case 'template':
        this.call();
        return undefined;
      case 'block':
        this.block();
        return undefined;
      default:
        return fail(`unexpected {{${token.text}}}`);
    }
  }

  private control(word: string): void {
    const before = this.variables.length;
    this.pipeline(word, 'close');
    this.ranges += word === 'range' ? 1 : 0;
    if (this.list() === 'else') {
      const again = this.peek();
      if (again.kind === 'keyword' && again.text === word && word !== 'range') {
        // The inner block takes the one {{end}} of both.
        this.take();
        this.control(word);
      } else if (this.afterElse(word) !== 'end') {
        fail('expected end; found {{else}}');
      }
    }
    this.variables.length = before;
    this.ranges -= word === 'range' ? 1 : 0;
  }

  /** What follows `{{ else }}` of a block. The body of a range's else is outside of the range. */
  private afterElse(word: string): 'end' | 'else' {
    this.expectClose('else');
    this.ranges -= word === 'range' ? 1 : 0;
    const last = this.list();
    this.ranges += word === 'range' ? 1 : 0;
    return last;
  }

  /** Leaves `if` or `with` after an `else` for the block that it belongs to. */
  private elseBegins(): 'else' {
    const { kind } = this.peekNonSpace();
    if (kind !== 'keyword' && kind !== 'close') {
      fail(`unexpected ${shown(this.peek())} in else`);
    }
    return 'else';
  }

  private call(): void {
    const name = this.takeNonSpace();
    if (name.kind !== 'string') {
      fail(`unexpected ${shown(name)} in template clause`);
    }
    if (this.peekNonSpace().kind === 'close') {
      this.takeNonSpace();
    } else {
      this.pipeline('template clause', 'close');
    }
  }

  private block(): void {
    const name = this.takeNonSpace();
    if (name.kind !== 'string') {
      fail(`unexpected ${shown(name)} in block clause`);
    }
    this.pipeline('block clause', 'close');
    const { variables, ranges } = this;
    [this.variables, this.ranges] = [['$'], 0];
    if (this.list() !== 'end') {
      fail('unexpected {{else}} in block clause');
    }
    [this.variables, this.ranges] = [variables, ranges];
  }

  private pipeline(context: string, end: 'close' | ')'): void {
    this.declarations(context);
    const commands: TokenKind[] = [];
    for (;;) {
      const token = this.peekNonSpace();
      if (end === 'close' ? token.kind === 'close' : isSign(token, ')')) {
        this.takeNonSpace();
        break;
      }
      commands.push(this.command(context));
    }
    if (commands.length === 0) {
      fail(`missing value for ${context}`);
    }
    const stage = commands.findIndex((kind, index) => index > 0 && NOT_EXECUTABLE.has(kind));
    if (stage > 0) {
      fail(`non executable command in pipeline stage ${stage + 1}`);
    }
  }

  /** `$a :=`, `$a =`, or of a range `$a, $b :=`. */
  private declarations(context: string): void {
    const first = this.peekNonSpace();
    if (first.kind !== 'variable') {
      return;
    }
    const begin = this.next;
    this.takeNonSpace();
    const sign = this.peekNonSpace();
    if (isSign(sign, '=') || isSign(sign, ':=')) {
      this.takeNonSpace();
      this.declare([first.text], sign.text);
    } else if (isSign(sign, ',')) {
      this.takeNonSpace();
      if (context !== 'range') {
        fail(`too many declarations in ${context}`);
      }
      const second = this.peekNonSpace();
      if (second.kind !== 'variable') {
        fail(`range can only initialize variables; found ${shown(second)}`);
      }
      this.takeNonSpace();
      const last = this.takeNonSpace();
      if (!isSign(last, ':=') && !isSign(last, '=')) {
        fail(`unexpected ${shown(last)} in range`);
      }
      this.declare([first.text, second.text], last.text);
    } else {
      this.next = begin;
    }
  }

  private declare(names: readonly string[], sign: string): void {
    const unknown = sign === '=' ? names.find((name) => !this.variables.includes(name)) : undefined;
    if (unknown !== undefined) {
      fail(`undefined variable "${unknown}"`);
    }
    this.variables.push(...names);
  }

  /** Reads operands up to a pipe or the end. @returns the kind of the first, where it is the only one */
  private command(context: string): TokenKind {
    const kinds: TokenKind[] = [];
    for (;;) {
      this.skipSpace();
      const operand = this.operand();
      if (operand !== undefined) {
        kinds.push(operand);
      }
      const token = this.take();
      if (token.kind === 'space') {
        continue;
      }
      if (token.kind === 'close' || isSign(token, ')')) {
        this.next -= 1;
      } else if (!isSign(token, '|')) {
        fail(`unexpected ${shown(token)} in ${operand === undefined ? context : 'operand'}`);
      }
      break;
    }
    if (kinds.length === 0) {
      fail('empty command');
    }
    return kinds[0];
  }

  private operand(): TokenKind | undefined {
    const kind = this.term();
    if (kind === undefined || this.peek().kind !== 'field') {
      return kind;
    }
    if (NOT_EXECUTABLE.has(kind)) {
      fail('unexpected . after term');
    }
    while (this.peek().kind === 'field') {
      this.take();
    }
    return 'field';
  }

  private term(): TokenKind | undefined {
    const token = this.peekNonSpace();
    if (token.kind === 'sign') {
      return this.parenthesized(token);
    }
    if (!TERMS.has(token.kind)) {
      return undefined;
    }
    if (token.kind === 'identifier' && !this.scope.functions.has(token.text)) {
      fail(`function "${token.text}" not defined`);
    }
    if (token.kind === 'variable' && !this.variables.includes(token.text)) {
      fail(`undefined variable "${token.text}"`);
    }
    this.takeNonSpace();
    return token.kind === 'character' ? 'number' : token.kind;
  }

  private parenthesized(token: Token): TokenKind | undefined {
    if (token.text !== '(') {
      return undefined;
    }
    this.takeNonSpace();
    this.depth += 1;
    if (this.depth > DEEPEST) {
      fail(`parentheses are nested more than ${DEEPEST} deep`);
    }
    this.pipeline('parenthesized pipeline', ')');
    this.depth -= 1;
    return 'identifier';
  }

  private expectClose(context: string): void {
    const token = this.takeNonSpace();
    if (token.kind !== 'close') {
      fail(`unexpected ${shown(token)} in ${context}`);
    }
  }

  private skipSpace(): void {
    while (this.tokens[this.next]?.kind === 'space') {
      this.next += 1;
    }
  }

  private take(): Token {
    const token = this.peek();
    this.next += 1;
    return token;
  }

  private takeNonSpace(): Token {
    this.skipSpace();
    return this.take();
  }

  private peekNonSpace(): Token {
    this.skipSpace();
    return this.peek();
  }

  private peek(): Token {
    const token = this.tokens[Math.min(this.next, this.tokens.length - 1)];
    return token.kind === 'error' ? fail(token.text) : token;
  }
}

function isSign({ kind, text }: Token, sign: string): boolean {
  return kind === 'sign' && text === sign;
}

function shown({ kind, text }: Token): string {
  return kind === 'end' ? 'EOF' : JSON.stringify(text);
}

function fail(message: string): never {
  throw new TemplateError(message);
}

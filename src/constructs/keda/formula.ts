/**
 * Reads the formula of `scalingModifiers` as KEDA's webhook compiles it: in the language expr, with the names of triggers as numbers and
 * the result converted to a number. It covers the grammar, the builtin functions, and the types except those of list elements. KEDA rejects
 * everything that it rejects; KEDA may also reject a string or nil inside a list, which it accepts.
 *
 * Source: keda, apis/keda/v1alpha1/scaledobject_webhook.go; expr, parser and checker.
 */
import { FormulaError, type Token, tokensOf } from './formula-tokens';
import {
  BINARY,
  BUILTINS,
  isNumber,
  NEGATABLE,
  ORDER,
  PREDICATES,
  RESULTS,
  RIGHT_BOUND,
  TAKING_NUMBERS,
  typeOfOperation,
  UNARY,
  type Type,
} from './formula-types';

export interface FormulaProblem {
  readonly message: string;
  /** In characters of the formula, counted from 0. */
  readonly at: number;
}

export interface FormulaReading {
  /** What keeps it from being compiled, whatever the triggers are called. */
  readonly problem?: FormulaProblem;
  /** Names that something outside of the formula has to give a value, in the order of the text. */
  readonly names: readonly { readonly name: string; readonly at: number }[];
}

export function readFormula(formula: string): FormulaReading {
  const reader = new FormulaReader(formula);
  try {
    reader.read();
    return { names: reader.names };
  } catch (error) {
    if (error instanceof TooDeep) {
      return { names: [] };
    }
    if (!(error instanceof FormulaError)) {
      throw error;
    }
    return { problem: { message: error.message, at: Math.min(error.at, formula.length) }, names: reader.names };
  }
}

/** A formula that is nested deeper is not judged: KEDA may compile it. */
const DEEPEST = 1000;

class TooDeep extends Error {}

class FormulaReader {
  readonly names: { name: string; at: number }[] = [];
  private tokens: readonly Token[] = [];
  private position = 0;
  private readonly variables: Map<string, Type>[] = [];
  private depth = 0;
  /** How many expressions surround the one at hand. */
  private level = 0;

  constructor(private readonly formula: string) {}

  read(): void {
    this.tokens = tokensOf(this.formula);
    // KEDA puts the formula into float(…), or into parentheses where it holds ??: there alone may statements follow one another.
    const type = this.formula.includes('??') ? this.sequence() : this.expression(0);
    if (this.current.kind !== 'end') {
      this.unexpected();
    }
    if (type === 'boolean') {
      throw new FormulaError('the formula returns a boolean; KEDA requires a number, for example "… ? 1 : 0"', 0);
    }
    if (type === 'nil' && !this.formula.includes('??')) {
      throw new FormulaError('the formula returns nil; KEDA requires a number', 0);
    }
    // What KEDA writes behind the formula would be part of the comment.
    const last = this.tokens.at(-2);
    const lastLine = this.formula.lastIndexOf('\n') + 1;
    const comment = this.formula.indexOf('//', Math.max(lastLine, last === undefined ? 0 : last.at + last.text.length));
    if (comment >= 0) {
      throw new FormulaError('a comment to the end of the line cannot end the formula; write /* … */', comment);
    }
  }

  private get current(): Token {
    return this.tokens[this.position] ?? { kind: 'end', text: '', at: this.formula.length };
  }

  private is(text: string): boolean {
    return this.current.text === text && this.current.kind !== 'string';
  }

  private take(): Token {
    const token = this.current;
    this.position++;
    return token;
  }

  private expect(text: string): void {
    if (!this.is(text)) {
      this.unexpected(text);
    }
    this.position++;
  }

  private unexpected(wanted?: string): never {
    const { kind, text, at } = this.current;
    const found = kind === 'end' ? 'end of the formula' : `"${text}"`;
    throw new FormulaError(`unexpected ${found}, expected ${wanted === undefined ? 'a value' : `"${wanted}"`}`, at);
  }

  private sequence(): Type {
    let type = this.expression(0);
    while (this.is(';')) {
      this.position++;
      if (this.current.kind === 'end') {
        break;
      }
      type = this.expression(0);
    }
    return type;
  }

  private expression(precedence: number): Type {
    if (++this.level > DEEPEST) {
      throw new TooDeep();
    }
    const type = this.expressionAt(precedence);
    this.level--;
    return type;
  }

  private expressionAt(precedence: number): Type {
    if (precedence === 0 && this.is('let')) {
      return this.declaration();
    }
    if (precedence === 0 && this.is('if')) {
      return this.branches();
    }
    let left = this.primary();
    let previous = '';
    let compared = left;
    while (this.current.kind === 'operator') {
      const { operator, length } = this.binaryOperator();
      const binding = BINARY[operator.text];
      if (binding === undefined || binding < precedence) {
        break;
      }
      this.position += length;
      if (operator.text === '|') {
        left = this.call(this.takeName(), 1);
      } else {
        if (previous === '??' && operator.text !== '??') {
          throw new FormulaError(`"${operator.text}" and "??" must not be combined without parentheses`, operator.at);
        }
        const right = this.expression(RIGHT_BOUND.has(operator.text) ? binding : binding + 1);
        // a < b < c compares b with c.
        left = typeOfOperation(operator, ORDER.has(operator.text) && ORDER.has(previous) ? compared : left, right);
        compared = right;
      }
      previous = operator.text;
    }
    return precedence === 0 ? this.conditional(left) : left;
  }

  /** The operator at hand, without the `not` before it, and how many tokens both are. */
  private binaryOperator(): { readonly operator: Token; readonly length: number } {
    const next = this.tokens[this.position + 1];
    return this.is('not') && next !== undefined && NEGATABLE.has(next.text)
      ? { operator: next, length: 2 }
      : { operator: this.current, length: 1 };
  }

  private takeName(): Token {
    if (this.current.kind !== 'name') {
      this.unexpected('a name');
    }
    return this.take();
  }

  private declaration(): Type {
    this.expect('let');
    const { text } = this.takeName();
    this.expect('=');
    const type = this.expression(0);
    this.expect(';');
    this.variables.push(new Map([[text, type]]));
    const result = this.sequence();
    this.variables.pop();
    return result;
  }

  private branches(): Type {
    this.expect('if');
    this.requireTruth(this.current, this.expression(0));
    const types = [this.block()];
    this.expect('else');
    types.push(this.is('if') ? this.branches() : this.block());
    return types[0] === types[1] ? (types[0] ?? 'other') : 'other';
  }

  private block(): Type {
    this.expect('{');
    const type = this.sequence();
    this.expect('}');
    return type;
  }

  private conditional(condition: Type): Type {
    let type = condition;
    while (this.is('?')) {
      const question = this.take();
      this.requireTruth(question, type);
      let yes = type;
      if (this.is(':')) {
        this.position++;
      } else {
        yes = this.expression(0);
        this.expect(':');
      }
      const no = this.expression(0);
      type = yes === no ? yes : 'other';
    }
    return type;
  }

  private requireTruth({ at }: Token, type: Type): void {
    if (isNumber(type) || type === 'text') {
      throw new FormulaError('a condition must be a boolean; compare the value with another one', at);
    }
  }

  private primary(): Type {
    const token = this.current;
    if (token.kind === 'operator') {
      const binding = UNARY[token.text];
      if (binding !== undefined) {
        this.position++;
        const type = this.expression(binding);
        const negates = token.text === '!' || token.text === 'not';
        if (negates ? isNumber(type) || type === 'text' : type === 'boolean' || type === 'text' || type === 'nil') {
          throw new FormulaError(`"${token.text}" takes ${negates ? 'true or false' : 'a number'}`, token.at);
        }
        return this.postfix(negates ? 'boolean' : type);
      }
      if (this.depth > 0 && (this.is('#') || this.is('.'))) {
        if (this.take().text === '#' && this.current.kind === 'name') {
          this.position++;
        } else if (this.tokens[this.position - 1]?.text === '.') {
          this.position--;
        }
        return this.postfix('other');
      }
      if (this.is('::')) {
        this.position++;
        return this.postfix(this.call(this.takeName()));
      }
      this.unexpected();
    }
    if (this.is('(')) {
      this.position++;
      const type = this.sequence();
      this.expect(')');
      return this.postfix(type);
    }
    return this.secondary();
  }

  private secondary(): Type {
    const token = this.current;
    switch (token.kind) {
      case 'number':
        this.position++;
        return /^0[xob]/i.test(token.text) || !/[.e]/i.test(token.text) ? 'integer' : 'float';
      case 'string':
        this.position++;
        return this.postfix('text');
      case 'name':
        this.position++;
        if (token.text === 'true' || token.text === 'false') {
          return 'boolean';
        }
        if (token.text === 'nil') {
          return 'nil';
        }
        return this.postfix(this.is('(') ? this.call(token) : this.typeOfName(token));
      case 'operator':
      case 'bracket':
      case 'end':
        if (this.is('[')) {
          return this.postfix(this.array());
        }
        if (this.is('{')) {
          return this.postfix(this.map());
        }
        return this.unexpected();
    }
  }

  private typeOfName({ text, at }: Token): Type {
    const variable = this.variables.findLast((scope) => scope.has(text))?.get(text);
    if (variable !== undefined) {
      return variable;
    }
    if (text === '$env' || (this.depth > 0 && text.startsWith('#'))) {
      return 'other';
    }
    this.names.push({ name: text, at });
    return 'float';
  }

  /** The opening parenthesis comes next. */
  private call({ text, at }: Token, piped = 0): Type {
    if (!BUILTINS.has(text)) {
      throw new FormulaError(`unknown function "${text}"`, at);
    }
    this.expect('(');
    let index = 0;
    while (!this.is(')')) {
      if (index++ > 0) {
        this.expect(',');
        if (this.is(')')) {
          break;
        }
      }
      if (PREDICATES.has(text)) {
        this.argumentOfPredicate();
      } else {
        const argument = this.current;
        const type = this.expression(0);
        if (
          TAKING_NUMBERS.has(text) &&
          (type === 'boolean' || type === 'nil' || (type === 'text' && text !== 'float' && text !== 'int'))
        ) {
          throw new FormulaError(`${text} requires a number`, argument.at);
        }
      }
    }
    if (index + piped === 0 && text !== 'now') {
      throw new FormulaError(`${text} requires an argument`, at);
    }
    this.expect(')');
    return RESULTS.get(text) ?? 'other';
  }

  private argumentOfPredicate(): void {
    this.depth++;
    if (this.is('{')) {
      this.block();
    } else {
      this.expression(0);
    }
    this.depth--;
  }

  private array(): Type {
    this.expect('[');
    for (let index = 0; !this.is(']'); index++) {
      if (index > 0) {
        this.expect(',');
      }
      if (this.is(']')) {
        break;
      }
      this.expression(0);
    }
    this.expect(']');
    return 'other';
  }

  private map(): Type {
    this.expect('{');
    for (let index = 0; !this.is('}'); index++) {
      if (index > 0) {
        this.expect(',');
      }
      if (this.is('}')) {
        break;
      }
      if (this.is('(')) {
        this.expression(0);
      } else if (['name', 'number', 'string'].includes(this.current.kind)) {
        this.position++;
      } else {
        this.unexpected('a key');
      }
      this.expect(':');
      this.expression(0);
    }
    this.expect('}');
    return 'other';
  }

  private postfix(of: Type): Type {
    let type = of;
    for (;;) {
      if ((this.is('.') || this.is('[')) && (isNumber(type) || type === 'boolean')) {
        throw new FormulaError('a number has no members', this.current.at);
      }
      if (this.is('.') || this.is('?.')) {
        this.position++;
        if (this.current.kind !== 'name' && this.current.kind !== 'operator') {
          this.unexpected('a member');
        }
        const member = this.take();
        if (this.is('(')) {
          throw new FormulaError(`unknown function "${member.text}"`, member.at);
        }
      } else if (this.is('[')) {
        this.position++;
        if (!this.is(':')) {
          this.expression(0);
        }
        if (this.is(':')) {
          this.position++;
          if (!this.is(']')) {
            this.expression(0);
          }
        }
        this.expect(']');
      } else {
        return type;
      }
      type = 'other';
    }
  }
}

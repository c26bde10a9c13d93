/**
 * Reads PromQL: the text as a tree, or what keeps Prometheus from taking it.
 *
 * The grammar is Prometheus' own for editors (`@prometheus-io/lezer-promql`). It says what belongs together only loosely: what follows
 * an operand (`[5m]`, `offset 5m`, `@ 10`) may come out around the whole operation in front of it. So operations are taken apart into
 * operands and operators in the order of the text, and put together again by the precedence of Prometheus' parser.
 *
 * Source: Prometheus v3.15, promql/parser/generated_parser.y.
 */
import { createRequire } from 'node:module';
import type * as lezer from '@lezer/common';
import { Assembly, type Piece } from './assembly';
import { type Expression, type LabelMatcher, type MatchOperator, type Span, type VectorMatching } from './expression';
import { FUNCTIONS } from './functions';
import { parseDuration, parseNumber, unquote } from './literals';
import { type PromqlProblem, PromqlSyntaxError, refuse } from './problem';
import { regularExpressionProblem } from './regular-expression';
import { typeProblems } from './type-check';

type Node = lezer.SyntaxNode;

/** A query that was read. */
export interface PromqlReading {
  /** Absent where the text is no PromQL at all. */
  readonly expression?: Expression;
  /** What Prometheus would refuse it for, in the order of the text. */
  readonly problems: readonly PromqlProblem[];
}

// The parser is loaded with the first query, since most commands never see one.
const requireOnDemand = createRequire(__filename);
let grammar: { parse(text: string): lezer.Tree } | undefined;

const LONGEST_MEMORY = 2000;

/** Characters before an error in which the name of a function is looked for. */
const LONGEST_NAME = 200;
/** Seconds that fit into a duration of Go's. */
const LONGEST_DURATION = 2 ** 63 / 1e9;
const memory = new Map<string, PromqlReading>();

/** Reads a query as Prometheus does. Never throws; equal texts are read once. */
export function parsePromql(text: string): PromqlReading {
  const known = memory.get(text);
  if (known !== undefined) {
    return known;
  }
  const reading = read(text);
  if (memory.size >= LONGEST_MEMORY) {
    memory.clear();
  }
  memory.set(text, reading);
  return reading;
}

function read(text: string): PromqlReading {
  grammar ??= (requireOnDemand('@prometheus-io/lezer-promql') as { readonly parser: NonNullable<typeof grammar> })
    .parser;
  if (text.trim() === '') {
    return { problems: [{ kind: 'syntax', message: 'the expression is empty', from: 0, to: text.length }] };
  }
  const size = sizeOf(text);
  if (size.nesting > MOST_NESTED || size.operators > MOST_NESTED) {
    const message = 'a bracket is not closed';
    return { problems: size.isClosed ? [] : [{ kind: 'syntax', message, from: text.length, to: text.length }] };
  }
  const tree = grammar.parse(withoutBareDots(text));
  const reader = new TreeReader(text);
  try {
    reader.refuseErrors(tree);
    const root = tree.topNode.firstChild;
    if (root === null) {
      throw new PromqlSyntaxError(refuse('syntax', 'the expression is empty', { from: 0, to: text.length }));
    }
    const expression = reader.expression(skipComments(root));
    return { expression, problems: [...reader.problems, ...typeProblems(expression)].sort((a, b) => a.from - b.from) };
  } catch (error) {
    if (!(error instanceof PromqlSyntaxError)) {
      throw error;
    }
    return { problems: [error.problem] };
  }
}

/** Brackets around each other, and operators after each other, that the grammar's parser holds. Prometheus has no such limit. */
const MOST_NESTED = 400;

/** How deep and how long a query is: what is beyond that cannot be read here, and is not judged. */
function sizeOf(text: string): { readonly nesting: number; readonly operators: number; readonly isClosed: boolean } {
  if (text.length < MOST_NESTED) {
    return { nesting: 0, operators: 0, isClosed: true };
  }
  const code = text.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|#[^\n]*|\{[^{}]*\}/g, '_');
  let depth = 0;
  let nesting = 0;
  for (const char of code) {
    depth += char === '(' || char === '[' ? 1 : char === ')' || char === ']' ? -1 : 0;
    nesting = Math.max(nesting, depth);
  }
  const operators = code.match(/[-+*/%^]|[=!<>]=?|\b(?:and|or|unless|atan2|offset)\b|\[/gi) ?? [];
  return { nesting, operators: operators.length, isClosed: depth === 0 };
}

/** The grammar does not know `5.`, which Prometheus reads as 5. Nothing moves: the dot becomes a blank. Texts and comments stay. */
function withoutBareDots(text: string): string {
  if (!/\d\.(?!\d)/.test(text)) {
    return text;
  }
  const pattern = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|#[^\n]*|(?<![\w.])\d[\d_]*\.(?![\d\w])/gs;
  return text.replace(pattern, (found) => (/^\d/.test(found) ? `${found.slice(0, -1)} ` : found));
}

function skipComments(node: Node): Node {
  return node.name === 'LineComment' && node.nextSibling !== null ? skipComments(node.nextSibling) : node;
}

const POSTFIX: ReadonlySet<string> = new Set([
  'MatrixSelector',
  'SubqueryExpr',
  'OffsetExpr',
  'StepInvariantExpr',
  'AnchoredExpr',
  'SmoothedExpr',
]);

class TreeReader {
  readonly problems: PromqlProblem[] = [];

  constructor(private readonly text: string) {}

  /** Throws for the first place where the text leaves the grammar. */
  refuseErrors(tree: lezer.Tree): void {
    let first: Span | undefined;
    tree.iterate({
      enter: ({ type, from, to }) => {
        if (type.isError && (first === undefined || from < first.from)) {
          first = { from, to };
        }
      },
    });
    if (first !== undefined) {
      throw new PromqlSyntaxError(refuse('syntax', this.describeError(first), first));
    }
  }

  expression(node: Node): Expression {
    const pieces: Piece[] = [];
    this.takeApart(node, pieces);
    return new Assembly(pieces).whole();
  }

  private describeError({ from, to }: Span): string {
    const { text } = this;
    const before = /([A-Za-z_][\w:]*)\s*$/.exec(text.slice(Math.max(0, from - LONGEST_NAME), from))?.[1];
    if (text[from] === '(' && before !== undefined && !FUNCTIONS.has(before)) {
      const near = [...FUNCTIONS.keys()].find(
        (name) => name.replaceAll('_', '') === before.toLowerCase().replaceAll('_', ''),
      );
      return `unknown function ${before}${near === undefined ? '' : ` (did you mean ${near}?)`}`;
    }
    if (from >= text.trimEnd().length) {
      return 'unexpected end of the expression';
    }
    const found = to > from ? text.slice(from, Math.min(to, from + 20)) : text.slice(from, from + 1);
    return `unexpected "${found}"`;
  }

  private takeApart(node: Node, into: Piece[]): void {
    if (node.name === 'BinaryExpr') {
      this.takeBinaryApart(node, into);
    } else if (node.name === 'UnaryExpr') {
      this.takeUnaryApart(node, into);
    } else if (POSTFIX.has(node.name)) {
      this.takePostfixApart(node, into);
    } else if (node.name === 'NumberDurationLiteral') {
      this.takeNumberApart(node, into);
    } else {
      into.push({ is: 'operand', expression: this.operand(node) });
    }
  }

  private takeBinaryApart(node: Node, into: Piece[]): void {
    const [left, operator, ...rest] = childrenOf(node);
    const right = rest.pop();
    if (left === undefined || operator === undefined || right === undefined) {
      return this.lost(node);
    }
    this.takeApart(left, into);
    let matching: VectorMatching | undefined;
    for (const modifier of rest) {
      if (modifier.name === 'MatchingModifierClause') {
        matching = this.matching(modifier);
      } else if (modifier.name !== 'BoolModifier') {
        this.problems.push(refuse('experimental', 'fill modifiers are experimental', modifier));
      }
    }
    const sign = this.slice(operator).toLowerCase();
    into.push({ is: 'infix', operator: sign, bool: rest.some(({ name }) => name === 'BoolModifier'), matching });
    this.takeApart(right, into);
  }

  private takeUnaryApart(node: Node, into: Piece[]): void {
    const [operator, operand] = childrenOf(node);
    if (operator === undefined || operand === undefined) {
      return this.lost(node);
    }
    into.push({ is: 'prefix', operator: this.slice(operator) === '-' ? '-' : '+', from: node.from });
    this.takeApart(operand, into);
  }

  private takeNumberApart(node: Node, into: Piece[]): void {
    const text = this.slice(node);
    const sign = /^[+-]\s*/.exec(text)?.[0] ?? '';
    if (sign !== '') {
      into.push({ is: 'prefix', operator: sign.startsWith('-') ? '-' : '+', from: node.from });
    }
    const value = parseNumber(text.slice(sign.length));
    const span = { from: node.from + sign.length, to: node.to };
    if (value === undefined) {
      throw new PromqlSyntaxError(refuse('syntax', `"${text}" is not a number`, span));
    }
    into.push({ is: 'operand', expression: { kind: 'number', value, ...span } });
  }

  /** What follows an operand belongs to the last operand in front of it. */
  private takePostfixApart(node: Node, into: Piece[]): void {
    const [inner, ...suffix] = childrenOf(node);
    if (inner === undefined) {
      return this.lost(node);
    }
    this.takeApart(inner, into);
    const last = into.at(-1);
    if (last?.is !== 'operand') {
      return this.lost(node);
    }
    last.expression = this.withSuffix(node, last.expression, suffix);
  }

  private withSuffix(node: Node, of: Expression, suffix: readonly Node[]): Expression {
    const span = { from: of.from, to: node.to };
    switch (node.name) {
      case 'MatrixSelector': {
        if (of.kind !== 'selector') {
          this.problems.push(
            refuse('type', 'only a selector can have a range; for an expression, use a subquery such as [1h:5m]', span),
          );
        } else if (of.offset === true) {
          this.problems.push(refuse('syntax', 'the range must be before the offset', span));
        } else if (of.at === true) {
          this.problems.push(refuse('syntax', 'the range must be before the @ modifier', span));
        }
        return { kind: 'range', of, seconds: this.duration(suffix[0]), ...span };
      }
      case 'SubqueryExpr': {
        const [range, step] = suffix;
        if (step !== undefined) {
          this.duration(step);
        }
        return { kind: 'subquery', of, seconds: this.duration(range), ...span };
      }
      case 'OffsetExpr':
      case 'StepInvariantExpr': {
        const [key, name] = node.name === 'OffsetExpr' ? (['offset', 'offset'] as const) : (['at', '@'] as const);
        if (of.kind !== 'selector' && of.kind !== 'range' && of.kind !== 'subquery') {
          this.problems.push(refuse('syntax', `${name} must follow a selector, a range, or a subquery`, span));
          return of;
        }
        const selector = of.kind === 'range' && of.of.kind === 'selector' ? of.of : of;
        if (of[key] === true || selector[key] === true) {
          this.problems.push(refuse('syntax', `duplicate ${name}`, span));
        }
        if (key === 'offset') {
          this.offset(suffix.at(-1));
        } else if (/^[+-]?\s*(inf|nan)$/i.test(suffix[1] === undefined ? '' : this.slice(suffix[1]))) {
          this.problems.push(refuse('syntax', 'a time must be a number of seconds', span));
        }
        return { ...of, [key]: true, ...span };
      }
      default:
        this.problems.push(
          refuse('experimental', `${this.slice(node).slice(inner(node)).trim()} is experimental`, span),
        );
        return of;
    }
  }

  private operand(node: Node): Expression {
    const span = { from: node.from, to: node.to };
    switch (node.name) {
      case 'ParenExpr': {
        const [of] = childrenOf(node);
        return of === undefined ? this.lost(node) : { kind: 'paren', of: this.expression(of), ...span };
      }
      case 'StringLiteral':
        return { kind: 'string', value: this.string(node), ...span };
      case 'VectorSelector':
        return this.selector(node);
      case 'FunctionCall': {
        const [name, body] = childrenOf(node);
        if (name === undefined || body === undefined) {
          return this.lost(node);
        }
        return {
          kind: 'call',
          name: this.slice(name),
          args: childrenOf(body).map((arg) => this.expression(arg)),
          ...span,
        };
      }
      case 'AggregateExpr': {
        const parts = childrenOf(node);
        const [operator] = parts;
        const body = parts.find(({ name }) => name === 'FunctionCallBody');
        const modifier = parts.find(({ name }) => name === 'AggregateModifier');
        if (operator === undefined || body === undefined) {
          return this.lost(node);
        }
        const labels = modifier?.getChild('GroupingLabels');
        const grouping =
          modifier && labels
            ? { without: modifier.getChild('Without') !== null, labels: this.labels(labels) }
            : undefined;
        const args = childrenOf(body).map((arg) => this.expression(arg));
        return {
          kind: 'aggregation',
          operator: this.slice(operator).toLowerCase(),
          args,
          ...(grouping === undefined ? {} : { grouping }),
          ...span,
        };
      }
      default:
        return this.lost(node);
    }
  }

  private selector(node: Node): Expression {
    const span = { from: node.from, to: node.to };
    const identifier = node.getChild('Identifier');
    const matchers: LabelMatcher[] = [];
    let metric = identifier === null ? undefined : this.slice(identifier);
    for (const part of childrenOf(node.getChild('LabelMatchers'))) {
      if (part.name === 'QuotedLabelName') {
        if (identifier !== null) {
          this.problems.push(
            refuse('type', `the metric name must not be set twice: ${metric ?? ''} and ${this.slice(part)}`, span),
          );
        }
        metric = this.string(part.firstChild ?? part);
        continue;
      }
      const [name, operator, value] = childrenOf(part);
      if (name === undefined || operator === undefined || value === undefined) {
        return this.lost(part);
      }
      const label = name.name === 'QuotedLabelName' ? this.string(name.firstChild ?? name) : this.slice(name);
      const { from, to } = part;
      const matcher: LabelMatcher = {
        label,
        operator: this.slice(operator) as MatchOperator,
        value: this.string(value),
        from,
        to,
      };
      const problem = matcher.operator.includes('~') ? regularExpressionProblem(matcher.value) : undefined;
      if (problem !== undefined) {
        this.problems.push(
          refuse('syntax', `${matcher.label} is compared with an invalid RE2 regular expression: ${problem}`, part),
        );
      }
      matchers.push(matcher);
    }
    return { kind: 'selector', ...(metric === undefined ? {} : { metric }), matchers, ...span };
  }

  private matching(clause: Node): VectorMatching {
    const parts = childrenOf(clause);
    const group = parts.find(({ name }) => name === 'GroupLeft' || name === 'GroupRight');
    const labels = parts.filter(({ name }) => name === 'GroupingLabels');
    const [own, include] = labels;
    return {
      on: parts.some(({ name }) => name === 'On'),
      labels: own === undefined ? [] : this.labels(own),
      ...(group === undefined ? {} : { many: group.name === 'GroupLeft' ? ('left' as const) : ('right' as const) }),
      include: include === undefined ? [] : this.labels(include),
    };
  }

  private labels(list: Node): readonly string[] {
    return childrenOf(list).map((label) => {
      const name = label.name === 'QuotedLabelName' ? this.string(label.firstChild ?? label) : this.slice(label);
      if (name === '') {
        this.problems.push(refuse('syntax', 'a label name is required', label));
      }
      return name;
    });
  }

  /** Seconds of a range or a step, which is more than nothing. */
  private duration(node: Node | undefined): number | undefined {
    if (node === undefined) {
      return undefined;
    }
    const text = this.slice(node);
    const plain = /^\s*(?:([+-])\s*)?([\w.]+)\s*$/.exec(text);
    const seconds = plain === null ? undefined : (parseDuration(plain[2] ?? '') ?? parseNumber(plain[2] ?? ''));
    if (seconds === undefined) {
      this.problems.push(refuse('experimental', `computed durations (${text}) are experimental`, node));
    } else if (seconds <= 0 || plain?.[1] === '-') {
      this.problems.push(refuse('syntax', 'a duration must be greater than 0', node));
    } else if (seconds > LONGEST_DURATION) {
      this.problems.push(refuse('syntax', 'a duration must be at most 292 years', node));
    }
    return seconds;
  }

  private offset(node: Node | undefined): void {
    if (node === undefined) {
      return;
    }
    const plain = /^\s*(?:[+-]\s*)?(?:([\w.]+)|\(\s*([\w.]+)\s*\))\s*$/.exec(this.slice(node));
    if (plain === null) {
      this.problems.push(refuse('experimental', `computed durations (${this.slice(node)}) are experimental`, node));
    } else if ((parseNumber(plain[1] ?? plain[2] ?? '') ?? 0) > LONGEST_DURATION) {
      this.problems.push(refuse('syntax', 'a duration must be at most 292 years', node));
    }
  }

  private string(node: Node): string {
    const value = unquote(this.slice(node));
    if (value === undefined) {
      throw new PromqlSyntaxError(
        refuse(
          'syntax',
          `the string ${this.slice(node)} is not terminated, or contains an invalid escape sequence`,
          node,
        ),
      );
    }
    return value;
  }

  private slice({ from, to }: Span): string {
    return this.text.slice(from, to);
  }

  private lost(node: Span): never {
    throw new PromqlSyntaxError(refuse('syntax', `"${this.slice(node)}" is not expected here`, node));
  }
}

function childrenOf(node: Node | null | undefined): readonly Node[] {
  const children: Node[] = [];
  for (let child = node?.firstChild ?? null; child !== null; child = child.nextSibling) {
    if (child.name !== 'LineComment') {
      children.push(child);
    }
  }
  return children;
}

/** Where what follows the operand begins, within the node. */
function inner(node: Node): number {
  return (node.firstChild?.to ?? node.from) - node.from;
}

/**
 * Operations of PromQL, taken apart into operands and operators, and put together by precedence.
 *
 * Source: Prometheus, promql/parser/generated_parser.y.
 */
import { type Expression, type VectorMatching } from './expression';
import { PromqlSyntaxError, refuse } from './problem';

/** An operation taken apart: operands and operators, as the text has them. */
export type Piece =
  | { readonly is: 'operand'; expression: Expression }
  | { readonly is: 'prefix'; readonly operator: '+' | '-'; readonly from: number }
  | { readonly is: 'infix'; readonly operator: string; readonly bool: boolean; readonly matching?: VectorMatching };

const PRECEDENCE: Readonly<Record<string, number>> = {
  or: 1,
  and: 2,
  unless: 2,
  '==': 3,
  '!=': 3,
  '<': 3,
  '<=': 3,
  '>': 3,
  '>=': 3,
  '</': 3,
  '>/': 3,
  '+': 4,
  '-': 4,
  '*': 5,
  '/': 5,
  '%': 5,
  atan2: 5,
  '^': 6,
};
const UNARY = 5;

/** Puts operands and operators together by precedence: `^` from the right, everything else from the left. */
export class Assembly {
  private at = 0;

  constructor(private readonly pieces: readonly Piece[]) {}

  whole(least = 0): Expression {
    let left = this.prefixed();
    for (;;) {
      const piece = this.pieces[this.at];
      if (piece?.is !== 'infix') {
        return left;
      }
      const precedence = PRECEDENCE[piece.operator] ?? 0;
      if (precedence < least) {
        return left;
      }
      this.at += 1;
      const right = this.whole(piece.operator === '^' ? precedence : precedence + 1);
      const { operator, bool, matching } = piece;
      left = {
        kind: 'binary',
        operator,
        left,
        right,
        bool,
        ...(matching === undefined ? {} : { matching }),
        from: left.from,
        to: right.to,
      };
    }
  }

  private prefixed(): Expression {
    const piece = this.pieces[this.at];
    this.at += 1;
    if (piece?.is === 'operand') {
      return piece.expression;
    }
    if (piece?.is !== 'prefix') {
      throw new PromqlSyntaxError(refuse('syntax', 'an operand is missing', { from: 0, to: 0 }));
    }
    const of = this.whole(UNARY + 1);
    if (of.kind === 'number') {
      return { ...of, value: piece.operator === '-' ? -of.value : of.value, from: piece.from };
    }
    return { kind: 'unary', operator: piece.operator, of, from: piece.from, to: of.to };
  }
}

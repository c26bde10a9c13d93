/**
 * What Prometheus would refuse a query for.
 */
import { type Span } from './expression';

/** `experimental` is refused unless a feature is switched on. */
export type PromqlProblemKind = 'syntax' | 'type' | 'experimental';

export interface PromqlProblem extends Span {
  readonly kind: PromqlProblemKind;
  readonly message: string;
}

export function refuse(kind: PromqlProblemKind, message: string, { from, to }: Span): PromqlProblem {
  return { kind, message, from, to };
}

/** Ends the reading of a text that is no PromQL. Never leaves this folder. */
export class PromqlSyntaxError extends Error {
  constructor(readonly problem: PromqlProblem) {
    super(problem.message);
  }
}

/** A problem with its place and the text there: `there is no function foo (at character 5, "foo(x)")`. */
export function describeProblem(text: string, { message, from, to }: PromqlProblem): string {
  const line = text.slice(0, from).split('\n').length;
  const column = from - text.lastIndexOf('\n', from - 1);
  const place = text.includes('\n') ? `line ${line}, character ${column}` : `character ${from + 1}`;
  const there = text.slice(from, to).replace(/\s+/g, ' ').trim();
  const shown = there.length > 60 ? `${there.slice(0, 57)}…` : there;
  return `${message} (${place}${shown === '' || message.includes(shown) ? '' : `, at "${shown}"`})`;
}

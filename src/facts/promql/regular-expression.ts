/**
 * Whether RE2, which Prometheus uses, can read a regular expression.
 */
import { backtracksLittle } from './backtracking';
import { re2Of, re2Problem } from './re2';

/** Expressions of these parts mean the same everywhere, and are not worth loading an engine for. */
const PLAIN = /^(?:[\w\s:;,\-/=@%&~"'!<>#]|\\[.\-/]|\.[*+]?|\||\((?:\?:)?[\w\s:;,\-/|.]*\)[?*+]?|\[[\w-]+\][*+?]?)*$/;

/** Why RE2 cannot read it; `undefined` where it can. */
export function regularExpressionProblem(source: string): string | undefined {
  const known = problems.get(source);
  if (known !== undefined) {
    return known === VALID ? undefined : known;
  }
  const problem = problemOf(source);
  if (problems.size >= MOST_KNOWN) {
    problems.clear();
  }
  if (source.length <= LONGEST_KNOWN) {
    problems.set(source, problem ?? VALID);
  }
  return problem;
}

/** What expressions lack, since the same ones occur in many rules and monitors, and RE2 takes a fraction of a millisecond for each. */
const problems = new Map<string, string>();
const VALID = '';
const MOST_KNOWN = 2000;
const LONGEST_KNOWN = 1000;

function problemOf(source: string): string | undefined {
  if (PLAIN.test(source) && compiles(source)) {
    return undefined;
  }
  return re2Problem(anchored(source));
}

/** As Prometheus compiles it. */
function anchored(source: string): string {
  return `^(?s:${source})$`;
}

function compiles(source: string): boolean {
  try {
    return new RegExp(source, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** Whether a text matches the whole of an expression; `false` where the expression cannot be read. */
export function matchesWhole(source: string, text: string): boolean {
  if (PLAIN.test(source) && backtracksLittle(source) && compiles(source)) {
    return new RegExp(`^(?:${source})$`, 's').test(text);
  }
  const compiled = re2Of(anchored(source));
  return typeof compiled !== 'string' && compiled.matches(text);
}

/**
 * Regular expressions as Go reads them: in RE2. The engine is loaded where it is first needed.
 */
import { createRequire } from 'node:module';
import type * as re2 from '@bufbuild/re2';
import { withShortLiterals } from './short-literals';

/** A compiled expression. */
export type Re2 = re2.RE2JS;

const load = createRequire(__filename);

/** Characters of an expression. Of some, such as groups of repetitions, the time of the engine grows with the square: 32,768 take 0.6 s, 100,000 take 6 s. */
const LONGEST = 32_768;

/** Whether an expression is too long to be compiled here. Such expressions are not judged. */
export function isTooLongForRe2(source: string): boolean {
  return source.length > LONGEST;
}

/**
 * The compiled expression; a string says why RE2 cannot read it, or that it is too long.
 *
 * @throws Error if the engine is not installed
 */
export function re2Of(source: string): Re2 | string {
  if (isTooLongForRe2(source)) {
    return `the expression has more than ${LONGEST} characters`;
  }
  const { RE2JS: engine } = load('@bufbuild/re2') as typeof re2;
  try {
    return engine.compile(withShortLiterals(source));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Why RE2 cannot read an expression; `undefined` if it can, or if the expression is not judged. */
export function re2Problem(source: string): string | undefined {
  const compiled = isTooLongForRe2(source) ? undefined : re2Of(source);
  return typeof compiled === 'string' ? compiled : undefined;
}

/**
 * Regular expressions as Go reads them: in RE2. The engine is loaded where it is first needed.
 */
import { createRequire } from 'node:module';
import type * as re2 from '@bufbuild/re2';

/** A compiled expression. */
export type Re2 = re2.RE2JS;

const load = createRequire(__filename);

/**
 * Characters of an expression. The engine copies all literal characters before each that it adds to them, so its time grows with the square of
 * their number: 48,000 take 3.6 s.
 */
const LONGEST = 4000;

/** Whether an expression is too long to be compiled here. Such expressions are not judged. */
export function isTooLongForRe2(source: string): boolean {
  return source.length > LONGEST;
}

/** @throws Error that says what is wrong, if RE2 cannot read the expression, or if it is too long */
export function compileRe2(source: string): Re2 {
  if (isTooLongForRe2(source)) {
    throw new Error(`the expression has more than ${LONGEST} characters`);
  }
  return re2Engine().compile(source);
}

/** @throws Error if the engine is not installed */
export function re2Engine(): Pick<typeof re2.RE2JS, 'compile'> {
  return (load('@bufbuild/re2') as typeof re2).RE2JS;
}

/** Why RE2 cannot read an expression; `undefined` if it can, or if the expression is not judged. */
export function re2Problem(source: string): string | undefined {
  if (isTooLongForRe2(source)) {
    return undefined;
  }
  try {
    compileRe2(source);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

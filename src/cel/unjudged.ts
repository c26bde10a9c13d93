/**
 * What an expression asks for and is not evaluated here, although the API server evaluates it: the expression has no value then, and is not wrong.
 */

const PREFIX = 'not evaluated: ';

/** Ends the evaluation of a function. */
export function unjudged(why: string): never {
  throw new Error(`${PREFIX}${why}`);
}

/** Why, if an error of an expression is one of those. */
export function whyUnjudged(error: string): string | undefined {
  return error.startsWith(PREFIX) ? error.slice(PREFIX.length) : undefined;
}

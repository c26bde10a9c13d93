/**
 * How long a backtracking engine, such as that of JavaScript, may take for a regular expression.
 */

/** Characters of a pattern that is not looked at. */
const LONG = 1000;
/** Choices that an engine may have to take back, beside the repetitions. */
const MOST_CHOICES = 2;

/**
 * Whether a backtracking engine needs no more than the square of the length of a text: nothing that repeats is repeated, there is
 * one repetition of any length, or two behind `^`, and there are few other choices. Others may be fast too, and are not known to be.
 */
export function backtracksLittle(source: string): boolean {
  if (source.length > LONG) {
    return false;
  }
  const outside = source.replace(/\\.|\[\^?\]?(?:\\.|[^\]\\])*\]/gsu, 'x');
  const repetitions = outside.match(/[*+]|\{\d+,\d*\}/g)?.length ?? 0;
  const choices = outside.match(/[|?]/g)?.length ?? 0;
  const isAnchored = outside.startsWith('^') && !outside.includes('|');
  return !/\)[*+{]/.test(outside) && repetitions <= (isAnchored ? 2 : 1) && choices <= MOST_CHOICES;
}

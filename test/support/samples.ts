/**
 * How many random cases of a property are tried: a quarter in `npm test`, and all in `.ci/full`, which sets GANTRY_SAMPLES to 1. The seed
 * of a property stays the same, so the cases of a smaller sample are the first ones of a larger sample.
 */
const SHARE = Number(process.env.GANTRY_SAMPLES ?? 0.25);
/** The size of the smallest sample of a property that has more cases. */
const LEAST = 10;

if (!(SHARE > 0)) {
  throw new Error(`GANTRY_SAMPLES must be a number greater than 0, not "${process.env.GANTRY_SAMPLES}"`);
}

/**
 * The number of cases to try.
 *
 * @param all the number of cases in the full sample
 */
export function samples(all: number): number {
  return Math.max(Math.round(all * SHARE), Math.min(all, LEAST));
}

/**
 * When what repeats arrives: at equal distances, or at random moments that a seed fixes.
 */
export type Arrivals =
  | { readonly kind: 'once'; readonly at: number }
  | { readonly kind: 'every'; readonly from: number; readonly seconds: number; readonly count: number }
  /** A Poisson process: the time to the next arrival is exponential, and does not know of the last. */
  | {
      readonly kind: 'poisson';
      readonly from: number;
      readonly perHour: number;
      readonly until: number;
      readonly count: number;
      readonly seed: number;
    };

/** Seconds from the beginning, in order. */
export function momentsOf(arrivals: Arrivals): readonly number[] {
  switch (arrivals.kind) {
    case 'once':
      return [arrivals.at];
    case 'every':
      return Array.from({ length: arrivals.count }, (_, i) => arrivals.from + i * arrivals.seconds);
    case 'poisson': {
      const random = randomNumbers(arrivals.seed);
      const moments: number[] = [];
      let at = arrivals.from;
      while (moments.length < arrivals.count) {
        at += (-Math.log(1 - random()) * 3600) / arrivals.perHour;
        if (at >= arrivals.until) {
          break;
        }
        moments.push(Math.round(at));
      }
      return moments;
    }
  }
}

/** Numbers in [0, 1), the same for equal seeds on every machine (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

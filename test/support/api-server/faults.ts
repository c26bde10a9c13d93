/**
 * What goes wrong between a client and the API server.
 */

/**
 * - a number: this status, and the request is not carried out
 * - `lost`: the request is carried out, and the connection breaks before the answer
 * - `unanswered`: the request is carried out, and no answer comes until the client gives up
 * - `dropped`: the request never arrives, and no answer comes until the client gives up
 * - `late`: the request is carried out after this many milliseconds, whether or not the client still waits
 * - `silent`: a watch opens, and nothing ever comes over it
 * - `gone`: a watch is answered with 410
 */
export type Fault = number | 'lost' | 'unanswered' | 'dropped' | 'silent' | 'gone' | { readonly late: number };

export interface Asked {
  /** `WATCH` for a watch. */
  readonly method: string;
  readonly path: string;
}

/** Says what goes wrong with a request; `undefined`: nothing. */
export type Trouble = (asked: Asked) => Fault | undefined;

/** Numbers from 0 to 1 that are the same in every run. */
export function seeded(seed: number): () => number {
  let state = (seed + 1) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

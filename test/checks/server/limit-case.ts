/**
 * A document with what is wrong in it.
 */
import { type Json } from './valid';

export interface LimitCase {
  readonly what: string;
  readonly object: Json;
  /** The place of each fault, and words of its message; none where the document is valid. */
  readonly faults: readonly { readonly path: string; readonly words: string }[];
}

export const list = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
export const valid = (what: string, object: Json): LimitCase => ({ what, object, faults: [] });
export const faulty = (what: string, object: Json, path: string, words = ''): LimitCase => ({
  what,
  object,
  faults: [{ path, words }],
});

/**
 * The largest sizes that a place declares for the values of its variables, from which the API server estimates what an expression may cost.
 */
import { type Size } from './sizes';

/** What is known about the size of a value and of its parts. */
export interface Declared {
  /** The most characters, bytes, items, or entries. 0 for values that have none, as on the server. */
  readonly most: number;
  /** Items of a list, and values of a map. */
  readonly items?: Declared;
  readonly keys?: Declared;
  readonly field?: (name: string) => Declared | undefined;
}

/** The size of the value at a path: a variable, and fields, `@items`, `@values`, or `@keys`. `undefined` where it is not declared. */
export type SizeAt = (path: readonly string[]) => Size | undefined;

/** The size of what the steps lead to. */
export function sizeBelow(root: Declared, steps: readonly string[]): Size | undefined {
  let here: Declared | undefined = root;
  for (const step of steps) {
    if (here === undefined) {
      return undefined;
    }
    here = partOf(here, step);
  }
  return here === undefined ? undefined : { min: 0, max: here.most };
}

function partOf(of: Declared, step: string): Declared | undefined {
  switch (step) {
    case '@items':
    case '@values':
      return of.items;
    case '@keys':
      return of.keys;
    default:
      return of.field?.(step);
  }
}

/**
 * Where a value comes from; without steps for a value that is computed.
 *
 * It grows as a slice of Go does: of two paths that continue the same one, the later may overwrite the last step of the earlier. The server's estimates
 * depend on this: in `m.all(k, v, …)` with a map `m` at `self.spec.m`, it takes `k` for a value of the map.
 */
export class Path {
  static readonly NONE = new Path([], 0, 0);

  private constructor(
    private readonly memory: string[],
    private readonly length: number,
    private readonly capacity: number,
  ) {}

  static of(variable: string): Path {
    return new Path([variable], 1, 1);
  }

  with(step: string): Path {
    if (this.length === this.capacity) {
      return new Path([...this.steps, step], this.length + 1, Math.max(1, this.capacity * 2));
    }
    this.memory[this.length] = step;
    return new Path(this.memory, this.length + 1, this.capacity);
  }

  get steps(): readonly string[] {
    return this.memory.slice(0, this.length);
  }
}

/**
 * Names of objects among which misspelled ones are looked for many times. Users choose the names and their number: together, all searches
 * among the same names do a limited amount of work.
 */
import { lettersOf, limitOf, mayBeNear, nearestName } from './near';
import { quotedNames } from './quoted-names';

interface Known {
  readonly name: string;
  readonly shape: string;
  readonly letters: number;
}

export class ObjectNames {
  /** Letters that are compared in all searches among the same names; after that many, no name is near. A second of work. */
  static readonly MOST_WORK = 40_000_000;
  /** The most work that was done among the same names since this was last set to 0. */
  static mostWork = 0;

  private readonly names: ReadonlySet<string>;
  private readonly byLength = new Map<number, Known[]>();
  private left = ObjectNames.MOST_WORK;
  private listedNames?: string;

  constructor(names: Iterable<string>) {
    this.names = new Set(names);
  }

  get size(): number {
    return this.names.size;
  }

  [Symbol.iterator](): Iterator<string> {
    return this.names.values();
  }

  /** The first names in quotes and the number of the others, as a message lists them. */
  get listed(): string {
    this.listedNames ??= quotedNames(this.names);
    return this.listedNames;
  }

  has(name: string): boolean {
    return this.names.has(name);
  }

  /**
   * The closest of the names, as `nearestName` finds it. Names that differ in their numbers alone, or in words of one letter, are as often
   * two objects as a mistake: `team-1` and `team-2`, `team-a` and `team-b`.
   */
  nearest(name: string): string | undefined {
    return nearestName(name, this.like(name));
  }

  /** The names that may be near: of similar length, with most of the letters, and different in more than numbers. */
  *like(name: string): Iterable<string> {
    this.index();
    const shape = unnumbered(name);
    const letters = lettersOf(name);
    const limit = limitOf(name);
    try {
      for (let length = name.length - limit; length <= name.length + limit; length += 1) {
        for (const known of this.byLength.get(length) ?? []) {
          this.left -= 1;
          if (this.left < 0) {
            return;
          }
          if (known.shape !== shape && mayBeNear(known.letters, letters, limit)) {
            this.left -= name.length * length;
            yield known.name;
          }
        }
      }
    } finally {
      ObjectNames.mostWork = Math.max(ObjectNames.mostWork, ObjectNames.MOST_WORK - this.left);
    }
  }

  private index(): void {
    if (this.byLength.size > 0) {
      return;
    }
    for (const name of this.names) {
      const group = this.byLength.get(name.length) ?? [];
      this.byLength.set(name.length, group);
      group.push({ name, shape: unnumbered(name), letters: lettersOf(name) });
    }
  }
}

/** The closest of all these names; see `ObjectNames.nearest`. */
export function nearestOf(groups: readonly ObjectNames[], name: string): string | undefined {
  return nearestName(
    name,
    groups.flatMap((group) => [...group.like(name)]),
  );
}

/** The closest of a few names; see `ObjectNames`, which searches many names many times. */
export function nearestObjectName(name: string, known: Iterable<string>): string | undefined {
  return new ObjectNames(known).nearest(name);
}

function unnumbered(name: string): string {
  return name.replace(/\d+/g, '#').replace(/(^|[-._])[a-z]($|(?=[-._]))/gi, '$1#');
}

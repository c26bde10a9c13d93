/**
 * Selects what notices mutants: worlds or manifests of which the code makes something else where a mutant is active.
 */
import { type MutatedCode } from './in-process';
import { type Mutant } from './mutants';

/** What the code is asked about, and how it answers. */
export interface Subjects<T> {
  readonly code: Pick<MutatedCode, 'meet' | 'changes' | 'isMetByLoading'>;
  /** What the code makes of a subject, as lines of text. */
  readonly observe: (subject: T) => readonly string[];
  /** How many further subjects are asked about a mutant. */
  readonly tries: number;
  /** Whether a subject has to do with a mutant that is met while its file is loaded, and so by every subject. Default: each has. */
  readonly concerns?: (subject: T, mutant: Mutant) => boolean;
  /** Subjects made for a mutant that no other subject notices, from ones that meet it. */
  readonly madeFor?: (mutant: Mutant, meeting: readonly T[]) => readonly T[];
}

export interface Observed<T> {
  readonly subject: T;
  readonly lines: readonly string[];
  readonly met: ReadonlySet<number>;
  /** How much is computed for it. */
  readonly steps: number;
}

export class Selection<T> {
  /** The cheapest first. */
  readonly kept: Observed<T>[];
  private readonly further: readonly Observed<T>[];

  constructor(
    private readonly subjects: Subjects<T>,
    kept: readonly T[],
    further: readonly T[],
  ) {
    [this.kept, this.further] = [kept, further].map((list) =>
      list.map((one) => this.observed(one)).sort(cheapestFirst),
    );
  }

  /**
   * Adds subjects that notice mutants which none of the kept ones notices. Mutants that few subjects meet select first; their subjects notice many others.
   * In the time that is left, subjects are made for mutants that none notices.
   */
  extend(
    mutants: readonly Mutant[],
    deadline: number,
  ): { readonly asked: number; readonly unnoticed: readonly Mutant[] } {
    const isOver = (): boolean => performance.now() > deadline;
    const rarity = (mutant: Mutant): number => this.further.filter((one) => this.meets(one, mutant)).length;
    const rareFirst = mutants.map((mutant) => ({ mutant, rarity: rarity(mutant) })).sort((a, b) => a.rarity - b.rarity);
    const unnoticed: Mutant[] = [];
    let asked = 0;
    for (const { mutant } of rareFirst) {
      if (isOver()) {
        break;
      }
      asked++;
      if (!this.isNoticed(mutant)) {
        unnoticed.push(mutant);
      }
    }
    return { asked, unnoticed: unnoticed.filter((mutant) => isOver() || !this.isNoticedByMade(mutant)) };
  }

  private isNoticed(mutant: Mutant): boolean {
    if (this.isNoticedByKept(mutant)) {
      return true;
    }
    const meeting = this.further.filter((one) => this.meets(one, mutant) && !this.kept.includes(one));
    return this.keep(meeting.slice(0, this.subjects.tries).find((one) => this.notices(one, mutant)));
  }

  private isNoticedByKept(mutant: Mutant): boolean {
    return this.kept.some((one) => this.meets(one, mutant) && this.notices(one, mutant));
  }

  private isNoticedByMade(mutant: Mutant): boolean {
    const { madeFor } = this.subjects;
    if (madeFor === undefined || this.further.length === 0) {
      return false;
    }
    // What was made for another mutant may notice this one.
    if (this.isNoticedByKept(mutant)) {
      return true;
    }
    const meeting = [...this.further, ...this.kept].filter((one) => this.meets(one, mutant));
    for (const subject of madeFor(
      mutant,
      meeting.map((one) => one.subject),
    )) {
      const one = this.observed(subject);
      if (this.meets(one, mutant) && this.notices(one, mutant)) {
        return this.keep(one);
      }
    }
    return false;
  }

  private keep(found: Observed<T> | undefined): boolean {
    if (found !== undefined) {
      this.kept.push(found);
      this.kept.sort(cheapestFirst);
    }
    return found !== undefined;
  }

  private observed(subject: T): Observed<T> {
    const { result: lines, met, steps } = this.subjects.code.meet(() => this.subjects.observe(subject));
    return { subject, lines, met: new Set(met), steps };
  }

  private meets({ subject, met }: Observed<T>, mutant: Mutant): boolean {
    const { code, concerns } = this.subjects;
    return met.has(mutant.id) || (code.isMetByLoading(mutant.id) && concerns?.(subject, mutant) !== false);
  }

  private notices({ subject, lines }: Observed<T>, mutant: Mutant): boolean {
    const { code, observe } = this.subjects;
    return code.changes(mutant.id, () => observe(subject).join('\n') === lines.join('\n'));
  }
}

function cheapestFirst<T>(a: Observed<T>, b: Observed<T>): number {
  return a.steps - b.steps;
}

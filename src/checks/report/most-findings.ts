/**
 * How many findings of one rule are described in one object. A file may contain 100,000 mistakes of one kind: the others are counted, and no
 * place, fix, or value of them is looked up.
 */
import { counted } from '../../facts/words';

/** Findings of one rule and severity that are listed in one object. */
export const MOST_FINDINGS = 100;

/** Counts what a check reports, to find out what is worth describing. */
export class Described {
  private readonly counts = new Map<string | undefined, number>();

  /** Whether one more of these is listed, and not only counted. */
  wants(kind?: string): boolean {
    return (this.counts.get(kind) ?? 0) < MOST_FINDINGS;
  }

  /** The same, for one that is counted now. */
  next(kind?: string): boolean {
    const isListed = this.wants(kind);
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    return isListed;
  }
}

/** The message of the finding that represents the others. */
export function omittedMessage(count: number): string {
  return `${counted(count, 'further finding')} of this rule in the object ${count === 1 ? 'is' : 'are'} not listed`;
}

/**
 * Places pods together by a search that takes back choices.
 *
 * Depth first; each pod may go to the `MOST_ROWS` best rows that differ in what they have free.
 */
import { type PodRecord } from '../books/records';
import { type Session } from '../books/session';
import { type Selector, type Within } from './select';

/** Bounds of the search: rows for each pod, rows looked at for those, and choices in all. */
const MOST_ROWS = 4;
const MOST_LOOKS = 64;
const MOST_CHOICES = 256;

export class JointSearch {
  constructor(
    private readonly session: Session,
    private readonly selector: Selector,
  ) {}

  /** Places pods of any gangs, in their order; changes nothing where it finds no places for all of them. */
  place(pods: readonly PodRecord[], withinOf: (pod: PodRecord) => Within): boolean {
    const allowed = [...new Set(pods.map(({ podClass }) => podClass))].map((podClass) =>
      this.session.staticRow(podClass),
    );
    let choices = MOST_CHOICES;
    const step = (at: number): boolean => {
      if (at === pods.length) {
        return true;
      }
      const tried = new Set<string>();
      const within = withinOf(pods[at]);
      const without = within.without?.slice() ?? new Uint8Array(this.session.table.count);
      for (let looks = 0; looks < MOST_LOOKS && tried.size < MOST_ROWS && choices > 0; looks++) {
        const row = this.selector.best(pods[at].podClass, { ...within, without });
        if (row < 0) {
          return false;
        }
        without[row] = 1;
        const state = `${this.freeText(row)};${allowed.map((codes) => (codes[row] === 0 ? 1 : 0)).join('')}`;
        if (tried.has(state)) {
          continue;
        }
        tried.add(state);
        choices--;
        if (this.session.ledger.attempt(() => this.session.ledger.place(pods[at], row) && step(at + 1))) {
          return true;
        }
      }
      return false;
    };
    return step(0);
  }

  /** What the row has free, as text: rows that are equal in it are equal for the search. */
  private freeText(row: number): string {
    const { free, deviceStart, deviceFree, deviceModel } = this.session.table;
    const slots: string[] = [];
    for (let slot = deviceStart[row]; slot < deviceStart[row + 1]; slot++) {
      slots.push(`${deviceModel[slot]}:${deviceFree[slot]}`);
    }
    return `${free.map((column) => column[row]).join()};${slots.sort().join()}`;
  }
}

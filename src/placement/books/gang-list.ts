/**
 * Gangs in the order of their names, while gangs come and go.
 *
 * What comes and goes between two calls of `settle` is taken in at once: O(gangs) for all of it, and a binary search for each. Indices only
 * have to grow, so gangs that come share the room between their neighbors; all indices are given again when that is used up.
 */
import { compareNames } from '../model/names';
import { type GangRecord } from './records';

export class GangList {
  /** Up to date after `settle`. */
  readonly records: GangRecord[] = [];
  private readonly added: GangRecord[] = [];
  /** Places of gangs that are deleted. */
  private readonly deleted: number[] = [];

  add(record: GangRecord): void {
    this.added.push(record);
  }

  /** Another record takes the place of the gang of the same name. */
  replace(record: GangRecord): void {
    this.records[this.placeOf(record.gang.name)] = record;
  }

  remove(name: string): void {
    this.deleted.push(this.placeOf(name));
  }

  clear(): void {
    this.records.length = this.added.length = this.deleted.length = 0;
  }

  settle(): void {
    this.takeOut();
    this.takeIn();
  }

  private takeOut(): void {
    const { records, deleted } = this;
    if (deleted.length === 0) {
      return;
    }
    deleted.sort((a, b) => a - b);
    let [to, next] = [deleted[0], 0];
    for (let from = to; from < records.length; from++) {
      if (from === deleted[next]) {
        next++;
      } else {
        records[to++] = records[from];
      }
    }
    records.length = to;
    deleted.length = 0;
  }

  /** From the last one on, so that each record moves once. */
  private takeIn(): void {
    const { records, added } = this;
    added.sort((a, b) => compareNames(a.gang.name, b.gang.name));
    const places = new Array<number>(added.length);
    let left = records.length;
    // The list does not grow by its length: then it would be copied for each gang that comes.
    for (const record of added) {
      records.push(record);
    }
    for (let i = added.length - 1; i >= 0; i--) {
      const place = this.placeOf(added[i].gang.name, left);
      records.copyWithin(place + i + 1, place, left);
      records[place + i] = added[i];
      places[i] = place + i;
      left = place;
    }
    added.length = 0;
    if (!this.numberAll(places)) {
      records.forEach((record, index) => (record.index = index));
    }
  }

  /** @returns false where indices leave no room */
  private numberAll(places: readonly number[]): boolean {
    for (let first = 0, last = 0; first < places.length; first = last) {
      for (last = first + 1; last < places.length && places[last] === places[last - 1] + 1;) {
        last++;
      }
      if (!this.number(places[first], last - first)) {
        return false;
      }
    }
    return true;
  }

  /** Gives indices to neighbors: whole numbers at the end of the list, otherwise at equal distances. */
  private number(from: number, count: number): boolean {
    const { records } = this;
    const before = from === 0 ? -1 : records[from - 1].index;
    const isEnd = from + count === records.length;
    const after = isEnd ? Infinity : records[from + count].index;
    const [start, step] = isEnd ? [Math.floor(before), 1] : [before, (after - before) / (count + 1)];
    let index = before;
    for (let i = 0; i < count; i++) {
      const next = start + step * (i + 1);
      if (next <= index || next >= after) {
        return false;
      }
      records[from + i].index = index = next;
    }
    return true;
  }

  /** Where the gang is among the first `count` records, or would be. */
  private placeOf(name: string, count = this.records.length): number {
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareNames(this.records[middle].gang.name, name) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}

import { randomNumbers } from '../../bench/machine';
import { GangList } from '../../src/placement/books/gang-list';
import { type GangRecord } from '../../src/placement/books/records';
import { compareNames } from '../../src/placement/model/names';

/** The parts of a record that the list reads and writes. */
function record(name: string): GangRecord {
  return { gang: { name, queue: 'q', roles: [] }, index: 0 } as unknown as GangRecord;
}

function expectOrder(list: GangList, names: Iterable<string>): void {
  const found = list.records.map(({ gang }) => gang.name);
  expect(found).toEqual([...names].sort(compareNames));
  const indices = list.records.map(({ index }) => index);
  expect(indices.every((index, i) => i === 0 || index > indices[i - 1])).toBe(true);
}

test('gangs stay in the order of names, and their indices grow, whatever comes and goes', () => {
  const random = randomNumbers(1);
  const list = new GangList();
  const names = new Set<string>();
  for (let step = 0; step < 300; step++) {
    for (const name of [...names].filter(() => random() < 0.1)) {
      names.delete(name);
      list.remove(name);
    }
    for (let i = Math.floor(random() * 8); i > 0; i--) {
      const name = `g${Math.floor(random() * 1_000)}`;
      if (!names.has(name)) {
        names.add(name);
        list.add(record(name));
      }
    }
    list.settle();
    expectOrder(list, names);
  }
});

test.each([
  ['behind the last one', (step: number): string => `m${String(step).padStart(4, '0')}`],
  ['before the last one', (step: number): string => `m${String(9_999 - step).padStart(4, '0')}`],
])('gangs that always come %s between two others do not use up the indices', (_, nameOf) => {
  const list = new GangList();
  const names = ['a', 'z'];
  names.forEach((name) => list.add(record(name)));
  for (let step = 0; step < 200; step++) {
    list.settle();
    names.push(nameOf(step));
    list.add(record(names.at(-1)!));
  }
  list.settle();
  expectOrder(list, names);
});

test('another record of the same gang takes its place and keeps its index', () => {
  const list = new GangList();
  ['a', 'b', 'c'].forEach((name) => list.add(record(name)));
  list.settle();
  const other = { ...record('b'), index: list.records[1].index };
  list.replace(other);
  list.settle();
  expect(list.records[1]).toBe(other);
  expectOrder(list, ['a', 'b', 'c']);
});

/**
 * The store: what it keeps, and what it refuses.
 */
import { copyFileSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TaskStore } from '../../../src/runtime/docker/store/store';
import { next } from '../../../src/runtime/docker/task/life';
import { queued } from './tasks';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gantry-store-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const canceled = (sequence: number, at: number) => next(queued(sequence), { kind: 'cancel', at });

test('open tasks are listed in the order of submission, the latest of all tasks first, and elements by their array', () => {
  const store = TaskStore.open(folder);
  const element = (index: number) => ({ ...queued(4 + index), id: `4-${index}`, array: { id: '4', index } });
  store.put([
    queued(2),
    queued(1, { name: 'train', tenant: 'a' }),
    canceled(3, 50),
    element(0),
    element(1),
    { ...queued(41), id: '41' },
  ]);
  expect(store.open().map(({ id }) => id)).toEqual(['1', '2', '4-0', '4-1', '41']);
  expect(store.list({ limit: 2 }).map(({ id }) => id)).toEqual(['41', '4-1']);
  expect(store.list({ limit: 9, tenant: 'a' }).map(({ id }) => id)).toEqual(['1']);
  expect(store.list({ limit: 9, states: ['canceled'] }).map(({ id }) => id)).toEqual(['3']);
  expect(store.elements('4').map(({ id }) => id)).toEqual(['4-0', '4-1']);
  expect(store.named('train')?.id).toBe('1');
  store.close();
});

test('tasks that ended long ago are removed, and their numbers are not given again', () => {
  const store = TaskStore.open(folder);
  expect(store.nextSequence()).toBe(1);
  store.put([canceled(1, 50), queued(2)]);
  store.reserve(7);
  expect(store.removeEndedBefore(100, 10)).toEqual(['1']);
  expect(store.get('1')).toBeUndefined();
  expect(store.nextSequence()).toBe(8);
  store.close();
});

test('a copy is a store of its own', () => {
  const store = TaskStore.open(folder);
  store.put([queued(1)]);
  const restored = mkdtempSync(join(tmpdir(), 'gantry-store-'));
  store.backUp(join(restored, 'tasks.db'));
  store.put([queued(2)]);
  const copy = TaskStore.open(restored);
  expect([copy.runner, copy.open().map(({ id }) => id)]).toEqual([store.runner, ['1']]);
  [store, copy].forEach((one) => one.close());
  rmSync(restored, { recursive: true });
});

test('a store that is open, was cut, was emptied, or was removed is refused', () => {
  const store = TaskStore.open(folder);
  store.put(Array.from({ length: 40 }, (_, index) => queued(index + 1, { command: ['x'.repeat(500)] })));
  expect(() => TaskStore.open(folder)).toThrow(/tasks\.db: another runner has it open/);
  store.close();
  // A process keeps its lock until it ends, so copies are damaged.
  const opened = (damage: (path: string) => void): (() => void) => {
    const copy = mkdtempSync(join(folder, 'copy-'));
    ['tasks.db', 'runner-id'].forEach((name) => copyFileSync(join(folder, name), join(copy, name)));
    damage(join(copy, 'tasks.db'));
    return () => TaskStore.open(copy).close();
  };
  expect(opened(() => undefined)).not.toThrow();
  expect(opened((path) => truncateSync(path, Math.floor(statSync(path).size / 2)))).toThrow(/tasks\.db: damaged/);
  expect(opened((path) => truncateSync(path, 100))).toThrow(/tasks\.db: damaged/);
  expect(opened((path) => truncateSync(path, 0))).toThrow(/tasks\.db: empty, but tasks were kept here/);
  expect(opened((path) => rmSync(path))).toThrow(/tasks\.db: not found, but .* says that tasks were kept here/);
});

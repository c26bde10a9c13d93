/**
 * The store: what it keeps, and what it refuses.
 */
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Database } from '../../../src/runtime/docker/store/database';
import { STORE_FORMAT } from '../../../src/runtime/docker/store/format';
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

const FORMATS = join(__dirname, '../../fixtures/docker-stores');

/** A store of an earlier format, in the folder. @returns its file */
function recorded(format: number): string {
  const path = join(folder, 'tasks.db');
  writeFileSync(path, gunzipSync(readFileSync(join(FORMATS, `format-${format}.db.gz`))));
  return path;
}

/** The format of a file, and whether its lists have an index. */
function formatOf(path: string): { readonly format: string; readonly indexes: readonly string[] } {
  const copy = join(mkdtempSync(join(folder, 'look-')), 'tasks.db');
  copyFileSync(path, copy);
  const database = Database.open(copy);
  const { value } = database.prepare("select value from meta where key = 'format'").get() as { value: string };
  const rows = database.prepare(
    "select name from sqlite_master where type = 'index' and sql is not null order by name",
  );
  const indexes = (rows.all() as { name: string }[]).map(({ name }) => name);
  database.close();
  return { format: value, indexes };
}

test('there is a recording of each earlier format', () => {
  expect(readdirSync(FORMATS).sort()).toEqual(
    Array.from({ length: STORE_FORMAT - 1 }, (_, index) => `format-${index + 1}.db.gz`),
  );
});

test('a store of an earlier format is brought to the format of this version, and kept as it was', () => {
  const path = recorded(1);
  const store = TaskStore.open(folder);
  expect(store.open().map(({ id, state }) => [id, state])).toEqual([
    ['2', 'running'],
    ['3', 'queued'],
  ]);
  expect(store.list({ limit: 9, tenant: 'alice' }).map(({ id }) => id)).toEqual(['2']);
  expect(store.list({ limit: 9, states: ['succeeded', 'canceled'] }).map(({ id }) => id)).toEqual(['4', '1']);
  expect([store.runner, store.meta('drained'), store.nextSequence()]).toEqual([
    '5f0c2a9e-0000-4000-8000-000000000001',
    '["gpu-1"]',
    6,
  ]);
  store.close();
  const fresh = TaskStore.open(join(folder, 'fresh'));
  fresh.close();
  expect(formatOf(path)).toEqual(formatOf(join(folder, 'fresh/tasks.db')));
  expect(formatOf(`${path}.format-1`)).toMatchObject({ format: '1' });
});

test('a store of a later format is refused, and left as it is', () => {
  const path = join(folder, 'tasks.db');
  // A process keeps its lock until it ends, so the store is a copy.
  renameSync(recorded(1), `${path}.later`);
  const database = Database.open(`${path}.later`);
  database.prepare("update meta set value = '99' where key = 'format'").run();
  database.close();
  copyFileSync(`${path}.later`, path);
  expect(() => TaskStore.open(folder)).toThrow(
    `${path}: format 99, but this version reads formats 1 to ${STORE_FORMAT}`,
  );
  expect([formatOf(path).format, existsSync(`${path}.format-99`)]).toEqual(['99', false]);
});

test('an upgrade that was interrupted is done again', () => {
  const path = recorded(1);
  writeFileSync(`${path}.format-1.partial`, 'the first part of a copy');
  TaskStore.open(folder).close();
  expect(formatOf(path).format).toBe(String(STORE_FORMAT));
  expect(formatOf(`${path}.format-1`).format).toBe('1');
});

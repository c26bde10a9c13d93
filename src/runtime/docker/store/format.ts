/**
 * The tables of the store, and how a file that an earlier version of Gantry wrote becomes one of this version.
 */
import { existsSync } from 'node:fs';
import { RunnerError } from '../runner-error';
import { type Database } from './database';

/** Version of the tables and of what they mean. A new version needs the step from the one before in `UPGRADES`, and a recording of that one in the tests. */
export const STORE_FORMAT = 2;

/** By the format from which each leads to the next one. */
const UPGRADES: ReadonlyMap<number, string> = new Map([
  [
    1,
    // Lists of a tenant, and of tasks in some states, would otherwise read every task that is kept.
    'create index tasks_by_tenant on tasks (tenant, sequence);' +
      'create index tasks_by_state on tasks (state, sequence);',
  ],
]);

const FIRST =
  'create table meta (key text primary key, value text not null) without rowid;' +
  'create table tasks (id text primary key, sequence integer not null, state text not null, tenant text not null, name text, ended integer, document text not null);' +
  'create index tasks_by_sequence on tasks (sequence);' +
  'create index tasks_open on tasks (sequence) where ended is null;' +
  'create index tasks_by_end on tasks (ended) where ended is not null;' +
  'create index tasks_by_name on tasks (name) where name is not null;';

/** Makes the tables of a new store. */
export function create(database: Database, runner: string): void {
  database.transaction(() => {
    database.exec(FIRST);
    UPGRADES.forEach((step) => database.exec(step));
    database
      .prepare('insert into meta (key, value) values (?, ?), (?, ?)')
      .run('format', String(STORE_FORMAT), 'runner', runner);
  });
}

/**
 * Brings the file to the format of this version. What it was before is kept beside it, as `tasks.db.format-N`.
 *
 * @throws RunnerError if a later version wrote it
 */
export function upgrade(database: Database): void {
  const { path } = database;
  const row = database.prepare('select value from meta where key = ?').get('format') as { value: string } | undefined;
  const format = Number(row?.value ?? Number.NaN);
  if (format === STORE_FORMAT) {
    return;
  }
  if (!UPGRADES.has(format)) {
    throw new RunnerError(
      `${path}: format ${row?.value ?? 'unknown'}, but this version reads formats 1 to ${STORE_FORMAT}`,
      'Run the version of cdk8s-gantry that wrote it, or restore a backup.',
    );
  }
  const before = `${path}.format-${format}`;
  if (!existsSync(before)) {
    database.copyTo(before);
  }
  database.transaction(() => {
    for (let from = format; from < STORE_FORMAT; from++) {
      database.exec(UPGRADES.get(from)!);
    }
    database.prepare("update meta set value = ? where key = 'format'").run(String(STORE_FORMAT));
  });
}

/**
 * Where tasks are kept: one SQLite file, written by one process.
 *
 * A rollback journal with full synchronization, not a write-ahead log: a log that loses its tail loses committed tasks without a word, and this
 * file, cut at any place, is refused when it is opened. LMDB was tried beside it: it maps the file into memory, and a file that is cut ends the process
 * with SIGBUS.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Task } from '../task/task';
import { RunnerError } from '../runner-error';

/** Version of what the tables mean. A store of another version is refused, and not guessed at. */
export const STORE_FORMAT = 1;

interface Statement {
  run(...values: unknown[]): unknown;
  get(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
  iterate(...values: unknown[]): IterableIterator<unknown>;
}

interface Database {
  prepare(sql: string): Statement;
  exec(sql: string): void;
  pragma(text: string): unknown;
  close(): void;
}

const FILE = 'tasks.db';
const IDENTITY = 'runner-id';

export interface ListOptions {
  /** @default - all states */
  readonly states?: readonly string[];
  /** @default - all tenants */
  readonly tenant?: string;
  readonly limit: number;
}

export class TaskStore {
  private sequence: number;

  private constructor(
    private readonly database: Database,
    readonly folder: string,
    private identity: string,
  ) {
    this.sequence = Number(
      (this.row('select max(sequence) as value from tasks') as { value: number | null }).value ?? 0,
    );
    const kept = this.meta('sequence');
    this.sequence = Math.max(this.sequence, kept === undefined ? 0 : Number(kept));
  }

  /**
   * Opens the store, or makes a new one.
   *
   * @param runner the identity that a new store takes. @default - a new one
   * @throws RunnerError if another runner has it open, if it is damaged, or if it was removed
   */
  static open(folder: string, runner: string = randomUUID()): TaskStore {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, FILE);
    const known = readIdentity(folder);
    if (known !== undefined && !existsSync(path)) {
      throw new RunnerError(
        `${path}: not found, but ${join(folder, IDENTITY)} says that tasks were kept here`,
        `Restore the backup (see docs/docker.md), or remove ${join(folder, IDENTITY)} to begin with no tasks.`,
      );
    }
    const database = openDatabase(path);
    try {
      database.pragma('locking_mode = EXCLUSIVE');
      database.pragma('journal_mode = DELETE');
      database.pragma('synchronous = FULL');
      // Takes the lock that the process then keeps: a second runner fails here.
      database.exec('begin exclusive; commit');
      const isNew =
        (database.prepare('select count(*) as tables from sqlite_master').get() as { tables: number }).tables === 0;
      if (isNew && known !== undefined) {
        throw new RunnerError(
          `${path}: empty, but tasks were kept here`,
          'Restore the backup (see docs/docker.md), or remove the folder to begin with no tasks.',
        );
      }
      if (isNew) {
        create(database, runner);
      } else {
        checked(database, path);
        checkFormat(database, path);
      }
      const store = new TaskStore(
        database,
        folder,
        (database.prepare('select value from meta where key = ?').get('runner') as { value: string }).value,
      );
      writeIdentity(folder, store.runner);
      return store;
    } catch (error) {
      close(database);
      throw explained(error, path);
    }
  }

  /** Who writes here; containers and the engine carry it. */
  get runner(): string {
    return this.identity;
  }

  /** The next sequence number. Numbers are not used twice, even if the tasks that have them are removed. */
  nextSequence(): number {
    return ++this.sequence;
  }

  /** Numbers up to this one are in use. */
  reserve(sequence: number): void {
    this.sequence = Math.max(this.sequence, sequence);
  }

  /** Writes tasks, all or none, durably. */
  put(tasks: readonly Task[]): void {
    this.transaction(() => {
      const write = this.database.prepare(
        'insert into tasks (id, sequence, state, tenant, name, ended, document) values (?, ?, ?, ?, ?, ?, ?) ' +
          'on conflict (id) do update set state = excluded.state, ended = excluded.ended, document = excluded.document',
      );
      for (const task of tasks) {
        const { id, sequence, state, spec, endedAt } = task;
        write.run(id, sequence, state, spec.tenant, spec.name ?? null, endedAt ?? null, JSON.stringify(task));
      }
      this.setMeta('sequence', String(this.sequence));
    });
  }

  get(id: string): Task | undefined {
    return taskOf(this.database.prepare('select document from tasks where id = ?').get(id));
  }

  /** Tasks of an array, in the order of their indices. */
  elements(array: string): readonly Task[] {
    return this.many('select document from tasks where id >= ? and id < ? order by sequence', `${array}-`, `${array}.`);
  }

  /** The last task of that name. */
  named(name: string): Task | undefined {
    return taskOf(
      this.database.prepare('select document from tasks where name = ? order by sequence desc limit 1').get(name),
    );
  }

  /** Every task that has not ended, in the order of submission. */
  open(): readonly Task[] {
    return this.many('select document from tasks where ended is null order by sequence');
  }

  /** The latest first. */
  list({ states, tenant, limit }: ListOptions): readonly Task[] {
    const conditions = [
      ...(states === undefined ? [] : [`state in (${states.map(() => '?').join(', ')})`]),
      ...(tenant === undefined ? [] : ['tenant = ?']),
    ];
    const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')} `;
    return this.many(
      `select document from tasks ${where}order by sequence desc limit ?`,
      ...(states ?? []),
      ...(tenant === undefined ? [] : [tenant]),
      limit,
    );
  }

  /** Removes tasks that ended before a time, oldest first, at most `most`. @returns their ids */
  removeEndedBefore(time: number, most: number): readonly string[] {
    const rows = this.database
      .prepare('select id from tasks where ended < ? order by ended limit ?')
      .all(time, most) as { id: string }[];
    if (rows.length > 0) {
      this.transaction(() => {
        const remove = this.database.prepare('delete from tasks where id = ?');
        rows.forEach(({ id }) => remove.run(id));
      });
    }
    return rows.map(({ id }) => id);
  }

  meta(key: string): string | undefined {
    return (this.database.prepare('select value from meta where key = ?').get(key) as { value: string } | undefined)
      ?.value;
  }

  putMeta(key: string, value: string): void {
    this.transaction(() => this.setMeta(key, value));
  }

  /** Takes the identity of a store that was lost. */
  become(runner: string): void {
    this.putMeta('runner', runner);
    this.identity = runner;
    writeIdentity(this.folder, runner);
  }

  /** Writes a copy of the store, whole or not at all, which may replace the file of a runner that does not run. */
  backUp(path: string): void {
    const partial = `${path}.partial`;
    rmSync(partial, { force: true });
    this.database.exec(`vacuum into '${partial.replaceAll("'", "''")}'`);
    renameSync(partial, path);
  }

  close(): void {
    close(this.database);
  }

  private row(sql: string): unknown {
    return this.database.prepare(sql).get();
  }

  private many(sql: string, ...values: unknown[]): readonly Task[] {
    return (this.database.prepare(sql).all(...values) as { document: string }[]).map(
      ({ document }) => JSON.parse(document) as Task,
    );
  }

  private setMeta(key: string, value: string): void {
    this.database
      .prepare('insert into meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value')
      .run(key, value);
  }

  private transaction(work: () => void): void {
    this.database.exec('begin immediate');
    try {
      work();
      this.database.exec('commit');
    } catch (error) {
      try {
        this.database.exec('rollback');
      } catch {
        // It is rolled back already: a full disk ends the transaction itself.
      }
      throw explained(error, join(this.folder, FILE));
    }
  }
}

function taskOf(row: unknown): Task | undefined {
  return row === undefined || row === null ? undefined : (JSON.parse((row as { document: string }).document) as Task);
}

function openDatabase(path: string): Database {
  let type: new (path: string) => Database;
  try {
    // Not a dependency of the package: only those who run the runner need it.
    type = createRequire(__filename)('libsql') as typeof type;
  } catch (error) {
    throw new RunnerError(
      `the package libsql, which keeps the tasks, could not be loaded: ${(error as Error).message.split('\n')[0]}`,
      'Install it beside Gantry: npm install -g libsql@0.5.29',
    );
  }
  try {
    return new type(path);
  } catch (error) {
    throw explained(error, path);
  }
}

function create(database: Database, runner: string): void {
  database.exec(
    'begin exclusive;' +
      'create table meta (key text primary key, value text not null) without rowid;' +
      'create table tasks (id text primary key, sequence integer not null, state text not null, tenant text not null, name text, ended integer, document text not null);' +
      'create index tasks_by_sequence on tasks (sequence);' +
      'create index tasks_open on tasks (sequence) where ended is null;' +
      'create index tasks_by_end on tasks (ended) where ended is not null;' +
      'create index tasks_by_name on tasks (name) where name is not null;',
  );
  database
    .prepare('insert into meta (key, value) values (?, ?), (?, ?)')
    .run('format', String(STORE_FORMAT), 'runner', runner);
  database.exec('commit');
}

function checked(database: Database, path: string): void {
  const result = database.pragma('quick_check') as { quick_check?: string }[];
  const problem = result.find(({ quick_check }) => quick_check !== 'ok')?.quick_check;
  if (problem !== undefined) {
    throw new RunnerError(`${path}: damaged (${problem})`, RESTORE);
  }
}

function checkFormat(database: Database, path: string): void {
  const row = database.prepare('select value from meta where key = ?').get('format') as { value: string } | undefined;
  if (row?.value !== String(STORE_FORMAT)) {
    throw new RunnerError(
      `${path}: format ${row?.value ?? 'unknown'}, but this version reads format ${STORE_FORMAT}`,
      'Run the version of cdk8s-gantry that wrote it, or restore a backup.',
    );
  }
}

const RESTORE = 'Restore the backup that the runner keeps beside it (see docs/docker.md, "Back up and restore").';

function explained(error: unknown, path: string): RunnerError {
  if (error instanceof RunnerError) {
    return error;
  }
  const { code = '', message } = error as { code?: string; message: string };
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new RunnerError(
      `${path}: another runner has it open`,
      'Stop that runner first, or give this one another "state" folder.',
    );
  }
  if (code.startsWith('SQLITE_FULL') || /disk is full|no space/i.test(message)) {
    return new RunnerError(
      `${path}: no space left on the device`,
      'Free space; what was running goes on.',
      'disk-full',
    );
  }
  if (code.startsWith('SQLITE_CORRUPT') || code.startsWith('SQLITE_NOTADB')) {
    return new RunnerError(`${path}: damaged (${message})`, RESTORE);
  }
  return new RunnerError(`${path}: ${message}`, 'Check the folder and its permissions.');
}

function close(database: Database): void {
  try {
    database.close();
  } catch {
    // The process ends anyway, and with it the lock.
  }
}

/** The identity beside the file: where it is there and the tasks are not, they were lost and not never there. */
function readIdentity(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, IDENTITY), 'utf8').trim();
  } catch {
    return undefined;
  }
}

function writeIdentity(folder: string, runner: string): void {
  if (readIdentity(folder) !== runner) {
    writeFileSync(join(folder, IDENTITY), `${runner}\n`, { mode: 0o600 });
  }
}

/**
 * Where tasks are kept: one SQLite file, written by one process.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Task } from '../task/task';
import { Database, explained } from './database';
import { create, upgrade } from './format';
import { mustExist, mustNotBeEmpty, writeIdentity } from './identity';

const FILE = 'tasks.db';

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
    const last = database.prepare('select max(sequence) as value from tasks').get() as { value: number | null };
    this.sequence = Math.max(last.value ?? 0, Number(this.meta('sequence') ?? 0));
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
    mustExist(folder, path);
    const database = Database.open(path);
    try {
      if (database.isEmpty) {
        mustNotBeEmpty(folder, path);
        create(database, runner);
      } else {
        database.verify();
        upgrade(database);
      }
      const row = database.prepare('select value from meta where key = ?').get('runner') as { value: string };
      const store = new TaskStore(database, folder, row.value);
      writeIdentity(folder, store.runner);
      return store;
    } catch (error) {
      database.close();
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
    this.database.transaction(() => {
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
      this.database.transaction(() => {
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
    this.database.transaction(() => this.setMeta(key, value));
  }

  /** Takes the identity of a store that was lost. */
  become(runner: string): void {
    this.putMeta('runner', runner);
    this.identity = runner;
    writeIdentity(this.folder, runner);
  }

  /** Writes a copy of the store, whole or not at all, which may replace the file of a runner that does not run. */
  backUp(path: string): void {
    this.database.copyTo(path);
  }

  close(): void {
    this.database.close();
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
}

function taskOf(row: unknown): Task | undefined {
  return row === undefined || row === null ? undefined : (JSON.parse((row as { document: string }).document) as Task);
}

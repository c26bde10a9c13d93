/**
 * The SQLite file of the store: opened by one process, and every problem in one line.
 *
 * A rollback journal with full synchronization, not a write-ahead log: a log that loses its tail loses committed tasks without a word, and this
 * file, cut at any place, is refused when it is opened. LMDB was tried beside it: it maps the file into memory, and a file that is cut ends the process
 * with SIGBUS.
 */
import { renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { RunnerError } from '../runner-error';

export interface Statement {
  run(...values: unknown[]): unknown;
  get(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
}

/** What the runner uses of the package libsql. */
interface Connection {
  prepare(sql: string): Statement;
  exec(sql: string): void;
  pragma(text: string): unknown;
  close(): void;
}

const RESTORE = 'Restore the backup that the runner keeps beside it (see docs/docker.md, "Back up and restore").';

export class Database {
  private constructor(
    private readonly connection: Connection,
    readonly path: string,
  ) {}

  /**
   * Opens or makes the file, and takes the lock that the process then keeps.
   *
   * @throws RunnerError if another process has it open, or it cannot be opened
   */
  static open(path: string): Database {
    const Type = loaded();
    let connection: Connection | undefined;
    try {
      connection = new Type(path);
      connection.pragma('locking_mode = EXCLUSIVE');
      connection.pragma('journal_mode = DELETE');
      connection.pragma('synchronous = FULL');
      connection.exec('begin exclusive; commit');
      return new Database(connection, path);
    } catch (error) {
      connection?.close();
      throw explained(error, path);
    }
  }

  /** There is no table in it. */
  get isEmpty(): boolean {
    return (this.prepare('select count(*) as tables from sqlite_master').get() as { tables: number }).tables === 0;
  }

  /** @throws RunnerError if its structure is not sound */
  verify(): void {
    const result = this.connection.pragma('quick_check') as { quick_check?: string }[];
    const problem = result.find(({ quick_check }) => quick_check !== 'ok')?.quick_check;
    if (problem !== undefined) {
      throw new RunnerError(`${this.path}: damaged (${problem})`, RESTORE);
    }
  }

  prepare(sql: string): Statement {
    return this.connection.prepare(sql);
  }

  /** All of the work durably, or none of it. @throws RunnerError */
  transaction(work: () => void): void {
    this.connection.exec('begin immediate');
    try {
      work();
      this.connection.exec('commit');
    } catch (error) {
      try {
        this.connection.exec('rollback');
      } catch {
        // It is rolled back already: a full disk ends the transaction itself.
      }
      throw explained(error, this.path);
    }
  }

  /** Statements without results. */
  exec(sql: string): void {
    this.connection.exec(sql);
  }

  /** Writes a copy, whole or not at all. */
  copyTo(path: string): void {
    const partial = `${path}.partial`;
    rmSync(partial, { force: true });
    this.connection.exec(`vacuum into '${partial.replaceAll("'", "''")}'`);
    renameSync(partial, path);
  }

  close(): void {
    try {
      this.connection.close();
    } catch {
      // The process ends anyway, and with it the lock.
    }
  }
}

function loaded(): new (path: string) => Connection {
  try {
    // Not a dependency of the package: only those who run the runner need it.
    return createRequire(__filename)('libsql') as new (path: string) => Connection;
  } catch (error) {
    throw new RunnerError(
      `the package libsql, which keeps the tasks, could not be loaded: ${(error as Error).message.split('\n')[0]}`,
      'Install it beside Gantry: npm install -g libsql@0.5.29',
    );
  }
}

/** Why the package that keeps the tasks cannot be loaded. */
export function storeProblem(): RunnerError | undefined {
  try {
    loaded();
    return undefined;
  } catch (error) {
    return error as RunnerError;
  }
}

/** In words, and with what to do. */
export function explained(error: unknown, path: string): RunnerError {
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
      'Free space; running containers keep running.',
      'disk-full',
    );
  }
  if (code.startsWith('SQLITE_CORRUPT') || code.startsWith('SQLITE_NOTADB')) {
    return new RunnerError(`${path}: damaged (${message})`, RESTORE);
  }
  return new RunnerError(`${path}: ${message}`, 'Check the folder and its permissions.');
}

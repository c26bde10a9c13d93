/**
 * The identity of a store in a file beside it: where it is there and the tasks are not, the tasks were lost, and not never there.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RunnerError } from '../runner-error';

const FILE = 'runner-id';

function readIdentity(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, FILE), 'utf8').trim();
  } catch {
    return undefined;
  }
}

export function writeIdentity(folder: string, runner: string): void {
  if (readIdentity(folder) !== runner) {
    writeFileSync(join(folder, FILE), `${runner}\n`, { mode: 0o600 });
  }
}

/** @throws RunnerError if the folder had a store, and the file is not there */
export function mustExist(folder: string, path: string): void {
  if (readIdentity(folder) !== undefined && !existsSync(path)) {
    throw new RunnerError(
      `${path}: not found, but ${join(folder, FILE)} says that tasks were kept here`,
      `Restore the backup (see docs/docker.md), or remove ${join(folder, FILE)} to begin with no tasks.`,
    );
  }
}

/** @throws RunnerError if the folder had a store, and the file has nothing in it */
export function mustNotBeEmpty(folder: string, path: string): void {
  if (readIdentity(folder) !== undefined) {
    throw new RunnerError(
      `${path}: empty, but tasks were kept here`,
      'Restore the backup (see docs/docker.md), or remove the folder to begin with no tasks.',
    );
  }
}

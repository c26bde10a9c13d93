/**
 * Files that appear whole or not at all.
 */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { attempt } from '../checks/read-files';

/** Writes beside the file first and then puts it in place, so that a reader never sees half of it and a failure leaves the old one. */
export function writeWhole(file: string, text: string, cwd: string): void {
  const target = resolve(cwd, file);
  const temporary = `${target}.${process.pid}.tmp`;
  attempt(file, () => {
    try {
      writeFileSync(temporary, text);
      renameSync(temporary, target);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  });
}

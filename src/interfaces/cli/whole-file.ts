/**
 * Files that appear whole or not at all.
 */
import { lstatSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { attempt } from '../checks/input-error';

/**
 * Writes beside the file first and then puts it in place, so that a reader never sees half of it and a failure leaves the old one. A link
 * stays and what it points to is replaced; what is no regular file (a device, a pipe) is written to as it is.
 */
export function writeWhole(file: string, text: string, cwd: string): void {
  const named = resolve(cwd, file);
  attempt(file, () => {
    const stats = statSync(named, { throwIfNoEntry: false });
    const isNewThroughLink = stats === undefined && lstatSync(named, { throwIfNoEntry: false }) !== undefined;
    if (isNewThroughLink || (stats !== undefined && !stats.isFile())) {
      writeFileSync(named, text);
      return;
    }
    const target = stats === undefined ? named : realpathSync(named);
    const temporary = `${target}.${process.pid}.tmp`;
    try {
      writeFileSync(temporary, text, { flag: 'wx', mode: stats?.mode });
      renameSync(temporary, target);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  });
}

/**
 * Files that appear whole or not at all.
 */
import { lstatSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { attempt } from '../../manifests/input-error';
import { type Terminal } from './terminal';

/** Prints a result, or writes it to the file that `--output` names and says so, apart from the result. */
export function deliver(text: string, output: string | undefined, { out, err, cwd }: Terminal): void {
  if (output === undefined) {
    out(text);
    return;
  }
  writeWhole(output, text, cwd);
  err(`gantry: wrote ${output}\n`);
}

/**
 * Writes a temporary file and renames it, so that a reader never sees half of it and a failure keeps the old one. A link stays and
 * its target is replaced; a target that is not a regular file (a device, a pipe) is written to directly.
 */
export function writeWhole(file: string, text: string | Uint8Array, cwd: string): void {
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

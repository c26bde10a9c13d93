/**
 * Makes `npx gantry` run this checkout's own command, and `npx tsc` the compiler of the project.
 *
 * npm links the commands of dependencies, not those of the project itself; npx would then install the checkout into its cache for every
 * path that it is called in, and trip over whatever an interrupted run left there. Three versions of TypeScript bring a command of the same
 * name (docs/dependencies.md), and npm links the one that it installs last.
 */
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

const bin = resolve(__dirname, '../node_modules/.bin');

mkdirSync(bin, { recursive: true });
for (const [command, target] of [
  ['gantry', join('..', '..', 'bin', 'gantry')],
  ['tsc', join('..', 'typescript-7', 'bin', 'tsc')],
  ['tsserver', join('..', 'typescript', 'bin', 'tsserver')],
]) {
  const link = join(bin, command);
  rmSync(link, { force: true });
  symlinkSync(target, link);
}

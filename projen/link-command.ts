/**
 * Makes `npx gantry` run this checkout's own command.
 *
 * npm links the commands of dependencies, not those of the project itself; npx would then install the checkout into its cache for every
 * path that it is called in, and trip over whatever an interrupted run left there.
 */
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

const bin = resolve(__dirname, '../node_modules/.bin');
const link = join(bin, 'gantry');

mkdirSync(bin, { recursive: true });
rmSync(link, { force: true });
symlinkSync(join('..', '..', 'bin', 'gantry'), link);

/**
 * The program that reads a running cluster, as the package contains it: the client that reads kubeconfigs is an ES module, which Jest does not
 * load. Suites of the command line get this module in place of `src/interfaces/live/main.ts`.
 *
 * `npm test` has built it before; a single suite builds it if the sources have changed since then.
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import type * as Live from '../../src/interfaces/live/main';
import { bundleRecord } from '../../projen/runtime/build-record';

const ROOT = resolve(__dirname, '../..');
const OUTPUT = join(ROOT, 'lib/interfaces/cli/live-bundle.js');

if (!bundleRecord(ROOT).isCurrent()) {
  const build = ['node_modules/tsx/dist/cli.mjs', 'projen/runtime/bundle.ts'];
  const { status, stderr } = spawnSync(process.execPath, build, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) {
    throw new Error(`the bundles could not be built: ${stderr}`);
  }
}

export const { readLiveCluster, readLiveHistory } = createRequire(__filename)(OUTPUT) as typeof Live;

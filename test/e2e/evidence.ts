/**
 * What explains a failure of an end-to-end test: the logs of the scheduler and of the control plane, kept in `.cache/e2e-failures`.
 *
 * Those who start a process register it here; the environment of the suites calls `keepEvidence` when a test or one of its hooks fails, before any
 * cleanup.
 */
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { tail } from './control-plane/process';

const FOLDER = resolve(__dirname, '../../.cache/e2e-failures');
/** Name of the function in the global object of a suite, for its environment. */
export const KEEP_EVIDENCE = '__gantryKeepEvidence';
/** Lines that are printed of each log; the files have all. */
const PRINTED = 25;

export interface Witness {
  readonly name: string;
  readonly log: () => string;
}

const clusterFolders = new Set<string>();
const witnesses: Witness[] = [];

/** The logs of a control plane, until it is forgotten. */
export function watchCluster(folder: string): void {
  clusterFolders.add(folder);
}

export function forgetCluster(folder: string): void {
  clusterFolders.delete(folder);
}

/** The log of a process that a test started. */
export function watchProcess(witness: Witness): void {
  witnesses.push(witness);
}

/** Called by the environment: `start` forgets the processes of the test before, `failure` keeps what there is. */
function keepEvidence(event: 'start' | 'failure', test: string): void {
  if (event === 'start') {
    witnesses.splice(0);
    return;
  }
  const folder = join(FOLDER, test.replace(/\W+/g, '-').slice(0, 120));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const logs: string[] = [];
  witnesses.forEach(({ name, log }, index) => {
    logs.push(join(folder, `${index + 1}-${name}.log`));
    writeFileSync(logs[index], log());
  });
  for (const cluster of clusterFolders) {
    for (const file of readdirSync(cluster).filter((name) => name.endsWith('.log'))) {
      logs.push(join(folder, file));
      copyFileSync(join(cluster, file), join(folder, file));
    }
  }
  const ends = logs.map((log) => `--- the end of ${log}\n${tail(log, PRINTED)}`);
  process.stdout.write(`\n${test} failed; the logs are in ${folder}\n${ends.join('\n')}\n`);
}

(globalThis as Record<string, unknown>)[KEEP_EVIDENCE] = keepEvidence;

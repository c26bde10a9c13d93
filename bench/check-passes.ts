/**
 * Passes over a folder in a process of its own: `check-passes.ts FOLDER OBJECTS TIERS THREADS`, with all tiers if TIERS is empty. Prints a `Speed`
 * as JSON. With one thread, a pass is a call of the library; with several, it is what `gantry check --jobs` does, with threads that stay.
 */
import { compiled } from './compiled';
import { type Tier } from '../src/checks/report/finding';
import type * as Rules from '../src/interfaces/checks';
import type * as FindFiles from '../src/interfaces/checks/find-files';
import type * as Threads from '../src/interfaces/cli/check/threads/check-threads';
import { type Speed } from '../test/e2e/peer/kubeconform';

const started = performance.now();
const { check, readManifestFiles } = compiled('./interfaces/checks') as typeof Rules;
const { findFiles } = compiled('./interfaces/checks/find-files') as typeof FindFiles;
const { CheckThreads } = compiled('./interfaces/cli/check/threads/check-threads') as typeof Threads;
const [folder, objects, tiers, threadCount] = process.argv.slice(2);
const threads = new CheckThreads(Number(threadCount));
const options: Rules.CheckOptions = { tiers: tiers === '' ? undefined : (tiers.split(',') as Tier[]) };

interface Pass {
  readonly clock: number;
  readonly cpu: number;
}

async function measure(): Promise<Speed> {
  // A first pass reads every schema, and one more warms up the engine.
  const loading = (performance.now() - started) / 1000;
  const cold = Number(objects) / (loading + (await pass()).clock);
  await pass();
  const warm = [await pass(), await pass()];
  const perSecond = (key: keyof Pass): number =>
    (warm.length * Number(objects)) / warm.reduce((sum, one) => sum + one[key], 0);
  return { cold, warm: perSecond('clock'), warmPerCpuSecond: perSecond('cpu') };
}

async function pass(): Promise<Pass> {
  const before = process.cpuUsage();
  const start = performance.now();
  const report = Number(threadCount) === 1 ? check(readManifestFiles(folder), options) : await inThreads();
  if (report.documents !== Number(objects)) {
    throw new Error(`${report.documents} documents were read instead of ${objects}`);
  }
  const { user, system } = process.cpuUsage(before);
  return { clock: (performance.now() - start) / 1000, cpu: (user + system) / 1e6 };
}

async function inThreads(): Promise<Rules.Report> {
  const { files, skipped } = findFiles([folder], process.cwd());
  return threads.check({ given: { manifests: [], problems: [], skipped }, files, cwd: process.cwd() }, options);
}

void measure()
  .then((speed) => process.stdout.write(JSON.stringify(speed)))
  .finally(() => threads.end());

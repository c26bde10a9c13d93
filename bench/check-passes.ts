/**
 * Passes over a folder in a process of its own: `check-passes.ts FOLDER OBJECTS TIERS`, with all tiers if none is named. Prints a `Speed` as JSON.
 */
import { compiled } from './compiled';
import { type Tier } from '../src/checks/report/finding';
import type * as Rules from '../src/interfaces/checks';
import { type Speed } from '../test/e2e/peer/kubeconform';

const started = performance.now();
const { check, readManifestFiles } = compiled('./interfaces/checks') as typeof Rules;
const [folder, objects, tiers] = process.argv.slice(2);

interface Pass {
  readonly clock: number;
  readonly cpu: number;
}

// A first pass reads every schema, and one more warms up the engine.
const cold = Number(objects) / ((performance.now() - started) / 1000 + pass().clock);
pass();
const warm = [pass(), pass()];
const perSecond = (key: keyof Pass): number =>
  (warm.length * Number(objects)) / warm.reduce((sum, one) => sum + one[key], 0);
const speed: Speed = { cold, warm: perSecond('clock'), warmPerCpuSecond: perSecond('cpu') };
process.stdout.write(JSON.stringify(speed));

function pass(): Pass {
  const before = process.cpuUsage();
  const start = performance.now();
  const report = check(readManifestFiles(folder), {
    tiers: tiers === '' ? undefined : (tiers.split(',') as Tier[]),
  });
  if (report.documents !== Number(objects)) {
    throw new Error(`${report.documents} documents were read instead of ${objects}`);
  }
  const { user, system } = process.cpuUsage(before);
  return { clock: (performance.now() - start) / 1000, cpu: (user + system) / 1e6 };
}

/**
 * `npm run bench:pulumi`: what a preview costs through GantryStack, beside the same objects in plain @pulumi/kubernetes.
 *
 * The engine is the real one (`test/e2e/pulumi`), its provider answers without a cluster. Every run is a process of its own; figures are
 * medians. Options: `--runs N` (default 3), `--objects N` (default 1000).
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { table } from '../src/interfaces/cli/table';
import { buildPulumi, whyNoPulumi } from '../test/e2e/pulumi/pulumi-cli';
import { type Flavor, FLAVORS, type PreviewMeasurement } from './pulumi-run';

/** What the project holds itself to. */
const TARGET = 1.3;

const { values } = parseArgs({ options: { runs: { type: 'string' }, objects: { type: 'string' } } });
const runs = Number(values.runs ?? 3);
const objects = Number(values.objects ?? 1000);

function measure(flavor: Flavor): PreviewMeasurement {
  const script = require.resolve('./pulumi-run');
  const all = Array.from({ length: runs }, () => {
    const { stdout, stderr, status, signal, error } = spawnSync(
      process.execPath,
      ['--require', require.resolve('tsx/cjs'), script, flavor, String(objects)],
      { encoding: 'utf8', maxBuffer: 1 << 28 },
    );
    if (status !== 0) {
      throw new Error(`${flavor} failed (${error?.message ?? signal ?? `exit status ${status}`}):\n${stderr}${stdout}`);
    }
    return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as PreviewMeasurement;
  });
  const median = (of: (one: PreviewMeasurement) => number): number =>
    all.map(of).sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? NaN;
  return { seconds: median((one) => one.seconds), megabytes: median((one) => one.megabytes) };
}

function main(): void {
  const why = whyNoPulumi();
  if (why !== undefined) {
    console.log(`SKIPPED bench:pulumi: ${why}`);
    return;
  }
  buildPulumi();
  const [plain, gantry] = FLAVORS.map(measure);
  const rows = FLAVORS.map((flavor, index) => {
    const one = [plain, gantry][index];
    return [flavor, `${one.seconds.toFixed(2)} s`, `${one.megabytes.toFixed(0)} MB`];
  });
  console.log(`preview of ${objects} objects, median of ${runs} runs`);
  console.log(table(['', 'time', 'peak memory of the program'], rows, { color: false }));
  const ratios = [gantry.seconds / plain.seconds, gantry.megabytes / plain.megabytes];
  console.log(
    `GantryStack: ${ratios.map((ratio) => `${ratio.toFixed(2)}x`).join(' the time, ')} the memory (at most ${TARGET}x)`,
  );
  process.exitCode = ratios.every((ratio) => ratio <= TARGET) ? 0 : 1;
}

main();

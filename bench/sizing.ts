/**
 * `npm run bench:sizing`: the oracles of `gantry size`, on more worlds than the unit tests try.
 *
 * `worlds`: the cheapest mix of small random worlds, compared with the simulation of every mix; `scaled`: the same with pools that an autoscaler
 * enlarges and shrinks. `trace`: the 95th percentile of the waits in
 * the second half of synthetic traces, predicted from the first half. Options: `--only worlds|scaled|trace` (repeatable), `--worlds N` (200),
 * `--traces N` (10), `--days N` of a trace (60), `--seed S` (1). One line of JSON for each; status 1 if a world differs.
 */
import { parseArgs } from 'node:util';
import { compareWithExhaustiveSearch, smallWorld } from '../test/planning/sizing/worlds';
import { accuracyOf, predictSecondHalf, TRACE } from '../test/planning/sizing/trace';
import { machine } from './machine';

interface Outcome {
  readonly ok: boolean;
  readonly [figure: string]: unknown;
}

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    worlds: { type: 'string' },
    traces: { type: 'string' },
    days: { type: 'string' },
    seed: { type: 'string' },
  },
});
const seed = Number(values.seed ?? 1);
const seedsOf = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => seed + index);
const MEASUREMENTS: Readonly<Record<string, () => Outcome>> = {
  worlds: () => worlds(false),
  scaled: () => worlds(true),
  trace,
};
for (const name of values.only ?? Object.keys(MEASUREMENTS)) {
  const measure = MEASUREMENTS[name];
  if (measure === undefined) {
    throw new Error(`unknown measurement "${name}"; known: ${Object.keys(MEASUREMENTS).join(', ')}`);
  }
  const began = process.cpuUsage().user;
  const result = measure();
  const cpuSeconds = Math.round((process.cpuUsage().user - began) / 1e5) / 10;
  process.stdout.write(`${JSON.stringify({ name, seed, ...result, cpuSeconds, machine: machine() })}\n`);
  process.exitCode = result.ok ? process.exitCode : 1;
}

function worlds(scales: boolean): Outcome {
  const results = seedsOf(Number(values.worlds ?? 200)).map((own) => ({
    seed: own,
    ...compareWithExhaustiveSearch(smallWorld(own, scales)),
  }));
  const different = results.filter(({ searched, exhaustive }) => searched?.toFixed(6) !== exhaustive?.toFixed(6));
  return {
    ok: different.length === 0,
    worlds: results.length,
    withoutMix: results.filter(({ exhaustive }) => exhaustive === undefined).length,
    mixes: results.reduce((sum, { mixes }) => sum + mixes, 0),
    different: different.map((result) => result.seed),
    anomalies: results.reduce((sum, { anomalies }) => sum + anomalies, 0),
  };
}

function trace(): Outcome {
  const days = Number(values.days ?? TRACE.days);
  const predictions = seedsOf(Number(values.traces ?? 10)).map((own) =>
    predictSecondHalf({ ...TRACE, days, seed: own }),
  );
  return { ok: true, days, predictions, ...accuracyOf(predictions) };
}

/**
 * `npm run bench:guarantees`: the guarantees of every decision over many random clusters, and sessions that follow random histories, more
 * of them than the unit tests try.
 *
 * Options: `--runs N` (default 5000), `--seed S`.
 */
import { parseArgs } from 'node:util';
import { checkGuarantees } from '../test/placement/guarantees';
import { checkHistories } from '../test/placement/histories';

const { values } = parseArgs({ options: { runs: { type: 'string' }, seed: { type: 'string' } } });
const runs = Number(values.runs ?? 5000);
const seed = Number(values.seed ?? 7);
checkGuarantees(runs, seed);
checkHistories(runs, seed);
process.stdout.write(`${JSON.stringify({ runs, seed, broken: 0 })}\n`);

/**
 * `npm run bench:guarantees`: what holds for every decision over many random clusters, more of them than the unit tests try.
 *
 * Options: `--runs N` of each property (default 5000), `--seed S`, `--only NAME` (repeatable), `--piece I/N` for one of N pieces of all runs, such
 * as `--runs 20000 --seed 1 --piece 3/20`: the worlds of each piece have a seed of their own, and the pieces together are all worlds.
 */
import { parseArgs } from 'node:util';
import { checkClaimGangs } from '../test/placement/claims/gangs';
import { checkEntitled } from '../test/placement/entitled';
import { checkFewMoves } from '../test/placement/few-moves';
import { checkFewestReclaimed } from '../test/placement/fewest-reclaimed';
import { checkFewestVictims } from '../test/placement/fewest-victims';
import { checkGuarantees } from '../test/placement/guarantees';
import { checkHistories } from '../test/placement/histories';
import { checkMixedGangs } from '../test/placement/mixed-gangs';
import { checkRepartition } from '../test/placement/repartition';
import { checkSoftConstraints } from '../test/placement/soft-constraints';
import { checkStarted, checkStartedBesideRepartition } from '../test/placement/started';
import { checkSuggestions } from '../test/placement/suggestions';

const PROPERTIES: Readonly<Record<string, (runs: number, seed: number) => void>> = {
  guarantees: checkGuarantees,
  started: checkStarted,
  'started-beside-repartition': checkStartedBesideRepartition,
  entitled: checkEntitled,
  'mixed-gangs': checkMixedGangs,
  suggestions: checkSuggestions,
  'soft-constraints': checkSoftConstraints,
  'fewest-victims': checkFewestVictims,
  'fewest-reclaimed': checkFewestReclaimed,
  'few-moves': checkFewMoves,
  repartition: checkRepartition,
  'claim-gangs': checkClaimGangs,
  sessions: checkHistories,
};

const { values } = parseArgs({
  options: {
    runs: { type: 'string' },
    seed: { type: 'string' },
    piece: { type: 'string' },
    only: { type: 'string', multiple: true },
  },
});
const piece = /^([1-9]\d*)\/([1-9]\d*)$/.exec(values.piece ?? '1/1');
const [index, pieces] = [Number(piece?.[1]), Number(piece?.[2])];
if (piece === null || index > pieces) {
  throw new Error(`--piece "${values.piece}" must be I/N with I from 1 to N, such as 3/20`);
}
const all = Number(values.runs ?? 5000);
const runs = Math.floor((all * index) / pieces) - Math.floor((all * (index - 1)) / pieces);
const seed = Number(values.seed ?? 7) + index - 1;
for (const property of values.only ?? Object.keys(PROPERTIES)) {
  const check = PROPERTIES[property];
  if (check === undefined) {
    throw new Error(`unknown property "${property}"; known: ${Object.keys(PROPERTIES).join(', ')}`);
  }
  check(runs, seed);
  process.stdout.write(`${JSON.stringify({ property, runs, seed, broken: 0 })}\n`);
}

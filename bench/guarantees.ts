/**
 * `npm run bench:guarantees`: what holds for every decision over many random clusters, more of them than the unit tests try.
 *
 * Options: `--runs N` of each property (default 5000), `--seed S`, `--only NAME` (repeatable).
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
import { checkSuggestions } from '../test/placement/suggestions';

const PROPERTIES: Readonly<Record<string, (runs: number, seed: number) => void>> = {
  guarantees: checkGuarantees,
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
  options: { runs: { type: 'string' }, seed: { type: 'string' }, only: { type: 'string', multiple: true } },
});
const runs = Number(values.runs ?? 5000);
const seed = Number(values.seed ?? 7);
for (const property of values.only ?? Object.keys(PROPERTIES)) {
  const check = PROPERTIES[property];
  if (check === undefined) {
    throw new Error(`unknown property "${property}"; known: ${Object.keys(PROPERTIES).join(', ')}`);
  }
  check(runs, seed);
  process.stdout.write(`${JSON.stringify({ property, runs, seed, broken: 0 })}\n`);
}

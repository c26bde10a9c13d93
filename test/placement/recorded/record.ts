/**
 * `npm run record:decisions`: writes into `test/fixtures/decisions.txt`, which the unit tests hold the core to, what it decides in random worlds.
 */
import { mutatedPlacement, placementMutants } from './mutated-placement';
import { recordHistories } from '../../mutation/record-histories';
import { fixture } from '../../support/recorded-histories';
import { historyOf } from './history';

recordHistories(
  {
    fixture: fixture('decisions.txt'),
    head: '# Decisions of the placement core in random worlds, written by "npm run record:decisions".',
    code: mutatedPlacement,
    mutants: placementMutants,
    historyOf,
  },
  process.argv.slice(2),
);

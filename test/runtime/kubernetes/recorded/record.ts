/**
 * `npm run record:views`: writes into `test/fixtures/views.txt`, which the unit tests hold the scheduler to, what it makes of random objects.
 */
import { mutatedWorld, worldMutants } from './mutated-world';
import { recordHistories } from '../../../mutation/record-histories';
import { fixture } from '../../../support/recorded-histories';
import { historyOf } from './history';

recordHistories(
  {
    fixture: fixture('views.txt'),
    head: '# What the scheduler makes of random objects, written by "npm run record:views".',
    code: mutatedWorld,
    mutants: worldMutants,
    historyOf,
  },
  process.argv.slice(2),
);

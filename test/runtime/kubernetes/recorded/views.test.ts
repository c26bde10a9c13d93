/**
 * What the scheduler makes of random objects, as it was recorded. `npm run record:views` records it again; its diff is part of the review.
 */
import { fixture, readHistories } from '../../../support/recorded-histories';
import { historyOf } from './history';

it.each([...readHistories(fixture('views.txt'))])(
  'the view of cluster %d is the one that was recorded',
  (seed, lines) => {
    expect(historyOf(seed)).toEqual(lines);
  },
);

/**
 * Decisions in random worlds, as they were recorded. `npm run record:decisions` records them again; its diff is part of the review.
 */
import { fixture, readHistories } from '../../support/recorded-histories';
import { historyOf } from './history';

it.each([...readHistories(fixture('decisions.txt'))])(
  'the decisions in world %d are those that were recorded',
  (seed, lines) => {
    expect(historyOf(seed)).toEqual(lines);
  },
);

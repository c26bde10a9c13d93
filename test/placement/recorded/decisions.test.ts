/**
 * Decisions in random worlds, as they were recorded. `npm run record:decisions` records them again; its diff is part of the review.
 */
import { recordedHistories } from './fixture';
import { historyOf } from './history';

it.each([...recordedHistories()])('the decisions in world %d are those that were recorded', (seed, lines) => {
  expect(historyOf(seed)).toEqual(lines);
});

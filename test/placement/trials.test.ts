/**
 * Trials of the next cycle end as soon as their outcome is known; see `next-cycle.ts`.
 */
import { fullCluster } from '../../bench/placement/clusters';
import { decide, type Decision } from '../../src/placement';
import { Cycle } from '../../src/placement/cycle/cycle';
import { samples } from '../support/samples';
import { apply } from './guarantees';

/** Decisions of full clusters, each carried out before the next. */
function decisions(nodes: number, waiting: number): readonly Decision[] {
  const list: Decision[] = [];
  let snapshot = fullCluster(nodes, waiting);
  for (let cycle = 0; cycle < 3; cycle++) {
    const decision = decide(snapshot);
    list.push(decision);
    snapshot = { ...snapshot, now: snapshot.now + 60_000, pods: apply(snapshot, decision) };
  }
  return list;
}

test('a trial of the next cycle comes to the same, whether it ends early or not', () => {
  const sizes = Array.from({ length: samples(80) }, (_, i) => [4 + ((i * 5) % 13), 12 + ((i * 17) % 50)] as const);
  const early = sizes.map(([nodes, waiting]) => decisions(nodes, waiting));
  // Trials go on to their end where gangs may be placed again without their preferences.
  const spy = jest.spyOn(Cycle.prototype, 'mayTryWithoutWishes').mockReturnValue(true);
  expect(sizes.map(([nodes, waiting]) => decisions(nodes, waiting))).toEqual(early);
  expect(spy).toHaveBeenCalled();
  expect(early.flat().filter(({ evictions }) => evictions.length > 0).length).toBeGreaterThan(sizes.length / 4);
});

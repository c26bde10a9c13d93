/**
 * Gangs that are alike wait in lines, of which a decision tries the first alone. The oracle is the same decision with every gang on its own.
 */
import * as fc from 'fast-check';
import { type Decision, type Gang, type Pod, type Policy, type Snapshot } from '../../src/placement';
import { Session } from '../../src/placement/books/session';
import { compareNames } from '../../src/placement/model/names';
import { decideIn } from '../../src/placement/engine';
import { samples } from '../support/samples';
import { apply, policies } from './guarantees';
import { NOW, snapshotOf, type World, worlds } from './worlds';

const copies = fc.array(fc.record({ of: fc.nat(5), priority: fc.nat(3), lacks: fc.nat(6), seconds: fc.nat(3) }), {
  minLength: 2,
  maxLength: 12,
});

/** Crowds: gangs of the world again and again, most of which state their minimum. */
function crowd(world: World, list: typeof copies extends fc.Arbitrary<infer T> ? T : never): readonly Gang[] {
  return list.map(({ of, priority, lacks, seconds }, i) => {
    const gang = world.late[of % world.late.length];
    const size = gang.roles.reduce((sum, { count }) => sum + count, 0);
    return {
      ...gang,
      name: `copy-${i}`,
      arrival: NOW + i,
      ...(priority === 0 && { priority: 1 }),
      minimum: lacks === 0 ? undefined : Math.max(1, size - (lacks > 3 ? 0 : lacks - 1)),
      ...(seconds === 0 && { expectedSeconds: 600 }),
    };
  });
}

function decisionOf(snapshot: Snapshot, policy: Policy, inLines: boolean): Decision {
  const session = new Session(snapshot, policy);
  if (!inLines) {
    session.gangs.forEach((gang) => (gang.kind = gang.firstTurn = undefined));
  }
  const { pending, ...decision } = decideIn(session);
  // Gangs in a line are named one after the other.
  return { ...decision, pending: [...pending].sort((a, b) => compareNames(a.gang, b.gang)) };
}

test('gangs in lines get what they get one by one', () => {
  let inLine = 0;
  fc.assert(
    fc.property(worlds, policies, copies, (world, policy, list) => {
      const gangs = [...world.early, ...crowd(world, list)];
      let pods: readonly Pod[] = [];
      for (let cycle = 0; cycle < 3; cycle++) {
        const snapshot = snapshotOf(world, cycle === 0 ? world.early : gangs, pods, NOW + cycle * 60_000);
        const decision = decisionOf(snapshot, policy, true);
        expect(decision).toEqual(decisionOf(snapshot, policy, false));
        pods = apply(snapshot, decision);
      }
      inLine += new Session(snapshotOf(world, gangs, pods), policy).gangs.filter(
        ({ kind }) => kind !== undefined,
      ).length;
    }),
    { numRuns: samples(200), seed: Number(process.env.GANTRY_LINES_SEED ?? 1414) },
  );
  expect(inLine).toBeGreaterThan(0);
});

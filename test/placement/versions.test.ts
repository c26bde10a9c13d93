/**
 * What is known of a row holds for its version. The property: a version of a row means one state of it, whatever was tried and undone in between,
 * and what is undone has its version again.
 */
import * as fc from 'fast-check';
import { type Session } from '../../src/placement/books/session';
import { decideIn } from '../../src/placement/engine';
import { type NodeTable } from '../../src/placement/nodes/node-table';
import { samples } from '../support/samples';
import { Follower, historiesOf } from './histories';

/** All that pods change of a row. */
function stateOf(table: NodeTable, row: number): string {
  const slots = [table.deviceStart[row], table.deviceStart[row + 1]] as const;
  const { length } = table.profiles;
  return JSON.stringify([
    table.free.map((column) => column[row]),
    [...table.deviceFree.subarray(...slots)],
    [...table.migFree.subarray(slots[0] * length, slots[1] * length)],
    table.wholeFree[row],
    table.milliFree[row],
    table.overdrawn[row],
  ]);
}

class Versions {
  /** By row and version, in one build of the books. */
  private readonly states = new Map<NodeTable, Map<string, string>>();

  /** Notes the states of all rows, and compares them with what is noted of their versions. */
  look({ table }: Session): void {
    const states = this.states.get(table) ?? new Map<string, string>();
    this.states.set(table, states);
    for (let row = 0; row < table.count; row++) {
      const key = `${row} ${table.version[row]} ${table.nodes[row].ready} ${table.replaced}`;
      const state = stateOf(table, row);
      expect(`${key} ${states.get(key) ?? state}`).toBe(`${key} ${state}`);
      states.set(key, state);
    }
  }
}

/** Places and takes away pods on several levels of marks, and undoes them. @returns how often a version came back after a change */
function tryAndUndo(session: Session, versions: Versions, pick: number): number {
  const { ledger, table } = session;
  const pods = session.gangs.flatMap(({ roles }) => roles.flatMap((role) => role.pods));
  const before = [...table.version];
  let restored = 0;
  const mark = ledger.mark();
  pods.slice(0, 8).forEach((pod, i) => {
    const inner = ledger.mark();
    const row = (pick + i) % table.count;
    if (pod.row >= 0) {
      ledger.remove(pod);
    } else if (ledger.fits(pod.podClass, row)) {
      ledger.place(pod, row);
    }
    versions.look(session);
    if ((pick >> i) % 2 === 0) {
      ledger.rollback(inner);
    } else {
      ledger.keep();
    }
    versions.look(session);
  });
  const changed = before.filter((version, row) => version !== table.version[row]).length;
  ledger.rollback(mark);
  versions.look(session);
  expect([...table.version]).toEqual(before);
  restored += changed;
  return restored;
}

test('a version of a row means one state of it, over random histories', () => {
  let restored = 0;
  fc.assert(
    fc.property(historiesOf(30), ({ world, steps }) => {
      const follower = new Follower(world);
      const versions = new Versions();
      for (const step of steps) {
        follower.take(step);
        const { session } = follower;
        session.begin();
        versions.look(session);
        restored += tryAndUndo(session, versions, step.pick);
        decideIn(session);
        versions.look(session);
        restored += tryAndUndo(session, versions, step.pick + 1);
      }
    }),
    { numRuns: samples(100), seed: 2815 },
  );
  expect(restored).toBeGreaterThan(50);
}, 600_000);

/**
 * What is counted by changes (devices of a node), by questions (the room of an empty cluster), or for few rows alone (scores), against a look at
 * everything.
 */
import * as fc from 'fast-check';
import { type PodRecord } from '../../src/placement/books/records';
import { Session } from '../../src/placement/books/session';
import { DEFAULT_POLICY } from '../../src/placement';
import { emptyRoom, EmptyRooms } from '../../src/placement/nodes/empty-node';
import { type NodeTable, WHOLE } from '../../src/placement/nodes/node-table';
import { RoomIndex } from '../../src/placement/search/room-index';
import { Selector } from '../../src/placement/search/select';
import { samples } from '../support/samples';
import { cluster, gang, node, running, template } from './builders';
import { Follower, historiesOf } from './histories';

/** Places, takes away, and undoes, and calls `look` in between. */
function change(session: Session, pick: number, look: () => void): void {
  const { ledger, table } = session;
  const isMeant = ({ index, row }: PodRecord): boolean => (index + pick) % 3 !== 0 && row >= -1;
  const mark = ledger.mark();
  for (const pod of session.pods.filter(isMeant).slice(0, 8)) {
    const row = (pick + pod.index) % table.count;
    if (pod.row >= 0) {
      ledger.remove(pod);
    } else if (ledger.fits(pod.podClass, row) && session.allowed(pod.podClass, row)) {
      ledger.place(pod, row);
    }
    look();
  }
  ledger.rollback(mark);
  look();
}

function overHistories(seed: number, look: (session: Session, pick: number) => void, runs = 60): void {
  for (const { world, steps } of fc.sample(historiesOf(12), { numRuns: samples(runs), seed })) {
    const follower = new Follower(world);
    for (const step of steps) {
      follower.take(step);
      const { session } = follower;
      if (session.table.count > 0) {
        session.rewind();
        change(session, step.pick, () => look(session, step.pick));
      }
    }
  }
}

/** What the devices of a row come to. */
function countsOf({ deviceStart, deviceFree, deviceCapacity }: NodeTable, row: number): string {
  const [from, to] = [deviceStart[row], deviceStart[row + 1]];
  let [whole, free, beyond] = [0, 0, 0];
  for (let slot = from; slot < to; slot++) {
    whole += deviceFree[slot] === WHOLE ? 1 : 0;
    free += Math.max(0, deviceFree[slot]);
    beyond += deviceCapacity[slot] > 0 ? Math.max(0, -deviceFree[slot]) : 0;
  }
  const milli = Math.max(0, free - beyond);
  return `${beyond === 0 ? whole : Math.min(whole, Math.floor(milli / WHOLE))} ${milli} ${beyond}`;
}

test('free devices and thousandths of each node are those of its devices', () => {
  const wrong: string[] = [];
  const seen = new Set<string>();
  overHistories(
    11,
    ({ table }) => {
      for (const row of table.allRows) {
        const counted = countsOf(table, row);
        const kept = `${table.wholeFree[row]} ${table.milliFree[row]} ${table.overdrawn[row]}`;
        wrong.push(...(kept === counted ? [] : [`${kept} instead of ${counted}`]));
        seen.add(table.overdrawn[row] > 0 ? 'overdrawn' : table.milliFree[row] % WHOLE > 0 ? 'shared' : 'whole');
      }
    },
    300,
  );
  expect(wrong).toEqual([]);
  expect([...seen].sort()).toEqual(['overdrawn', 'shared', 'whole']);
});

test('a pod that leaves a broken device frees nothing', () => {
  const broken = node('n', 2, { devices: [{ healthy: false }, {}] });
  const pod = { request: { cpu: 1 }, accelerator: { kind: 'whole' as const, count: 1 } };
  const snapshot = cluster([broken], [gang('g', 1, pod)], [running('g', 'n', 0, { devices: [0] })]);
  const { table, ledger, pods } = new Session(snapshot, DEFAULT_POLICY);
  ledger.remove(pods[0]);
  expect(`${table.wholeFree[0]} ${table.milliFree[0]} ${table.overdrawn[0]}`).toBe(countsOf(table, 0));
});

test('an empty cluster holds as many pods as the room of its rows comes to, in whatever order it is asked', () => {
  const wrong: string[] = [];
  overHistories(12, (session, pick) => {
    const rooms = new EmptyRooms(session);
    for (const podClass of session.classes.list) {
      const allowed = session.staticRow(podClass);
      const room = emptyRoom(session.table, podClass).reduce(
        (sum, pods, row) => sum + (allowed[row] === 0 ? pods : 0),
        0,
      );
      for (const count of [1, 1 + (pick % 7), room, room + 1, 2, room].slice(pick % 3)) {
        const isRight = rooms.holds(podClass, count) === room >= count;
        wrong.push(...(isRight ? [] : [`${count} of ${room} pods`]));
      }
    }
  });
  expect(wrong).toEqual([]);
});

test('the best of few rows is the best of all, the lowest of equals', () => {
  const found: number[] = [];
  const best: number[] = [];
  overHistories(13, (session) => {
    const [few, all] = [new Selector(session), new Selector(session)];
    for (const podClass of session.classes.list.filter((one) => !session.others.concerns(one))) {
      // Counted before, so that few rows are scored one by one.
      session.index(RoomIndex).total(podClass);
      found.push(few.best(podClass));
      all.scoresOf(podClass, false);
      best.push(all.best(podClass));
    }
  });
  expect(found).toEqual(best);
  expect(new Set(found).size).toBeGreaterThan(3);
});

test('where a cluster is full, its few rows are found without a look at all', () => {
  const nodes = Array.from({ length: 80 }, (_, i) => node(`n${i}`, 1));
  const full = Array.from({ length: 77 }, (_, i) => running('f', `n${i}`, i));
  const gangs = [gang('f', 77, template(1)), gang('w', 1, template(1))];
  const session = new Session(cluster(nodes, gangs, full), DEFAULT_POLICY);
  const [{ podClass }] = session.gangNamed('w')!.roles[0].pods;
  const room = session.index(RoomIndex);
  expect(room.openIfFew(podClass, 64)).toBeUndefined();
  expect(room.total(podClass)).toBe(3);
  expect(room.openIfFew(podClass, 2)).toBeUndefined();
  const open = [...room.openIfFew(podClass, 3)!].sort((a, b) => a - b);
  const selector = new Selector(session);
  const without = Uint8Array.from(nodes, (_, row) => (row === open[0] ? 1 : 0));
  expect([selector.best(podClass), selector.best(podClass, { without })]).toEqual([open[0], open[1]]);
});

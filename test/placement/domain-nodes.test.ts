/**
 * The fewest nodes of each domain, remembered from decision to decision, against a count of the rows on the books; and the order of domains against
 * a sort of all of them.
 */
import * as fc from 'fast-check';
import { type PodRecord } from '../../src/placement/books/records';
import { type Session } from '../../src/placement/books/session';
import { decideIn } from '../../src/placement/engine';
import { NOTHING } from '../../src/placement/reasons/reasons';
import { type Candidate, tightestFirst } from '../../src/placement/search/candidates';
import { DomainNodes } from '../../src/placement/search/domain-nodes';
import { fewestRowsCount } from '../../src/placement/search/fewest-rows';
import { type Domain } from '../../src/placement/topology/domains';
import { samples } from '../support/samples';
import { Follower, historiesOf } from './histories';

/** Compares all domains for one class and number of pods. @returns how many domains take them */
function compare(session: Session, pick: number): number {
  const { table, ledger, classes, topologies } = session;
  const tree = topologies.forConstraint({ preferred: 'rack' });
  if (tree === undefined || classes.list.length === 0) {
    return 0;
  }
  const podClass = classes.list[pick % classes.list.length];
  const count = 1 + (pick % 5);
  const allowed = session.staticRow(podClass);
  const found = session.index(DomainNodes).of(podClass, tree, count);
  let taking = 0;
  for (const domain of tree.domains) {
    const counted = fewestRowsCount(domain.rows, count, (row) =>
      allowed[row] === 0 ? ledger.capacity(podClass, row, 1_000_000) : 0,
    );
    if (found(domain) !== counted) {
      throw new Error(`${domain.values.join('/')}: ${count} of class ${podClass.id} on ${counted} of ${table.count}`);
    }
    taking += counted < Infinity ? 1 : 0;
  }
  return taking;
}

/** Places, takes away, and undoes, and compares in between. */
function change(session: Session, pick: number): number {
  const { ledger } = session;
  let taking = compare(session, pick);
  const pods = session.gangs.flatMap(({ roles }) => roles.flatMap((role) => role.pods));
  const isMeant = ({ index, row }: PodRecord): boolean => (index + pick) % 3 === 0 && row >= -1;
  const mark = ledger.mark();
  for (const pod of pods.filter(isMeant).slice(0, 6)) {
    if (pod.row >= 0) {
      ledger.remove(pod);
    } else {
      const row = pick % session.table.count;
      if (ledger.fits(pod.podClass, row)) {
        ledger.place(pod, row);
      }
    }
    taking += compare(session, pick) + compare(session, pick + pod.index);
  }
  ledger.rollback(mark);
  return taking + compare(session, pick);
}

test('the fewest nodes of each domain are those of a count, after every step of a long random history', () => {
  let taking = 0;
  fc.assert(
    fc.property(historiesOf(40), ({ world, steps }) => {
      const follower = new Follower(world);
      for (const step of steps) {
        follower.take(step);
        const { session } = follower;
        session.begin();
        taking += change(session, step.pick);
        decideIn(session, NOTHING);
        taking += compare(session, step.pick);
      }
    }),
    { numRuns: samples(200), seed: 2811 },
  );
  expect(taking).toBeGreaterThan(1000);
}, 600_000);

test('more numbers of pods than are remembered change nothing', () => {
  const { session } = new Follower(fc.sample(historiesOf(4), { numRuns: 1, seed: 5 })[0].world);
  session.begin();
  const taking = Array.from({ length: 400 }, (_, pick) => compare(session, pick % 200));
  expect(taking.slice(200)).toEqual(taking.slice(0, 200));
  expect(Math.max(...taking)).toBeGreaterThan(0);
});

test('domains come in the order of nodes, then of spare room, then of their numbers', () => {
  const key = fc.record({ nodes: fc.integer({ min: 0, max: 2 }), spare: fc.integer({ min: 1, max: 3 }) });
  fc.assert(
    fc.property(fc.array(key, { maxLength: 12 }), (keys) => {
      const candidates = keys.map((one, index): Candidate => ({ ...one, domain: { index } as Domain }));
      const sorted = [...candidates]
        .reverse()
        .sort((a, b) => a.nodes - b.nodes || a.spare - b.spare || a.domain.index - b.domain.index);
      const found = [...tightestFirst([...candidates].reverse())];
      expect(found).toEqual(sorted.map(({ domain }) => domain));
    }),
    { numRuns: samples(1000), seed: 2812 },
  );
});

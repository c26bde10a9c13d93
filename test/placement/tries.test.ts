/**
 * Tries to make room are few, and gangs that wait may be many: who gets them.
 */
import { DEFAULT_POLICY, type Gang, type Policy, type Queue } from '../../src/placement';
import { type GangRecord } from '../../src/placement/books/records';
import { Session } from '../../src/placement/books/session';
import { Turns } from '../../src/placement/evictions/tries';
import { decideIn } from '../../src/placement/engine';
import { NOTHING } from '../../src/placement/reasons/reasons';
import { cluster, gang, MINUTE, node, NOW, running, template } from './builders';

const GPU = 'nvidia.com/gpu';

function queue(name: string, gpus: number): Queue {
  return { name, deserved: { [GPU]: gpus } };
}

/** Gangs of different shapes that an empty cluster has room for, and that no eviction helps: what runs on node `full` may not be preempted. */
function crowd(count: number, name: string, more: Partial<Gang> = {}): Gang[] {
  return Array.from({ length: count }, (_, i) =>
    gang(`${name}-${i}`, 1, template(8, { request: { cpu: 1_000 + i, memory: 1e9, [GPU]: 8 } }), {
      arrival: NOW - 100 * MINUTE + i,
      ...more,
    }),
  );
}

const HELD = gang('held', 8, template(1), { queue: 'held', preemptible: false });
const SURPLUS = gang('surplus', 2, template(1), { queue: 'surplus' });
const PODS = [
  ...Array.from({ length: 8 }, (_, i) => running('held', 'full', i)),
  ...Array.from({ length: 2 }, (_, i) => running('surplus', 'small', i)),
];
const NODES = [node('full', 8), node('small', 2)];

/** Decisions until some gang is to be evicted for `name`. */
function decisionsUntil(session: Session, name: string, most: number): number {
  for (let count = 1; count <= most; count++) {
    const { evictions } = decideIn(session, NOTHING);
    if (evictions.some(({ beneficiary }) => beneficiary === name)) {
      return count;
    }
  }
  return Infinity;
}

function sessionOf(gangs: readonly Gang[], queues: readonly Queue[], policy: Partial<Policy> = {}): Session {
  return new Session(cluster(NODES, [HELD, SURPLUS, ...gangs], PODS, { queues }), { ...DEFAULT_POLICY, ...policy });
}

const QUEUES = [queue('held', 0), queue('surplus', 0)];

describe('tries to make room', () => {
  it('come to a gang of another queue in the same decision', () => {
    const late = gang('late', 1, template(2), { queue: 'late', arrival: NOW });
    const session = sessionOf(
      [...crowd(200, 'never', { queue: 'first' }), late],
      [...QUEUES, { ...queue('first', 8), arrival: -1 }, queue('late', 2)],
    );
    expect(decisionsUntil(session, 'late', 20)).toBe(1);
  });

  it('come to a gang of the same queue after those before it had one each', () => {
    const late = gang('late', 1, template(2), { queue: 'many', arrival: NOW });
    const session = sessionOf([...crowd(200, 'never', { queue: 'many' }), late], [...QUEUES, queue('many', 8)]);
    // 64 in the first, of which 32 go by claims; 32 new ones in each that follows.
    expect(decisionsUntil(session, 'late', 20)).toBe(6);
  });

  it('come to each gang where a decision has a single one', () => {
    const late = gang('late', 1, template(2), { queue: 'many', arrival: NOW });
    const session = sessionOf([...crowd(5, 'never', { queue: 'many' }), late], [...QUEUES, queue('many', 8)], {
      makeRoomLimit: 1,
    });
    expect(decisionsUntil(session, 'late', 20)).toBe(6);
  });

  it('go by claims again once all had theirs', () => {
    const session = sessionOf(crowd(5, 'never', { queue: 'many' }), [...QUEUES, queue('many', 8)], {
      makeRoomLimit: 4,
    });
    for (let i = 0; i < 3; i++) {
      decideIn(session, NOTHING);
    }
    const late = gang('late', 1, template(2), { queue: 'many', arrival: NOW, priority: 10 });
    session.apply({ kind: 'gang', gang: late });
    expect(decisionsUntil(session, 'late', 20)).toBe(1);
  });
});

describe('tries for gangs whose pods have constraints on one another', () => {
  const nodes = Array.from({ length: 200 }, (_, i) => node(`n${i}`, 8, { labels: { rack: `r${i >> 2}` } }));
  const owners = nodes.map((_, i) =>
    gang(`run-${i}`, 1, template(8), { queue: i % 4 === 0 ? 'surplus' : 'crowd', arrival: NOW - (900 - i) * MINUTE }),
  );
  const pods = owners.map(({ name }, i) => running(name, `n${i}`));
  /** Each pod has to be in a rack of its own, and each of them is looked for among all nodes. */
  const apart = Array.from({ length: 40 }, (_, i) => {
    const labels = { job: `apart-${i}` };
    const selector = { labels: [{ key: 'job', operator: 'In' as const, values: [labels.job] }] };
    return gang(
      `apart-${i}`,
      45 + (i % 5),
      template(2, { labels, podAntiAffinity: [{ topologyKey: 'rack', selector }] }),
      {
        queue: 'crowd',
        priority: 10,
        arrival: NOW - 100 * MINUTE + i,
      },
    );
  });
  const late = gang('late', 1, template(2), { queue: 'late', arrival: NOW });

  const sessionWith = (count: number): Session =>
    new Session(
      cluster(nodes, [...owners, ...apart.slice(0, count), late], pods, {
        queues: [queue('surplus', 0), { ...queue('crowd', 1600), arrival: -1 }, queue('late', 2)],
      }),
      DEFAULT_POLICY,
    );

  it('end once a decision has looked at as many nodes as it may', () => {
    const session = sessionWith(40);
    const { evictions } = decideIn(session, NOTHING);
    expect(new Set(evictions.map(({ beneficiary }) => beneficiary)).size).toBeGreaterThan(2);
    // 16,777,216; the last gang may go beyond that with one set of victims.
    expect(session.rowsSearched).toBeLessThan(1.2 * 2 ** 24);
  });

  it('leave others their part', () => {
    const { nominations } = decideIn(sessionWith(6), NOTHING);
    expect(nominations.some(({ gang: name }) => name === 'late')).toBe(true);
  });
});

describe('turns of gangs that had a try', () => {
  const shape = (i: number): Gang =>
    gang(`g-${i}`, 1, template(1, { request: { cpu: 1_000 + (i % 50), memory: 1e9 } }));
  const recordsOf = (from: number, count: number): readonly GangRecord[] =>
    new Session(
      cluster(
        [node('a', 4)],
        Array.from({ length: count }, (_, i) => shape(from + i)),
      ),
      DEFAULT_POLICY,
    ).gangs;

  it('are remembered of gangs that wait alone, while others come and go for ever', () => {
    const turns = new Turns();
    const waiting = new Set(recordsOf(0, 20));
    const [had] = waiting;
    turns.add(had);
    let most = 0;
    for (let round = 0; round < 100; round++) {
      for (const gone of recordsOf(100 + 50 * round, 50)) {
        turns.add(gone);
      }
      turns.keep(waiting);
      most = Math.max(most, turns.size);
      expect(turns.has(had)).toBe(true);
    }
    // What there are 20 of is remembered twice at most, by name and by what it asks for, beside a fixed number of others.
    expect(most).toBeLessThanOrEqual(256 + 2 * 20);
  });

  it('are forgotten of none where there are few', () => {
    const turns = new Turns();
    const gone = recordsOf(0, 50);
    gone.forEach((one) => turns.add(one));
    turns.keep(new Set());
    expect(gone.every((one) => turns.has(one))).toBe(true);
  });
});

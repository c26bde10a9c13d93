/**
 * Gangs that nothing can start are left out of decisions. The oracle counts on the books, row by row, without anything that is kept: a session that
 * follows a long random history finds what the count says, and what it leaves out cannot be placed.
 */
import * as fc from 'fast-check';
import { type Delta } from '../../src/placement/model/facts';
import {
  DEFAULT_POLICY,
  type Gang,
  type Pod,
  type PodAffinityTerm,
  type PodTemplate,
  type Policy,
} from '../../src/placement';
import { type GangRecord, type PodRecord } from '../../src/placement/books/records';
import { Session } from '../../src/placement/books/session';
import { Parking } from '../../src/placement/cycle/parking';
import { decideIn } from '../../src/placement/engine';
import { EmptyRooms } from '../../src/placement/nodes/empty-node';
import { type PodClass } from '../../src/placement/nodes/pod-class';
import { turnOf } from '../../src/placement/queues/turns';
import { GangPlacer } from '../../src/placement/search/place-gang';
import { RoomBound } from '../../src/placement/search/room-bound';
import { Selector } from '../../src/placement/search/select';
import { NOTHING } from '../../src/placement/reasons/reasons';
import { classesOf } from '../../src/placement/search/units';
import { samples } from '../support/samples';
import { cluster, gang, MINUTE, node, NOW, running, template } from './builders';
import { Follower, historiesOf } from './histories';

/** Pods of the class that the books have room for. */
function roomFor({ table, ledger }: Session, podClass: PodClass, ruledOut: Uint8Array): number {
  let sum = 0;
  for (let row = 0; row < table.count; row++) {
    sum += ruledOut[row] === 0 ? ledger.capacity(podClass, row, 1_000_000) : 0;
  }
  return sum;
}

interface Found {
  readonly fits: boolean;
  readonly everFits: boolean;
}

interface Counted extends Found {
  /** It can be placed. */
  readonly isPlaced: boolean;
  /** No constraint between pods concerns it: then what is found is what is counted. */
  readonly isExact: boolean;
}

/** What the books say of the gang with all that is on its way out gone, and what they would say with nothing on them. */
function counted(session: Session, record: GangRecord, releasing: readonly PodRecord[]): Counted {
  const needs = [...classesOf(turnOf(session, record)!.pods)];
  const holds = (): boolean =>
    needs.every(([podClass, count]) => roomFor(session, podClass, session.staticRow(podClass)) >= count);
  const isExact = !needs.some(([podClass]) => session.others.concerns(podClass));
  const bound = new RoomBound(session.table);
  if (needs.some(([podClass]) => bound.of(podClass) < roomFor(session, podClass, session.staticRow(podClass)))) {
    throw new Error(`there is more room for pods of ${record.gang.name} than the sums say`);
  }
  const mark = session.ledger.mark();
  releasing.forEach((pod) => session.ledger.remove(pod));
  const fits = holds();
  const placer = new GangPlacer(session, session.scoring(Selector));
  const isPlaced = placer.place(record.root, turnOf(session, record)!.pods);
  session.ledger.rollback(mark);
  if (isPlaced && !fits) {
    throw new Error(`${record.gang.name} can be placed although no room is counted for it`);
  }
  const rooms = new EmptyRooms(session);
  const everFits = needs.every(([podClass, count]) => rooms.holds(podClass, count));
  if (needs.some(([podClass]) => rooms.isNone(podClass) === rooms.holds(podClass, 1))) {
    throw new Error(`whether no node takes a pod of ${record.gang.name} is not what the room of all nodes says`);
  }
  return { fits, everFits, isPlaced, isExact };
}

/** Compares what is kept with what is counted, for each gang that has no pods. @returns how many of each kind there were */
function check(session: Session, seen: Map<string, number>, pick: number): void {
  session.begin();
  const releasing = session.leaving.filter(({ row }) => row >= 0);
  const parking = session.index(Parking);
  parking.lookAgain();
  for (const record of session.gangs) {
    // Not every gang is asked about each time.
    const isLeftOut = (record.index + pick) % 4 === 0;
    if (isLeftOut || record.start !== 'same-pods' || record.placed > 0 || turnOf(session, record) === undefined) {
      continue;
    }
    const found = { fits: parking.mayFit(record, releasing), everFits: parking.mayEverFit(record) };
    const { isPlaced, isExact, ...expected } = counted(session, record, releasing);
    const isWrong = isExact ? found.fits !== expected.fits : !found.fits && isPlaced;
    if (isWrong || found.everFits !== expected.everFits) {
      throw new Error(`${record.gang.name}: found ${JSON.stringify(found)}, counted ${JSON.stringify(expected)}`);
    }
    const key = JSON.stringify(expected);
    seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  session.rewind();
}

test('what is kept from decision to decision is what the books say, after every step of a long random history', () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(historiesOf(60), ({ world, steps }) => {
      const follower = new Follower(world);
      for (const step of steps) {
        follower.take(step);
        check(follower.session, seen, step.pick);
      }
    }),
    { numRuns: samples(400), seed: Number(process.env.GANTRY_PARKING_SEED ?? 1408) },
  );
  expect([...seen.keys()].sort()).toEqual([
    '{"fits":false,"everFits":false}',
    '{"fits":false,"everFits":true}',
    '{"fits":true,"everFits":true}',
  ]);
}, 600_000);

describe('a gang that is left out is looked at again when', () => {
  const large = { ...gang('large', 1, template(4)), arrival: NOW };
  const policy: Policy = { ...DEFAULT_POLICY, actions: ['allocate'] };
  // Without reasons: to look for them asks about other gangs in between, after which everything is counted again.
  const started = (session: Session): readonly string[] => decideIn(session, NOTHING).bindings.map(({ pod }) => pod);
  const full = (...pods: readonly Pod[]): Session =>
    new Session(cluster([node('a', 4), node('b', 2)], [gang('g', 2, template(2)), large], pods), policy);

  it('a pod on a node has ended', () => {
    const session = full(running('g', 'a', 0), running('g', 'b', 1));
    expect(started(session)).toEqual([]);
    session.apply(
      { kind: 'pod-gone', name: 'g-worker-1' },
      { kind: 'gang-gone', name: 'g' },
      { kind: 'pod-gone', name: 'g-worker-0' },
    );
    expect(started(session)).toEqual(['large-worker-0']);
  });

  it.each([0, 1, 2])('pods on several nodes have ended, and node %i of them is large enough', (large4) => {
    const nodes = ['a', 'b', 'c'].map((name, i) => node(name, i === large4 ? 4 : 2));
    const pods = nodes.map(({ name }, i) => running('g', name, i));
    const session = new Session(cluster(nodes, [gang('g', 3, template(2)), large], pods), policy);
    expect(started(session)).toEqual([]);
    session.apply({ kind: 'gang-gone', name: 'g' }, ...pods.map(({ name }): Delta => ({ kind: 'pod-gone', name })));
    expect(started(session)).toEqual(['large-worker-0']);
  });

  it('more changed than is noted', () => {
    const session = full(running('g', 'a', 0), running('g', 'b', 1));
    expect(started(session)).toEqual([]);
    session.apply(
      { kind: 'pod-gone', name: 'g-worker-0' },
      { kind: 'gang-gone', name: 'g' },
      { kind: 'pod-gone', name: 'g-worker-1' },
    );
    session.table.era++;
    session.table.changes.length = 0;
    expect(started(session)).toEqual(['large-worker-0']);
  });

  it('a pod is on its way out: the gang waits for its room', () => {
    const session = full(running('g', 'a', 0), running('g', 'b', 1));
    expect(decideIn(session).nominations).toEqual([]);
    session.apply({ kind: 'pod', pod: { ...running('g', 'a', 0), state: 'releasing' } });
    expect(decideIn(session).nominations.map(({ pod, node: at }) => [pod, at])).toEqual([['large-worker-0', 'a']]);
  });

  it('a node grows, becomes schedulable, or comes', () => {
    const small = { ...node('a', 4), allocatable: { ...node('a', 4).allocatable, cpu: 1 } };
    const session = new Session(cluster([small], [large], []), policy);
    expect(started(session)).toEqual([]);
    session.apply({ kind: 'node', node: node('a', 4) });
    expect(started(session)).toEqual(['large-worker-0']);
    session.apply({ kind: 'node', node: { ...node('a', 4), unschedulable: true } });
    expect(started(session)).toEqual([]);
    session.apply({ kind: 'node', node: node('b', 4) });
    expect(started(session)).toEqual(['large-worker-0']);
  });

  it('it asks for less', () => {
    const session = full(running('g', 'a', 0), running('g', 'b', 1));
    expect(started(session)).toEqual([]);
    session.apply({ kind: 'gang', gang: { ...gang('large', 1, template(2)), arrival: NOW } });
    expect(started(session)).toEqual(['large-worker-0']);
  });

  it('its queue may have more', () => {
    const queue = (most: number): Delta => ({
      kind: 'queue',
      queue: { name: 'q', capability: { 'nvidia.com/gpu': most } },
    });
    const session = new Session(cluster([node('a', 4)], [large], []), policy);
    session.apply(queue(3));
    expect(started(session)).toEqual([]);
    session.apply(queue(4));
    expect(started(session)).toEqual(['large-worker-0']);
  });

  it('there was room for it while its queue was closed, and the queue opens', () => {
    const queue = (state: 'open' | 'closed'): Delta => ({ kind: 'queue', queue: { name: 'q', state } });
    const session = full(running('g', 'a', 0), running('g', 'b', 1));
    expect(started(session)).toEqual([]);
    session.apply(
      queue('closed'),
      { kind: 'pod-gone', name: 'g-worker-0' },
      { kind: 'gang-gone', name: 'g' },
      { kind: 'pod-gone', name: 'g-worker-1' },
    );
    expect(started(session)).toEqual([]);
    session.apply(queue('open'));
    expect(started(session)).toEqual(['large-worker-0']);
  });

  it('one that came before it has gone', () => {
    const first = { ...gang('first', 1, template(4)), arrival: NOW - MINUTE };
    const session = new Session(cluster([node('a', 4)], [first, large], []), policy);
    expect(started(session)).toEqual(['first-worker-0']);
    session.apply({ kind: 'gang-gone', name: 'first' });
    expect(started(session)).toEqual(['large-worker-0']);
  });
});

describe('a gang that has to be near pods that do not exist sleeps, and is looked at again when', () => {
  const label = (app: string): Partial<PodTemplate> => ({ labels: { app }, request: { cpu: 1000, memory: 1e9 } });
  const nearTo = (app: string): PodAffinityTerm => ({
    topologyKey: 'kubernetes.io/hostname',
    selector: { labels: [{ key: 'app', operator: 'In', values: [app] }] },
  });
  const near = {
    ...gang('near', 1, template(0, { ...label('near'), podAffinity: [nearTo('db'), nearTo('cache')] })),
    arrival: NOW,
  };
  const of = (name: string, app: string, more: Partial<Gang> = {}): Gang => ({
    ...gang(name, 1, template(0, label(app))),
    arrival: NOW - MINUTE,
    ...more,
  });
  const foreign = (name: string, app: string): Delta => ({
    kind: 'pod',
    pod: { name, state: 'running', node: 'a', template: template(0, label(app)) },
  });
  const started = (session: Session): readonly string[] => decideIn(session, NOTHING).bindings.map(({ pod }) => pod);
  const asleep = (session: Session): readonly string[] => session.sleepers.sleeping.map((one) => one.gang.name);
  let session: Session;
  beforeEach(() => {
    session = new Session(cluster([node('a', 1)], [near], []), DEFAULT_POLICY);
    expect([started(session), asleep(session)]).toEqual([[], ['near']]);
  });

  it('pods come, also where it names a term twice', () => {
    const roles = ['x', 'y'].map((name, i) => ({
      name,
      count: 1,
      template: template(0, { ...label(name), podAffinity: i === 0 ? [nearTo('db'), nearTo('db')] : [nearTo('db')] }),
    }));
    session.apply({ kind: 'gang', gang: { ...gang('twice', 2, template(0)), roles } });
    expect([started(session), [...asleep(session)].sort()]).toEqual([[], ['near', 'twice']]);
    session.apply({ kind: 'node', node: { ...node('a', 1), unschedulable: true } });
    session.apply({ kind: 'node', node: node('a', 1) }, foreign('db', 'db'));
    expect([started(session), asleep(session)]).toEqual([['twice-x-0', 'twice-y-0'], ['near']]);
  });

  it('pods of other schedulers come, one for each of its terms', () => {
    const { table } = session;
    session.apply(foreign('db', 'db'));
    expect([started(session), asleep(session)]).toEqual([[], ['near']]);
    session.apply(foreign('cache', 'cache'));
    expect([started(session), asleep(session)]).toEqual([['near-worker-0'], []]);
    // And it sleeps again when one of them goes.
    session.apply({ kind: 'pod-gone', name: 'db' });
    expect([started(session), asleep(session)]).toEqual([[], ['near']]);
    // Nothing was built again.
    expect(session.table).toBe(table);
  });

  it('gangs may start that bring them: in the same decision', () => {
    session.apply({ kind: 'gang', gang: of('one', 'db') });
    expect([started(session), asleep(session)]).toEqual([['one-worker-0'], ['near']]);
    session.apply({ kind: 'gang', gang: of('two', 'cache') });
    expect(started(session)).toEqual(['one-worker-0', 'two-worker-0', 'near-worker-0']);
  });

  it('another one that sleeps may start, and bring them', () => {
    session.apply(foreign('cache', 'cache'));
    const db = of('db', 'db');
    const [role] = db.roles;
    const waits = { ...role, template: { ...role.template, podAffinity: [nearTo('queue')] } };
    session.apply({ kind: 'gang', gang: { ...db, roles: [waits] } });
    expect([started(session), [...asleep(session)].sort()]).toEqual([[], ['db', 'near']]);
    session.apply({ kind: 'gang', gang: of('queue', 'queue') });
    expect([...started(session)].sort()).toEqual(['db-worker-0', 'near-worker-0', 'queue-worker-0']);
  });

  it('room is made for the gang that brings them', () => {
    const low = gang(
      'low',
      1,
      template(1, { ...label('low'), request: { cpu: 1000, memory: 1e9, 'nvidia.com/gpu': 1 } }),
    );
    session.apply(
      { kind: 'gang', gang: { ...low, priority: 0 } },
      { kind: 'pod', pod: running('low', 'a') },
      foreign('cache', 'cache'),
    );
    expect([started(session), asleep(session)]).toEqual([[], ['near']]);
    const db = gang('db', 1, template(1, { ...label('db'), request: { cpu: 1000, memory: 1e9, 'nvidia.com/gpu': 1 } }));
    session.apply({ kind: 'gang', gang: { ...db, priority: 100, arrival: NOW - MINUTE } });
    const { evictions, nominations } = decideIn(session, NOTHING);
    expect(evictions.map(({ pod }) => pod)).toEqual(['low-worker-0']);
    expect(nominations.map(({ pod }) => pod).sort()).toEqual(['db-worker-0', 'near-worker-0']);
  });

  it('it is not, once it is gone', () => {
    const { table } = session;
    // Others of its shape keep the books from being built again.
    session.apply({ kind: 'gang', gang: { ...near, name: 'other', arrival: NOW + 1 } });
    session.apply({ kind: 'gang-gone', name: 'near' });
    expect([started(session), asleep(session)]).toEqual([[], ['other']]);
    session.apply(foreign('db', 'db'), foreign('cache', 'cache'));
    expect([started(session), asleep(session)]).toEqual([['other-worker-0'], []]);
    expect(session.table).toBe(table);
  });

  it.each([
    ['of another of its roles', [label('db'), { ...label('web'), podAffinity: [nearTo('db')] }]],
    ['like itself', [{ ...label('db'), podAffinity: [nearTo('db')] }, label('web')]],
  ])('but not for pods %s', (_, templates) => {
    const roles = templates.map((one, i) => ({ name: `r${i}`, count: 1, template: template(0, one) }));
    session.apply({ kind: 'gang', gang: { ...gang('own', 2, template(0)), roles } });
    expect([started(session), asleep(session)]).toEqual([['own-r0-0', 'own-r1-0'], ['near']]);
  });

  it('it says something else, or goes', () => {
    session.apply({ kind: 'gang', gang: { ...near, ...of('near', 'near') } });
    expect([started(session), asleep(session)]).toEqual([['near-worker-0'], []]);
    session.apply({ kind: 'gang', gang: near });
    expect([started(session), asleep(session)]).toEqual([[], ['near']]);
    session.apply({ kind: 'gang-gone', name: 'near' }, foreign('db', 'db'), foreign('cache', 'cache'));
    expect([started(session), asleep(session)]).toEqual([[], []]);
  });
});

test('a gang whose queue does not exist sleeps until it does', () => {
  const lost = { ...gang('lost', 1, template(1)), queue: 'late', arrival: NOW };
  const session = new Session(cluster([node('a', 1)], [lost], []), DEFAULT_POLICY);
  expect(decideIn(session, NOTHING).bindings).toEqual([]);
  expect(session.sleepers.sleeping.map((one) => one.gang.name)).toEqual(['lost']);
  session.apply({ kind: 'queue', queue: { name: 'late' } });
  expect(decideIn(session, NOTHING).bindings.map(({ pod }) => pod)).toEqual(['lost-worker-0']);
});

describe('whether an empty cluster has room is looked at again when', () => {
  const large = gang('large', 1, template(2, { request: { cpu: 64_000, memory: 1e9, 'nvidia.com/gpu': 2 } }));
  const names = ['a', 'b', 'c'];
  const nodeOf = (name: string, cpu: number): Delta => ({
    kind: 'node',
    node: node(name, 2, { allocatable: { ...node(name, 2).allocatable, cpu } }),
  });
  let session: Session;
  beforeEach(() => {
    session = new Session(
      cluster(
        names.map((name) => node(name, 2)),
        [large],
        [],
      ),
      DEFAULT_POLICY,
    );
    expect(mayEverFit()).toBe(false);
  });

  function mayEverFit(): boolean {
    const parking = session.index(Parking);
    session.begin();
    parking.lookAgain();
    const found = parking.mayEverFit(session.gangs[0]);
    session.rewind();
    return found;
  }

  it.each(names)('several nodes are replaced, and %s of them is large enough', (larger) => {
    const { table } = session;
    session.apply(...names.map((name) => nodeOf(name, 16_000)));
    expect(mayEverFit()).toBe(false);
    session.apply(...names.map((name) => nodeOf(name, name === larger ? 64_000 : 32_000)));
    expect(mayEverFit()).toBe(true);
    // Nothing was built again.
    expect(session.table).toBe(table);
  });

  it('more nodes are replaced than are noted', () => {
    session.apply(nodeOf('b', 64_000), nodeOf('a', 32_000));
    session.table.replacements.length = 0;
    expect(mayEverFit()).toBe(true);
  });
});

test('a gang that no node has room for neither keeps others back nor uses up tries', () => {
  const crowd = Array.from({ length: 200 }, (_, i) => ({
    ...gang(`never${i}`, 1, template(9 + i)),
    arrival: NOW - 200 + i,
  }));
  const late = { ...gang('late', 1, template(4)), arrival: NOW };
  const session = new Session(cluster([node('a', 4)], [...crowd, late], []), DEFAULT_POLICY);
  const { bindings, pending } = decideIn(session);
  expect(bindings.map(({ pod }) => pod)).toEqual(['late-worker-0']);
  expect(pending).toHaveLength(200);
  expect(pending.slice(0, 3).map((one) => one.gang)).toEqual(['never0', 'never1', 'never2']);
});

test('under strict-fifo a gang that cannot start keeps those behind it back', () => {
  const policy: Policy = { ...DEFAULT_POLICY, queueing: 'strict-fifo' };
  const gangs = [
    { ...gang('never', 1, template(9)), arrival: NOW - MINUTE },
    { ...gang('late', 1, template(1)), arrival: NOW },
  ];
  expect(decideIn(new Session(cluster([node('a', 4)], gangs, []), policy)).bindings).toEqual([]);
});

test('a gang that does not fit yet is promised the moment at which it will', () => {
  const ending = { ...gang('g', 1, template(2)), expectedSeconds: 600 };
  const gangs = [
    ending,
    { ...gang('large', 1, template(4)), arrival: NOW - MINUTE },
    { ...gang('small', 1, template(2)), arrival: NOW },
  ];
  const session = new Session(cluster([node('a', 4)], gangs, [running('g', 'a')]), DEFAULT_POLICY);
  const { reservations, bindings } = decideIn(session);
  expect(reservations.map((one) => one.gang)).toEqual(['large']);
  expect(bindings).toEqual([]);
});

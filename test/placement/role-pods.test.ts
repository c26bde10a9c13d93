/**
 * Pods of gangs that come are made when they are asked for. The oracle makes all of them at once, as the records of a gang did before: over random
 * histories, and for large gangs that wait, both come to the same books, decisions, and reasons.
 */
import * as fc from 'fast-check';
import { decide, DEFAULT_POLICY, type Gang } from '../../src/placement';
import { newPod, RolePods } from '../../src/placement/books/role-pods';
import { Session } from '../../src/placement/books/session';
import { decideIn } from '../../src/placement/engine';
import { type PodClass } from '../../src/placement/nodes/pod-class';
import { samples } from '../support/samples';
import { cluster, gang, MINUTE, node, NOW, running, template } from './builders';
import { booksOf, Follower, historiesOf } from './histories';

/** Makes the pods at once, so that none of what is said of fresh roles is asked. */
function makeAll(this: RolePods, podClass: PodClass, first: number): void {
  for (let i = 0; i < this.role.count; i++) {
    this.pods.push(newPod(`${this.gang.gang.name}-${this.role.name}-${i}`, this, first + i, podClass));
  }
}

function atOnce<T>(work: () => T): T {
  const spy = jest.spyOn(RolePods.prototype, 'becomeFresh').mockImplementation(makeAll);
  try {
    return work();
  } finally {
    spy.mockRestore();
  }
}

test('a history leads to the same books and decisions', () => {
  fc.assert(
    fc.property(historiesOf(20), ({ world, steps }) => {
      const lazy = new Follower(world);
      const eager = atOnce(() => new Follower(world));
      for (const step of steps) {
        lazy.take(step);
        atOnce(() => eager.take(step));
        expect(booksOf(lazy.session)).toEqual(booksOf(eager.session));
        expect(decideIn(lazy.session)).toEqual(atOnce(() => decideIn(eager.session)));
      }
    }),
    { numRuns: samples(200), seed: 2813 },
  );
}, 600_000);

const devices = fc.constantFrom(0, 1, 2, 4, 8);
const largeGang = fc
  .record({
    count: fc.constantFrom(1, 3, 16, 63, 64, 65, 100),
    spare: fc.constantFrom(0, 0, 0, 2, 40),
    whole: fc.constantFrom(undefined, 2, 70),
    devices,
    selector: fc.constantFrom(undefined, undefined, 'r0', 'none'),
    topology: fc.constantFrom(undefined, undefined, { required: 'rack' }, { preferred: 'rack' }),
    priority: fc.constantFrom(0, 0, 10),
    preemptible: fc.constantFrom(true, true, false),
    seconds: fc.constantFrom(undefined, 600),
    leads: fc.boolean(),
  })
  .map((one) => (name: string): Gang => ({
    ...gang(name, one.count, {
      ...template(one.devices),
      nodeSelector: one.selector === undefined ? undefined : { rack: one.selector },
    }),
    priority: one.priority,
    preemptible: one.preemptible,
    expectedSeconds: one.seconds,
    topology: one.topology,
    minimum: one.whole,
    queue: one.leads ? 'q' : 'r',
    roles: [
      {
        name: 'worker',
        count: one.count,
        ...(one.spare === 0 ? {} : { minimum: Math.max(0, one.count - one.spare) }),
        template: {
          ...template(one.devices),
          nodeSelector: one.selector === undefined ? undefined : { rack: one.selector },
        },
      },
    ],
  }));
const largeWorlds = fc.record({
  nodes: fc.array(fc.record({ devices: fc.constantFrom(2, 4, 8), rack: fc.nat(1) }), { minLength: 1, maxLength: 24 }),
  gangs: fc.array(largeGang, { minLength: 1, maxLength: 6 }),
  busy: fc.nat(12),
  quota: fc.constantFrom(undefined, 4, 64),
});

test('large gangs start, make room, and wait for the same reasons', () => {
  const kinds = new Set<string>();
  fc.assert(
    fc.property(largeWorlds, ({ nodes, gangs, busy, quota }) => {
      const taken = nodes
        .slice(0, busy)
        .map((_, i) => gang(`run${i}`, 1, template(1), { queue: 'r', expectedSeconds: 1200 }));
      const snapshot = cluster(
        nodes.map((one, i) => node(`n${i}`, one.devices, { labels: { rack: `r${one.rack}` } })),
        [...taken, ...gangs.map((made, i) => made(`large${i}`))],
        taken.map(({ name }, i) => running(name, `n${i}`)),
        {
          queues: ['q', 'r'].map((name) => ({ name, ...(quota && { deserved: { 'nvidia.com/gpu': quota } }) })),
          topologies: [{ name: 'rooms', levels: ['rack'] }],
        },
      );
      const lazy = decide(snapshot);
      expect(lazy).toEqual(atOnce(() => decide(snapshot)));
      lazy.pending.forEach(({ kind }) => kinds.add(kind));
      lazy.bindings.forEach(({ gang: name }) => kinds.add(name.startsWith('large') ? 'starts' : name));
    }),
    { numRuns: samples(800), seed: 2814 },
  );
  expect([...kinds].sort()).toEqual(
    expect.arrayContaining(['no-fit', 'starts', 'topology', 'quota-of-non-preemptible', 'too-few-pods']),
  );
}, 600_000);

test('a gang that comes, gets nothing, and goes makes no pod', () => {
  const nodes = Array.from({ length: 100 }, (_, i) => node(`n${i}`, 8));
  const full = nodes.map((_, i) => gang(`run${i}`, 1, template(1)));
  const session = new Session(
    cluster(
      nodes,
      full,
      full.map(({ name }, i) => running(name, `n${i}`)),
    ),
    DEFAULT_POLICY,
  );
  const large = { ...gang('large', 100, template(8)), arrival: NOW - MINUTE };
  session.apply({ kind: 'gang', gang: large });
  const { roles } = session.gangNamed('large')!;
  const made = jest.spyOn(roles[0], 'pods', 'get');
  expect(decideIn(session).pending).toMatchObject([{ gang: 'large', kind: 'no-fit', fits: 0, needed: 100 }]);
  session.apply({ kind: 'gang-gone', name: 'large' });
  expect(made).not.toHaveBeenCalled();
});

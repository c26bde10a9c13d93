/**
 * Gangs that cannot run are left out of decisions until something that could help them has changed. A gang that could run and is not looked at
 * is the worst that can happen: three oracles look for one, over random histories of clusters with hostile gangs.
 */
import * as fc from 'fast-check';
import { DEFAULT_POLICY, type Decision, type Policy } from '../../src/placement';
import { type GangRecord } from '../../src/placement/books/records';
import { Session } from '../../src/placement/books/session';
import { allocate } from '../../src/placement/cycle/allocate';
import { Cycle } from '../../src/placement/cycle/cycle';
import { Parking } from '../../src/placement/cycle/parking';
import { decideIn } from '../../src/placement/engine';
import { type Delta } from '../../src/placement/model/facts';
import { PodsOnNodes } from '../../src/placement/nodes/filters/pods-on-nodes';
import { otherTurns, turnOf } from '../../src/placement/queues/turns';
import { NOTHING } from '../../src/placement/reasons/reasons';
import { OpenRows } from '../../src/placement/search/open-rows';
import { Selector } from '../../src/placement/search/select';
import { samples } from '../support/samples';
import { cluster, gang, node, running, template } from './builders';
import { Follower } from './histories';
import { hostileWorlds, largerNode, otherQuota, relabeled, wantedGang, wantedPod } from './hostile-worlds';

/** All 1,200 in `.ci/full`, and a sixteenth in `npm test`: each is a history of many decisions. */
const RUNS = samples(samples(1200));
const SEED = Number(process.env.GANTRY_HOSTILE_SEED ?? 1428);

const WAKING = [
  'decide',
  'decide',
  'decide',
  'arrive',
  'arrive',
  'arrive',
  'leave',
  'end-pod',
  'evict-pod',
  'cordon',
  'change-node',
  'node-gone',
  'node-back',
  'assume',
  'undo',
  'confirm',
  'time',
  'relabel',
  'quota',
  'near',
  'foreign-near',
  'foreign-gone',
  'larger-node',
  'queue-comes',
  'queue-goes',
] as const;

/** With one queue, there stays one. */
function stepIn(queues: number): fc.Arbitrary<{ readonly kind: (typeof WAKING)[number]; readonly pick: number }> {
  const kinds = WAKING.filter((kind) => queues > 1 || !kind.startsWith('queue-'));
  return fc.record({ kind: fc.constantFrom(...kinds), pick: fc.nat(1_000_000) });
}

function historiesWith(queues: number): fc.Arbitrary<{
  readonly world: ReturnType<typeof hostileWorlds> extends fc.Arbitrary<infer T> ? T : never;
  readonly steps: readonly { readonly kind: (typeof WAKING)[number]; readonly pick: number }[];
}> {
  return fc.record({ world: hostileWorlds(queues), steps: fc.array(stepIn(queues), { minLength: 6, maxLength: 30 }) });
}

function take(
  follower: Follower,
  { kind, pick }: { readonly kind: (typeof WAKING)[number]; readonly pick: number },
): void {
  const { session } = follower;
  const { gangs, queues, pods, nodes } = session.snapshot;
  const waiting = gangs.filter(({ name }) => !pods.some((pod) => pod.gang === name));
  const node = nodes[pick % Math.max(1, nodes.length)];
  const one = waiting[pick % Math.max(1, waiting.length)];
  const apply = (delta: Delta | false | undefined): void => session.apply(...(delta ? [delta] : []));
  switch (kind) {
    case 'relabel':
      return apply(one && { kind: 'gang', gang: relabeled(one, pick) });
    case 'quota':
      return apply({ kind: 'queue', queue: otherQuota(queues[pick % queues.length], pick) });
    case 'near':
      // What others wait for comes as a gang that may start in the same decision.
      return apply({ kind: 'gang', gang: wantedGang(`near${pick}`, pick, session.now) });
    case 'foreign-near':
      return apply(node && { kind: 'pod', pod: wantedPod(`foreign${pick % 3}`, node.name, pick) });
    case 'larger-node':
      return apply(node && { kind: 'node', node: largerNode(node, pick) });
    case 'queue-comes':
      return apply({ kind: 'queue', queue: { name: `q${pick % 4}`, arrival: pick % 4 } });
    case 'queue-goes':
      return apply(queues.length > 1 && { kind: 'queue-gone', name: queues[pick % queues.length].name });
    default:
      return follower.take({ kind, pick });
  }
}

function nameOf({ gang }: GangRecord): string {
  return gang.name;
}

/** Starts what fits, and then places by hand what was left out. @returns how many were left out */
function checkLeftOut(session: Session, policy: Policy): number {
  session.apply({ kind: 'policy', policy: { ...policy, actions: ['allocate'] } });
  session.begin();
  const cycle = new Cycle(session, session.scoring(Selector));
  allocate(cycle, false);
  const leftOut = [
    ...cycle.parked.lines.flatMap(({ gangs }) => gangs),
    ...cycle.parked.singles,
    ...session.sleepers.sleeping,
  ];
  for (const gang of leftOut) {
    const first = gang.placed > 0 ? undefined : turnOf(session, gang);
    for (const turn of first === undefined ? [] : [first, ...otherTurns(session, first)]) {
      // Not by the shortcuts that are to be checked.
      const mark = session.ledger.mark();
      const fits = withoutShortcuts(() => cycle.mayHave(turn) && cycle.placer.place(gang.root, turn.pods));
      session.ledger.rollback(mark);
      if (fits) {
        throw new Error(`${nameOf(gang)} was left out and has a place`);
      }
    }
  }
  session.rewind();
  session.apply({ kind: 'policy', policy });
  return leftOut.length;
}

/** Everything is looked at, row by row and gang by gang. */
function withoutShortcuts<T>(work: () => T): T {
  const spies = [
    jest.spyOn(Parking.prototype, 'mayFit').mockReturnValue(true),
    jest.spyOn(Parking.prototype, 'mayEverFit').mockReturnValue(true),
    jest.spyOn(Parking.prototype, 'isForlorn').mockReturnValue(false),
    jest.spyOn(Session.prototype, 'emptyRoom').mockReturnValue(Infinity),
    jest.spyOn(OpenRows.prototype, 'mayBeAny').mockReturnValue(true),
    jest.spyOn(PodsOnNodes.prototype, 'isForlorn').mockReturnValue(false),
    jest.spyOn(PodsOnNodes.prototype, 'concerns').mockImplementation(function (this: PodsOnNodes) {
      return this.active;
    }),
  ];
  try {
    return work();
  } finally {
    spies.forEach((spy) => spy.mockRestore());
  }
}

function textOf({ bindings, nominations, evictions, reservations }: Decision): string {
  return JSON.stringify({ bindings, nominations, evictions, reservations }, undefined, 1);
}

test('the first pods that want a port of their nodes are kept apart, in a session that had none before', () => {
  const session = new Session(cluster([node('a', 0)], []), DEFAULT_POLICY);
  decideIn(session, NOTHING);
  const ports = gang('ports', 2, template(0, { hostPorts: [{ port: 8000 }] }), { minimum: 1 });
  session.apply({ kind: 'gang', gang: ports });
  expect(decideIn(session, NOTHING).bindings.map(({ pod }) => pod)).toEqual(['ports-worker-0']);
});

test('a shape that comes later is kept off by pods that run already', () => {
  const off = { topologyKey: 'kubernetes.io/hostname', selector: { labels: [] } };
  const alone = gang('alone', 1, template(0, { podAntiAffinity: [off] }));
  const session = new Session(cluster([node('a', 0)], [alone], [running('alone', 'a')]), DEFAULT_POLICY);
  decideIn(session, NOTHING);
  session.apply({ kind: 'gang', gang: gang('late', 1, template(0, { request: { cpu: 1 } })) });
  expect(decideIn(session, NOTHING).bindings).toEqual([]);
});

test('what is left out has no place, also after everything else has started', () => {
  let leftOut = 0;
  fc.assert(
    fc.property(historiesWith(3), ({ world, steps }) => {
      const follower = new Follower(world);
      for (const one of steps) {
        take(follower, one);
        leftOut += checkLeftOut(follower.session, DEFAULT_POLICY);
      }
    }),
    { numRuns: RUNS, seed: SEED },
  );
  expect(leftOut).toBeGreaterThan(RUNS);
}, 600_000);

test('a session that has seen them for long decides as one that sees them for the first time', () => {
  fc.assert(
    fc.property(historiesWith(3), ({ world, steps }) => {
      const follower = new Follower(world);
      for (const one of steps) {
        take(follower, one);
        const { session } = follower;
        const scratch = new Session(session.snapshot, session.policy);
        expect(textOf(decideIn(session, NOTHING))).toEqual(textOf(decideIn(scratch, NOTHING)));
      }
    }),
    { numRuns: RUNS, seed: SEED },
  );
}, 600_000);

test('in one queue, decisions are those that look at each gang and each node', () => {
  fc.assert(
    fc.property(historiesWith(1), ({ world, steps }) => {
      const follower = new Follower(world);
      for (const one of steps) {
        take(follower, one);
        const { session } = follower;
        const decision = textOf(decideIn(session, NOTHING));
        const scratch = new Session(session.snapshot, session.policy);
        expect(decision).toEqual(withoutShortcuts(() => textOf(decideIn(scratch, NOTHING))));
      }
    }),
    { numRuns: RUNS, seed: SEED },
  );
}, 600_000);

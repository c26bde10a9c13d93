/**
 * Gangs that cannot run are left out of decisions until something that could help them has changed. A gang that could run and is not looked at
 * is the worst that can happen: three oracles look for one, over random histories of clusters with hostile gangs.
 */
import * as fc from 'fast-check';
import {
  type ClusterNode,
  DEFAULT_POLICY,
  type Decision,
  type Gang,
  type Policy,
  type Queue,
} from '../../src/placement';
import { type GangRecord } from '../../src/placement/books/records';
import { Session } from '../../src/placement/books/session';
import { allocate } from '../../src/placement/cycle/allocate';
import { Cycle } from '../../src/placement/cycle/cycle';
import { Parking } from '../../src/placement/cycle/parking';
import { decideIn } from '../../src/placement/engine';
import { type Delta } from '../../src/placement/model/facts';
import { EmptyRooms } from '../../src/placement/nodes/empty-node';
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

interface Moment {
  readonly pick: number;
  readonly now: number;
  readonly queues: readonly Queue[];
  readonly node: ClusterNode | undefined;
  readonly waiting: Gang | undefined;
}

/** Ways to wake gangs beside those of other histories. */
const OWN = {
  relabel: ({ waiting, pick }) => waiting && { kind: 'gang', gang: relabeled(waiting, pick) },
  quota: ({ queues, pick }) => ({ kind: 'queue', queue: otherQuota(queues[pick % queues.length], pick) }),
  // What others wait for comes as a gang that may start in the same decision.
  near: ({ pick, now }) => ({ kind: 'gang', gang: wantedGang(`near${pick}`, pick, now) }),
  'foreign-near': ({ node: on, pick }) => on && { kind: 'pod', pod: wantedPod(`foreign${pick % 3}`, on.name, pick) },
  'larger-node': ({ node: one, pick }) => one && { kind: 'node', node: largerNode(one, pick) },
  'queue-comes': ({ pick }) => ({ kind: 'queue', queue: { name: `q${pick % 4}`, arrival: pick % 4 } }),
  'queue-goes': ({ queues, pick }) =>
    queues.length > 1 ? { kind: 'queue-gone', name: queues[pick % queues.length].name } : undefined,
} satisfies Readonly<Record<string, (moment: Moment) => Delta | undefined>>;

const OF_OTHERS = [
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
  'foreign-gone',
] as const;

type OwnKind = keyof typeof OWN;
type Kind = OwnKind | (typeof OF_OTHERS)[number];

const WAKING: readonly Kind[] = [...OF_OTHERS, ...(Object.keys(OWN) as OwnKind[])];

/** With one queue, there stays one. */
function stepIn(queues: number): fc.Arbitrary<{ readonly kind: Kind; readonly pick: number }> {
  const kinds = WAKING.filter((kind) => queues > 1 || !kind.startsWith('queue-'));
  return fc.record({ kind: fc.constantFrom(...kinds), pick: fc.nat(1_000_000) });
}

function historiesWith(queues: number): fc.Arbitrary<{
  readonly world: ReturnType<typeof hostileWorlds> extends fc.Arbitrary<infer T> ? T : never;
  readonly steps: readonly { readonly kind: Kind; readonly pick: number }[];
}> {
  return fc.record({ world: hostileWorlds(queues), steps: fc.array(stepIn(queues), { minLength: 6, maxLength: 30 }) });
}

function take(follower: Follower, { kind, pick }: { readonly kind: Kind; readonly pick: number }): void {
  if (!isOwn(kind)) {
    follower.take({ kind, pick });
    return;
  }
  const { session } = follower;
  const { gangs, queues, pods, nodes } = session.snapshot;
  const waiting = gangs.filter(({ name }) => !pods.some((pod) => pod.gang === name));
  const delta = OWN[kind]({
    pick,
    now: session.now,
    queues,
    node: nodes[pick % Math.max(1, nodes.length)],
    waiting: waiting[pick % Math.max(1, waiting.length)],
  });
  session.apply(...(delta === undefined ? [] : [delta]));
}

function isOwn(kind: Kind): kind is OwnKind {
  return Object.hasOwn(OWN, kind);
}

function nameOf({ gang }: GangRecord): string {
  return gang.name;
}

/** @throws where the gang has a place after all, found without the shortcuts that are to be checked */
function placedByHand(cycle: Cycle, gang: GangRecord): void {
  const { session } = cycle;
  const first = gang.placed > 0 ? undefined : turnOf(session, gang);
  for (const turn of first === undefined ? [] : [first, ...otherTurns(session, first)]) {
    const mark = session.ledger.mark();
    const fits = withoutShortcuts(() => cycle.mayHave(turn) && cycle.placer.place(gang.root, turn.pods));
    session.ledger.rollback(mark);
    if (fits) {
      throw new Error(`${nameOf(gang)} was left out and has a place`);
    }
  }
}

/** Places by hand what still sleeps when a decision begins. @returns how many sleep */
function checkAsleep(session: Session): number {
  session.begin();
  const cycle = new Cycle(session, session.scoring(Selector));
  const { sleeping } = session.sleepers;
  sleeping.forEach((gang) => placedByHand(cycle, gang));
  session.rewind();
  return sleeping.length;
}

/** Starts what fits, and then places by hand what was left out. @returns how many were left out */
function checkLeftOut(session: Session, policy: Policy): number {
  session.apply({ kind: 'policy', policy: { ...policy, actions: ['allocate'] } });
  session.begin();
  const cycle = new Cycle(session, session.scoring(Selector));
  const tried = new Set(allocate(cycle, false));
  const leftOut = [
    ...cycle.parked.lines.flatMap(({ gangs }) => gangs),
    ...cycle.parked.singles,
    // Those that others might have helped were looked at.
    ...session.sleepers.sleeping.filter((gang) => !tried.has(gang)),
  ];
  leftOut.forEach((gang) => placedByHand(cycle, gang));
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
    jest.spyOn(EmptyRooms.prototype, 'holds').mockReturnValue(true),
    jest.spyOn(EmptyRooms.prototype, 'isNone').mockReturnValue(false),
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
  let asleep = 0;
  fc.assert(
    fc.property(historiesWith(3), ({ world, steps }) => {
      const follower = new Follower(world);
      for (const one of steps) {
        take(follower, one);
        const { session } = follower;
        asleep += checkAsleep(session);
        const scratch = new Session(session.snapshot, session.policy);
        expect(textOf(decideIn(session, NOTHING))).toEqual(textOf(decideIn(scratch, NOTHING)));
      }
    }),
    { numRuns: RUNS, seed: SEED },
  );
  expect(asleep).toBeGreaterThan(RUNS);
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

/**
 * The question that is kept from cycle to cycle against the one that is worked out from scratch, after random changes of a small world.
 */
import { firstDifference } from '../../../src/placement/cycle/compare-books';
import { DEFAULT_POLICY, type Snapshot } from '../../../src/placement';
import { decideIn } from '../../../src/placement/engine';
import { Session } from '../../../src/placement/books/session';
import { type JsonObject } from '../../../src/facts/api/schema';
import { type CollectionName } from '../../../src/planning/scheduler-settings/collections';
import { DEFAULT_CONFIGURATION } from '../../../src/planning/scheduler-settings/configuration';
import { Assumptions } from '../../../src/runtime/kubernetes/assumptions';
import { Feed } from '../../../src/runtime/kubernetes/world/feed';
import { question } from '../../../src/runtime/kubernetes/world/snapshot';
import { World } from '../../../src/runtime/kubernetes/world/world';
import { seeded } from '../../support/api-server/faults';
import { NODE, NOW, pod, Source } from './watched-source';

const SEEDS = Number(process.env.GANTRY_RANDOM_FEEDS ?? 12);
const STEPS = 60;

class RandomWorld {
  readonly source = new Source();
  readonly world = new World(this.source, {
    ...DEFAULT_CONFIGURATION,
    handOver: { timeoutSeconds: 30, guarded: true },
  });
  private monotonic = 0;
  readonly assumptions = new Assumptions({ monotonic: () => this.monotonic, wall: () => NOW });
  readonly feed = new Feed(this.world, this.assumptions);
  private readonly random: () => number;

  constructor(seed: number) {
    this.random = seeded(seed);
  }

  get moment(): { now: number; settleMilliseconds: number } {
    return { now: NOW + this.monotonic, settleMilliseconds: 1000 };
  }

  private upTo(most: number): number {
    return Math.floor(this.random() * most);
  }

  private pick<T>(list: readonly T[]): T {
    return list[this.upTo(list.length)];
  }

  private maybe<T>(value: T): T | undefined {
    return this.random() < 0.5 ? value : undefined;
  }

  step(): void {
    this.monotonic += this.pick([0, 0, 50, 700, 5000, 70_000]);
    for (let changes = 1 + this.upTo(4); changes > 0; changes--) {
      this.pick(this.changes)();
    }
  }

  private readonly changes: readonly (() => void)[] = [
    () => this.putPod(),
    () => this.putPod(),
    () => this.putPod(),
    () => this.removeOne('pods'),
    () => this.assume(),
    () => this.assume(),
    () => this.putNode(),
    () => this.source.put('nodes', this.node(`n-${this.upTo(3)}`)),
    () => this.removeOne('nodes'),
    () => this.putGroup('volcanoPodGroups'),
    () => this.putGroup('nativePodGroups'),
    () => this.removeOne('volcanoPodGroups'),
    () => this.putQueue(),
    () => this.removeOne('volcanoQueues'),
    () => this.putBudget(),
    () => this.removeOne('podDisruptionBudgets'),
    () => this.source.put('priorityClasses', { metadata: { name: 'high' }, value: this.upTo(100) }),
    () => this.putNamespace(),
    () => this.world.configure({ ...this.world.configuration, defaultQueue: this.pick(['default', 'a']) }),
    () => this.assumptions.clear(),
  ];

  private putPod(): void {
    const index = this.upTo(12);
    const gang = this.maybe(this.pick(['a', 'b', 'x']));
    const group = gang === undefined ? this.maybe(this.pick(['x', 'podgroup/x', 'c'])) : undefined;
    const isOther = this.random() < 0.2;
    this.source.put(
      'pods',
      pod(`p-${index}`, {
        gang,
        minimum: this.maybe(1 + this.upTo(3)),
        ageSeconds: this.pick([0, 1, 60, 600]),
        labels: { ...(this.random() < 0.3 && { 'gantry.dev/queue': this.pick(['a', 'b', 'nowhere']) }), app: 'x' },
        annotations: {
          ...(group !== undefined && { 'scheduling.k8s.io/group-name': group }),
          ...(this.random() < 0.2 && { 'gantry.dev/devices': '0' }),
        },
        spec: {
          ...(isOther && { schedulerName: 'other' }),
          ...(this.random() < 0.15 && { schedulingGates: [{ name: 'gantry.dev/placement' }] }),
          ...(this.random() < 0.1 && { schedulingGates: [{ name: 'other/gate' }] }),
          ...(this.random() < 0.2 && { priorityClassName: 'high' }),
        },
        node: this.maybe(`n-${this.upTo(3)}`),
        phase: this.pick(['Pending', 'Running', 'Running', 'Succeeded', 'Failed']),
        leaving: this.random() < 0.1,
        uid: `uid-${index}-${this.upTo(2)}`,
      }),
    );
  }

  private removeOne(collection: CollectionName): void {
    const keys = [...this.source.all(collection).keys()];
    if (keys.length > 0) {
      this.source.remove(collection, this.pick(keys));
    }
  }

  private node(name: string): JsonObject {
    return { ...NODE, metadata: { name, labels: { rack: this.pick(['r-0', 'r-1']) } } };
  }

  /** With or without a report of devices, and ready or not. */
  private putNode(): void {
    const report = {
      'nvidia.com/gpu': { [`uid-${this.upTo(12)}-0`]: [this.upTo(10)], [`uid-${this.upTo(12)}-1`]: [1] },
    };
    const name = `n-${this.upTo(3)}`;
    const status = this.random() < 0.3 ? 'False' : 'True';
    this.source.put('nodes', {
      ...NODE,
      metadata: { name, labels: {}, annotations: { 'gantry.dev/allocated-devices': JSON.stringify(report) } },
      status: { ...(NODE.status as JsonObject), conditions: [{ type: 'Ready', status }] },
    });
  }

  private putGroup(collection: CollectionName): void {
    const name = this.pick(['x', 'c']);
    this.source.put(collection, {
      metadata: { namespace: 'default', name, creationTimestamp: new Date(NOW).toISOString() },
      spec: { minMember: 1 + this.upTo(4), ...(this.random() < 0.3 && { queue: 'b' }) },
      status: { phase: this.pick(['', 'Pending', 'Running']) },
    });
  }

  private putQueue(): void {
    const name = this.pick(['a', 'b']);
    const parent = this.maybe(this.pick(['a', 'b', 'root']));
    const annotations: JsonObject =
      this.random() < 0.3 ? { 'gantry.dev/namespaces': this.pick(['default', 'other']) } : {};
    this.source.put('volcanoQueues', {
      metadata: { name, annotations },
      spec: { weight: 1 + this.upTo(3), ...(parent !== undefined && parent !== name && { parent }) },
    });
  }

  private putBudget(): void {
    this.source.put('podDisruptionBudgets', {
      metadata: { namespace: 'default', name: 'budget' },
      spec: { selector: { matchLabels: { app: this.pick(['x', 'y']) } } },
      status: { disruptionsAllowed: this.upTo(3) },
    });
  }

  private putNamespace(): void {
    const annotations: JsonObject =
      this.random() < 0.5 ? { 'scheduling.volcano.sh/queue-name': this.pick(['a', 'b']) } : {};
    this.source.put('namespaces', { metadata: { name: 'default', annotations } });
  }

  private assume(): void {
    const { assumptions } = this;
    const uid = `uid-${this.upTo(12)}-${this.upTo(2)}`;
    const gang = this.pick([...this.world.gangs.keys(), 'none']);
    this.pick([
      () => assumptions.place(uid, { node: `n-${this.upTo(3)}`, devices: [] }),
      () => assumptions.unplace(uid),
      () => assumptions.leave(uid),
      () => assumptions.stay(uid),
      () => assumptions.protect(uid, 3000),
      () => assumptions.refuse(uid, 2000, 'refused'),
      () => assumptions.avoid(gang, 'n-1', 60_000),
    ])();
  }
}

/** In the order of names; the order of a snapshot means nothing. */
function sorted({ nodes, queues, gangs, pods, topologies, now }: Snapshot): object {
  const by = <T extends { readonly name: string }>(list: readonly T[]): readonly T[] =>
    [...list].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { now, nodes: by(nodes), queues: by(queues), gangs: by(gangs), pods: by(pods), topologies };
}

describe.each(Array.from({ length: SEEDS }, (_, i) => i + 1))('random changes, seed %i', (seed) => {
  it('leave the kept question and its books as those worked out from scratch', () => {
    const random = new RandomWorld(seed);
    const { feed, world, assumptions } = random;
    let session: Session | undefined;
    for (let step = 0; step < STEPS; step++) {
      random.step();
      const { moment } = random;
      const deltas = feed.deltas(moment);
      const scratch = question(world, assumptions, moment);
      expect(sorted(feed.snapshot(moment))).toEqual(sorted(scratch.snapshot));
      const byGang = (a: { gang: string }, b: { gang: string }): number => (a.gang < b.gang ? -1 : 1);
      // How long a gang still settles is known as of the moment when it was looked at.
      const facts = (list: typeof feed.held): object =>
        [...list].sort(byGang).map(({ gang, kind, message, queue }) => ({ gang, kind, message, queue }));
      expect(facts(feed.held)).toEqual(facts(scratch.held));
      if (session === undefined) {
        session = new Session(feed.snapshot(moment), DEFAULT_POLICY);
      } else {
        session.apply(...deltas);
      }
      expect(firstDifference(session, new Session(scratch.snapshot, DEFAULT_POLICY))).toBeUndefined();
      decideIn(session);
    }
  });
});

it('nothing is worked out again where nothing changed', () => {
  const { feed, moment, world, source } = new RandomWorld(1);
  source.put('nodes', NODE);
  source.put('pods', pod('a', { gang: 'g', minimum: 1 }));
  source.put('pods', pod('b', { gang: 'h', minimum: 1 }));
  feed.deltas(moment);
  expect(feed.deltas(moment)).toEqual([{ kind: 'time', now: moment.now }]);
  const looked = jest.spyOn(world, 'queueOf');
  source.put('pods', pod('a', { gang: 'g', minimum: 1, node: 'n-1', phase: 'Running' }));
  expect(feed.deltas(moment).map(({ kind }) => kind)).toEqual(['time', 'pod']);
  expect(new Set(looked.mock.calls.map(([members]) => members.name))).toEqual(new Set(['default/g']));
});

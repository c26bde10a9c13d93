/**
 * The question that is kept from cycle to cycle against the one that is worked out from scratch, after random changes of a small world.
 */
import { firstDifference } from '../../../src/placement/cycle/compare-books';
import { DEFAULT_POLICY, type Snapshot } from '../../../src/placement';
import { type JsonObject } from '../../../src/facts/api/schema';
import { decideIn } from '../../../src/placement/engine';
import { Session } from '../../../src/placement/books/session';
import { claimsOf, question } from '../../../src/runtime/kubernetes/world/snapshot';
import { ChangingWorld } from './changing-world';
import { NODE, pod } from './watched-source';
import { samples } from '../../support/samples';

const SEEDS = samples(48);
const STEPS = 60;

/** In the order of names; the order of a snapshot means nothing. */
function sorted({ nodes, queues, gangs, pods, topologies, now }: Snapshot): object {
  const by = <T extends { readonly name: string }>(list: readonly T[]): readonly T[] =>
    [...list].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { now, nodes: by(nodes), queues: by(queues), gangs: by(gangs), pods: by(pods), topologies };
}

const RANDOM = Array.from({ length: SEEDS }, (_, i) => i + 1).flatMap((seed) =>
  [false, true].map((claims) => ({ seed, claims })),
);

describe.each(RANDOM)('random changes, seed $seed, claims: $claims', ({ seed, claims }) => {
  it('leave the kept question and its books as those worked out from scratch', () => {
    const random = new ChangingWorld(seed, { claims });
    const { feed, world, assumptions } = random;
    let session: Session | undefined;
    for (let step = 0; step < STEPS; step++) {
      random.step();
      const { moment } = random;
      const deltas = feed.deltas(moment);
      const scratch = question(world, assumptions, moment);
      expect(sorted(feed.snapshot(moment))).toEqual(sorted(scratch.snapshot));
      // Nothing about claims changes where everything is looked at again.
      world.devices.forget();
      expect(claimsOf(world, assumptions)).toBe(feed.snapshot(moment).deviceClaims);
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

it('everything is brought again after it was forgotten', () => {
  const { feed, moment, source } = new ChangingWorld(1);
  source.put('nodes', NODE);
  source.put('kueueTopologies', {
    metadata: { name: 'racks' },
    spec: { levels: [{ nodeLabel: 'rack' }, { nodeLabel: 'kubernetes.io/hostname' }] },
  });
  source.put('pods', pod('a', { gang: 'g', minimum: 1 }));
  source.put('pods', pod('other', { node: 'n-1', spec: { schedulerName: 'default-scheduler' } }));
  const first = feed.deltas(moment);
  expect(new Set(first.map(({ kind }) => kind))).toEqual(
    new Set(['time', 'node', 'topologies', 'queue', 'gang', 'pod']),
  );
  feed.reset();
  expect(feed.deltas(moment)).toEqual(first);
});

it('nothing is worked out again where nothing changed', () => {
  const { feed, moment, world, source } = new ChangingWorld(1);
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

it('a gang of a PodGroup is brought again when its namespace names another queue', () => {
  const { feed, moment, source } = new ChangingWorld(1);
  source.put('schedulerPluginsPodGroups', { metadata: { namespace: 'default', name: 'pg' }, spec: { minMember: 1 } });
  source.put('pods', pod('a', { labels: { 'scheduling.x-k8s.io/pod-group': 'pg' } }));
  const queueOf = (): unknown =>
    feed.deltas(moment).flatMap((delta) => (delta.kind === 'gang' ? [delta.gang.queue] : []));
  expect(queueOf()).toEqual(['default']);
  const annotations = { 'scheduling.volcano.sh/queue-name': 'research' };
  source.put('namespaces', { metadata: { name: 'default', annotations } });
  expect(queueOf()).toEqual(['research']);
});

it('a LocalQueue of Kueue is read as the queue with the name of its ClusterQueue, where there is one', () => {
  const { feed, moment, source, world } = new ChangingWorld(1);
  const localQueue = (namespace: string, clusterQueue: string): void =>
    source.put('kueueLocalQueues', { metadata: { namespace, name: 'team' }, spec: { clusterQueue } });
  source.put('pods', pod('a', { labels: { 'kueue.x-k8s.io/queue-name': 'team' } }));
  const queueOf = (): readonly string[] =>
    feed.deltas(moment).flatMap((delta) => (delta.kind === 'gang' ? [delta.gang.queue] : []));
  expect(queueOf()).toEqual(['default']);
  // Quota is Kueue's alone as long as no queue has the name.
  localQueue('default', 'research');
  expect(queueOf()).toEqual([]);
  source.put('volcanoQueues', { metadata: { name: 'research' }, spec: { weight: 1 } });
  expect(queueOf()).toEqual(['research']);
  // That of another namespace says nothing.
  localQueue('other', 'default');
  expect(queueOf()).toEqual([]);
  localQueue('default', 'unknown');
  expect(queueOf()).toEqual(['default']);
  localQueue('default', 'research');
  expect(queueOf()).toEqual(['research']);
  source.remove('kueueLocalQueues', 'default/team');
  expect(queueOf()).toEqual(['default']);
  localQueue('default', 'research');
  // Who may use a queue is said by the queue.
  const annotations = { 'gantry.dev/namespaces': 'others' };
  source.put('volcanoQueues', { metadata: { name: 'research', annotations }, spec: { weight: 1 } });
  expect(queueOf()).toEqual([]);
  expect(feed.held).toMatchObject([{ kind: 'queue-not-allowed' }]);
  world.configure({ ...world.configuration, queues: [{ name: 'research' }] });
  expect(queueOf()).toEqual(['research']);
});

it('says how long it takes until time alone changes something, and that what is due is not waited for', () => {
  const { feed, moment, source, world } = new ChangingWorld(1);
  source.put('nodes', NODE);
  expect(feed.nextIn(moment.now)).toBe(Infinity);
  source.put('pods', pod('a', { gang: 'g', minimum: 1 }));
  world.gangNamed('default/g')!.setAside('a bad role', moment.now);
  feed.deltas(moment);
  expect([0, 59_999, 60_000, 70_000].map((later) => feed.nextIn(moment.now + later))).toEqual([60_000, 1, 0, 0]);
  const later = { ...moment, now: moment.now + 60_000 };
  expect(feed.held).toHaveLength(1);
  feed.deltas(later);
  expect(feed.held).toEqual([]);
  expect(feed.nextIn(later.now)).toBe(Infinity);
});

it('pods that share a claim are brought again when devices are assumed for it', () => {
  const { feed, moment, source, world } = new ChangingWorld(1);
  const resourceClaims = [{ name: 'gpu', resourceClaimName: 'c' }];
  source.put('resourceClaims', {
    metadata: { name: 'c', namespace: 'default', uid: 'uid-c' },
    spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpus' } }] } },
  });
  source.put('pods', pod('a', { gang: 'g', minimum: 1, spec: { schedulerName: 'gantry', resourceClaims } }));
  const broughtPod = (): unknown => feed.deltas(moment).find(({ kind }) => kind === 'pod');
  expect(broughtPod()).not.toHaveProperty('pod.claims');
  world.devices.assumed.assume('claim:default/c', { uid: 'uid-c', devices: [], node: 'n-1', pods: new Set(['other']) });
  expect(broughtPod()).toHaveProperty('pod.claims', ['claim:default/c']);
  world.devices.assumed.forget('claim:default/c');
  expect(broughtPod()).not.toHaveProperty('pod.claims');
});

it('of slices and claims, those that changed are brought, and each that is deleted once', () => {
  const { feed, moment, source } = new ChangingWorld(1);
  const slice = (node: string, devices: readonly string[], labels: JsonObject = {}): void =>
    source.put('resourceSlices', {
      metadata: { name: `slice-of-${node}`, labels },
      spec: {
        driver: 'gpu.example.com',
        nodeName: node,
        pool: { name: node, generation: 1, resourceSliceCount: 1 },
        devices: devices.map((name) => ({ name })),
      },
    });
  const claim = (name: string, count: number, devices: JsonObject[] = []): void =>
    source.put('resourceClaims', {
      metadata: { name, namespace: 'default', uid: `uid-${name}` },
      spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpus', count } }] } },
      status: { devices },
    });
  const brought = (): readonly string[] =>
    feed.deltas(moment).flatMap((delta) => {
      if (delta.kind === 'slice') {
        return [`slice ${delta.slice.name}`];
      }
      if (delta.kind === 'slice-gone') {
        return [`gone: slice ${delta.name}`];
      }
      return delta.kind === 'claim' || delta.kind === 'claim-gone' ? [`${delta.kind} ${delta.key}`] : [];
    });
  slice('n-0', ['gpu-0']);
  slice('n-1', ['gpu-0']);
  claim('a', 1);
  claim('b', 1);
  expect(brought()).toEqual([
    'slice slice-of-n-0',
    'slice slice-of-n-1',
    'claim claim:default/a',
    'claim claim:default/b',
  ]);
  // What drivers and users write beside says nothing new.
  slice('n-1', ['gpu-0'], { team: 'research' });
  claim('a', 1, [{ driver: 'gpu.example.com', pool: 'n-0', device: 'gpu-0' }]);
  expect(brought()).toEqual([]);
  slice('n-0', ['gpu-0', 'gpu-1']);
  claim('b', 2);
  expect(brought()).toEqual(['slice slice-of-n-0', 'claim claim:default/b']);
  source.remove('resourceSlices', 'slice-of-n-1');
  source.remove('resourceClaims', 'default/a');
  expect(brought()).toEqual(['gone: slice slice-of-n-1', 'claim-gone claim:default/a']);
  claim('b', 1);
  expect(brought()).toEqual(['claim claim:default/b']);
  source.remove('resourceClaims', 'default/b');
  source.remove('resourceSlices', 'slice-of-n-0');
  expect(brought()).toEqual(['gone: slice slice-of-n-0', 'claim-gone claim:default/b']);
});

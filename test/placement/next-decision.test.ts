/**
 * What a decision starts, the next one does not evict: one small world for each way in which the next decision may come to something else than
 * what a decision expects of it.
 */
import {
  type ClusterNode,
  decide,
  DEFAULT_POLICY,
  type Gang,
  type Pod,
  type PodTemplate,
  type Policy,
  type Queue,
  type Role,
  type Snapshot,
} from '../../src/placement';
import { node, NOW } from './builders';
import { apply } from './guarantees';
import { asking, divided } from './repartition';
import { MINUTE } from './worlds';

type Accelerator = NonNullable<PodTemplate['accelerator']>;
const whole = (count: number): Accelerator => ({ kind: 'whole', count });
const HALF: Accelerator = { kind: 'fraction', milli: 500, count: 1 };

const role = (name: string, count: number, accelerator: Accelerator, minimum = count, cpu = 1_000): Role => ({
  name,
  count,
  minimum,
  template: { request: { cpu, memory: 1e9 }, accelerator },
});

const gangOf = (name: string, queue: string, roles: readonly Role[], more: Partial<Gang> = {}): Gang => ({
  name,
  queue,
  roles,
  ...more,
});

const withDevices = (name: string, devices: number, cpu = 32_000, rack?: string): ClusterNode => {
  const one = node(name, devices, { devices: Array.from({ length: devices }, () => ({ memoryMiB: 80_000 })) });
  return {
    ...one,
    allocatable: { ...one.allocatable, cpu },
    ...(rack === undefined ? {} : { labels: { rack, zone: 'z' } }),
  };
};

/** `gang/role/index on node:devices` of a pod that has been running for ten minutes. */
const runs = (text: string): Pod => {
  const [, of, inRole, index, on, devices] = /^(.+)\/(.+)\/(\d+) on (.+):(.*)$/.exec(text)!;
  return {
    name: `${of}-${inRole}-${index}`,
    gang: of,
    role: inRole,
    node: on,
    devices: devices.split(',').map(Number),
    state: 'running',
    startedAt: NOW - 10 * MINUTE,
  };
};

const worldOf = (
  nodes: readonly ClusterNode[],
  gangs: readonly Gang[],
  pods: readonly string[],
  queues: Snapshot['queues'] = [{ name: 'first' }, { name: 'second' }],
): Snapshot => ({ now: NOW, nodes, queues, gangs, pods: pods.map(runs) });

/** Pods that the decision starts, and those of them that the next one evicts for good. */
function startedAndLost(
  snapshot: Snapshot,
  policy: Partial<Policy> = {},
  nodes: readonly ClusterNode[] = snapshot.nodes,
): { readonly started: readonly string[]; readonly lost: readonly string[] } {
  const first = decide(snapshot, { ...DEFAULT_POLICY, ...policy });
  const next = decide({ ...snapshot, nodes, pods: apply(snapshot, first) }, { ...DEFAULT_POLICY, ...policy });
  const started = first.bindings.map(({ pod }) => pod);
  const lost = next.evictions.filter(({ pod, movesTo }) => movesTo === undefined && started.includes(pod));
  return { started, lost: lost.map(({ pod }) => pod) };
}

const SPREAD: Partial<Policy> = { nodeScore: 'spread' };

describe('what a decision starts is not evicted by the next one', () => {
  it('for a gang with a pod that this decision moves, which is its last pod then and goes first', () => {
    const snapshot = worldOf(
      [withDevices('a', 8, 6_000, 'r'), withDevices('b', 4), withDevices('c', 4, 32_000, 'r')],
      [
        gangOf('back', 'first', [role('worker', 1, whole(2))]),
        gangOf('fixed', 'first', [role('worker', 1, whole(2), 1, 3_000)], { preemptible: false }),
        gangOf('grows', 'first', [role('head', 1, whole(1)), role('worker', 3, whole(2), 1)], {
          priority: 50,
          topology: { preferred: 'rack' },
        }),
        gangOf('one', 'second', [role('worker', 1, whole(1))]),
        gangOf('other', 'second', [role('worker', 1, whole(1))]),
        gangOf('quad', 'second', [role('worker', 1, whole(4), 0)]),
        gangOf('short', 'second', [role('worker', 1, whole(2), 1, 3_000)], { expectedSeconds: 600 }),
      ],
      ['grows/worker/0 on b:0,1', 'grows/worker/1 on a:4,5', 'grows/worker/2 on a:6,7', 'other/worker/0 on b:3'],
    );
    const pods = snapshot.pods.map((pod) => (pod.name === 'grows-worker-0' ? { ...pod, startedAt: NOW - 1_000 } : pod));
    const { started, lost } = startedAndLost({ ...snapshot, pods }, { ...SPREAD, moveIntervalSeconds: 0 });
    expect(started).toContain('one-worker-0');
    expect(lost).toEqual([]);
  });

  it('while it has its minimum running time, whatever the decision after the next one would do without that', () => {
    const snapshot = worldOf(
      [withDevices('a', 4), withDevices('b', 4, 6_000, 'r'), withDevices('c', 4, 6_000, 'r')],
      [
        gangOf('early', 'first', [role('extra', 1, HALF, 0), role('worker', 2, HALF)], {
          arrival: NOW,
          minimumRuntimeSeconds: 150,
          preemptionDelaySeconds: 90,
        }),
        gangOf('high', 'first', [role('part', 4, HALF, 1, 3_000), role('worker', 2, whole(1), 1)], {
          priority: 50,
          topology: { preferred: 'rack' },
        }),
        gangOf('other', 'second', [role('part', 2, HALF, 1), role('worker', 4, whole(2), 1)]),
      ],
      [],
      [
        { name: 'first', weight: 2 },
        { name: 'second', weight: 3 },
      ],
    );
    const { started, lost } = startedAndLost(snapshot, { queueOrder: 'weight', nodeScore: 'spread-devices' });
    expect(started).toEqual(expect.arrayContaining(['early-worker-0', 'high-worker-0', 'other-worker-0']));
    expect(lost).toEqual([]);
  });

  it('for a gang that had all of its pods and loses them in this decision', () => {
    const snapshot = worldOf(
      [withDevices('a', 4, 6_000), withDevices('b', 2), withDevices('c', 4)],
      [
        gangOf('displaced', 'second', [role('part', 2, HALF), role('worker', 3, whole(1), 2)]),
        gangOf('elastic', 'first', [role('pair', 1, whole(2)), role('worker', 3, whole(1), 0)]),
        gangOf('high', 'second', [role('part', 2, HALF, 2, 3_000), role('more', 1, HALF)], { priority: 100 }),
        gangOf('low', 'first', [role('part', 1, HALF, 0)]),
      ],
      [
        'displaced/part/1 on a:0',
        'displaced/part/2 on a:1',
        'displaced/worker/0 on c:0',
        'displaced/worker/1 on c:1',
        'displaced/worker/2 on a:2',
        'elastic/worker/0 on c:2',
        'elastic/worker/1 on a:3',
        'elastic/worker/2 on c:3',
      ],
    );
    const { started, lost } = startedAndLost(snapshot, SPREAD);
    expect(started).toEqual(['elastic-pair-0']);
    expect(lost).toEqual([]);
  });

  it('for a gang of which this decision evicts the last pod, as it has had too few for too long', () => {
    const snapshot = worldOf(
      [withDevices('a', 1), withDevices('b', 4)],
      [
        gangOf('able', 'second', [role('head', 1, whole(1)), role('worker', 2, whole(1), 1)]),
        gangOf('broken', 'first', [role('pair', 1, whole(2)), role('worker', 1, whole(1))]),
      ],
      ['broken/worker/0 on b:3'],
    );
    const { started, lost } = startedAndLost(snapshot, { ...SPREAD, staleGangSeconds: 0 });
    expect(started).toEqual(['able-head-0', 'able-worker-0']);
    expect(lost).toEqual([]);
  });

  it('for a gang that goes first then, as another one that this decision starts wants more pods', () => {
    const THIRD: Accelerator = { kind: 'fraction', milli: 300, count: 1 };
    const quota = (gpus: number): Queue['deserved'] => ({
      'nvidia.com/gpu': gpus,
      cpu: 'unlimited',
      memory: 'unlimited',
    });
    const snapshot = worldOf(
      [withDevices('a', 2, 6_000), withDevices('b', 8, 6_000)],
      [
        gangOf('a-half', 'first', [role('worker', 3, HALF, 2)]),
        gangOf('b-single', 'second', [role('head', 1, whole(1)), role('worker', 1, THIRD)], { preempts: false }),
        gangOf('c-large', 'second', [role('head', 2, THIRD), role('worker', 3, whole(2), 2)], { priority: 50 }),
        gangOf('d-brief', 'first', [role('worker', 2, THIRD, 1), role('pair', 1, whole(2), 0)], {
          expectedSeconds: 30,
        }),
        gangOf('e-never', 'first', [role('worker', 3, whole(1))], { priority: 100 }),
        gangOf('f-grows', 'first', [role('worker', 1, whole(2)), role('more', 1, whole(2), 0)], { priority: 100 }),
      ],
      ['a-half/worker/0 on b:0', 'a-half/worker/1 on b:0', 'a-half/worker/2 on b:1', 'd-brief/worker/0 on b:1'],
      [
        {
          name: 'first',
          deserved: quota(2),
          guarantee: { 'nvidia.com/gpu': 1 },
          capability: { 'nvidia.com/gpu': 4 },
        },
        { name: 'second', deserved: quota(0), reclaimable: false },
      ],
    );
    const pods = snapshot.pods.map((pod) => ({ ...pod, startedAt: NOW }));
    const { started, lost } = startedAndLost({ ...snapshot, pods }, SPREAD);
    expect(started).toContain('c-large-worker-0');
    expect(lost).toEqual([]);
  });

  describe('as soon as a node has the MIG configuration that is being applied to it', () => {
    const of = (name: string, queue: string, asks: '2g.12gb' | '4g.24gb', each: number): Gang =>
      asking(name, { asks, count: 1, each, cpu: 1 }, { queue });
    const before: Snapshot = {
      now: NOW,
      nodes: [{ ...divided('a', 1, 'all-disabled'), migChange: 'all-2g.12gb' }, divided('b', 2, 'all-4g.24gb')],
      queues: [{ name: 'first' }, { name: 'second' }],
      // Once `next` runs on node "a", queue "second" has more than its share, and "claimant" may have both devices of "b".
      gangs: [
        of('claimant', 'first', '4g.24gb', 2),
        of('next', 'second', '2g.12gb', 2),
        of('small', 'second', '4g.24gb', 1),
      ],
      pods: [],
    };
    const changed = [divided('a', 1, 'all-2g.12gb'), before.nodes[1]];

    it('but waits until then, and says why', () => {
      expect(startedAndLost(before, {}, changed)).toEqual({ started: [], lost: [] });
      const { message, kind } = decide(before).pending.find(({ gang }) => gang === 'small')!;
      expect({ message, kind }).toEqual({
        message:
          'The gang fits, but would be evicted for another gang when node "a" has the MIG configuration "all-2g.12gb".',
        kind: 'repartition',
      });
    });

    it('and starts at once while no gang waits that would evict it then', () => {
      const gangs = before.gangs.filter(({ name }) => name !== 'claimant');
      expect(startedAndLost({ ...before, gangs }, {}, changed)).toEqual({ started: ['small-worker-0'], lost: [] });
    });
  });
});

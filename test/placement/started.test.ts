import { type Decision, type Gang, type Snapshot } from '../../src/placement';
import { samples } from '../support/samples';
import { bound, cluster, gang, MINUTE, node, NOW, run, running, template } from './builders';
import { apply } from './guarantees';
import { checkStarted, checkStartedBesideRepartition } from './started';

const evicted = ({ evictions }: Decision): string[] =>
  evictions.map(({ pod, beneficiary }) => `${pod} for ${beneficiary}`);

describe('what a decision starts', () => {
  it('is not evicted by the next one, whichever rules decide about the same devices', () => {
    checkStarted(samples(300), 20_261_128);
  }, 600_000);

  it('is not evicted by the next one either while nodes get other MIG configurations', () => {
    checkStartedBesideRepartition(samples(300), 20_261_128);
  }, 600_000);

  describe('because it ends before a promised moment', () => {
    const small = { request: { cpu: 1_000, memory: 1e9 } };
    /** Its first pod ends in an hour, which is promised to `head`; its second pod ends at the same moment. */
    const elastic: Gang = {
      ...gang('elastic', 0, small, { queue: 'first', expectedSeconds: 3_600, arrival: NOW - 9 * MINUTE }),
      roles: [
        {
          name: 'worker',
          count: 1,
          template: template(1, { request: { cpu: 3_000, memory: 1e9, 'nvidia.com/gpu': 1 } }),
        },
        { name: 'more', count: 1, minimum: 0, template: small },
      ],
    };
    const before = cluster(
      [node('n', 2, { allocatable: { cpu: 4_000, memory: 1e12, pods: 50, 'nvidia.com/gpu': 2 } })],
      [
        elastic,
        gang('head', 1, template(2), { queue: 'first' }),
        gang('late', 1, small, { queue: 'second', expectedSeconds: 60 }),
      ],
      [],
      {
        queues: [
          { name: 'first', priority: 1 },
          { name: 'second', deserved: { cpu: 4_000 } },
        ],
      },
    );
    const after = (snapshot: Snapshot, minutes: number): Decision =>
      run(
        {
          ...snapshot,
          now: NOW + minutes * MINUTE,
          pods: apply(snapshot, run(snapshot, { queueOrder: 'proportion' })),
        },
        { queueOrder: 'proportion' },
      );

    it('runs until it would have ended, although it could not start again', () => {
      const first = run(before, { queueOrder: 'proportion' });
      expect(bound(first)).toEqual(['elastic-worker-0 on n', 'elastic-more-0 on n']);
      expect(first.reservations).toEqual([{ gang: 'head', startAt: NOW + 60 * MINUTE, nodes: ['n'] }]);
      expect([1, 30, 59].map((minutes) => evicted(after(before, minutes)))).toEqual([[], [], []]);
    });

    it.each([
      [59, []],
      [60, ['elastic-more-0 for late']],
      [61, ['elastic-more-0 for late']],
    ])('is not protected any longer than it was to run, after %i minutes', (minutes, lost) => {
      const pods = [
        running('elastic', 'n', 0, { startedAt: NOW - 10 * MINUTE }),
        running('elastic', 'n', 0, { name: 'elastic-more-0', role: 'more', startedAt: NOW - minutes * MINUTE }),
      ];
      const decision = run({ ...before, pods }, { queueOrder: 'proportion' });
      expect(decision.reservations).toMatchObject([{ gang: 'head', startAt: NOW + 50 * MINUTE }]);
      expect(evicted(decision)).toEqual(lost);
    });
  });

  it('starts again where it is moved, and keeps off promised nodes that it would hold too long', () => {
    const host = 'kubernetes.io/hostname';
    const of = (name: string, devices: number, priority: number, more: Partial<Gang> = {}): Gang =>
      gang(name, 1, template(devices), { priority, ...more });
    const hour = { expectedSeconds: 3_600 };
    const claimant = gang('high', 1, template(2, { nodeSelector: { [host]: 'a' } }), { priority: 10 });
    const decision = run(
      cluster(
        [node('a', 2, { labels: { [host]: 'a' } }), node('b', 4, { labels: { [host]: 'b' } })],
        [of('low', 2, 0, hour), of('other', 2, 50, hour), of('head', 4, 5), claimant],
        [running('low', 'a'), running('other', 'b')],
      ),
      { actions: ['allocate', 'backfill', 'preempt'] },
    );
    expect(decision.evictions).toMatchObject([{ pod: 'low-worker-0', beneficiary: 'high' }]);
    expect(decision.evictions[0].movesTo).toBeUndefined();
  });

  it('is left waiting for all pods of a gang that lost several to a third', () => {
    const host = 'kubernetes.io/hostname';
    const on = (name: string): ReturnType<typeof template> => template(1, { nodeSelector: { [host]: name } });
    const elastic = (name: string, pod: ReturnType<typeof template>, priority: number): Gang => ({
      ...gang(name, 2, pod, { priority }),
      roles: [{ name: 'worker', count: 2, minimum: 0, template: pod }],
    });
    const snapshot = cluster(
      ['a', 'b'].map((name) => node(name, 2, { labels: { [host]: name } })),
      [elastic('loser', template(1), 5), gang('high', 2, on('a'), { priority: 10 }), elastic('low', on('b'), 0)],
      [0, 1].map((index) => running('loser', 'a', index)),
    );
    const decision = run(snapshot, { actions: ['allocate', 'preempt'] });
    expect(bound(decision)).toEqual([]);
    expect(decision.evictions.map(({ pod, movesTo }) => `${pod} to ${movesTo}`).sort()).toEqual([
      'loser-worker-0 to b',
      'loser-worker-1 to b',
    ]);
    expect(evicted(run({ ...snapshot, pods: apply(snapshot, decision) }))).toEqual([]);
  });

  it('is left waiting for a gang that needs its place as well as that of a victim, whatever its minimum running time', () => {
    const snapshot = (minimumRuntimeSeconds: number): Snapshot =>
      cluster(
        [node('a', 4), node('b', 4)],
        [
          gang('low', 1, template(4), { priority: 0, arrival: NOW - 9 * MINUTE }),
          gang('high', 2, template(4), { priority: 100 }),
          gang('mid', 1, template(4), { priority: 50, minimumRuntimeSeconds }),
        ],
        [running('low', 'a')],
      );
    for (const seconds of [0, 30, 600]) {
      const decision = run(snapshot(seconds));
      expect(bound(decision)).toEqual([]);
      expect(evicted(decision)).toEqual(['low-worker-0 for high']);
      expect(bound(run({ ...snapshot(seconds), pods: apply(snapshot(seconds), decision) }))).toEqual([
        'high-worker-0 on a',
        'high-worker-1 on b',
      ]);
    }
  });
});

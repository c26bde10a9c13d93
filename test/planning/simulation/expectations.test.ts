/**
 * Expectations, met and not, in words.
 */
import { run } from './support';

const GANGS = [
  { name: 'a', queue: 'q', pods: 2, gpus: 8, duration: 100 },
  { name: 'b-1', queue: 'q', gpus: 4, arrives: 10, duration: 50 },
  { name: 'b-2', queue: 'q', gpus: 4, arrives: 20, duration: 50 },
];

function judged(...expect: readonly unknown[]): string[] {
  return run({ gangs: GANGS, expect }).expectations.map(
    ({ expected, met, found }) => `${met ? 'met' : 'NOT'}: ${expected}: ${found}`,
  );
}

test('gangs: starts, ends, waits', () => {
  expect(
    judged({ gang: 'a', startsBy: 0, endsBy: '1m' }, { gang: 'b-*', waitsAtMost: '85s', startsAfter: 100 }),
  ).toEqual([
    'met: a starts by 0s: it started at 0s',
    'NOT: a ends by 1m: it ended at 1m 40s',
    'met: b-* starts at 1m 40s or later: all 2 do',
    'NOT: b-* waits at most 1m 25s: 1 of 2 do not; b-1: it waited 1m 30s; no-fit: No node has enough free nvidia.com/gpu (0 of 2).',
  ]);
});

test('gangs: where they land, how many pods, why they wait', () => {
  expect(
    judged(
      {
        gang: 'a',
        landsIn: { level: 'kubernetes.io/hostname' },
        landsOn: 'node-*',
        pods: { at: 50, exactly: 2 },
        neverEvicted: true,
      },
      { gang: 'b-1', pending: { at: 50, because: 'no-fit' }, pods: { at: 50, atMost: 0 } },
      { gang: 'b-1', pods: { at: 120, atMost: 1 } },
      { gang: 'b-2', pending: { at: 120 } },
    ),
  ).toEqual([
    'met: a is never evicted: it was never evicted',
    'met: a is placed only on node-*: it was placed on node-1, node-2',
    'NOT: a is placed in one domain of kubernetes.io/hostname: it was placed in node-1, node-2',
    'met: a has exactly 2 pods at 50s: it had 2',
    'met: b-1 has at most 0 pods at 50s: it had 0',
    expect.stringMatching(/^met: b-1 is pending at 50s because of no-fit: no-fit: /),
    'met: b-1 has at most 1 pod at 2m: it had 1',
    'NOT: b-2 is pending at 2m: it was not',
  ]);
});

test('queues and the cluster', () => {
  expect(
    judged(
      { queue: 'q', has: { at: 50, resource: 'gpus', exactly: 16 } },
      { queue: 'q', has: { at: 120, atLeast: 9 }, waitsAtMost: 80, percentile: 60 },
      { utilization: { atLeast: '90%', until: 100 } },
      { makespanAtMost: 149, evictionsAtMost: 0, allFinish: true },
    ),
  ).toEqual([
    'met: queue q has exactly 16 nvidia.com/gpu at 50s: it had 16',
    'NOT: queue q has at least 9 nvidia.com/gpu at 2m: it had 8',
    'met: in queue q 60% of gangs wait at most 1m 20s: it was 1m 20s for 3 gangs',
    'met: utilization of nvidia.com/gpu is at least 90% from 0s to 1m 40s: it was 100%',
    'NOT: all gangs finish within 2m 29s: it took 2m 30s',
    'met: nothing is evicted: 0 pods evicted',
    'met: every gang finishes: all 3 did',
  ]);
});

/**
 * What happens over time.
 */
import { type Progress, readScenario, simulate } from '../../../src/planning/simulation';
import { BASE, gang, noFile, run } from './support';

test('a gang that finds room starts at once, works for its duration and is done', () => {
  const result = run({ gangs: [{ name: 'a', queue: 'q', pods: 2, gpus: 8, arrives: '10m', duration: '1h' }] });
  expect(gang(result, 'a')).toMatchObject({
    state: 'finished',
    arrivedAt: 600,
    startedAt: 600,
    endedAt: 4200,
    waitSeconds: 0,
  });
  expect(result).toMatchObject({ ended: 'at-rest', seconds: 4200 });
  expect(result.summary).toMatchObject({ finished: 1, makespanSeconds: 3600, goodput: 1, evictions: 0 });
});

test('a gang that finds none waits until there is', () => {
  const result = run({
    gangs: [
      { name: 'a', queue: 'q', pods: 2, gpus: 8, duration: 100 },
      { name: 'b', queue: 'q', gpus: 1, arrives: 10, duration: 5 },
    ],
  });
  expect(gang(result, 'b')).toMatchObject({ startedAt: 100, endedAt: 105, waitSeconds: 90 });
  expect(gang(result, 'b').reasons).toMatchObject([{ from: 10, kind: 'no-fit' }]);
});

test('decisions are made at multiples of the cycle', () => {
  const result = run({ gangs: [{ name: 'a', queue: 'q', arrives: 61, duration: 10 }], run: { cycle: 30 } });
  expect(gang(result, 'a').startedAt).toBe(90);
});

test('what never fits is pending at the end, with the reason and what would change it', () => {
  const result = run({ gangs: [{ name: 'a', queue: 'q', pods: 3, gpus: 8, duration: 10 }] });
  expect(gang(result, 'a')).toMatchObject({ state: 'pending', waitSeconds: 0 });
  expect(gang(result, 'a').reasons[0]).toMatchObject({
    kind: 'no-fit',
    changes: ['Fits with 2 pods instead of 3.', 'Fits with 1 more node like node-1.'],
  });
  expect(result.ended).toBe('at-rest');
});

test('an evicted gang holds its room for the grace period, comes back, and keeps what it had saved', () => {
  const result = run({
    gangs: [
      { name: 'low', queue: 'q', pods: 2, gpus: 8, duration: '2h', checkpoint: '20m' },
      { name: 'high', queue: 'q', pods: 2, gpus: 8, priority: 10, arrives: '50m', duration: '1h' },
    ],
    run: { grace: 30 },
  });
  expect(gang(result, 'high')).toMatchObject({ startedAt: 3030, waitSeconds: 30 });
  // Ten minutes are lost; 80 minutes are left after the 40 that were saved.
  expect(gang(result, 'low')).toMatchObject({
    evictions: 2,
    interruptions: 1,
    lostSeconds: 600,
    endedAt: 3030 + 3600 + 4800,
  });
  expect(gang(result, 'low').spans.map(({ end }) => end)).toEqual(['evicted', 'finished']);
  expect(result.happenings).toMatchObject([
    { at: 3000, kind: 'evict', text: '2 pods of low evicted for high (preempt)' },
  ]);
});

test('a minimum runtime is waited for, and not a moment longer', () => {
  const result = run({
    gangs: [
      { name: 'low', queue: 'q', pods: 2, gpus: 8, duration: '2h', minimumRuntime: '30m' },
      { name: 'high', queue: 'q', pods: 2, gpus: 8, priority: 10, arrives: '10m', duration: '1h' },
    ],
    run: { grace: 0 },
  });
  expect(gang(result, 'low').spans[0]).toMatchObject({ to: 1800, end: 'evicted' });
  expect(gang(result, 'high').startedAt).toBe(1801);
});

test('an elastic gang grows into what is free, and works faster with more pods', () => {
  const result = run({
    gangs: [
      { name: 'first', queue: 'q', gpus: 8, duration: 100 },
      { name: 'elastic', queue: 'q', pods: 2, minimum: 1, gpus: 8, arrives: 1, duration: 200 },
    ],
  });
  // 99 seconds with half of its pods are 49.5 of its 200.
  expect(gang(result, 'elastic')).toMatchObject({ startedAt: 1, endedAt: 250.5 });
  expect(gang(result, 'elastic').spans.map(({ pods }) => pods)).toEqual([1, 2]);
});

test('a gang that does not scale takes its duration with any number of pods', () => {
  const result = run({
    gangs: [
      { name: 'first', queue: 'q', gpus: 8, duration: 1000 },
      { name: 'fixed', queue: 'q', pods: 2, minimum: 1, gpus: 8, scales: false, duration: 200 },
    ],
  });
  expect(gang(result, 'fixed').endedAt).toBe(200);
});

test('a node that fails takes its pods with it at once, and is full again when it is back', () => {
  const result = run({
    gangs: [{ name: 'a', queue: 'q', pods: 2, gpus: 8, duration: 1000, checkpoint: 100 }],
    events: [{ at: 250, fail: 'node-1', for: 500 }],
  });
  expect(gang(result, 'a')).toMatchObject({ losses: 1, evictions: 1, lostSeconds: 50, endedAt: 750 + 800 });
  expect(result.samples.ready['nvidia.com/gpu'][result.samples.at.indexOf(250)]).toBe(8);
  expect(result.happenings.map(({ text }) => text)).toEqual([
    'node-1 failed',
    '1 pod of a evicted (evict-stale)',
    'node-1 returned',
  ]);
});

test('a drained node is empty after the grace period and takes nothing until it is back', () => {
  const result = run({
    gangs: [
      { name: 'a', queue: 'q', gpus: 8, duration: 1000 },
      { name: 'b', queue: 'q', gpus: 8, duration: 1000 },
    ],
    events: [
      { at: 100, drain: 'node-*' },
      { at: 400, return: 'node-2' },
    ],
    run: { grace: 60, for: 2000 },
  });
  expect(result.samples.used['nvidia.com/gpu'][result.samples.at.indexOf(160)]).toBe(0);
  expect(result.gangs.map(({ spans }) => spans.at(-1)!.from)).toEqual([400, 1400]);
  expect(result.seconds).toBe(2000);
});

test('a queue that is given more starts what waited for it', () => {
  const result = run({
    queues: [{ name: 'q', capability: { gpus: 4 } }],
    gangs: [{ name: 'a', queue: 'q', gpus: 8, duration: 100 }],
    events: [{ at: 50, queue: 'q', set: { capability: { gpus: 8 } } }],
  });
  expect(gang(result, 'a').reasons[0]).toMatchObject({ kind: 'queue-capability' });
  expect(gang(result, 'a').startedAt).toBe(50);
});

test('a gang that is withdrawn gives its room back', () => {
  const result = run({
    gangs: [
      { name: 'a', queue: 'q', pods: 2, gpus: 8, duration: 'forever' },
      { name: 'b', queue: 'q', gpus: 8, duration: 10 },
    ],
    events: [{ at: 100, cancel: 'a' }],
  });
  expect(gang(result, 'a')).toMatchObject({ state: 'canceled', endedAt: 100 });
  expect(gang(result, 'b').startedAt).toBe(100);
});

test('a gang that is withdrawn before it comes never runs', () => {
  const result = run({
    gangs: [{ name: 'a', queue: 'q', arrives: 100, duration: 10 }],
    events: [{ at: 50, cancel: 'a' }],
  });
  expect(gang(result, 'a')).toMatchObject({ state: 'canceled', waitSeconds: 0, spans: [] });
});

test('random arrivals are the same for equal seeds, about as many as asked for, and others for another seed', () => {
  const arrivals = (seed: number): readonly number[] =>
    run({ gangs: [{ name: 'a', queue: 'q', duration: 1, repeat: { perHour: 20, until: '10h', seed } }] }).gangs.map(
      ({ arrivedAt }) => arrivedAt,
    );
  expect(arrivals(1)).toEqual(arrivals(1));
  expect(arrivals(1)).not.toEqual(arrivals(2));
  expect(arrivals(1).length).toBeGreaterThan(150);
  expect(arrivals(1).length).toBeLessThan(250);
});

test('waits, use and fragmentation are reported', () => {
  const result = run({
    gangs: [
      { name: 'small', queue: 'q', gpus: 1, duration: 100 },
      { name: 'large', queue: 'q', pods: 2, gpus: 8, arrives: 1, duration: 100 },
      { name: 'never', queue: 'q', pods: 1, gpus: 8, nodeSelector: { disk: 'large' }, duration: 100 },
    ],
    run: { for: 200 },
  });
  // For 100 seconds one of 16 devices, for 100 seconds all.
  expect(result.summary.utilization['nvidia.com/gpu']).toBeCloseTo((100 * 1 + 100 * 16) / 3200);
  expect(result.summary.waits).toEqual({
    gangs: 3,
    unstarted: 1,
    mean: 299 / 3,
    median: 99,
    p90: 200,
    p95: 200,
    p99: 200,
    longest: 200,
  });
  expect(result.summary.completion).toMatchObject({ gangs: 2 });
  expect(result.summary.sizes.map(({ name, waits }) => [name, waits.gangs])).toMatchObject([
    ['1 device', 1],
    ['2 to 8 devices', 1],
    ['9 to 64 devices', 1],
  ]);
  // Seven devices beside the small pod are of no use to three of four pods.
  expect(result.samples.fragmentation[0]).toBeCloseTo((0.75 * 7) / 15);
});

test('progress is reported during the run', () => {
  const seen: Progress[] = [];
  const scenario = { ...BASE, gangs: [{ name: 'a', queue: 'q', duration: 5, repeat: { every: 10, count: 3 } }] };
  simulate(readScenario(JSON.stringify(scenario), 'test.json', noFile), {
    tell: (progress) => seen.push(progress),
  });
  expect(seen[0]).toEqual({ at: 0, finished: 0, gangs: 3 });
  expect(seen.at(-1)).toEqual({ at: 25, finished: 3, gangs: 3 });
});

test('fairness is what the worst queue with waiting gangs has of what it deserves', () => {
  const result = run({
    queues: [
      { name: 'q', deserved: { gpus: 8 } },
      { name: 'other', deserved: { gpus: 8 } },
    ],
    gangs: [
      { name: 'all', queue: 'other', pods: 2, gpus: 8, duration: 100, preemptible: false, arrives: 0 },
      { name: 'mine', queue: 'q', gpus: 8, duration: 100, arrives: 50 },
    ],
    policy: { nonPreemptibleWithinQuota: false },
  });
  // Nothing waits for 50 seconds; then `mine` waits without any device for 50; then it runs for 100.
  expect(result.summary.fairness).toBeCloseTo(150 / 200);
  expect(result.queues.map(({ name, belowDeservedSeconds }) => [name, belowDeservedSeconds])).toEqual([
    ['q', 50],
    ['other', 0],
  ]);
});

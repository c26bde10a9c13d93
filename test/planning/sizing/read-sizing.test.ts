/**
 * Sizing files: what they say, and what is wrong with them.
 */
import { readCluster } from '../../../src/planning/cluster';
import { complaint, sizing } from './support';

test('a file that says little gets the defaults', () => {
  expect(sizing()).toMatchObject({
    name: 'test',
    targets: [{ percentile: 95, seconds: 0 }],
    run: { seconds: 14_400, warmupSeconds: 0, cycleSeconds: 1, graceSeconds: 30 },
    search: { seed: 1, replications: 8, confidence: 0.95, evaluations: 100 },
    pools: [{ least: 0, today: undefined, purchase: 'on-demand', pricePerHour: 10 }],
  });
  expect(sizing().pools[0].nodes.map(({ name }) => name)).toEqual(['h100-1', 'h100-2', 'h100-3']);
});

const POOL = { name: 'h100', accelerator: 'H100-SXM-80GB', max: 3, pricePerHour: 10 };
const SPOT = { ...POOL, purchase: 'spot', spot: { interruptionsPerHour: 0.1, replacedAfter: '5m' } };

test.each([
  [{ pools: [] }, 'pools is required; list pools'],
  [{ pools: [POOL, POOL] }, 'pools has two entries named "h100"'],
  [
    { pools: [{ ...POOL, max: 1, count: 2 }] },
    'pools[0].max must be at least 2, the nodes that the pool has in any case',
  ],
  [{ pools: [{ ...POOL, pricePerHour: undefined }] }, 'pools[0].pricePerHour is required'],
  [{ pools: [{ ...POOL, purchase: 'spot' }] }, 'pools[0].spot is required with purchase: spot'],
  [{ pools: [{ ...SPOT, purchase: 'reserved' }] }, 'pools[0].spot must not be set unless purchase is spot'],
  [
    { pools: [{ ...SPOT, autoscale: { delay: '1m' } }] },
    'pools[0].autoscale must not be set together with purchase: spot',
  ],
  [{ pools: [{ ...POOL, autoscale: {} }] }, 'pools[0].autoscale.delay is required'],
  [
    { pools: [{ ...POOL, autoscale: { delay: 60, min: 99 } }] },
    'pools[0].autoscale.min must be a whole number greater than or equal to 0 and less than or equal to 3, not 99',
  ],
  [{ pools: [{ ...SPOT, spot: {} }] }, 'pools[0].spot.replacedAfter is required'],
  [{ pools: [{ name: 'h100', max: 3, pricePerHour: 1 }] }, 'pools[0].name "h100" is not a pool of the cluster'],
  [
    { pools: [1, 2, 3].map((i) => ({ ...POOL, name: `p${i}`, max: 99 })) },
    'pools have 1000000 mixes; at most 100000 are searched',
  ],
  [{ targets: [] }, 'targets is required'],
  [{ targets: [{ percentile: 0, wait: 1 }] }, 'targets[0].percentile must be a number greater than or equal to 1'],
  [{ targets: [{ wait: 1, queue: 'x' }] }, 'targets[0].queue must be the name of a queue: q, not "x"'],
  [{ gangs: [] }, 'gangs is required unless jobs is set'],
  [{ gangs: [{ manifests: 'x', duration: 1 }] }, 'gangs[0].manifests must be a file or folder that contains workloads'],
  [
    { gangs: [{ name: 'a', queue: 'q', duration: { median: '2h', p95: '1h' } }] },
    'gangs[0].duration.p95 must be at least the median, 7200 seconds',
  ],
  [{ gangs: [{ name: 'a', queue: 'r', duration: 1 }] }, 'gangs name the queue "r", which does not exist'],
  [{ run: { for: '1h', warmup: '1h' } }, 'run.warmup must be less than the length of the run, 3600 seconds'],
  [{ run: { for: 0 } }, 'run.for must be more than 0'],
  [
    { gangs: [{ name: 'a', queue: 'q', duration: 1, repeat: { perHour: 1e6 } }] },
    'gangs[0].repeat.perHour must be a rate with at most 100000 arrivals, instead of about 4000000',
  ],
  [
    { gangs: ['a', 'b'].map((name) => ({ name, queue: 'q', duration: 1, repeat: { every: 1, count: 60_000 } })) },
    'run.for gives about 120000 gangs in each replication; at most 100000 are simulated',
  ],
  [
    {
      gangs: [{ name: 'a', queue: 'q', duration: 1, repeat: { every: 1, count: 10_000 } }],
      search: { replications: 300 },
    },
    'search.replications must be at most 200 for about 10000 gangs in each, not 300',
  ],
  [
    { pools: [{ ...SPOT, max: 90_000, spot: { ...SPOT.spot, interruptionsPerHour: 1 } }] },
    'pools have about 720000 interruptions in each replication; at most 200000 are simulated',
  ],
  [{ search: { replications: 1 } }, 'search.replications must be a whole number greater than or equal to 2'],
])('%j is reported', (more, message) => {
  expect(complaint(more)).toContain(message);
});

test('a pool of the cluster has its nodes and more of the same kind; other nodes are in each mix', () => {
  const cluster = readCluster(
    'pools:\n  - {name: h100, count: 2, accelerator: H100-SXM-80GB, racks: 2}\n  - {name: cpu, count: 1, cpu: 8}\n',
    'cluster.yaml',
  );
  const { pools, nodes } = sizing({ pools: [{ name: 'h100', max: 4, pricePerHour: 1 }] }, { cluster });
  expect(pools[0]).toMatchObject({ today: 2, least: 0 });
  expect(pools[0].nodes.map(({ name }) => name)).toEqual(['h100-1', 'h100-2', 'h100-new-1', 'h100-new-2']);
  expect(pools[0].nodes[2].devices).toEqual(pools[0].nodes[0].devices);
  expect(new Set(pools[0].nodes.map(({ labels }) => labels?.['cloud.provider.com/topology-rack'])).size).toBe(4);
  expect(nodes.map(({ name }) => name)).toEqual(['cpu-1']);
});

test('a history of four blocks or more is drawn in blocks, a shorter one is replayed', () => {
  const hourly = (hours: number): string =>
    `submitted,duration,devices\n${Array.from({ length: hours }, (_, i) => `${i}h,10m,1`).join('\n')}`;
  const read = (hours: number, run = {}): ReturnType<typeof sizing> =>
    sizing({ gangs: undefined, jobs: 'jobs.csv', run }, { text: (file) => ({ text: hourly(hours), file }) });
  expect(read(97).run).toMatchObject({ seconds: 4 * 86_400, blockSeconds: 86_400 });
  expect(read(72).run).toMatchObject({ seconds: 71 * 3600 + 1, blockSeconds: undefined });
  expect(read(72, { block: '12h' }).run).toMatchObject({ seconds: 3 * 86_400, blockSeconds: 43_200 });
  expect(read(97, { replay: true }).run).toMatchObject({ blockSeconds: undefined });
});

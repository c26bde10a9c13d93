/**
 * Simulations and sizings of work that gets its devices by claim.
 */
import { readScenario, type Scenario, simulate, type SimulationResult } from '../../../src/planning/simulation';
import { readSizing } from '../../../src/planning/sizing/read-sizing';
import { size } from '../../../src/planning/sizing';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { Random } from '../../support/random';
import { samples } from '../../support/samples';

/** Random worlds. */
const SEEDS = samples(40);

const none = (name: string): never => {
  throw new Error(`no file ${name}`);
};

interface Job {
  readonly name: string;
  readonly pods: number;
  readonly count: number;
  readonly arrives: number;
  readonly minutes: number;
  readonly priority: number;
}

function scenario(nodes: number, jobs: readonly Job[], byClaim: boolean): Scenario {
  const devices = ({ count }: Job): string =>
    byClaim
      ? `claims: [{requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com, count: ${count}}}]}]`
      : `gpus: ${count}`;
  const text = `
cluster:
  pools:
    - {name: h100, count: ${nodes}, accelerator: H100-SXM-80GB, perNode: 8, cpu: 64, memory: 512Gi${byClaim ? ', draDriver: true' : ''}}
queues: [{name: q, capability: {gpus: ${8 * nodes}}}]
gangs:
${jobs
  .map(
    (job) =>
      `  - {name: ${job.name}, queue: q, pods: ${job.pods}, cpu: 1, ${devices(job)}, arrives: ${job.arrives}m, duration: ${job.minutes}m, priority: ${job.priority}}`,
  )
  .join('\n')}
`;
  return readScenario(text, 'claims.yaml', none);
}

function outcomes({ gangs }: SimulationResult): object {
  return gangs.map(({ name, startedAt, endedAt, evictions, state, devices }) => ({
    name,
    startedAt,
    endedAt,
    evictions,
    state,
    devices,
  }));
}

function randomJobs(random: Random, counts: readonly number[]): readonly Job[] {
  return Array.from({ length: 6 }, (_, index) => ({
    name: `job-${index}`,
    pods: 1 + random.below(2),
    count: random.pick(counts),
    arrives: random.below(30),
    minutes: 1 + random.below(40),
    priority: random.below(3),
  }));
}

it('runs work that takes whole nodes as it runs the same work without claims', () => {
  let compared = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const jobs = randomJobs(new Random(seed), [8]);
    const [byClaim, plain] = [true, false].map((claims) => simulate(scenario(3, jobs, claims)));
    // Pods with claims are not put back where they were evicted from, so that a gang may be moved for what costs no move without claims.
    if (![byClaim, plain].some(({ gangs }) => gangs.some(({ moves }) => moves > 0))) {
      expect([seed, outcomes(byClaim)]).toEqual([seed, outcomes(plain)]);
      compared += 1;
    }
  }
  expect(compared).toBeGreaterThan(0.75 * SEEDS);
});

it('gives no device to two pods, and all of them back', () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const jobs = randomJobs(new Random(seed), [1, 2, 3, 5, 8]);
    const held = new Map<string, number>();
    let most = 0;
    const count = new Map(jobs.map((job) => [job.name, job.count]));
    const change = (node: string, gang: string, by: number): void => {
      held.set(node, (held.get(node) ?? 0) + by * (count.get(gang) ?? 0));
      most = Math.max(most, held.get(node) ?? 0);
    };
    const result = simulate(scenario(2, jobs, true), {
      observer: {
        held: ({ node, gang }) => change(node, gang, 1),
        freed: ({ node, gang }) => change(node, gang, -1),
      },
    });
    expect([seed, most <= 8, result.gangs.every(({ state }) => state === 'finished')]).toEqual([seed, true, true]);
    expect([...held.values()].every((devices) => devices === 0)).toBe(true);
  }
});

it('evaluates selectors, and says what excludes the devices', () => {
  const made = (memory: string): SimulationResult =>
    simulate(
      readScenario(
        `
cluster: {pools: [{name: h100, count: 1, accelerator: H100-SXM-80GB, perNode: 8, draDriver: true}]}
queues: [{name: q}]
gangs:
  - name: large
    queue: q
    duration: 1h
    claims:
      - requests:
          - name: gpu
            exactly:
              deviceClassName: gpu.nvidia.com
              selectors: [{cel: {expression: 'device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("${memory}")) >= 0'}}]
`,
        'claims.yaml',
        none,
      ),
    );
  expect(made('70Gi').gangs[0]).toMatchObject({ state: 'finished', devices: 1 });
  const [waits] = made('100Gi').gangs;
  expect(waits.state).toBe('pending');
  expect(waits.reasons.at(-1)?.message).toMatch(/no device of gpu\.nvidia\.com has memory >= 100Gi; the largest has/);
});

it.each([
  ['claims: [{}]', 'gangs[0].claims[0].requests is required'],
  ['claims: [{requests: gpu}]', 'gangs[0].claims[0].requests must be a list of maps'],
  [
    'claims: [{requests: [{name: r, exactly: {deviceClassName: none}}]}]',
    'names the DeviceClass "none", which does not exist',
  ],
  [
    'claims: [{requests: [{name: r, exactly: {deviceClassName: gpu.nvidia.com, selectors: [{cel: {expression: "device."}}]}}]}]',
    'has a selector that does not compile: unexpected end of the expression at line 1, column 8',
  ],
  ['claims: [{requests: [{name: r}], shared: true}]', 'shared'],
])('one line for %s', (claims, message) => {
  const text = (driver: boolean): string => `
cluster: {pools: [{name: h100, count: 1, accelerator: H100-SXM-80GB, perNode: 8, draDriver: ${driver}}]}
queues: [{name: q}]
gangs: [{name: g, queue: q, duration: 1h, ${claims}}]
`;
  expect(() => readScenario(text(true), 'claims.yaml', none)).toThrow(message);
});

it('reads claims of jobs in a file', () => {
  const job = (id: number): string =>
    JSON.stringify({
      submitted: id * 60,
      duration: '10m',
      queue: 'q',
      claims: [{ requests: [{ name: 'r', exactly: { deviceClassName: 'gpu.nvidia.com', count: 8 } }] }],
    });
  const text = `
cluster: {pools: [{name: h100, count: 1, accelerator: H100-SXM-80GB, perNode: 8, draDriver: true}]}
queues: [{name: q}]
jobs: history.jsonl
`;
  const source = (file: string): { text: string; file: string } => ({ text: `${job(0)}\n${job(1)}\n`, file });
  const { gangs } = simulate(readScenario(text, 'claims.yaml', source));
  expect(gangs.map(({ startedAt, devices }) => [startedAt, devices])).toEqual([
    [0, 8],
    [600, 8],
  ]);
});

it('requires ResourceSlices', () => {
  const text = `
cluster: {pools: [{name: h100, count: 1, accelerator: H100-SXM-80GB, perNode: 8}]}
queues: [{name: q}]
gangs: [{name: g, queue: q, duration: 1h, claims: [{requests: [{name: r, exactly: {deviceClassName: gpu.nvidia.com}}]}]}]
`;
  expect(() => readScenario(text, 'claims.yaml', none)).toThrow(/no ResourceSlices; set draDriver: true/);
});

it('sizes pools for work with claims as for the same work without them', () => {
  const sized = (byClaim: boolean): object => {
    const devices = byClaim
      ? 'claims: [{requests: [{name: r, exactly: {deviceClassName: gpu.nvidia.com, count: 8}}]}]'
      : 'gpus: 8';
    const text = `
pools: [{name: h100, accelerator: H100-SXM-80GB, perNode: 8, max: 4, pricePerHour: 98, draDriver: ${byClaim}}]
gangs: [{name: train, queue: default, pods: 2, ${devices}, duration: 1h, repeat: {perHour: 1.2}}]
targets: [{percentile: 95, wait: 2h}]
run: {for: 16h}
search: {replications: 3}
`;
    const sizing = readSizing(text, 'size.yaml', { text: none, manifests: () => new ManifestSet([]) });
    return size(sizing);
  };
  const withClaims = sized(true);
  expect(withClaims).toEqual(sized(false));
});

/**
 * `gantry size`: sizing files in, the cheapest mix out.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SimulationResult } from '../../../src/planning/simulation';
import { type SizingResult } from '../../../src/planning/sizing';
import { Workplace } from './fake-terminal';

/** Four hours with a gang of one node in each, of two hours: two nodes without waits. */
const SIZING = `name: Two at once
currency: USD
pools:
  - {name: h100, accelerator: H100-SXM-80GB, max: 3, count: 1, pricePerHour: 40}
queues:
  - {name: research}
gangs:
  - {name: train, queue: research, gpus: 8, duration: 2h, repeat: {every: 1h, count: 4}}
targets:
  - {wait: 0}
run: {for: 4h}
`;

let place: Workplace;
beforeEach(() => (place = new Workplace()));
afterEach(() => place.remove());

function jsonOf(out: string): SizingResult {
  return (JSON.parse(out) as SizingResult[])[0];
}

test('the cheapest mix is printed beside that of today, with costs and the method', async () => {
  const { status, out, err } = await place.run(['size', place.write('two.yaml', SIZING)]);
  expect({ status, err }).toEqual({ status: 0, err: '' });
  expect(out).toContain('cheapest mix: 2 h100, 80.00 USD per hour, 58,400 USD per month of 730 hours\n');
  expect(out).toContain('p95 wait 0s, within the target of 0s\n');
  expect(out).toContain(
    'today: 1 h100, 40.00 USD per hour, 29,200 USD per month of 730 hours; the cheapest mix costs 40.00 USD per hour more\n',
  );
  expect(out).toContain('p95 wait 3h, above the target of 0s\n');
  expect(out).toContain(
    '1 simulation of 4h: nothing is random, so there is no confidence interval; 4 gangs measured in each\n',
  );
  expect(out.endsWith('of 4 mixes simulated; every cheaper mix misses a target\n')).toBe(true);
});

test('JSON has the costs of queues and gangs, and what is idle', async () => {
  const { out } = await place.run(['size', place.write('two.yaml', SIZING), '--format', 'json']);
  const { best, today, method } = jsonOf(out);
  // Seven of the eight hours of two nodes: one node is idle in the first hour, and work ends after the run.
  expect(best).toMatchObject({ nodes: { h100: 2 }, costPerHour: 80, meets: true });
  expect(best!.idle).toBeCloseTo(1 / 8, 6);
  expect(best!.queues).toMatchObject([{ name: 'research', costPerHour: 70 }]);
  expect(best!.gangs).toEqual([{ name: 'train', costPerHour: 70 }]);
  expect(today).toMatchObject({ nodes: { h100: 1 }, meets: false, idle: 0 });
  expect(method).toMatchObject({ replications: 1, mixes: 4, open: 0, measuredGangs: 4 });
});

test('status is 1 and the reason is printed if no mix keeps the targets', async () => {
  const file = place.write('two.yaml', SIZING.replace('max: 3', 'max: 1'));
  const { status, out } = await place.run(['size', file]);
  expect(status).toBe(1);
  expect(out).toContain('no mix up to 1 h100 meets the targets; raise max, or relax the targets\n');
});

test('a mix in which a gang never starts keeps no target, and the report says so', async () => {
  const small = 'queue: research, gpus: 1, duration: 1m, repeat: {every: 1m, count: 60}';
  const gangs = `  - {name: small, ${small}}\n  - {name: large, queue: research, pods: 2, gpus: 8, duration: 1h}`;
  const text = SIZING.replace(/ {2}- \{name: train.*/, gangs).replace('{wait: 0}', '{wait: 1m, percentile: 90}');
  const { status, out } = await place.run(['size', place.write('two.yaml', text)]);
  expect(status).toBe(0);
  expect(out).toMatch(/cheapest mix: [23] h100/);
  expect(out).toMatch(
    /today: 1 h100[^]* p90 wait [^\n]*within the target of 1m\n[^]*1 gang of all replications never started\n/,
  );
});

test('names cannot control a terminal', async () => {
  place.write('h.csv', 'submitted,duration,devices,name\n0,1h,1,\u001B[31mred\n');
  const text = SIZING.replace('name: Two', 'name: "\\e[31mTwo').replace('at once', 'at once"');
  const file = place.write(
    'two.yaml',
    text.replace(/gangs:\n.*\n/, 'jobs: h.csv\n').replace('{wait: 0}', '{wait: 1h}'),
  );
  const { status, out } = await place.run(['size', file]);
  expect(status).toBe(0);
  expect(out).toContain('[31mred');
  expect(out).not.toContain('\u001B');
});

test('a limit of evaluations that was reached is printed', async () => {
  const file = place.write('two.yaml', SIZING.replace('max: 3', 'max: 30'));
  const { out } = await place.run(['size', file, '--evaluations', '2']);
  expect(out).toMatch(
    /2 of 31 mixes simulated; the limit of 2 evaluations was reached, and \d+ cheaper mixes are unknown/,
  );
});

test('policies are printed side by side', async () => {
  const file = place.write('two.yaml', SIZING);
  place.write('fifo.yaml', 'actions: [allocate]\n');
  const { status, out } = await place.run(['size', file, '--policy', 'default', '--policy', './fifo.yaml']);
  expect(status).toBe(0);
  expect(out).toMatch(/^Two at once {2}two.yaml\n +default +\.\/fifo.yaml\n +cheapest mix +2 h100 +2 h100\n/);
  expect(out).toMatch(/today +1 h100 +1 h100\n[^]*p95 wait +3h \(above the target\)/);
});

test('the nodes of today come from a cluster, and a pool of it needs no description', async () => {
  place.write(
    'cluster.yaml',
    'pools:\n  - {name: h100, count: 1, accelerator: H100-SXM-80GB}\nqueues:\n  - {name: research}\n',
  );
  const file = place.write(
    'two.yaml',
    SIZING.replace(/ {2}- \{name: h100.*\n/, '  - {name: h100, max: 3, pricePerHour: 40}\n').replace(
      /queues:\n.*\n/,
      '',
    ),
  );
  const { status, out, err } = await place.run(['size', file, '--cluster', 'cluster.yaml', '--format', 'json']);
  expect({ status, err }).toEqual({ status: 0, err: '' });
  expect(jsonOf(out)).toMatchObject({ best: { nodes: { h100: 2 } }, today: { nodes: { h100: 1 } } });
});

test('gangs come from manifests beside the file, with the rate of the file', async () => {
  place.write(
    'sizes/jobs/train.yaml',
    `apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: research}
spec:
  parallelism: 2
  completions: 2
  template:
    spec:
      restartPolicy: Never
      containers:
        - {name: main, image: a, resources: {limits: {nvidia.com/gpu: 8}}}
`,
  );
  const gangs = '  - {manifests: jobs, duration: 2h, repeat: {every: 1h, count: 4}}';
  place.write('sizes/two.yaml', SIZING.replace(/ {2}- \{name: train.*/, gangs).replace('max: 3', 'max: 5'));
  const { status, out, err } = await place.run(['size', 'sizes/two.yaml', '--format', 'json']);
  expect({ status, err }).toEqual({ status: 0, err: '' });
  const { best } = jsonOf(out);
  expect(best).toMatchObject({ nodes: { h100: 4 }, gangs: [{ name: 'research/train' }] });
});

test('HTML is a page of the cheapest mix over time, with the targets; without a mix there is none', async () => {
  const file = place.write('two.yaml', SIZING.replace('name: Two at once', 'name: Two </script> at once'));
  const { status, out } = await place.run(['size', file, '--format', 'html']);
  expect(status).toBe(0);
  expect(out).toMatch(/^<!doctype html>[^]*<title>Two &lt;\/script&gt; at once \(size\)/);
  const { about, expectations, samples, gangs } = JSON.parse(
    /id="data">([^]*?)<\/script>/.exec(out)![1],
  ) as SimulationResult;
  expect(about).toBe('Cheapest mix: 2 h100, 80.00 USD per hour, 13 % idle. The timeline is the one simulation.');
  expect(expectations).toEqual([{ expected: 'p95 wait at most 0s', met: true, found: '0s over all replications' }]);
  expect(Math.max(...samples.used['nvidia.com/gpu'])).toBe(16);
  expect(gangs.map(({ waitSeconds }) => waitSeconds)).toEqual([0, 0, 0, 0]);
  const none = place.write('one.yaml', SIZING.replace('max: 3', 'max: 1'));
  expect(await place.run(['size', none, '--format', 'html'])).toEqual({
    status: 1,
    out: '',
    err: 'gantry: one.yaml: no mix that meets the targets was found, so there is no page\n',
  });
});

test('everything that is wrong with a file is reported on one line each, and status is 2', async () => {
  const file = place.write('two.yaml', SIZING.replace('max: 3', 'maxx: 3').replace('{wait: 0}', '{wait: soon}'));
  expect(await place.run(['size', file])).toEqual({
    status: 2,
    out: '',
    err:
      'gantry: two.yaml: pools[0].max is required; set the maximum number of nodes of the pool\n' +
      'two.yaml: pools[0].maxx is an unknown field (did you mean max?)\n' +
      'two.yaml: targets[0].wait must be a duration such as 90s, 15m, 1h30m, or 2d, not "soon"\n',
  });
  expect(await place.run(['size', file, '--seed', 'x'])).toMatchObject({ status: 2 });
  expect((await place.run(['size', 'gone.yaml'])).err).toBe('gantry: gone.yaml: no such file or folder\n');
});

test('the file of the page comes to what the page shows', async () => {
  const page = readFileSync(join(__dirname, '../../..', 'docs', 'size.md'), 'utf8');
  const [, text, shown] = /```yaml\n([\s\S]*?)```[\s\S]*?training\.yaml\n([\s\S]*?)```/.exec(page)!;
  const { out } = await place.run(['size', place.write('training.yaml', text)]);
  expect(out).toBe(shown);
}, 30_000);

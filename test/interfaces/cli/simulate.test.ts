/**
 * `gantry simulate`: scenarios in, verdicts out.
 */
import { type SimulationResult } from '../../../src/planning/simulation';
import { Workplace } from './fake-terminal';

const SCENARIO = `name: Two at once
nodes:
  - {name: node, count: 2, allocatable: {cpu: 96, gpus: 8}}
queues:
  - {name: research}
gangs:
  - {name: first, queue: research, pods: 2, gpus: 8, duration: 1h}
  - {name: second, queue: research, pods: 2, gpus: 8, duration: 1h}
expect:
  - {gang: first, startsBy: 0}
  - {gang: second, waitsAtMost: 1h}
`;

let place: Workplace;
beforeEach(() => (place = new Workplace()));
afterEach(() => place.remove());

test('expectations that are met give status 0, with what was found', async () => {
  const { status, out, err } = await place.run(['simulate', place.write('two.yaml', SCENARIO)]);
  expect({ status, err }).toEqual({ status: 0, err: '' });
  expect(out).toContain('Two at once  two.yaml\n');
  expect(out).toContain('2h simulated; 2 gangs on 2 nodes with 16 nvidia.com/gpu: 2 finished');
  expect(out).toMatch(/second +research +finished +0s +1h +2h +1h/);
  expect(out).toContain(
    'met      second waits at most 1h  it waited 1h; no-fit: No node has enough free nvidia.com/gpu (0 of 2)',
  );
  expect(out.endsWith('1 scenario, 2 expectations: all met\n')).toBe(true);
});

test('one that is not met gives status 1 and is all that --quiet prints', async () => {
  place.write('good.yaml', SCENARIO);
  place.write('bad.yaml', SCENARIO.replace('waitsAtMost: 1h', 'waitsAtMost: 30m'));
  const { status, out } = await place.run(['simulate', 'good.yaml', 'bad.yaml', '--quiet']);
  expect(status).toBe(1);
  expect(out).toBe(
    'Two at once  bad.yaml\n  not met  second waits at most 30m\n' +
      '           it waited 1h; no-fit: No node has enough free nvidia.com/gpu (0 of 2).\n\n' +
      '2 scenarios, 4 expectations: 1 not met\n',
  );
});

test('JSON holds the whole result', async () => {
  const { status, out } = await place.run(['simulate', place.write('two.yaml', SCENARIO), '--format', 'json']);
  const [result] = JSON.parse(out) as (SimulationResult & { readonly file: string })[];
  expect(status).toBe(0);
  expect(result).toMatchObject({
    file: 'two.yaml',
    version: 1,
    name: 'Two at once',
    seconds: 7200,
    summary: { makespanSeconds: 7200 },
  });
  expect(result.gangs.map(({ startedAt }) => startedAt)).toEqual([0, 3600]);
});

test('HTML is a page of one scenario, written whole', async () => {
  place.write('two.yaml', SCENARIO);
  expect(await place.run(['simulate', 'two.yaml', '--format', 'html', '--output', 'page.html'])).toEqual({
    status: 0,
    out: '',
    err: 'gantry: wrote page.html\n',
  });
  expect((await place.run(['simulate', 'two.yaml', '--format', 'html'])).out).toMatch(
    /^<!doctype html>[\s\S]*Two at once \(simulation\)/,
  );
  place.write('three.yaml', SCENARIO);
  expect(await place.run(['simulate', 'two.yaml', 'three.yaml', '--format', 'html'])).toEqual({
    status: 2,
    out: '',
    err: 'gantry: --format html: requires exactly one scenario, but 2 were given\n',
  });
});

test('HTML is of one policy, and the error names the formats that compare', async () => {
  place.write('two.yaml', SCENARIO);
  const words = ['simulate', 'two.yaml', '--policy', 'default', '--policy', 'spread'];
  expect((await place.run([...words, '--format', 'html'])).err).toBe(
    'gantry: --format html: requires at most one --policy, but 2 were given; --format text and json compare policies\n',
  );
  expect((await place.run([...words, '--format', 'json'])).status).toBe(0);
});

test('the report lists nodes that fail, are drained, and return', async () => {
  place.write('two.yaml', `${SCENARIO}\nevents: [{at: 10m, fail: node-1, for: 5m}]\n`);
  const { out } = await place.run(['simulate', 'two.yaml']);
  expect(out).toMatch(/ +10m +\S+ failed\n +15m +\S+ returned\n/);
});

test('a cluster file is looked for beside the scenario', async () => {
  place.write('clusters/small.yaml', 'pools:\n  - {name: gpu, count: 2, accelerator: H100-SXM-80GB}\n');
  place.write('clusters/s.yaml', SCENARIO.replace(/nodes:\n.*\n/, 'cluster: small.yaml\n'));
  expect(await place.run(['simulate', 'clusters/s.yaml'])).toMatchObject({ status: 0, err: '' });
  place.write('s.yaml', SCENARIO.replace(/nodes:\n.*\n/, 'cluster: gone.yaml\n'));
  expect(await place.run(['simulate', 's.yaml'])).toMatchObject({
    status: 2,
    err: 'gantry: gone.yaml: no such file or folder\n',
  });
});

test('everything that is wrong with a scenario is reported, and status is 2', async () => {
  const file = place.write(
    'two.yaml',
    SCENARIO.replace('duration: 1h', 'duraton: 1h').replace('startsBy: 0', 'startsBy: soon'),
  );
  const { status, err } = await place.run(['simulate', file]);
  expect(status).toBe(2);
  expect(err).toBe(
    'gantry: two.yaml: gangs[0].duration is required; set how long the gang runs, such as 2h, or forever\n' +
      'two.yaml: gangs[0].duraton is an unknown field (did you mean duration?)\n' +
      'two.yaml: expect[0].startsBy must be a duration such as 90s, 15m, 1h30m, or 2d, not "soon"\n',
  );
});

test('of gangs that do not finish, no completion time is stated', async () => {
  const endless = SCENARIO.replaceAll('duration: 1h', 'duration: forever').replace(/expect:[^]*/, '');
  place.write('endless.yaml', endless);
  const { out } = await place.run(['simulate', 'endless.yaml']);
  expect(out).toContain('completion: -; fairness');
  const compared = await place.run(['simulate', 'endless.yaml', '--policy', 'binpack', '--policy', 'spread']);
  expect(compared.out).toMatch(/mean completion +- +-\n/);
});

/**
 * `gantry plan`, as somebody at a terminal sees it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Workplace } from './fake-terminal';

const here = new Workplace();
afterAll(() => here.remove());

const JOB = `apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec: {pytorchReplicaSpecs: {Worker: {replicas: 2, template: {spec: {containers: [{name: pytorch, image: x, resources: {limits: {nvidia.com/gpu: 8}}}]}}}}}
`;
const CLUSTER =
  'pools: [{name: h100, names: n-##, count: 2, accelerator: H100-SXM-80GB, cpu: 64, memory: 512Gi, racks: 1}]\n';

it('prints where everything lands, in the width of the terminal', async () => {
  const run = await here.run(['plan', here.write('job.yaml', JOB), '--cluster', here.write('cluster.yaml', CLUSTER)], {
    columns: 80,
    env: { NO_COLOR: '1' },
  });
  expect(run).toEqual({
    status: 0,
    err: '',
    out: `cluster: 2 nodes, 16 devices, 1 rack

gang      kind        pods  devices  state   where
ml/train  PyTorchJob  2     16       placed  rack-1: n-01..02

queue    resource        used  requested  share  deserved  capability  gangs
default  nvidia.com/gpu  16    16         16     –         –           1 placed

pool  nodes  model          devices used     CPU  memory
h100  2      H100-SXM-80GB  16 of 16 (100%)  0%   0%

Free: 0 whole devices.

The gang is placed.
`,
  });
});

it('ends with status 1 where something waits, and says what would help', async () => {
  const run = await here.run(
    [
      'plan',
      here.write('big.yaml', JOB.replace('replicas: 2', 'replicas: 3')),
      '--cluster',
      here.write('cluster.yaml', CLUSTER),
    ],
    { columns: 80, env: { NO_COLOR: '1' } },
  );
  expect(run.status).toBe(1);
  expect(run.out).toContain(`Pending
  ✗ ml/train PyTorchJob, queue default: 3 pods, 24 devices
    big.yaml:1
    2 of 3 pods fit; for the next pod of role "Worker", no node has enough free
    nvidia.com/gpu (0 of 2).
    nearest: node n-01 lacks 8 nvidia.com/gpu
    → Fits with 2 pods instead of 3.`);
  for (const line of run.out.split('\n')) {
    expect(line.length).toBeLessThanOrEqual(80);
  }
});

it('plans on the sample cluster by default, and reads manifests or the cluster from standard input', async () => {
  const note = 'No cluster was given, so this is a plan on the sample cluster';
  const { out } = await here.run(['plan', '-'], { input: JOB });
  expect(out).toMatch(/^sample cluster: 80 nodes, 576 devices, 3 blocks, 10 racks\n/);
  expect(out).toContain(note);
  expect((await here.run(['plan', '-', '--cluster', 'sample'], { input: JOB })).out).not.toContain(note);
  expect((await here.run(['plan', here.write('job.yaml', JOB), '--cluster', '-'], { input: CLUSTER })).status).toBe(0);
});

it('prints JSON that can be counted on, and writes pages that need no network', async () => {
  const words = ['plan', here.write('job.yaml', JOB), '--cluster', here.write('cluster.yaml', CLUSTER)];
  const json = JSON.parse(
    (await here.run([...words, '--format', 'json', '--what-if', 'copies=train:1'])).out,
  ) as Record<string, unknown>;
  expect(json).toMatchObject({
    version: 1,
    good: false,
    asked: 2,
    whatIf: { changes: ['copies=train:1'], gangs: [{ name: 'ml/train copy 1', after: 'pending' }] },
  });
  const page = await here.run([...words, '--format', 'html']);
  expect(page.out).toMatch(/^<!doctype html>/i);
});

it('says in its last line that selectors of claims were not evaluated', async () => {
  const claims = (selectors: string): string =>
    `apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: large, namespace: ml}
spec: {spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu.nvidia.com${selectors}}}]}}}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ml}
spec: {resourceClaims: [{name: g, resourceClaimTemplateName: large}], containers: [{name: c, image: x}]}
`;
  const cluster = here.write('cluster.yaml', CLUSTER);
  const plan = (selectors: string, ...words: readonly string[]): ReturnType<Workplace['run']> =>
    here.run(['plan', here.write('claims.yaml', claims(selectors)), '--cluster', cluster, ...words]);
  const some = ', selectors: [{cel: {expression: "false"}}]';
  const { status, out } = await plan(some);
  expect([status, out.trimEnd().split('\n').at(-1)]).toEqual([
    0,
    'The gang is placed, if the devices match the selectors of 1 claim (see Notes).',
  ]);
  expect((await plan('')).out.trimEnd().split('\n').at(-1)).toBe('The gang is placed.');
  const json = async (selectors: string): Promise<unknown> =>
    (JSON.parse((await plan(selectors, '--format', 'json')).out) as { claimsNotEvaluated?: unknown })
      .claimsNotEvaluated;
  expect([await json(some), await json('')]).toEqual([['ml/large'], undefined]);
});

it('tells what a change would do', async () => {
  const run = await here.run([
    'plan',
    here.write('job.yaml', JOB),
    '--cluster',
    here.write('cluster.yaml', CLUSTER),
    '--what-if',
    'drain=n-02',
  ]);
  expect(run.status).toBe(1);
  expect(run.out).toContain('What if drain=n-02\n  ml/train: placed → pending\n');
  // The tables are of the changed cluster, and the first line says so.
  expect(run.out).toMatch(/^\S.* after drain=n-02: \d+ nodes?, /);
  const plain = await here.run(['plan', 'job.yaml', '--cluster', 'cluster.yaml', '--output', 'plan.txt']);
  expect([plain.out, plain.err]).toEqual(['', 'gantry: wrote plan.txt\n']);
  expect(readFileSync(join(here.folder, 'plan.txt'), 'utf8')).not.toContain(' after ');
});

it('says which nodes an autoscaler would have to add, in each format', async () => {
  const pool = `---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: h100}
spec: {limits: {nvidia.com/gpu: 128}, template: {spec: {}}}
`;
  const plan = (...words: readonly string[]): ReturnType<Workplace['run']> =>
    here.run([
      ...['plan', here.write('more.yaml', `${JOB.replace('replicas: 2', 'replicas: 5')}${pool}`)],
      ...['--cluster', here.write('cluster.yaml', CLUSTER), '--price', 'h100=98.32', ...words],
    ]);
  const sentence = 'ml/train fits with 3 more nodes of pool h100 (limit 128 nvidia.com/gpu), about $294.96/h.';
  const text = await plan();
  expect(text.status).toBe(1);
  expect(text.out).toContain(sentence);
  const { scaleUps, notes } = JSON.parse((await plan('--format', 'json')).out) as {
    scaleUps: readonly object[];
    notes: readonly string[];
  };
  expect(scaleUps).toEqual([
    {
      gang: 'ml/train',
      outcome: 'fits',
      capacity: [{ pool: 'h100', nodes: 3, limit: 'limit 128 nvidia.com/gpu', pricePerHour: 294.96 }],
    },
  ]);
  expect(notes[0]).toBe(sentence);
  expect((await plan('--format', 'html')).out).toContain(sentence);
  expect((await plan('--what-if', 'add-pool=h100:1')).out).toContain('fits with 2 more nodes of pool h100');
});

it.each([
  [['plan'], 'no manifests to plan; pass files or folders'],
  [['plan', 'job.yaml', '--cluster', 'none.yaml'], 'none.yaml: no such file or folder'],
  [
    ['plan', 'job.yaml', '--policy', 'bin-pack'],
    '--policy bin-pack: unknown policy; supported values are default, binpack',
  ],
  [['plan', 'job.yaml', '--what-if', 'drain=m'], '--what-if drain=m: node not found; node names are'],
  [['plan', 'job.yaml', '--price', 'h100'], '--price h100: must be POOL=USD, the price of a node per hour'],
  [['plan', '-', '--cluster', '-'], '- must not be both the manifests and the cluster'],
])('%j is refused in one line', async (words, message) => {
  here.write('job.yaml', JOB);
  const run = await here.run(words);
  expect(run).toMatchObject({ status: 2, out: '' });
  expect(run.err).toContain(message);
});

it('shows names that would steer the terminal, and does not send them', async () => {
  const run = await here.run(['plan', here.write('odd.yaml', JOB.replace('name: train', 'name: "a\\e[31mb"'))]);
  expect(run.out).toContain('a\\u001b[31mb');
});

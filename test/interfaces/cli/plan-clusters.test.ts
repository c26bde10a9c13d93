/**
 * `gantry plan` with several clusters, as somebody at a terminal sees it.
 */
import { Workplace } from './fake-terminal';

const here = new Workplace();
afterAll(() => here.remove());

const job = (name: string, pods: number): string => `apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: ${name}, namespace: ml}
spec: {pytorchReplicaSpecs: {Worker: {replicas: ${pods}, template: {spec: {containers: [{name: pytorch, image: x, resources: {limits: {nvidia.com/gpu: 8}}}]}}}}}
`;
const cluster = (name: string, nodes: number): string =>
  here.write(
    `${name}.yaml`,
    `pools: [{name: h100, names: n-##, count: ${nodes}, accelerator: H100-SXM-80GB, cpu: 64, memory: 512Gi}]\n`,
  );

it('prints which cluster runs each gang', async () => {
  const run = await here.run(
    [
      'plan',
      here.write('jobs.yaml', [job('small', 2), job('big', 4), job('huge', 9)].join('---\n')),
      ...['--cluster', `east=${cluster('east', 2)}`, '--cluster', `west=${cluster('west', 4)}`],
    ],
    { columns: 90, env: { NO_COLOR: '1' } },
  );
  expect(run).toEqual({
    status: 1,
    err: '',
    out: `cluster  role     nodes  devices
east     cluster  2      16 (0 free)
west     cluster  4      32 (0 free)

gang      kind        pods  devices  cluster  state    where
ml/small  PyTorchJob  2     16       east     placed   n-01..02
ml/big    PyTorchJob  4     32       west     placed   n-01..04
ml/huge   PyTorchJob  0/9   72       –        pending

Pending
  ✗ ml/huge PyTorchJob, queue default: 9 pods
    east: No node has enough free nvidia.com/gpu (0 of 2).
    west: No node has enough free nvidia.com/gpu (0 of 4).

Notes
  Neither the manifests nor the clusters contain a MultiKueueConfig: each gang is placed
    in the first cluster in which it fits.

3 gangs: 1 pending.
`,
  });
});

it.each([
  [['--cluster', 'a.yaml', '--cluster', 'b=b.yaml'], 'must have a name'],
  [['--cluster', 'a=a.yaml', '--cluster', 'a=b.yaml'], 'two clusters have the name a'],
  [['--cluster', 'a=a.yaml', '--cluster', 'b=b.yaml', '--format', 'html'], '--format html shows one cluster'],
  [['--cluster', 'a=a.yaml', '--cluster', 'b=b.yaml', '--what-if', 'drain=n-01'], '--what-if changes one cluster'],
  [['--cluster', 'a=a.yaml', '--cluster', 'b=b.yaml', '--price', 'p=1'], '--price changes one cluster'],
])('explains %j in one line', async (words, message) => {
  const run = await here.run(['plan', here.write('job.yaml', job('a', 1)), ...words]);
  expect(run).toMatchObject({ status: 2, out: '' });
  expect(run.err).toContain(message);
  expect(run.err.trim().split('\n')).toHaveLength(1);
});

it('writes JSON that names the cluster of each gang', async () => {
  const run = await here.run([
    'plan',
    here.write('jobs.yaml', [job('small', 2), job('huge', 9)].join('---\n')),
    ...['--cluster', `east=${cluster('east', 2)}`, '--cluster', `west=${cluster('west', 4)}`, '--format', 'json'],
  ]);
  expect(JSON.parse(run.out)).toMatchObject({
    good: false,
    gangs: [
      { name: 'ml/small', cluster: 'east', alternatives: [], refusals: [] },
      { name: 'ml/huge', refusals: [{ cluster: 'east' }, { cluster: 'west' }] },
    ],
    clusters: [
      { name: 'east', role: 'cluster', asked: 1, gangs: [{ name: 'ml/small', state: 'placed' }] },
      { name: 'west', asked: 0 },
    ],
  });
});

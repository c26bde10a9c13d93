import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { App, Chart, Duration } from 'cdk8s';
import * as fc from 'fast-check';
import { parse } from 'yaml';
import { type JsonObject } from '../../../src/facts/api/schema';
import { checkTree } from '../../../src/checks/synth/check-tree';
import { valueAt } from '../../../src/manifests/pointer';
import { Accelerator, Mount, NodeSelection, Scheduling } from '../../../src/constructs/pods';
import { ClusterTrainingRuntime, MlPolicy, TrainingRuntime, TrainJob } from '../../../src/constructs/trainer';
import '../../../src/interfaces/checks';
import { samples } from '../../support/samples';

const GPUS = Accelerator.nvidia({ count: 8, tolerations: [] });
const POD = { image: 'registry.example.com/train:1', command: ['torchrun', 'train.py'], accelerators: GPUS };

function made(build: (chart: Chart) => unknown): readonly JsonObject[] {
  const chart = new Chart(new App(), 'test', { namespace: 'training' });
  build(chart);
  expect(checkTree(chart).findings.filter(({ severity }) => severity !== 'info')).toEqual([]);
  return chart.toJson() as JsonObject[];
}

const patchIn = (object: JsonObject | undefined, path: string): unknown =>
  valueAt(object ?? null, `/spec/runtimePatches/0/trainingRuntimeSpec/template${path}`);

function pretrain(chart: Chart): TrainJob {
  return new TrainJob(chart, 'pretrain', {
    runtime: ClusterTrainingRuntime.builtIn('torch-distributed'),
    nodes: 8,
    image: 'registry.example.com/trainer:1.4',
    command: ['torchrun'],
    args: ['pretrain.py'],
    accelerators: GPUS,
    resources: { cpu: '96', memory: '500Gi' },
    env: { NCCL_SOCKET_IFNAME: 'ib0', NCCL_IB_HCA: 'mlx5' },
  });
}

test('a TrainJob states nodes and container, and patches nothing where nothing is to be patched', () => {
  expect(made(pretrain)).toEqual([
    {
      apiVersion: 'trainer.kubeflow.org/v1alpha1',
      kind: 'TrainJob',
      metadata: { name: 'pretrain', namespace: 'training' },
      spec: {
        runtimeRef: { name: 'torch-distributed' },
        trainer: {
          image: 'registry.example.com/trainer:1.4',
          command: ['torchrun'],
          args: ['pretrain.py'],
          numNodes: 8,
          numProcPerNode: 8,
          resourcesPerNode: {
            limits: { 'nvidia.com/gpu': 8, memory: '500Gi' },
            requests: { cpu: '96', memory: '500Gi' },
          },
          env: [
            { name: 'NCCL_SOCKET_IFNAME', value: 'ib0' },
            { name: 'NCCL_IB_HCA', value: 'mlx5' },
          ],
        },
      },
    },
  ]);
});

const CORRECTED = resolve(__dirname, '../../fixtures/manifests/corrected/train-job.yaml');
test('the corrected training job is what the construct renders', () => {
  const [job] = made(pretrain);
  // A quantity may be written as a number or as text.
  const text = (value: unknown): string =>
    JSON.stringify(value, (_key, member: unknown) => (typeof member === 'number' ? String(member) : member));
  const sorted = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(sorted)
      : value !== null && typeof value === 'object'
        ? Object.fromEntries(
            Object.entries(value)
              .sort()
              .map(([key, member]) => [key, sorted(member)]),
          )
        : value;
  expect(text(sorted(job))).toBe(text(sorted(parse(readFileSync(CORRECTED, 'utf8')))));
});

test('what a TrainJob may change of its pods becomes a patch of the nodes', () => {
  const [job] = made(
    (chart) =>
      new TrainJob(chart, 'x', {
        ...POD,
        runtime: ClusterTrainingRuntime.builtIn('torch-distributed'),
        sharedMemory: '16Gi',
        resources: { memory: '100Gi' },
        mounts: [Mount.claim('data', '/data')],
        nodeSelection: NodeSelection.labels({ tier: 'a' }),
        tolerations: [{ operator: 'Exists' }],
        podLabels: { team: 'a' },
        serviceAccount: 'trainer',
        terminationGracePeriod: Duration.minutes(5),
      }),
  );
  const pod = patchIn(job, '/spec/replicatedJobs/0/template/spec/template') as JsonObject;
  expect(patchIn(job, '/spec/replicatedJobs/0/name')).toBe('node');
  expect(pod.metadata).toEqual({ labels: { team: 'a' } });
  expect(Object.keys(pod.spec as JsonObject).sort()).toEqual([
    'containers',
    'nodeSelector',
    'serviceAccountName',
    'terminationGracePeriodSeconds',
    'tolerations',
    'volumes',
  ]);
  expect(valueAt(pod, '/spec/containers')).toEqual([
    {
      name: 'node',
      volumeMounts: [
        { name: 'data', mountPath: '/data' },
        { name: 'shm', mountPath: '/dev/shm' },
      ],
    },
  ]);
  expect(valueAt(job ?? null, '/spec/trainer/resourcesPerNode/limits/memory')).toBe('100Gi');
});

test('an MPI runtime is patched in both of its jobs', () => {
  const [job] = made(
    (chart) =>
      new TrainJob(chart, 'x', {
        runtime: ClusterTrainingRuntime.builtIn('deepspeed-distributed'),
        nodes: 2,
        tolerations: [{ operator: 'Exists' }],
      }),
  );
  expect((patchIn(job, '/spec/replicatedJobs') as { name: string }[]).map(({ name }) => name)).toEqual([
    'node',
    'launcher',
  ]);
});

test('what only a runtime can say is refused, with the way out', () => {
  const chart = new Chart(new App(), 'c');
  const runtime = ClusterTrainingRuntime.builtIn('torch-distributed');
  expect(() => new TrainJob(chart, 'a', { ...POD, runtime, podOverrides: { pod: { hostNetwork: true } } })).toThrow(
    'c/a: hostNetwork of the pod must not be set in a TrainJob. Set it in a TrainingRuntime.',
  );
  expect(() => new TrainJob(chart, 'b', { ...POD, runtime, envFrom: [{ prefix: 'a' }] })).toThrow(
    'envFrom of the container',
  );
  expect(() => new TrainJob(chart, 'd', { ...POD, runtime }).submitTo({ engine: 'volcano', name: 'q' })).toThrow(
    'Pods of the runtime torch-distributed are scheduled by default, not by volcano',
  );
  expect(
    () => new TrainJob(chart, 'e', { ...POD, runtime, priorityClass: { kind: 'PriorityClass', name: 'high' } }),
  ).toThrow('priorityClass high must not be set in a TrainJob');
  expect(() => new TrainJob(chart, 'f', { ...POD, runtime, sidecars: [{ name: 'a', image: 'x' }] })).toThrow(
    'containers of the pod',
  );
  expect(() => new TrainJob(chart, 'g', { ...POD, runtime, nodes: 0 })).toThrow(
    'nodes must be a whole number greater than or equal to 1, not 0.',
  );
});

test('Kueue suspends the TrainJob by a label; topology goes to the pods', () => {
  const [job] = made(
    (chart) =>
      new TrainJob(chart, 'x', {
        ...POD,
        runtime: ClusterTrainingRuntime.builtIn('torch-distributed'),
        scheduling: Scheduling.kueue({ engine: 'kueue', name: 'team' }, { topology: { required: 'rack' } }),
      }),
  );
  expect(valueAt(job ?? null, '/metadata/labels/kueue.x-k8s.io~1queue-name')).toBe('team');
  expect(patchIn(job, '/spec/replicatedJobs/0/template/spec/template/metadata')).toEqual({
    annotations: { 'kueue.x-k8s.io/podset-required-topology': 'rack' },
  });
});

test('a runtime on Volcano has gang, queue and scheduler; its TrainJobs choose another queue and come after it', () => {
  const [runtime, job] = made((chart) => {
    const ours = new TrainingRuntime(chart, 'gang', {
      ...POD,
      sharedMemory: '64Gi',
      policy: MlPolicy.torch(),
      scheduling: Scheduling.volcano({ engine: 'volcano', name: 'all' }),
      networkTopology: { highestTier: 1 },
    });
    new TrainJob(chart, 'a-job', { runtime: ours, nodes: 4 }).submitTo({ engine: 'volcano', name: 'team' });
  });
  expect(runtime).toMatchObject({
    kind: 'TrainingRuntime',
    spec: {
      podGroupPolicy: { volcano: { networkTopology: { mode: 'hard', highestTierAllowed: 1 } } },
      template: { metadata: { annotations: { 'scheduling.volcano.sh/queue-name': 'all' } } },
    },
  });
  expect(
    valueAt(runtime ?? null, '/spec/template/spec/replicatedJobs/0/template/spec/template/spec/schedulerName'),
  ).toBe('volcano');
  expect(valueAt(job ?? null, '/spec/runtimeRef')).toEqual({ name: 'gang', kind: 'TrainingRuntime' });
  expect(patchIn(job, '/metadata/annotations')).toEqual({ 'scheduling.volcano.sh/queue-name': 'team' });
});

test('a runtime with initializers shares their claim with the nodes, which wait for them', () => {
  const [runtime] = made(
    (chart) =>
      new ClusterTrainingRuntime(chart, 'tune', {
        ...POD,
        sharedMemory: '64Gi',
        policy: MlPolicy.torch(),
        initializers: { storage: '20Gi', dataset: { image: 'x' }, model: { image: 'y' } },
      }),
  );
  expect(valueAt(runtime ?? null, '/metadata/namespace')).toBeUndefined();
  const jobs = valueAt(runtime ?? null, '/spec/template/spec/replicatedJobs') as JsonObject[];
  expect(jobs.map(({ name }) => name)).toEqual(['dataset-initializer', 'model-initializer', 'node']);
  expect(jobs[2]?.dependsOn).toEqual([
    { name: 'dataset-initializer', status: 'Complete' },
    { name: 'model-initializer', status: 'Complete' },
  ]);
  expect(
    JSON.stringify(jobs).match(
      /"name":"initializer","mountPath":"\/workspace"|"mountPath":"\/workspace","name":"initializer"/g,
    ),
  ).toHaveLength(3);
});

test('whatever the numbers and the policy, no rule of any domain objects', () => {
  const statement = fc.record({
    nodes: fc.integer({ min: 1, max: 500 }),
    gpus: fc.integer({ min: 1, max: 16 }),
    policy: fc.constantFrom(
      MlPolicy.torch(),
      MlPolicy.jax(),
      MlPolicy.xgboost(),
      MlPolicy.mpi(),
      MlPolicy.mpi({ processesPerNode: 2, sshAuthMountPath: '/home/a/.ssh' }),
    ),
    scheduling: fc.constantFrom(
      undefined,
      Scheduling.volcano({ engine: 'volcano', name: 'q' }),
      Scheduling.schedulerPlugins(),
      Scheduling.gantry({ engine: 'gantry', name: 'q' }),
    ),
    initializers: fc.constantFrom(undefined, { storage: '1Ti', model: { image: 'm' } }),
  });
  fc.assert(
    fc.property(statement, ({ nodes, gpus, ...props }) => {
      made((chart) => {
        const accelerators = Accelerator.nvidia({ count: gpus });
        const runtime = new TrainingRuntime(chart, 'ours', { ...POD, accelerators, sharedMemory: '64Gi', ...props });
        const model = props.initializers === undefined ? undefined : { storageUri: 'hf://a/b' };
        new TrainJob(chart, 'train', {
          ...POD,
          accelerators,
          runtime,
          nodes,
          model,
          sharedMemory: '16Gi',
          resources: { memory: '64Gi' },
        });
      });
    }),
    { seed: 20261120, numRuns: samples(60) },
  );
});

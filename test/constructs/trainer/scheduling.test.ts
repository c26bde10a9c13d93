import { App, Chart } from 'cdk8s';
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { checkTree } from '../../../src/checks/synth/check-tree';
import { valueAt } from '../../../src/manifests/pointer';
import { Accelerator, Scheduling } from '../../../src/constructs/pods';
import {
  ClusterTrainingRuntime,
  MlPolicy,
  TrainingRuntime,
  TrainJob,
  type TrainJobProps,
} from '../../../src/constructs/trainer';
import '../../../src/interfaces/checks';

const POD = {
  image: 'registry.example.com/train:1',
  command: ['torchrun', 'train.py'],
  accelerators: Accelerator.nvidia({ count: 8 }),
  sharedMemory: '64Gi',
  resources: { cpu: 8, memory: '100Gi' },
};
const queue = { engine: 'volcano', name: 'research' } as const;
const gantryQueue = { engine: 'gantry', name: 'research' } as const;
const builtIn = ClusterTrainingRuntime.builtIn('torch-distributed');

function made(build: (chart: Chart) => unknown): readonly JsonObject[] {
  const chart = new Chart(new App(), 'test', { namespace: 'ml' });
  build(chart);
  expect(checkTree(chart).findings.filter(({ severity }) => severity === 'error' || severity === 'warning')).toEqual(
    [],
  );
  return chart.toJson() as JsonObject[];
}

const job = (props: Partial<TrainJobProps>): JsonValue =>
  made((chart) => new TrainJob(chart, 'train', { ...POD, runtime: builtIn, nodes: 4, ...props }))[0] ?? null;
const POD_PATCH = '/spec/runtimePatches/0/trainingRuntimeSpec/template/spec/replicatedJobs/0/template/spec/template';

test('a TrainJob hands its pods over to Gantry whatever the runtime says of schedulers', () => {
  const found = job({ scheduling: Scheduling.gantry(gantryQueue, { handOver: true, topology: { required: 'rack' } }) });
  expect(valueAt(found, POD_PATCH)).toMatchObject({
    metadata: {
      labels: { 'gantry.dev/queue': 'research', 'gantry.dev/gang': 'train' },
      annotations: { 'gantry.dev/gang-min-member': '4', 'gantry.dev/topology-required': 'rack' },
    },
    spec: { schedulingGates: [{ name: 'gantry.dev/placement' }] },
  });
});

test("without a hand-over the runtime has to be Gantry's", () => {
  expect(() => job({ scheduling: Scheduling.gantry(gantryQueue) })).toThrow(
    'Pods of the runtime torch-distributed are scheduled by default, not by gantry, and a TrainJob cannot change that. Create a TrainingRuntime with this scheduling, or hand over',
  );
});

test('a TrainJob on a runtime of Gantry says its gang, and leaves the scheduler to the runtime', () => {
  const [runtime, train] = made((chart) => {
    const ours = new TrainingRuntime(chart, 'ours', {
      ...POD,
      policy: MlPolicy.torch(),
      nodes: 2,
      scheduling: Scheduling.gantry(gantryQueue),
    });
    new TrainJob(chart, 'train', { ...POD, runtime: ours });
  });
  expect(
    valueAt(runtime ?? null, '/spec/template/spec/replicatedJobs/0/template/spec/template/spec/schedulerName'),
  ).toBe('gantry');
  expect(valueAt(train ?? null, `${POD_PATCH}/metadata`)).toEqual({
    labels: { 'gantry.dev/queue': 'research', 'gantry.dev/gang': 'train' },
    annotations: { 'gantry.dev/gang-min-member': '2' },
  });
  expect(valueAt(train ?? null, `${POD_PATCH}/spec/schedulerName`)).toBeUndefined();
});

test('Gantry has to know how many nodes there are', () => {
  expect(() => job({ nodes: undefined, scheduling: Scheduling.gantry(gantryQueue, { handOver: true }) })).toThrow(
    'nodes: the runtime torch-distributed may set the number of nodes',
  );
});

test('the launcher of MPI is made later, so the gang does not wait for it', () => {
  const found = job({
    runtime: ClusterTrainingRuntime.builtIn('deepspeed-distributed'),
    scheduling: Scheduling.gantry(gantryQueue, { handOver: true }),
  });
  expect(valueAt(found, `${POD_PATCH}/metadata/annotations/gantry.dev~1gang-min-member`)).toBe('3');
});

test('a runtime for Volcano takes the tier of its choice', () => {
  const [runtime] = made(
    (chart) =>
      new TrainingRuntime(chart, 'ours', {
        ...POD,
        policy: MlPolicy.torch(),
        scheduling: Scheduling.volcano(queue, { topology: { preferred: 2 } }),
      }),
  );
  expect(valueAt(runtime ?? null, '/spec/podGroupPolicy')).toEqual({
    volcano: { networkTopology: { mode: 'soft', highestTierAllowed: 2 } },
  });
});

test('a runtime cannot go through Kueue: its TrainJobs do', () => {
  expect(() =>
    made(
      (chart) =>
        new TrainingRuntime(chart, 'ours', {
          ...POD,
          policy: MlPolicy.torch(),
          // @ts-expect-error Kueue reads the queue of TrainJobs
          scheduling: Scheduling.kueue({ engine: 'kueue', name: 'team' }),
        }),
    ),
  ).toThrow(
    'TrainingRuntime cannot be scheduled by kueue (the Kueue LocalQueue "team"): Kueue reads the queue of TrainJobs.',
  );
});

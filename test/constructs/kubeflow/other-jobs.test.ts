import { App, Chart } from 'cdk8s';
import * as fc from 'fast-check';
import { type JsonObject } from '../../../src/facts/api/schema';
import { checkTree } from '../../../src/checks/synth/check-tree';
import { JAXJob, MPIJob, MPIJobV1, PaddleJob, TFJob, XGBoostJob } from '../../../src/constructs/kubeflow';
import { Accelerator, Scheduling } from '../../../src/constructs/pods';
import { valueAt } from '../../../src/manifests/pointer';
import '../../../src/interfaces/checks';
import { samples } from '../../support/samples';

const POD = {
  image: 'registry.example.com/train:1',
  command: ['python', 'train.py'],
  accelerators: Accelerator.nvidia({ count: 8 }),
  sharedMemory: '16Gi',
  resources: { cpu: 8, memory: '100Gi' },
};

function made(build: (chart: Chart) => unknown): JsonObject {
  const chart = new Chart(new App(), 'test', { namespace: 'ml' });
  build(chart);
  expect(checkTree(chart).findings.filter(({ severity }) => severity !== 'info')).toEqual([]);
  const objects = chart.toJson() as JsonObject[];
  return objects.at(-1) ?? {};
}

const replicas = (object: JsonObject, field: string): unknown =>
  Object.fromEntries(
    Object.entries(valueAt(object, `/spec/${field}`) as JsonObject).map(([role, value]) => [
      role,
      valueAt(value ?? null, '/replicas'),
    ]),
  );

test('a TFJob has the roles that are stated, each with its own devices', () => {
  const job = made(
    (chart) =>
      new TFJob(chart, 'rank', {
        ...POD,
        workers: 4,
        parameterServers: { replicas: 2, accelerators: undefined },
        chief: {},
        evaluator: {},
        succeedsWith: 'all-workers',
      }),
  );
  expect(replicas(job, 'tfReplicaSpecs')).toEqual({ Chief: 1, PS: 2, Worker: 4, Evaluator: 1 });
  expect(valueAt(job, '/spec/successPolicy')).toBe('AllWorkers');
  expect(JSON.stringify(valueAt(job, '/spec/tfReplicaSpecs/PS'))).not.toContain('nvidia.com/gpu');
  expect(valueAt(job, '/spec/tfReplicaSpecs/Worker/template/spec/containers/0/name')).toBe('tensorflow');
});

test('an XGBoostJob of one node is a Master alone', () => {
  expect(
    replicas(
      made((chart) => new XGBoostJob(chart, 'x', { ...POD, nodes: 3 })),
      'xgbReplicaSpecs',
    ),
  ).toEqual({ Master: 1, Worker: 2 });
  expect(
    replicas(
      made((chart) => new XGBoostJob(chart, 'x', { ...POD, nodes: 1 })),
      'xgbReplicaSpecs',
    ),
  ).toEqual({ Master: 1 });
});

test('a PaddleJob trains collectively, or with servers, and its gang is as large as the least', () => {
  expect(
    replicas(
      made((chart) => new PaddleJob(chart, 'x', { ...POD, nodes: 3 })),
      'paddleReplicaSpecs',
    ),
  ).toEqual({ Worker: 3 });
  const job = made((chart) =>
    new PaddleJob(chart, 'x', { ...POD, nodes: 3, servers: { replicas: 2 }, elastic: { min: 2, max: 4 } }).submitTo({
      engine: 'volcano',
      name: 'q',
    }),
  );
  expect(replicas(job, 'paddleReplicaSpecs')).toEqual({ Master: 2, Worker: 3 });
  expect(valueAt(job, '/spec/runPolicy/schedulingPolicy')).toEqual({ queue: 'q', minAvailable: 4 });
});

test('a JAXJob has Workers only', () => {
  expect(
    replicas(
      made((chart) => new JAXJob(chart, 'x', { ...POD, nodes: 3, backoffLimit: 2 })),
      'jaxReplicaSpecs',
    ),
  ).toEqual({ Worker: 3 });
});

test('the launcher of an MPIJob runs the command and asks for no device; workers have the devices and no command', () => {
  const job = made(
    (chart) =>
      new MPIJob(chart, 'x', {
        ...POD,
        workers: 2,
        scheduling: Scheduling.volcano({ engine: 'volcano', name: 'q' }),
      }),
  );
  expect(job.apiVersion).toBe('kubeflow.org/v2beta1');
  expect(valueAt(job, '/spec/slotsPerWorker')).toBe(8);
  expect(valueAt(job, '/spec/runPolicy/schedulingPolicy')).toEqual({ queue: 'q', minAvailable: 3 });
  expect(valueAt(job, '/spec/mpiReplicaSpecs/Launcher/template/spec/containers/0')).toEqual({
    name: 'mpi',
    image: POD.image,
    command: POD.command,
    resources: { limits: { memory: '2Gi' }, requests: { cpu: 1, memory: '2Gi' } },
  });
  expect(valueAt(job, '/spec/mpiReplicaSpecs/Worker/template/spec/containers/0/command')).toBeUndefined();
  expect(valueAt(job, '/spec/mpiReplicaSpecs/Worker/template/spec/containers/0/resources/limits/nvidia.com~1gpu')).toBe(
    8,
  );
});

test('a launcher that computes has the devices too', () => {
  const job = made(
    (chart) =>
      new MPIJob(chart, 'x', {
        ...POD,
        workers: 1,
        launcherComputes: true,
        implementation: 'Intel',
        managedBy: 'kueue.x-k8s.io/multikueue',
      }),
  );
  expect(
    valueAt(job, '/spec/mpiReplicaSpecs/Launcher/template/spec/containers/0/resources/limits/nvidia.com~1gpu'),
  ).toBe(8);
  expect(valueAt(job, '/spec')).toMatchObject({
    runLauncherAsWorker: true,
    mpiImplementation: 'Intel',
    runPolicy: { managedBy: 'kueue.x-k8s.io/multikueue' },
  });
});

test('the MPIJob of the training-operator is another version of the same statement', () => {
  const job = made((chart) => new MPIJobV1(chart, 'x', { ...POD, workers: 2, slotsPerWorker: 4 }));
  expect(job).toMatchObject({ apiVersion: 'kubeflow.org/v1', spec: { slotsPerWorker: 4 } });
});

test('numbers that are none are refused where they are written', () => {
  const chart = new Chart(new App(), 'c');
  expect(() => new TFJob(chart, 'a', { image: 'x', workers: 0 })).toThrow(
    'c/a: Worker replicas must be a whole number greater than or equal to 1, not 0.',
  );
  expect(() => new XGBoostJob(chart, 'b', { image: 'x', nodes: 0.5 })).toThrow(
    'nodes must be a whole number greater than or equal to 1, not 0.5.',
  );
  expect(() => new MPIJob(chart, 'd', { image: 'x', workers: 1, slotsPerWorker: 0 })).toThrow(
    'slotsPerWorker must be a whole number greater than or equal to 1, not 0.',
  );
  expect(() => new PaddleJob(chart, 'e', { image: 'x', nodes: 5, elastic: { min: 1, max: 4 } })).toThrow(
    'nodes 5: must be from elastic min 1 to max 4.',
  );
});

test('whatever the numbers, no rule of any domain objects to what the constructs make', () => {
  const statement = fc.record({
    kind: fc.constantFrom('tf', 'xgb', 'paddle', 'jax', 'mpi', 'mpi1'),
    pods: fc.integer({ min: 1, max: 300 }),
    gpus: fc.integer({ min: 1, max: 16 }),
    scheduling: fc.constantFrom(
      undefined,
      Scheduling.volcano({ engine: 'volcano', name: 'q' }),
      Scheduling.kueue({ engine: 'kueue', name: 'q' }),
      Scheduling.schedulerPlugins(),
      Scheduling.gantry({ engine: 'gantry', name: 'q' }),
    ),
    servers: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(statement, ({ kind, pods, gpus, scheduling, servers }) => {
      if (kind === 'mpi1' && scheduling?.engine === 'kueue') {
        return;
      }
      const props = { ...POD, accelerators: Accelerator.nvidia({ count: gpus }), scheduling };
      made((chart) => {
        if (kind === 'tf') {
          return new TFJob(chart, 'train', {
            ...props,
            workers: pods,
            parameterServers: servers === undefined ? undefined : { replicas: servers },
          });
        }
        if (kind === 'xgb') {
          return new XGBoostJob(chart, 'train', { ...props, nodes: pods });
        }
        if (kind === 'paddle') {
          return new PaddleJob(chart, 'train', {
            ...props,
            nodes: pods,
            servers: servers === undefined ? undefined : { replicas: servers },
          });
        }
        if (kind === 'jax') {
          return new JAXJob(chart, 'train', { ...props, nodes: pods });
        }
        return kind === 'mpi'
          ? new MPIJob(chart, 'train', { ...props, workers: pods })
          : new MPIJobV1(chart, 'train', {
              ...props,
              workers: pods,
              scheduling: props.scheduling as Scheduling<never>,
            });
      });
    }),
    { seed: 20261120, numRuns: samples(60) },
  );
});

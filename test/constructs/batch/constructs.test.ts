import { App, Chart, Duration } from 'cdk8s';
import * as fc from 'fast-check';
import { type JsonObject } from '../../../src/facts/api/schema';
import { JobSet, LeaderWorkerSet } from '../../../src/constructs/batch';
import { checkTree } from '../../../src/checks/synth/check-tree';
import { valueAt } from '../../../src/manifests/pointer';
import { Accelerator, Scheduling } from '../../../src/constructs/pods';
import '../../../src/interfaces/checks';
import { samples } from '../../support/samples';

const POD = {
  image: 'registry.example.com/train:1',
  command: ['torchrun', 'train.py'],
  accelerators: Accelerator.nvidia({ count: 8 }),
  sharedMemory: '64Gi',
  resources: { memory: '100Gi' },
};

function made(build: (chart: Chart) => unknown): readonly JsonObject[] {
  const chart = new Chart(new App(), 'test', { namespace: 'ml' });
  build(chart);
  expect(checkTree(chart).findings.filter(({ severity }) => severity !== 'info')).toEqual([]);
  return chart.toJson() as JsonObject[];
}

test('a job of a set is Indexed, fails at once, and the set starts again', () => {
  const [set] = made(
    (chart) =>
      new JobSet(chart, 'train', { maxRestarts: 3, jobs: [{ jobName: 'node', nodes: 4, replicas: 2, ...POD }] }),
  );
  expect(set).toMatchObject({
    spec: {
      failurePolicy: { maxRestarts: 3 },
      replicatedJobs: [
        {
          name: 'node',
          replicas: 2,
          template: { spec: { completionMode: 'Indexed', parallelism: 4, completions: 4, backoffLimit: 0 } },
        },
      ],
    },
  });
  expect(valueAt(set ?? null, '/spec/replicatedJobs/0/template/spec/template/spec/restartPolicy')).toBe('Never');
});

test('with Volcano all pods are one gang, written before the set, with the priority that comes later', () => {
  const [group, set] = made((chart) =>
    new JobSet(chart, 'train', {
      jobs: [
        { jobName: 'a', ...POD },
        { jobName: 'b', nodes: 3, ...POD },
      ],
    })
      .submitTo({ engine: 'volcano', name: 'q' })
      .withPriority({ kind: 'PriorityClass', name: 'high' }),
  );
  expect(group).toMatchObject({
    kind: 'PodGroup',
    metadata: { name: 'train', namespace: 'ml' },
    spec: { minMember: 4, queue: 'q', priorityClassName: 'high' },
  });
  const pods = (set.spec as { replicatedJobs: JsonObject[] }).replicatedJobs.map((job) =>
    valueAt(job, '/template/spec/template'),
  );
  for (const pod of pods) {
    expect(pod).toMatchObject({
      metadata: { annotations: { 'scheduling.k8s.io/group-name': 'train' } },
      spec: { schedulerName: 'volcano', priorityClassName: 'high' },
    });
  }
});

test('jobs that come one after the other are a gang each', () => {
  const objects = made(
    (chart) =>
      new JobSet(chart, 'train', {
        scheduling: Scheduling.volcano({ engine: 'volcano', name: 'q' }),
        jobs: [
          { jobName: 'a', ...POD },
          { jobName: 'b', nodes: 3, dependsOn: [{ job: 'a', status: 'Complete' }], ...POD },
        ],
      }),
  );
  expect(objects.filter(({ kind }) => kind === 'PodGroup').map(({ metadata, spec }) => [metadata, spec])).toEqual([
    [
      { name: 'train-a', namespace: 'ml' },
      { minMember: 1, queue: 'q' },
    ],
    [
      { name: 'train-b', namespace: 'ml' },
      { minMember: 3, queue: 'q' },
    ],
  ]);
});

test('coordinator, order, success and topology are stated by name', () => {
  const [set] = made(
    (chart) =>
      new JobSet(chart, 'train', {
        jobs: [
          { jobName: 'a', ...POD },
          { jobName: 'b', ...POD, jobOverrides: { activeDeadlineSeconds: 60 } },
        ],
        coordinator: { job: 'a' },
        succeedsWith: 'any',
        successTargets: ['a'],
        startInOrder: true,
        exclusiveTopology: 'rack',
        subdomain: 'pods',
        ttlAfterFinished: Duration.seconds(5),
      }),
  );
  expect(set).toMatchObject({
    metadata: { annotations: { 'alpha.jobset.sigs.k8s.io/exclusive-topology': 'rack' } },
    spec: {
      coordinator: { replicatedJob: 'a', jobIndex: 0, podIndex: 0 },
      successPolicy: { operator: 'Any', targetReplicatedJobs: ['a'] },
      startupPolicy: { startupPolicyOrder: 'InOrder' },
      network: { subdomain: 'pods' },
      ttlSecondsAfterFinished: 5,
    },
  });
  expect(valueAt(set ?? null, '/spec/replicatedJobs/1/template/spec/activeDeadlineSeconds')).toBe(60);
});

test('jobs that cannot be are refused where they are written', () => {
  const chart = new Chart(new App(), 'c');
  expect(() => new JobSet(chart, 'a', { jobs: [] })).toThrow('c/a: jobs must contain at least one job.');
  expect(
    () =>
      new JobSet(chart, 'b', {
        jobs: [
          { jobName: 'x', image: 'i' },
          { jobName: 'x', image: 'i' },
        ],
      }),
  ).toThrow('Duplicate job "x"');
  expect(
    () => new JobSet(chart, 'd', { jobs: [{ jobName: 'x', image: 'i', dependsOn: [{ job: 'y', status: 'Ready' }] }] }),
  ).toThrow('Job x depends on "y"');
  expect(
    () => new LeaderWorkerSet(chart, 'e', { groupSize: 4, image: 'i', subGroups: { size: 3, leaderExcluded: false } }),
  ).not.toThrow();
  expect(() => new LeaderWorkerSet(chart, 'f', { groupSize: 6, image: 'i', subGroups: { size: 4 } })).toThrow(
    'subGroups.size 4: must be a divisor of 6, the pods of a group',
  );
});

test('a LeaderWorkerSet says groups, size, leader and queue', () => {
  const [set] = made((chart) =>
    new LeaderWorkerSet(chart, 'serve', {
      ...POD,
      groups: 3,
      groupSize: 4,
      leader: { command: ['lead'] },
      startup: 'leader-ready',
      restart: 'group-after-start',
      maxSurge: 1,
      maxUnavailable: '0%',
      subGroups: { size: 2, exclusiveTopology: 'rack' },
      subdomain: 'per-group',
      exclusiveTopology: 'zone',
    }).submitTo({ engine: 'volcano', name: 'q' }),
  );
  expect(set).toMatchObject({
    metadata: {
      annotations: {
        'scheduling.volcano.sh/queue-name': 'q',
        'leaderworkerset.sigs.k8s.io/exclusive-topology': 'zone',
        'leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology': 'rack',
      },
    },
    spec: {
      replicas: 3,
      startupPolicy: 'LeaderReady',
      networkConfig: { subdomainPolicy: 'UniquePerReplica' },
      rolloutStrategy: { type: 'RollingUpdate', rollingUpdateConfiguration: { maxSurge: 1, maxUnavailable: '0%' } },
      leaderWorkerTemplate: { size: 4, restartPolicy: 'RecreateGroupAfterStart', subGroupPolicy: { subGroupSize: 2 } },
    },
  });
  expect(valueAt(set ?? null, '/spec/leaderWorkerTemplate/leaderTemplate/spec/containers/0/command')).toEqual(['lead']);
  expect(valueAt(set ?? null, '/spec/leaderWorkerTemplate/workerTemplate/spec/schedulerName')).toBe('volcano');
});

test('whatever the numbers, no rule of any domain objects', () => {
  const statement = fc.record({
    nodes: fc.integer({ min: 1, max: 500 }),
    replicas: fc.integer({ min: 1, max: 20 }),
    scheduling: fc.constantFrom(
      undefined,
      Scheduling.volcano({ engine: 'volcano', name: 'q' }),
      Scheduling.kueue({ engine: 'kueue', name: 'q' }),
      Scheduling.schedulerPlugins(),
      Scheduling.gantry({ engine: 'gantry', name: 'q' }),
    ),
    inOrder: fc.boolean(),
  });
  fc.assert(
    fc.property(statement, ({ nodes, replicas, scheduling, inOrder }) => {
      made(
        (chart) =>
          new JobSet(chart, 'train', {
            scheduling,
            maxRestarts: replicas,
            coordinator: { job: 'node', podIndex: nodes - 1 },
            jobs: [
              { jobName: 'driver', image: 'x' },
              {
                jobName: 'node',
                nodes,
                replicas,
                ...POD,
                dependsOn: inOrder ? [{ job: 'driver', status: 'Ready' }] : [],
              },
            ],
          }),
      );
      made(
        (chart) =>
          new LeaderWorkerSet(chart, 'serve', {
            ...POD,
            scheduling,
            groups: scheduling?.engine === 'scheduler-plugins' ? 1 : replicas,
            groupSize: nodes,
            leader: inOrder ? {} : undefined,
          }),
      );
    }),
    { seed: 20261120, numRuns: samples(40) },
  );
});

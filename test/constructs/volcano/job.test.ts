import { App, Chart, Duration } from 'cdk8s';
import { Accelerator, PodTemplate, PriorityClass, volcano } from '../../../src';
import { Testing } from '../../../src/interfaces/testing';

const { CronJob, Job, JobFlow, JobPlugin, JobTemplate, JobVolume, Policy, Queue, torchrun } = volcano;
const chart = (): Chart => new Chart(new App(), 'test', { namespace: 'ai-workloads' });
const IMAGE = 'pytorch/pytorch:2.0.1-cuda11.7-cudnn8-runtime';
const LAUNCH = [
  '--nnodes=$(WORLD_SIZE)',
  '--node-rank=$(RANK)',
  '--master-addr=$(MASTER_ADDR)',
  '--master-port=$(MASTER_PORT)',
  '--nproc-per-node=4',
  'train.py',
];
const spec = (scope: Chart, index = 0): unknown => (Testing.synth(scope)[index] as { spec: unknown }).spec;
const plain = { spec: { containers: [{ name: 'main', image: 'registry.example.com/train:1' }] } };

test('a distributed job: its gang, its plugins and its launch follow from tasks and GPUs', () => {
  const scope = chart();
  const high = new PriorityClass(scope, 'high-priority', { value: 1000 });
  const container = (name: string) => ({
    name,
    image: IMAGE,
    ...torchrun({ processesPerNode: 4, script: ['train.py'] }),
    resources: { limits: { 'nvidia.com/gpu': 4 } },
  });
  new Job(scope, 'distributed-training', {
    priorityClass: high,
    plugins: [JobPlugin.pytorch({ master: 'master', worker: 'worker', port: 23456 }), JobPlugin.svc()],
    policies: [Policy.onEvent('PodEvicted', 'RestartJob')],
    tasks: [
      {
        name: 'master',
        policies: [Policy.onEvent('TaskCompleted', 'CompleteJob')],
        template: { spec: { containers: [container('master')] } },
      },
      { name: 'worker', replicas: 4, template: { spec: { containers: [container('worker')] } } },
    ],
  }).submitTo(Queue.fromName('default-queue'));
  const pods = (name: string) => ({
    spec: {
      restartPolicy: 'OnFailure',
      containers: [
        { name, image: IMAGE, command: ['torchrun'], args: LAUNCH, resources: { limits: { 'nvidia.com/gpu': 4 } } },
      ],
    },
  });
  expect(Testing.synth(scope)).toMatchObject([{ kind: 'PriorityClass' }, { kind: 'Job' }]);
  expect(Testing.synth(scope)[1]).toEqual({
    apiVersion: 'batch.volcano.sh/v1alpha1',
    kind: 'Job',
    metadata: { name: 'distributed-training', namespace: 'ai-workloads' },
    spec: {
      minAvailable: 5,
      schedulerName: 'volcano',
      queue: 'default-queue',
      priorityClassName: 'high-priority',
      maxRetry: 3,
      plugins: { pytorch: ['--master=master', '--worker=worker', '--port=23456'], svc: [] },
      policies: [{ event: 'PodEvicted', action: 'RestartJob' }],
      tasks: [
        {
          name: 'master',
          replicas: 1,
          policies: [{ event: 'TaskCompleted', action: 'CompleteJob' }],
          template: pods('master'),
        },
        { name: 'worker', replicas: 4, template: pods('worker') },
      ],
    },
  });
});

test("the pod model renders into a task under the task's name", () => {
  const scope = chart();
  const template = new PodTemplate({
    image: 'registry.example.com/train:1',
    accelerators: Accelerator.nvidia({ count: 8 }),
  });
  new Job(scope, 'train', { tasks: [{ name: 'worker', template }] });
  expect(spec(scope)).toMatchObject({
    tasks: [{ template: { spec: { restartPolicy: 'OnFailure', containers: [{ name: 'worker' }] } } }],
  });
});

test('a restart policy of the template stays, and a task may state its own', () => {
  const scope = chart();
  new Job(scope, 'train', {
    policies: [Policy.onEvent('PodFailed', 'RestartJob')],
    plugins: [JobPlugin.svc()],
    tasks: [
      { name: 'a', template: { spec: { ...plain.spec, restartPolicy: 'Never' } }, restartPolicy: 'OnFailure' },
      { name: 'b', template: plain, restartPolicy: 'Never' },
    ],
  });
  expect(spec(scope)).toMatchObject({
    tasks: [{ template: { spec: { restartPolicy: 'Never' } } }, { template: { spec: { restartPolicy: 'Never' } } }],
  });
});

test('how many pods start together follows from the tasks, their minimum and their partitions', () => {
  const scope = chart();
  const train = new Job(scope, 'train', {
    plugins: [JobPlugin.svc()],
    policies: [Policy.onEvent('PodEvicted', 'RestartJob')],
  });
  train.addTask({ name: 'a', replicas: 4, minAvailable: 2, template: plain });
  train.addTask({
    name: 'b',
    partitions: { count: 3, size: 4, minimum: 2, networkTopology: { highestTier: 'rack' } },
    template: plain,
  });
  expect(spec(scope)).toMatchObject({
    minAvailable: 2 + 8,
    tasks: [
      { replicas: 4 },
      {
        replicas: 12,
        partitionPolicy: {
          totalPartitions: 3,
          partitionSize: 4,
          minPartitions: 2,
          networkTopology: { mode: 'hard', highestTierName: 'rack' },
        },
      },
    ],
  });
});

test('a job that is submitted later comes after its queue', () => {
  const scope = chart();
  const train = new Job(scope, 'a-job', { tasks: [{ name: 'main', template: plain }] });
  train.submitTo(new Queue(scope, 'z-queue'));
  expect(Testing.synth(scope)).toMatchObject([{ kind: 'Queue' }, { kind: 'Job', spec: { queue: 'z-queue' } }]);
});

test('plugins render the flags that Volcano reads', () => {
  const args = (plugin: volcano.JobPlugin): readonly string[] => plugin.args;
  expect(args(JobPlugin.svc({ publishNotReadyAddresses: true, disableNetworkPolicy: true }))).toEqual([
    '--publish-not-ready-addresses',
    '--disable-network-policy',
  ]);
  expect(args(JobPlugin.ssh({ keyFilePath: '/home/mpi/.ssh', port: 2222 }))).toEqual([
    '--ssh-key-file-path=/home/mpi/.ssh',
    '--ssh-port=2222',
  ]);
  expect(args(JobPlugin.pytorch({ waitForMaster: { timeout: Duration.seconds(60) } }))).toEqual([
    '--wait-master-enabled=true',
    '--wait-master-timeout=60',
  ]);
  expect(args(JobPlugin.pytorch({ waitForMaster: true }))).toEqual(['--wait-master-enabled=true']);
  expect(args(JobPlugin.pytorch({ waitForMaster: false }))).toEqual([]);
  expect(args(JobPlugin.tensorflow({ chief: 'master', port: 2223 }))).toEqual(['--chief=master', '--port=2223']);
  expect(args(JobPlugin.mpi({ master: 'launcher' }))).toEqual(['--master=launcher']);
  expect(args(JobPlugin.ray({ headContainer: 'main' }))).toEqual(['--headContainer=main']);
  expect(args(JobPlugin.hcclrank())).toEqual([]);
  expect(args(JobPlugin.env())).toEqual([]);
});

test('a plugin that is given twice is refused with a sentence', () => {
  expect(
    () => new Job(chart(), 'train', { plugins: [JobPlugin.svc(), JobPlugin.svc({ disableNetworkPolicy: true })] }),
  ).toThrow(/The plugin svc is listed twice/);
});

test('policies state events, exit codes and how long to wait', () => {
  expect(Policy.onEvents(['PodFailed', 'PodEvicted'], 'RestartJob').toPolicy()).toEqual({
    events: ['PodFailed', 'PodEvicted'],
    action: 'RestartJob',
  });
  expect(Policy.onExitCode(3, 'AbortJob').toPolicy()).toEqual({ exitCode: 3, action: 'AbortJob' });
  expect(Policy.onPodPending(Duration.minutes(10), 'AbortJob').toPolicy()).toEqual({
    event: 'PodPending',
    action: 'AbortJob',
    timeout: '600s',
  });
  expect(() => Policy.onExitCode(0, 'AbortJob')).toThrow(/exitCode must not be 0/);
});

test('volumes are claims that there are, or new ones', () => {
  const scope = chart();
  new Job(scope, 'train', {
    tasks: [{ name: 'main', template: plain }],
    volumes: [
      JobVolume.existing('/data', 'datasets'),
      JobVolume.claim('/out', { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Ti' } } }),
    ],
  });
  expect(spec(scope)).toMatchObject({
    volumes: [
      { mountPath: '/data', volumeClaimName: 'datasets' },
      { mountPath: '/out', volumeClaim: { accessModes: ['ReadWriteMany'] } },
    ],
  });
});

test('a cron job holds a job of the same kind, and does not start a second beside it', () => {
  const scope = chart();
  new CronJob(scope, 'nightly', {
    schedule: '0 2 * * *',
    timeZone: 'Etc/UTC',
    job: { tasks: [{ name: 'eval', template: plain }] },
  });
  expect(spec(scope)).toMatchObject({
    schedule: '0 2 * * *',
    timeZone: 'Etc/UTC',
    concurrencyPolicy: 'Forbid',
    jobTemplate: { spec: { minAvailable: 1, tasks: [{ name: 'eval' }] } },
  });
});

test('a flow names templates in the order in which they run, and comes after them', () => {
  const scope = chart();
  const flow = new JobFlow(scope, 'a-flow', { jobRetainPolicy: 'delete' });
  const [prepare, train] = ['prepare', 'train'].map(
    (name) => new JobTemplate(scope, name, { tasks: [{ name: 'main', template: plain }] }),
  );
  if (prepare === undefined || train === undefined) {
    throw new Error('two templates were made');
  }
  flow
    .addFlow(prepare)
    .addFlow(train, { after: [prepare] })
    .addFlow(JobTemplate.fromName('report'), { after: [prepare, train] });
  const objects = Testing.synth(scope);
  expect(objects.map(({ kind }) => kind)).toEqual(['JobTemplate', 'JobTemplate', 'JobFlow']);
  expect(objects[2]).toMatchObject({
    spec: {
      jobRetainPolicy: 'delete',
      flows: [
        { name: 'prepare' },
        { name: 'train', dependsOn: { targets: ['prepare'] } },
        { name: 'report', dependsOn: { targets: ['prepare', 'train'] } },
      ],
    },
  });
});

test('a flow refuses what would wait for ever', () => {
  const scope = chart();
  const flow = new JobFlow(scope, 'flow').addFlow(JobTemplate.fromName('a'));
  expect(() => flow.addFlow(JobTemplate.fromName('a'))).toThrow(/already has the template "a"/);
  expect(() => flow.addFlow(JobTemplate.fromName('b'), { after: [JobTemplate.fromName('c')] })).toThrow(
    /"b" depends on "c", which is not in the flow/,
  );
});

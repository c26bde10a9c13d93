import { App, Chart, Duration } from 'cdk8s';
import * as fc from 'fast-check';
import { type JsonObject } from '../../../src/facts/api/schema';
import { CronJob, type CronJobProps, Job, type JobProps } from '../../../src/constructs/batch';
import { Checks } from '../../../src/checks/synth/checks-of';
import { checkTree } from '../../../src/checks/synth/check-tree';
import { valueAt } from '../../../src/manifests/pointer';
import { Accelerator, Scheduling } from '../../../src/constructs/pods';
import '../../../src/interfaces/checks';
import { samples } from '../../support/samples';

const POD = {
  image: 'registry.example.com/train:1',
  command: ['train'],
  accelerators: Accelerator.nvidia({ count: 1 }),
  resources: { cpu: 1, memory: '16Gi' },
};
const queue = { engine: 'volcano', name: 'research' } as const;
const gantryQueue = { engine: 'gantry', name: 'research' } as const;

function made(build: (chart: Chart) => unknown): readonly JsonObject[] {
  const app = new App();
  Checks.of(app).target('1.36');
  const chart = new Chart(app, 'test', { namespace: 'ml' });
  build(chart);
  // Native PodGroups are alpha in 1.36, which the check says.
  const said = checkTree(chart).findings.filter(
    ({ severity, rule }) => severity !== 'info' && rule !== 'schema/api-version-on-by-default',
  );
  expect(said).toEqual([]);
  return chart.toJson() as JsonObject[];
}

const job = (props: Partial<JobProps> = {}): readonly JsonObject[] =>
  made((chart) => new Job(chart, 'train', { ...POD, ...props }));
const cronJob = (props: Partial<CronJobProps> = {}): JsonObject =>
  made((chart) => new CronJob(chart, 'nightly', { schedule: '0 2 * * *', ...POD, ...props }))[0] ?? {};

test('a Job of one pod has no index, one of several has', () => {
  expect(job()[0]?.spec).toMatchObject({ parallelism: 1, completions: 1 });
  expect(valueAt(job()[0] ?? null, '/spec/completionMode')).toBeUndefined();
  expect(job({ parallelism: 4 })[0]?.spec).toMatchObject({
    completionMode: 'Indexed',
    parallelism: 4,
    completions: 4,
    template: { spec: { restartPolicy: 'Never' } },
  });
});

test('all that a Job can say is said', () => {
  const [object] = job({
    parallelism: 2,
    completions: 8,
    indexed: true,
    backoffLimitPerIndex: 1,
    maxFailedIndexes: 3,
    activeDeadline: Duration.seconds(60),
    ttlAfterFinished: Duration.seconds(0),
    podReplacement: 'Failed',
    suspend: true,
    podFailurePolicy: {
      rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
    },
    succeedsWith: [{ succeededIndexes: '0' }],
    overrides: { managedBy: 'example.com/controller' },
  });
  expect(object?.spec).toMatchObject({
    backoffLimitPerIndex: 1,
    maxFailedIndexes: 3,
    successPolicy: { rules: [{ succeededIndexes: '0' }] },
    podReplacementPolicy: 'Failed',
    suspend: true,
    ttlSecondsAfterFinished: 0,
    managedBy: 'example.com/controller',
  });
});

test('pods of an indexed Job reach each other by name', () => {
  const [service, object] = job({ parallelism: 2, peers: true });
  expect(service).toMatchObject({
    kind: 'Service',
    metadata: { name: 'train' },
    spec: { clusterIP: 'None', publishNotReadyAddresses: true, selector: { 'batch.kubernetes.io/job-name': 'train' } },
  });
  expect(valueAt(object ?? null, '/spec/template/spec/subdomain')).toBe('train');
});

test('what needs an index is refused without', () => {
  expect(() => job({ peers: true })).toThrow('test/train: peers requires an Indexed Job. Set indexed: true.');
  expect(() => job({ parallelism: -1 })).toThrow(
    'parallelism must be a whole number greater than or equal to 0, not -1.',
  );
});

test('Gantry gets the gang; independent tasks are not a gang', () => {
  const scheduling = Scheduling.gantry(gantryQueue);
  expect(valueAt(job({ parallelism: 4, scheduling })[0] ?? null, '/spec/template/metadata')).toEqual({
    labels: { 'gantry.dev/queue': 'research', 'gantry.dev/gang': 'train' },
    annotations: { 'gantry.dev/gang-min-member': '4' },
  });
  expect(valueAt(job({ parallelism: 4, completions: 100, scheduling })[0] ?? null, '/spec/template/metadata')).toEqual({
    labels: { 'gantry.dev/queue': 'research' },
  });
});

test('Volcano reads queue and tier on pods, and the gang on the Job', () => {
  const [object] = job({
    parallelism: 4,
    scheduling: Scheduling.volcano(queue, { topology: { required: 1 }, elastic: { min: 2 } }),
  });
  expect(object).toMatchObject({
    metadata: { annotations: { 'scheduling.volcano.sh/group-min-member': '2' } },
    spec: {
      template: {
        metadata: {
          annotations: {
            'scheduling.volcano.sh/queue-name': 'research',
            'volcano.sh/network-topology-highest-tier': '1',
          },
        },
      },
    },
  });
});

test('Kueue may admit fewer pods', () => {
  const elastic = (min: number): JsonObject =>
    job({
      parallelism: 4,
      completions: 40,
      scheduling: Scheduling.kueue({ engine: 'kueue', name: 'team' }, { elastic: { min } }),
    })[0] ?? {};
  expect(elastic(2).metadata).toMatchObject({
    annotations: { 'kueue.x-k8s.io/job-min-parallelism': '2' },
    labels: { 'kueue.x-k8s.io/queue-name': 'team' },
  });
  expect(elastic(4).metadata).not.toHaveProperty('annotations');
});

test('a native PodGroup is written beside the Job, in the form of the target', () => {
  const [group, object] = job({
    parallelism: 4,
    scheduling: Scheduling.podGroup({ topology: { required: 'rack' }, disruption: 'group' }),
  });
  expect(group).toMatchObject({
    apiVersion: 'scheduling.k8s.io/v1alpha2',
    kind: 'PodGroup',
    metadata: { name: 'train' },
    spec: {
      schedulingPolicy: { gang: { minCount: 4 } },
      schedulingConstraints: { topology: [{ key: 'rack' }] },
      disruptionMode: 'PodGroup',
    },
  });
  expect(valueAt(object ?? null, '/spec/template/spec/schedulingGroup')).toEqual({ podGroupName: 'train' });
});

test('a CronJob labels the Jobs that it makes, not itself; each run is a gang', () => {
  const kueue = cronJob({
    parallelism: 2,
    scheduling: Scheduling.kueue({ engine: 'kueue', name: 'team' }, { elastic: { min: 1 } }),
  });
  expect(kueue.metadata).toEqual({ name: 'nightly', namespace: 'ml' });
  expect(kueue.spec).toMatchObject({
    concurrencyPolicy: 'Forbid',
    jobTemplate: {
      metadata: {
        labels: { 'kueue.x-k8s.io/queue-name': 'team' },
        annotations: { 'kueue.x-k8s.io/job-min-parallelism': '1' },
      },
    },
  });
  const gantry = cronJob({ parallelism: 2, scheduling: Scheduling.gantry(gantryQueue) });
  expect(valueAt(gantry, '/spec/jobTemplate/spec/template/metadata/annotations/gantry.dev~1gang-per-label')).toBe(
    'batch.kubernetes.io/job-name',
  );
});

test('whatever the numbers, no rule of any domain objects', () => {
  const statement = fc.record({
    parallelism: fc.integer({ min: 1, max: 300 }),
    tasks: fc.option(fc.integer({ min: 1, max: 3000 }), { nil: undefined }),
    gpus: fc.integer({ min: 1, max: 8 }),
    scheduling: fc.constantFrom(
      undefined,
      Scheduling.volcano(queue),
      Scheduling.kueue({ engine: 'kueue', name: 'q' }),
      Scheduling.gantry(gantryQueue),
      Scheduling.gantry(gantryQueue, { handOver: true }),
      Scheduling.podGroup(),
      Scheduling.schedulerPlugins(),
    ),
  });
  fc.assert(
    fc.property(statement, ({ parallelism, tasks, gpus, scheduling }) => {
      const pods = {
        ...POD,
        sharedMemory: '1Gi',
        accelerators: Accelerator.nvidia({ count: gpus }),
        parallelism,
        scheduling,
      };
      const together = tasks === undefined || tasks <= parallelism;
      if (scheduling?.engine !== 'pod-group' || together) {
        made((chart) => new Job(chart, 'train', { ...pods, completions: tasks }));
      }
      if (scheduling?.engine !== 'pod-group' && scheduling?.engine !== 'scheduler-plugins') {
        made((chart) => new CronJob(chart, 'nightly', { ...pods, scheduling, completions: tasks, schedule: '@daily' }));
      }
    }),
    { seed: 20261120, numRuns: samples(60) },
  );
});

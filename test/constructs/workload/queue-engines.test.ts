/**
 * Every kind of workload with the queue of every engine: `submitTo(queue)` alone decides, or says why it cannot.
 */
import { App, Chart, Duration } from 'cdk8s';
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { asObject, isObject } from '../../../src/manifests/read';
import { Queue as KaiQueue } from '../../../src/constructs/kai';
import { LocalQueue } from '../../../src/constructs/kueue';
import { Accelerator, Scheduling } from '../../../src/constructs/pods';
import { type QueueEngine, type QueueReference } from '../../../src/constructs/resources/queue-references';
import { GantryQueue } from '../../../src/constructs/scheduler';
import { InferenceService, MultiNode, ServingEngine } from '../../../src/constructs/serving';
import { DistributedTraining, TrainingEngine } from '../../../src/constructs/training';
import { Queue } from '../../../src/constructs/volcano';
import { Checks } from '../../../src/checks/synth/checks-of';
import { EVERY_WORKLOAD, type MadeWorkload } from '../../../projen/docs/every-workload';

const NAME = 'a-name-of-its-own';
const QUEUES: Readonly<Record<QueueEngine, QueueReference>> = {
  volcano: Queue.fromName(NAME),
  kueue: LocalQueue.fromName(NAME),
  kai: KaiQueue.fromName(NAME),
  gantry: GantryQueue.fromName(NAME),
};
const ENGINES = Object.keys(QUEUES) as readonly QueueEngine[];

/** The scheduler of the pods; Kueue leaves it to the cluster. */
const SCHEDULERS: Readonly<Record<QueueEngine, string | undefined>> = {
  volcano: 'volcano',
  kueue: undefined,
  kai: 'kai-scheduler',
  gantry: 'gantry',
};

const POD = { image: 'registry.example.com/app:1', accelerators: Accelerator.nvidia({ count: 8 }) };
const SERVER = { ...POD, port: 8000, loadingTime: Duration.seconds(60) };
const TRAINING = { ...POD, nodes: 4, command: ['torchrun', 'train.py'] };

/** What is one statement for several kinds. */
const STATEMENTS: Readonly<Record<string, (chart: Chart) => { submitTo(queue: QueueReference): unknown }>> = {
  ...Object.fromEntries(
    Object.entries({
      PyTorchJob: TrainingEngine.pyTorchJob(),
      'Volcano Job': TrainingEngine.volcanoJob(),
      JobSet: TrainingEngine.jobSet(),
      LeaderWorkerSet: TrainingEngine.leaderWorkerSet(),
    }).map(([kind, as]) => [
      `DistributedTraining as ${kind}`,
      (chart: Chart) => new DistributedTraining(chart, 'train', { ...TRAINING, framework: 'pytorch', as }),
    ]),
  ),
  'InferenceService as Deployment': (chart) => new InferenceService(chart, 'train', SERVER),
  'InferenceService as Knative Service': (chart) =>
    new InferenceService(chart, 'train', { ...SERVER, as: ServingEngine.knative() }),
  'InferenceService as LeaderWorkerSet': (chart) =>
    new InferenceService(chart, 'train', {
      ...SERVER,
      as: ServingEngine.leaderWorkerSet({ nodes: 2, start: MultiNode.vllm({ model: 'm' }) }),
    }),
};

const KINDS: Readonly<Record<string, (chart: Chart) => MadeWorkload>> = { ...EVERY_WORKLOAD, ...STATEMENTS } as never;

/** Pairs that cannot be, by kind: the engines. Everything else must be scheduled. */
const REFUSED: Readonly<Record<string, readonly QueueEngine[]>> = {
  PaddleJob: ['kai'],
  'MPIJob v1': ['kueue'],
  'Volcano Job': ['kueue', 'kai'],
  'Volcano CronJob': ['kueue', 'kai'],
  'Volcano JobTemplate': ['kueue', 'kai'],
  'DistributedTraining as Volcano Job': ['kueue', 'kai'],
  'Knative Service': ['kueue'],
  'InferenceService as Knative Service': ['kueue'],
};

const PAIRS = Object.keys(KINDS)
  .filter((kind) => kind !== 'TrainingRuntime')
  .flatMap((kind) => ENGINES.map((engine) => [kind, engine] as const));

function chartOf(): Chart {
  const app = new App();
  Checks.of(app).target('1.36');
  return new Chart(app, 'test', { namespace: 'ml' });
}

/** Every object below `value`, with itself. */
function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  if (Array.isArray(value)) {
    return value.flatMap((member) => objectsIn(member));
  }
  return isObject(value) ? [value, ...Object.values(value).flatMap((member) => objectsIn(member))] : [];
}

/** The engines whose own words for a queue are somewhere in the objects, with the name that they have. */
function queuesIn(objects: readonly JsonObject[]): ReadonlySet<string> {
  const all = objects.flatMap((object) => objectsIn(object));
  const words = all.flatMap((object) =>
    Object.entries(object).flatMap(([key, value]): readonly string[] => {
      switch (key) {
        case 'kueue.x-k8s.io/queue-name':
          return [`kueue ${JSON.stringify(value)}`];
        case 'kai.scheduler/queue':
          return [`kai ${JSON.stringify(value)}`];
        case 'gantry.dev/queue':
          return [`gantry ${JSON.stringify(value)}`];
        case 'queue':
        case 'volcano.sh/queue-name':
        case 'scheduling.volcano.sh/queue-name':
          return [`volcano ${JSON.stringify(value)}`];
        default:
          return [];
      }
    }),
  );
  return new Set(words);
}

test.each(PAIRS)('%s through a queue of %s: its scheduler and its queue, and no other', (kind, engine) => {
  const chart = chartOf();
  const workload = KINDS[kind](chart);
  const submit = (): unknown => workload.submitTo!(QUEUES[engine]);
  if (REFUSED[kind]?.includes(engine) === true) {
    expect(submit).toThrow(new RegExp(`cannot be scheduled by ${engine} \\(the .* "${NAME}"\\): .+\\.$`));
    return;
  }
  submit();
  const objects = JSON.parse(JSON.stringify(chart.toJson())) as readonly JsonObject[];
  expect(queuesIn(objects)).toEqual(new Set([`${engine} "${NAME}"`]));
  const schedulers = objects
    .flatMap((object) => objectsIn(object))
    .filter(({ containers }) => Array.isArray(containers))
    .map(({ schedulerName }) => schedulerName);
  // Pods of a TrainJob have the scheduler of its runtime, those of a Volcano Job that of the job.
  const pods = kind === 'TrainJob' ? [] : new Set(schedulers);
  const ofJob = kind.includes('Volcano') && engine === 'volcano' ? undefined : SCHEDULERS[engine];
  expect(pods).toEqual(kind === 'TrainJob' ? [] : new Set([ofJob]));
});

test.each(PAIRS)('%s through a queue of %s cannot go through another queue too', (kind, engine) => {
  if (REFUSED[kind]?.includes(engine) === true) {
    return;
  }
  for (const other of ENGINES) {
    const workload = KINDS[kind](chartOf());
    workload.submitTo!(QUEUES[engine]);
    expect(() => workload.submitTo!(QUEUES[other])).toThrow(
      /must not be scheduled by the .* "a-name-of-its-own": it is scheduled by the .* "a-name-of-its-own"|cannot be scheduled by/,
    );
  }
});

test('the queue of an engine decides alone: Gantry on a PyTorchJob is never Volcano', () => {
  const chart = chartOf();
  KINDS.PyTorchJob(chart).submitTo!(QUEUES.gantry);
  const text = JSON.stringify(chart.toJson());
  expect(text).not.toContain('volcano');
  expect(asObject((chart.toJson() as readonly JsonObject[])[0]?.spec).runPolicy).toBeUndefined();
});

test('submitTo is scheduleBy with nothing asked', () => {
  for (const engine of ENGINES) {
    const [one, other] = [chartOf(), chartOf()];
    KINDS.JobSet(one).submitTo!(QUEUES[engine]);
    EVERY_WORKLOAD.JobSet(other, Scheduling.of(QUEUES[engine]) as Scheduling<never>);
    expect(one.toJson()).toEqual(other.toJson());
  }
});

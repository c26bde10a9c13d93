/**
 * Attempts to schedule a workload by something else than its queue says, by every prop, late call, and cast that a stack could write.
 */
import { App, Chart } from 'cdk8s';
import {
  Accelerator,
  batch,
  DistributedTraining,
  GantryQueue,
  kai,
  kubeflow,
  kueue,
  PodTemplate,
  PriorityClass,
  ray,
  Scheduling,
  serving,
  TrainingEngine,
  TrainingTopology,
  trainer,
  volcano,
} from '../../../src';

const gantryQueue = GantryQueue.fromName('research');
const volcanoQueue = volcano.Queue.fromName('research');
const localQueue = kueue.LocalQueue.fromName('research');
const kaiQueue = kai.Queue.fromName('research');

const POD = { image: 'registry.example.com/a:1', accelerators: Accelerator.nvidia({ count: 8 }) };
const JOB = { ...POD, nodes: 2 };
const chartOf = (namespace?: string): Chart => new Chart(new App(), 'test', { namespace });
const pytorch = (props: Partial<kubeflow.PyTorchJobProps> = {}, chart = chartOf()): kubeflow.PyTorchJob =>
  new kubeflow.PyTorchJob(chart, 'train', { ...JOB, ...props });
const volcanoJob = (props: volcano.JobProps = {}): volcano.Job =>
  new volcano.Job(chartOf(), 'train', { tasks: [{ name: 'a', template: new PodTemplate(POD) }], ...props });
/** A value as JavaScript, or a cast, would pass it. */
const untyped = (value: unknown): never => value as never;

describe('what does not compile', () => {
  // Each throws too, for callers without types.
  test('a queue without its engine', () => {
    // @ts-expect-error no engine
    expect(() => pytorch().submitTo({ name: 'research' })).toThrow(
      'test/train: submitTo: must be a queue reference (Volcano queue, Kueue LocalQueue, KAI queue, Gantry queue), got {"name":"research"}.',
    );
  });

  test('the queue of one engine for the Scheduling of another', () => {
    // @ts-expect-error a queue of Gantry
    expect(() => Scheduling.volcano(gantryQueue)).toThrow(
      'Scheduling.volcano: must be a Volcano queue, got the Gantry queue "research".',
    );
    // @ts-expect-error a queue of Volcano
    expect(() => Scheduling.gantry(volcanoQueue)).toThrow('must be a Gantry queue, got the Volcano queue "research"');
    // @ts-expect-error a queue of Volcano
    expect(() => Scheduling.kueue(volcanoQueue)).toThrow('must be a Kueue LocalQueue, got the Volcano queue');
    // @ts-expect-error a queue of Kueue
    expect(() => Scheduling.kai(localQueue)).toThrow('must be a KAI queue, got the Kueue LocalQueue');
  });

  test('an engine that cannot schedule the kind, by its queue', () => {
    // @ts-expect-error Kueue does not know the kind
    expect(() => volcanoJob().submitTo(localQueue)).toThrow('Volcano Job cannot be scheduled by kueue');
    // @ts-expect-error its controller makes a PodGroup of Volcano
    expect(() => volcanoJob().submitTo(kaiQueue)).toThrow('Volcano Job cannot be scheduled by kai');
    const mpi = new kubeflow.MPIJobV1(chartOf(), 'train', { ...POD, workers: 2 });
    // @ts-expect-error Kueue knows the other MPIJob
    expect(() => mpi.submitTo(localQueue)).toThrow('MPIJob of kubeflow.org/v1 cannot be scheduled by kueue');
    const paddle = new kubeflow.PaddleJob(chartOf(), 'train', JOB);
    // @ts-expect-error KAI does not know the kind
    expect(() => paddle.submitTo(kaiQueue)).toThrow('PaddleJob cannot be scheduled by kai');
    const knative = new serving.KnativeService(chartOf(), 'chat', POD);
    // @ts-expect-error Kueue does not manage the kind
    expect(() => knative.submitTo(localQueue)).toThrow('Knative Service cannot be scheduled by kueue');
    // @ts-expect-error a group of Volcano
    expect(() => new volcano.PodGroup(chartOf(), 'g').submitTo(gantryQueue)).toThrow('must be a Volcano queue');
  });

  test('an engine that cannot schedule the kind, by its scheduling', () => {
    // @ts-expect-error pods are made once Volcano has admitted the group
    expect(() => volcanoJob({ scheduling: Scheduling.default() })).toThrow(
      'Volcano Job cannot be scheduled by default',
    );
    // @ts-expect-error its controller makes a PodGroup of Volcano
    expect(() => volcanoJob({ scheduling: Scheduling.podGroup() })).toThrow('cannot be scheduled by pod-group');
    const nightly = { ...POD, schedule: '@daily' };
    expect(
      // @ts-expect-error each of its Jobs is a gang
      () => new batch.CronJob(chartOf(), 'a', { ...nightly, scheduling: Scheduling.podGroup() }),
    ).toThrow('CronJob cannot be scheduled by pod-group');
    expect(
      // @ts-expect-error pods that are independent of each other
      () => new serving.Deployment(chartOf(), 'a', { ...POD, scheduling: Scheduling.podGroup() }),
    ).toThrow('Deployment cannot be scheduled by pod-group');
    const runtime = { ...POD, policy: trainer.MlPolicy.torch() };
    expect(
      // @ts-expect-error Kueue reads the queue of TrainJobs
      () => new trainer.TrainingRuntime(chartOf(), 'a', { ...runtime, scheduling: Scheduling.kueue(localQueue) }),
    ).toThrow('TrainingRuntime cannot be scheduled by kueue');
  });

  test('a role that chooses for itself', () => {
    const master = { scheduling: Scheduling.volcano(volcanoQueue) };
    // @ts-expect-error scheduling is the workload's
    expect(() => pytorch({ master: { scheduling: Scheduling.volcano(volcanoQueue) } })).toThrow(
      'scheduling (the Volcano queue "research") must not be set in a pod template of a PyTorchJob.',
    );
    // Not a literal, so that the compiler does not look for members that are too many.
    const job = { ...POD, ...master };
    expect(() => new batch.JobSet(chartOf(), 'a', { jobs: [{ ...job, jobName: 'node' }] })).toThrow(
      'in a pod template of a JobSet',
    );
    expect(() => new batch.LeaderWorkerSet(chartOf(), 'a', { ...POD, groupSize: 2, leader: job })).toThrow(
      'in a pod template of a LeaderWorkerSet',
    );
    const workers = [{ ...job, groupName: 'gpu' }];
    expect(() =>
      new ray.RayCluster(chartOf(), 'a', { rayVersion: '2.52.0', head: POD, workers }).submitTo(gantryQueue),
    ).toThrow('in a pod template of a RayCluster');
    expect(() => new kubeflow.MPIJob(chartOf(), 'a', { ...POD, workers: 2, launcher: job })).toThrow('of a MPIJob');
    const template = new PodTemplate({ ...POD, ...master });
    expect(() => volcanoJob({ tasks: [{ name: 'a', template }] })).toThrow('in a pod template of a Volcano Job');
    expect(() => volcanoJob().addTask({ name: 'b', template })).toThrow('in a pod template of a Volcano Job');
    expect(
      () => new volcano.CronJob(chartOf(), 'a', { schedule: '@daily', job: { tasks: [{ name: 'a', template }] } }),
    ).toThrow('in a pod template of a Volcano CronJob');
  });

  test('a role with a priority of its own, which the priority of the workload would replace', () => {
    const priorityClass = PriorityClass.fromName('high');
    // @ts-expect-error the priority is the workload's
    expect(() => pytorch({ master: { priorityClass } })).toThrow(
      'priorityClass "high" must not be set in a pod template of a PyTorchJob.',
    );
  });

  test('a priority class by its bare name', () => {
    // @ts-expect-error a string
    expect(() => pytorch({ priorityClass: 'high' })).toThrow(
      'priorityClass must be a PriorityClass, or PriorityClass.fromName',
    );
    // @ts-expect-error a string
    expect(() => pytorch().withPriority('high')).toThrow('priorityClass must be a PriorityClass, or');
    // @ts-expect-error a PriorityClass is no WorkloadPriorityClass
    Scheduling.kueue(localQueue, { workloadPriorityClass: PriorityClass.fromName('high') });
  });
});

describe('two statements that contradict each other', () => {
  test('scheduling and submitTo, of two engines or of one', () => {
    expect(() => pytorch({ scheduling: Scheduling.volcano(volcanoQueue) }).submitTo(gantryQueue)).toThrow(
      'test/train: must not be scheduled by the Gantry queue "research": it is scheduled by the Volcano queue "research".',
    );
    expect(() => pytorch({ scheduling: Scheduling.gantry(gantryQueue) }).submitTo(gantryQueue)).toThrow(
      'it is scheduled by the Gantry queue "research"',
    );
    expect(() => pytorch({ scheduling: Scheduling.schedulerPlugins() }).submitTo(gantryQueue)).toThrow(
      'it is scheduled by scheduler-plugins',
    );
    // @ts-expect-error it has a queue
    expect(() => pytorch().submitTo(gantryQueue).scheduleBy(Scheduling.default())).toThrow(
      'must not be scheduled by the default scheduler: it is scheduled by the Gantry queue',
    );
    expect(() => volcanoJob({ scheduling: Scheduling.gantry(gantryQueue) }).submitTo(volcanoQueue)).toThrow(
      'must not be scheduled by the Volcano queue "research": it is scheduled by the Gantry queue "research"',
    );
  });

  test('a choice that was refused leaves the workload as it was', () => {
    const job = pytorch().submitTo(gantryQueue);
    // @ts-expect-error it has a queue
    expect(() => job.submitTo(volcanoQueue)).toThrow('must not be scheduled');
    expect(JSON.stringify(Chart.of(job).toJson())).not.toContain('volcano');
  });

  test('a second queue of a PodGroup', () => {
    const group = new volcano.PodGroup(chartOf(), 'g', { queue: volcanoQueue });
    expect(() => group.submitTo(volcano.Queue.fromName('b'))).toThrow(
      'must not be submitted to the Volcano queue "b": it is in the Volcano queue "research".',
    );
  });

  test('a second priority', () => {
    const job = pytorch({ priorityClass: PriorityClass.fromName('low') });
    expect(() => job.withPriority(PriorityClass.fromName('high'))).toThrow(
      'must not have the priority class "high": it has "low".',
    );
  });

  test.each<[string, Partial<kubeflow.PyTorchJobProps>]>([
    ['overrides of the pod', { podOverrides: { pod: { schedulerName: 'volcano' } } }],
    [
      'overrides of the spec',
      {
        overrides: untyped({
          pytorchReplicaSpecs: { Worker: { template: { spec: { schedulerName: 'volcano' } } } },
        }),
      },
    ],
    ['overrides of a role', { master: { podOverrides: { pod: { schedulerName: 'volcano' } } } }],
  ])('a scheduler that is written by hand, in %s', (_, props) => {
    expect(() => pytorch(props).submitTo(gantryQueue)).toThrow(
      /schedulerName "volcano" contradicts the Gantry queue "research", whose pods have the scheduler gantry\./,
    );
    expect(() => pytorch({ ...props, scheduling: Scheduling.gantry(gantryQueue, { handOver: true }) })).toThrow(
      'whose pods have the scheduler default-scheduler',
    );
    expect(() => pytorch(props).submitTo(volcanoQueue)).not.toThrow();
    // Kueue admits, under any scheduler.
    expect(() => pytorch(props).submitTo(localQueue)).not.toThrow();
  });

  test('a scheduler that is written by hand in a template of a Volcano Job', () => {
    const template = { spec: { schedulerName: 'default-scheduler', containers: [{ name: 'a', image: 'a' }] } };
    expect(() => volcanoJob({ tasks: [{ name: 'a', template }] }).submitTo(volcanoQueue)).toThrow(
      '/spec/tasks/0/template/spec/schedulerName "default-scheduler" contradicts the Volcano queue "research"',
    );
    expect(() => volcanoJob().submitTo(gantryQueue).addTask({ name: 'b', template })).toThrow(
      '/spec/tasks/1/template/spec/schedulerName "default-scheduler" contradicts the Gantry queue "research"',
    );
  });

  test.each<[string, Partial<kubeflow.PyTorchJobProps>]>([
    ['label of the workload', { labels: { 'kueue.x-k8s.io/queue-name': 'a' } }],
    ['label in metadata', { metadata: { labels: { 'kai.scheduler/queue': 'a' } } }],
    ['annotation of the workload', { annotations: { 'scheduling.volcano.sh/queue-name': 'a' } }],
    ['label of the pods', { podLabels: { 'gantry.dev/queue': 'another' } }],
    ['annotation of the pods', { podAnnotations: { 'scheduling.volcano.sh/queue-name': 'research' } }],
    ['label in overrides', { podOverrides: { metadata: { labels: { 'gantry.dev/queue': 'another' } } } }],
    ['label of a role', { master: { podLabels: { 'gantry.dev/queue': 'another' } } }],
  ])('a queue that is written by hand, as a %s', (_, props) => {
    expect(() => pytorch(props).submitTo(gantryQueue)).toThrow(
      /"(a|another|research)" contradicts the Gantry queue "research"/,
    );
    expect(() => pytorch({ ...props, scheduling: Scheduling.gantry(gantryQueue) })).toThrow('contradicts');
  });

  test('the same queue written by hand says nothing new', () => {
    expect(() => pytorch({ podLabels: { 'gantry.dev/queue': 'research' } }).submitTo(gantryQueue)).not.toThrow();
  });

  test('minAvailable and elastic of a Volcano Job', () => {
    expect(() =>
      volcanoJob({ minAvailable: 1, scheduling: Scheduling.volcano(volcanoQueue, { elastic: { min: 1 } }) }),
    ).toThrow('minAvailable 1 and elastic.min 1 must not be set together');
  });

  test('a tier of hyper nodes and an engine that has none', () => {
    const training = new DistributedTraining(chartOf(), 'train', {
      ...JOB,
      framework: 'pytorch',
      as: TrainingEngine.volcanoJob(),
      topology: TrainingTopology.required(1),
    });
    expect(() => training.submitTo(gantryQueue)).toThrow(
      "test/train: topology level 1 is a tier of Volcano's HyperNodes, which gantry does not support.",
    );
  });
});

describe('a queue out of reach', () => {
  test('a queue of another app', () => {
    const other = new volcano.Queue(new Chart(new App(), 'other'), 'shared');
    expect(() => pytorch().submitTo(other)).toThrow(
      'test/train: must not refer to other/shared/Resource, which belongs to another app. Refer to its object by fromName("…").',
    );
    const job = pytorch();
    expect(() => job.submitTo(other)).toThrow('another app');
    expect(job.choice.scheduling).toBeUndefined();
    expect(() => pytorch({ scheduling: Scheduling.volcano(other) })).toThrow('another app');
  });

  test('a LocalQueue of another namespace', () => {
    const app = new App();
    const queues = new Chart(app, 'queues', { namespace: 'team-a' });
    const clusterQueue = kueue.ClusterQueue.fromName('all');
    const queue = new kueue.LocalQueue(queues, 'team', { clusterQueue });
    const there = new kueue.LocalQueue(queues, 'named', { clusterQueue, namespace: 'team-b' });
    const job = (): kubeflow.PyTorchJob =>
      pytorch({}, new Chart(app, `jobs-${app.charts.length}`, { namespace: 'team-b' }));
    expect(() => job().submitTo(queue)).toThrow(
      'must be in the namespace of the Kueue LocalQueue "team", "team-a", not in "team-b".',
    );
    expect(() => job().submitTo(there)).not.toThrow();
    expect(() => job().submitTo(localQueue)).not.toThrow();
  });
});

describe('JavaScript without types', () => {
  test.each([
    ['nothing', undefined, 'undefined'],
    ['null', null, 'null'],
    ['a name', 'research', '"research"'],
    ['a priority class', PriorityClass.fromName('high'), '{"kind":"PriorityClass","name":"high"}'],
    ['an engine that there is not', { engine: 'slurm', name: 'a' }, '{"engine":"slurm","name":"a"}'],
    ['a member of the prototype', { engine: 'constructor', name: 'a' }, '{"engine":"constructor","name":"a"}'],
    ['an empty name', { engine: 'volcano', name: '' }, '{"engine":"volcano","name":""}'],
    ['a scheduling', Scheduling.default(), 'an object of class Scheduling'],
  ])('submitTo takes no %s', (_, value, shown) => {
    expect(() => pytorch().submitTo(untyped(value))).toThrow(`got ${shown}.`);
  });

  test('scheduling is a Scheduling', () => {
    expect(() => pytorch({ scheduling: untyped('volcano') })).toThrow(
      'test/train: scheduling must be a Scheduling such as Scheduling.volcano(…), not "volcano".',
    );
    expect(() => pytorch().scheduleBy(untyped(gantryQueue))).toThrow('test/train: scheduleBy must be a Scheduling.');
    expect(() => Scheduling.of(untyped('research'))).toThrow('Scheduling.of: must be a queue reference');
    expect(() => new volcano.PodGroup(chartOf(), 'g', { queue: untyped(gantryQueue) })).toThrow(
      'must be a Volcano queue',
    );
  });

  test('a runtime of the cluster keeps its scheduler: a TrainJob cannot go around it', () => {
    const runtime = trainer.ClusterTrainingRuntime.builtIn('torch-distributed');
    const job = new trainer.TrainJob(chartOf(), 'train', { runtime, nodes: 2, image: 'a' });
    expect(() => job.submitTo(gantryQueue)).toThrow('are scheduled by default, not by gantry');
  });
});

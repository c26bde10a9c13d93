import { Duration } from 'cdk8s';
import { PodTemplate, Scheduling } from '../../../src/constructs/pods';

const queue = { engine: 'volcano', name: 'research' } as const;
const gantryQueue = { engine: 'gantry', name: 'research' } as const;
const gang = { name: 'train', minMember: 8, members: 8 };

function pod(scheduling: Scheduling, of: Parameters<Scheduling['toScheduling']>[0] = gang): unknown {
  return new PodTemplate({ image: 'x' }).toPodTemplate({ scheduling, gang: of });
}

test('Gantry binds itself: pods name the scheduler, the queue, the gang and its size', () => {
  expect(pod(Scheduling.gantry(gantryQueue))).toMatchObject({
    metadata: {
      labels: { 'gantry.dev/queue': 'research', 'gantry.dev/gang': 'train' },
      annotations: { 'gantry.dev/gang-min-member': '8' },
    },
    spec: { schedulerName: 'gantry' },
  });
});

test("Gantry hands over: a gate in place of the scheduler's name", () => {
  const { spec } = pod(Scheduling.gantry(gantryQueue, { handOver: true })) as { spec: object };
  expect(spec).toMatchObject({ schedulingGates: [{ name: 'gantry.dev/placement' }] });
  expect(spec).not.toHaveProperty('schedulerName');
});

test('all settings of Gantry are on the pods', () => {
  const scheduling = Scheduling.gantry(gantryQueue, {
    topology: { required: 'topology.kubernetes.io/zone', preferred: 'rack' },
    elastic: { min: 4, max: 8 },
    minimumRuntime: Duration.minutes(10),
    expectedDuration: Duration.hours(1),
    checkpointInterval: Duration.minutes(15),
    preemptible: false,
  });
  expect(pod(scheduling)).toMatchObject({
    metadata: {
      annotations: {
        'gantry.dev/gang-min-member': '4',
        'gantry.dev/topology-required': 'topology.kubernetes.io/zone',
        'gantry.dev/topology-preferred': 'rack',
        'gantry.dev/minimum-runtime-seconds': '600',
        'gantry.dev/expected-seconds': '3600',
        'gantry.dev/checkpoint-seconds': '900',
        'gantry.dev/preemptible': 'false',
      },
    },
  });
});

test('gangs of one name are told apart by a label', () => {
  expect(pod(Scheduling.gantry(gantryQueue), { ...gang, perLabel: 'ray.io/cluster' })).toMatchObject({
    metadata: { annotations: { 'gantry.dev/gang-per-label': 'ray.io/cluster' } },
  });
});

test('a pod without a workload is a gang of one, and says nothing of gangs', () => {
  expect(new PodTemplate({ image: 'x', scheduling: Scheduling.gantry(gantryQueue) }).toPodTemplate().metadata).toEqual({
    labels: { 'gantry.dev/queue': 'research' },
  });
});

test('pods name a group that is written beside their workload, in the words of its kind', () => {
  const written = { ...gang, written: true };
  expect(pod(Scheduling.volcano(queue), written)).toMatchObject({
    metadata: { annotations: { 'scheduling.k8s.io/group-name': 'train' } },
  });
  expect(pod(Scheduling.schedulerPlugins(), written)).toMatchObject({
    metadata: { labels: { 'scheduling.x-k8s.io/pod-group': 'train' } },
  });
  expect(pod(Scheduling.podGroup({ kubernetes: '1.36' }), written)).toMatchObject({
    spec: { schedulingGroup: { podGroupName: 'train' } },
  });
  expect(pod(Scheduling.podGroup({ kubernetes: '1.35' }), written)).toMatchObject({
    spec: { workloadRef: { name: 'train', podGroup: 'pods' } },
  });
});

test("a minimum runtime is Volcano's cooldown time", () => {
  expect(pod(Scheduling.volcano(queue, { minimumRuntime: Duration.minutes(15) }))).toMatchObject({
    metadata: { annotations: { 'volcano.sh/cooldown-time': '900s' } },
  });
});

test('tiers of Volcano: by number on pods, by number or name in a PodGroup', () => {
  const hard = Scheduling.volcano(queue, { topology: { required: 2 } });
  expect(hard.toNetworkTopology()).toEqual({ mode: 'hard', highestTierAllowed: 2 });
  expect(hard.toPodGroupAnnotations().pod).toMatchObject({
    'volcano.sh/network-topology-mode': 'hard',
    'volcano.sh/network-topology-highest-tier': '2',
  });
  const soft = Scheduling.volcano(queue, { topology: { preferred: 'rack' } });
  expect(soft.toNetworkTopology()).toEqual({ mode: 'soft', highestTierName: 'rack' });
  expect(() => soft.toPodGroupAnnotations()).toThrow('must be the number of a HyperNode tier');
});

test('an elastic range must fit the workload', () => {
  const ranged =
    (min: number, max?: number): (() => unknown) =>
    () =>
      pod(Scheduling.gantry(gantryQueue, { elastic: { min, max } }));
  expect(ranged(9)).toThrow(
    'elastic.min must be a whole number from 1 to 8, the number of pods of the workload, not 9.',
  );
  expect(ranged(0)).toThrow(
    'elastic.min must be a whole number from 1 to 8, the number of pods of the workload, not 0.',
  );
  expect(ranged(2, 16)).toThrow('elastic.max 16: the workload has 8 pods.');
  expect(ranged(8, 8)).not.toThrow();
});

test('seconds are whole', () => {
  expect(() => Scheduling.gantry(gantryQueue, { expectedDuration: Duration.seconds(1.5) })).toThrow(
    'expectedDuration 1500ms: must be a whole number of seconds',
  );
  expect(() => Scheduling.volcano(queue, { minimumRuntime: Duration.millis(500) })).toThrow('minimumRuntime 500ms');
});

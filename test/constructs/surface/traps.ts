/**
 * Mistakes that must not compile. The type check compiles this file; `traps.test.ts` shows that it does, and that each error is on the line
 * on which the user made the mistake. Nothing here is executed.
 */
import { App, Chart, Duration } from 'cdk8s';
import { HorizontalPodAutoscaler, Service } from 'cdk8s-plus-34';
import {
  Accelerator,
  type Amounts,
  batch,
  devices as deviceClaims,
  DistributedTraining,
  GantryQueue,
  GantryScheduler,
  GpuPlatform,
  kai,
  keda,
  kubeflow,
  kueue,
  KueueSystem,
  LimitRange,
  Mount,
  Namespace,
  nodeTuning,
  PlacementGate,
  PodTemplate,
  PriorityClass,
  PriorityLadder,
  ray,
  ResourceQuota,
  Scheduling,
  serving,
  Team,
  TrainingEngine,
  trainer,
  volcano,
} from 'cdk8s-gantry';

const chart = new Chart(new App(), 'traps');
const image = 'registry.example.com/train:1';
const devices = Accelerator.nvidia({ count: 8 });
const job = { image, nodes: 2, accelerators: devices };

const gantryQueue = GantryQueue.fromName('research');
const volcanoQueue = volcano.Queue.fromName('research');
const localQueue = kueue.LocalQueue.fromName('research');
const kaiQueue = kai.Queue.fromName('research');
const flavor = kueue.ResourceFlavor.fromName('h100');
const clusterQueue = kueue.ClusterQueue.fromName('all');

/** One spelling of amounts, in every quota, share, and ceiling. */
export function amounts(): void {
  new volcano.Queue(chart, 'a', {
    deserved: {
      // @ts-expect-error accelerators
      gpus: 8,
    },
    guarantee: {
      // @ts-expect-error accelerators
      gpu: 8,
    },
    capability: {
      // @ts-expect-error accelerators
      'nvidia.com/gpu': 8,
    },
  }).addQueue('b', {
    deserved: {
      // @ts-expect-error accelerators
      gpu: 8,
    },
  });
  new volcano.PodGroup(chart, 'a', {
    minResources: {
      // @ts-expect-error accelerators
      gpu: 8,
    },
  });
  new Team(chart, 'a', {
    quota: {
      // @ts-expect-error accelerators
      gpus: 8,
    },
    queue: {
      guarantee: {
        // @ts-expect-error accelerators
        gpu: 8,
      },
    },
  });
  new GantryScheduler(chart, 'a', {
    queues: [
      {
        name: 'a',
        deserved: {
          // @ts-expect-error accelerators
          'nvidia.com/gpu': 8,
        },
        capability: {
          // @ts-expect-error accelerators
          gpus: 8,
        },
      },
    ],
  });
  new kueue.ClusterQueue(chart, 'a', {
    flavors: [
      {
        flavor,
        nominalQuota: {
          // @ts-expect-error accelerators
          gpu: 8,
        },
        borrowingLimit: {
          // @ts-expect-error accelerators
          'nvidia.com/gpu': 8,
        },
      },
    ],
  });
  new ResourceQuota(chart, 'a', {
    requests: {
      // @ts-expect-error accelerators
      gpu: 8,
    },
    limits: {
      // @ts-expect-error Kubernetes counts no limits of devices
      accelerators: devices,
    },
  });
  new LimitRange(chart, 'a', {
    container: {
      max: {
        // @ts-expect-error accelerators
        'nvidia.com/gpu': 8,
      },
    },
  });
  new kubeflow.PyTorchJob(chart, 'a', {
    ...job,
    minResources: {
      // @ts-expect-error accelerators
      gpus: 8,
    },
  });
  new nodeTuning.NodePool(chart, 'a', {
    profile: new nodeTuning.NodeProfile('gpus', { tier: 'training', devices: { perNode: 8 } }),
    nodeClass: nodeTuning.Ec2NodeClass.fromName('gpus'),
    limits: {
      // @ts-expect-error accelerators
      gpus: 8,
    },
  });
  const amounts: Amounts = {
    // @ts-expect-error an Accelerator, not a number
    accelerators: 8,
    other: {
      // @ts-expect-error accelerators
      'nvidia.com/gpu': 8,
    },
    hugepages: {
      // @ts-expect-error the size of a page has a unit
      2: '1Gi',
    },
  };
  never(amounts);
}

/** One trio for shares: deserved, guarantee, capability. */
export function shares(): void {
  const share = { cpu: 8 };
  new volcano.Queue(chart, 'a', {
    // @ts-expect-error guarantee
    guaranteed: share,
  });
  new volcano.Queue(chart, 'a', {
    // @ts-expect-error capability
    limit: share,
  });
  new volcano.Queue(chart, 'a', {
    // @ts-expect-error deserved
    nominalQuota: share,
  });
  new Team(chart, 'a', {
    quota: share,
    queue: {
      // @ts-expect-error capability
      max: share,
    },
  });
  new GantryScheduler(chart, 'a', {
    queues: [
      {
        name: 'a',
        // @ts-expect-error capability
        limits: share,
      },
    ],
  });
  new kai.Queue(chart, 'a', {
    // @ts-expect-error capability
    limit: share,
  });
  new GpuPlatform(chart, 'a', {
    pools: { training: { nodes: 8, accelerator: 'H100-SXM-80GB', devices: 8, cpu: 160, memory: '1536Gi' } },
    teams: {
      research: {
        deserved: { training: 8 },
        // @ts-expect-error capability
        limit: { training: 8 },
      },
    },
  });
}

/** Memory, storage, and times have a unit. */
export function units(): void {
  new PodTemplate({
    image,
    // @ts-expect-error 900 bytes
    resources: { memory: 900 },
    // @ts-expect-error 64 bytes
    sharedMemory: 64,
    // @ts-expect-error a Duration
    terminationGracePeriod: 30,
  });
  new Team(chart, 'a', {
    quota: {
      // @ts-expect-error 900 bytes
      memory: 900,
      // @ts-expect-error 10 bytes
      storage: 10,
    },
  });
  new volcano.Queue(chart, 'a', {
    deserved: {
      // @ts-expect-error 900 bytes
      memory: 900,
    },
  });
  // @ts-expect-error 100 bytes
  Mount.ephemeral(100, '/scratch');
  new batch.Job(chart, 'a', {
    image,
    // @ts-expect-error a Duration
    ttlAfterFinished: 600,
  });
  new batch.Job(chart, 'a', {
    image,
    // @ts-expect-error ttlAfterFinished
    ttlSecondsAfterFinished: 600,
  });
  new kubeflow.PyTorchJob(chart, 'a', {
    ...job,
    // @ts-expect-error a Duration
    activeDeadline: '10m',
  });
  Scheduling.gantry(gantryQueue, {
    // @ts-expect-error a Duration
    minimumRuntime: 1800,
  });
  new keda.ScaledObject(chart, 'a', {
    target: new serving.Deployment(chart, 'a', { image }),
    triggers: [],
    // @ts-expect-error a Duration
    cooldownPeriod: 300,
  });
  // @ts-expect-error 70 bytes
  deviceClaims.DeviceSelector.memoryAtLeast(70);
  // @ts-expect-error 900 bytes
  keda.Triggers.memory({ averageValue: 900 });
  // @ts-expect-error Knative counts mebibytes, and people gibibytes
  serving.KnativeScaling.horizontalPodAutoscaler('memory', 4);
  keda.Triggers.beanstalkd({
    server: 'jobs:11300',
    tube: 'train',
    value: 5,
    // @ts-expect-error a Duration
    timeout: 30,
  });
  keda.Triggers.gcpStackdriver({
    projectId: 'ml',
    filter: 'f',
    // @ts-expect-error the scaler counts minutes
    filterDuration: 120,
  });
}

/** The files of nodes have suffixes of their own; here memory is written as everywhere. */
export function nodeUnits(): void {
  new nodeTuning.MemlockRuntime(chart, 'a', {
    // @ts-expect-error 64 bytes
    memlockLimit: 64,
  });
  nodeTuning.SystemdDropIn.slice('ai.slice', {
    // @ts-expect-error 48 bytes
    memoryMax: 48,
  });
  new nodeTuning.DockerDaemon({
    // @ts-expect-error 8 bytes
    defaultShmSize: 8,
    logs: {
      // @ts-expect-error 50 bytes
      maxSize: 50,
      maxFiles: 3,
    },
  });
  new GpuPlatform(chart, 'a', {
    pools: {
      training: {
        nodes: 8,
        accelerator: 'Gaudi3',
        devices: 8,
        cpu: 160,
        memory: '1536Gi',
        // @ts-expect-error 95000 bytes
        hugepages: 95_000,
      },
    },
    teams: { research: { deserved: { training: 8 } } },
  });
}

/** A queue knows its engine, and a kind the engines that can schedule it. */
export function queues(): void {
  const pytorch = new kubeflow.PyTorchJob(chart, 'a', job);
  // @ts-expect-error no engine
  pytorch.submitTo({ name: 'research' });
  // @ts-expect-error a string
  pytorch.submitTo('research');
  // @ts-expect-error the queue itself
  pytorch.scheduleBy(volcanoQueue);
  // @ts-expect-error not a queue for workloads
  pytorch.submitTo(clusterQueue);

  // @ts-expect-error a queue of Gantry
  Scheduling.volcano(gantryQueue);
  // @ts-expect-error a queue of Volcano
  Scheduling.gantry(volcanoQueue);
  // @ts-expect-error a queue of Volcano
  Scheduling.kueue(volcanoQueue);
  // @ts-expect-error a queue of Kueue
  Scheduling.kai(localQueue);

  // @ts-expect-error Kueue does not know the kind
  new volcano.Job(chart, 'a').submitTo(localQueue);
  // @ts-expect-error its controller makes a PodGroup of Volcano
  new volcano.Job(chart, 'a').submitTo(kaiQueue);
  // @ts-expect-error Kueue knows the other MPIJob
  new kubeflow.MPIJobV1(chart, 'a', { image, workers: 2 }).submitTo(localQueue);
  // @ts-expect-error KAI does not know the kind
  new kubeflow.PaddleJob(chart, 'a', job).submitTo(kaiQueue);
  // @ts-expect-error Kueue does not manage the kind
  new serving.KnativeService(chart, 'a', { image }).submitTo(localQueue);
  // @ts-expect-error a group of Volcano
  new volcano.PodGroup(chart, 'a').submitTo(gantryQueue);

  new volcano.Job(chart, 'a', {
    // @ts-expect-error pods are created once Volcano has admitted the group
    scheduling: Scheduling.default(),
  });
  new batch.CronJob(chart, 'a', {
    image,
    schedule: '@daily',
    // @ts-expect-error each of its Jobs is a gang
    scheduling: Scheduling.podGroup(),
  });
  new serving.Deployment(chart, 'a', {
    image,
    // @ts-expect-error pods that are independent of each other
    scheduling: Scheduling.podGroup(),
  });
  new trainer.TrainingRuntime(chart, 'a', {
    image,
    policy: trainer.MlPolicy.torch(),
    // @ts-expect-error Kueue reads the queue of TrainJobs
    scheduling: Scheduling.kueue(localQueue),
  });
  new Team(chart, 'a', {
    quota: {},
    // @ts-expect-error the queue of a team is one of Volcano
    queue: localQueue,
  });
  Scheduling.kai(kaiQueue, {
    // @ts-expect-error KAI has no such option
    minimumRuntime: Duration.minutes(30),
  });
}

/** A workload is scheduled once, as a whole. */
export function contradictions(): void {
  const submitted = new kubeflow.PyTorchJob(chart, 'a', job).submitTo(volcanoQueue);
  // @ts-expect-error it has a queue
  submitted.submitTo(gantryQueue);
  // @ts-expect-error it has a queue
  submitted.scheduleBy(Scheduling.default());
  // @ts-expect-error it has a queue
  new batch.Job(chart, 'a', { image }).submitTo(volcanoQueue).submitTo(volcanoQueue);
  // @ts-expect-error it has a queue
  new volcano.PodGroup(chart, 'a').submitTo(volcanoQueue).submitTo(volcanoQueue);
  const training = new DistributedTraining(chart, 'a', { ...job, framework: 'pytorch' }).submitTo(volcanoQueue);
  // @ts-expect-error it has a queue
  training.submitTo(localQueue);
  const service = new serving.InferenceService(chart, 'a', {
    image,
    port: 8000,
    loadingTime: Duration.minutes(5),
  }).submitTo(gantryQueue);
  // @ts-expect-error it has a queue
  service.submitTo(volcanoQueue);

  new kubeflow.PyTorchJob(chart, 'a', {
    ...job,
    master: {
      // @ts-expect-error scheduling is that of the workload
      scheduling: Scheduling.volcano(volcanoQueue),
    },
  });
  new kubeflow.PyTorchJob(chart, 'a', {
    ...job,
    master: {
      // @ts-expect-error the priority is that of the workload
      priorityClass: PriorityClass.fromName('high'),
    },
  });
  new kubeflow.PyTorchJob(chart, 'a', {
    ...job,
    // @ts-expect-error scheduling
    schedulerName: 'volcano',
  });
  new kubeflow.PyTorchJob(chart, 'a', {
    ...job,
    // @ts-expect-error scheduling, or submitTo
    queue: volcanoQueue,
  });
}

/** References instead of names, and each of its kind. */
export function references(): void {
  const pytorch = new kubeflow.PyTorchJob(chart, 'a', {
    ...job,
    // @ts-expect-error PriorityClass.fromName('high')
    priorityClass: 'high',
  });
  // @ts-expect-error PriorityClass.fromName('high')
  pytorch.withPriority('high');
  // @ts-expect-error a Namespace
  pytorch.withPriority(Namespace.fromName('research'));
  new kubeflow.PyTorchJob(chart, 'a', {
    ...job,
    // @ts-expect-error priorityClass
    priorityClassName: 'high',
  });
  new kubeflow.PyTorchJob(chart, 'a', {
    ...job,
    // @ts-expect-error a PriorityClass
    namespace: PriorityClass.fromName('high'),
  });
  Scheduling.kueue(localQueue, {
    // @ts-expect-error a PriorityClass orders pods
    workloadPriorityClass: PriorityClass.fromName('high'),
  });
  new kueue.LocalQueue(chart, 'a', {
    // @ts-expect-error a LocalQueue
    clusterQueue: localQueue,
  });
  new volcano.Queue(chart, 'a', {
    // @ts-expect-error a string
    parent: 'ai',
  });
  new volcano.Queue(chart, 'a', {
    // @ts-expect-error a LocalQueue
    parent: localQueue,
  });
  new kai.Queue(chart, 'a', {
    // @ts-expect-error a string
    parent: 'ai',
  });
  // @ts-expect-error fromName
  never(volcano.Queue.fromQueueName);
  // @ts-expect-error name
  never(new volcano.Queue(chart, 'a').queueName);
}

/** Names of a platform follow from its own pools, teams, and priorities. */
export function platforms(): void {
  const platform = new GpuPlatform(chart, 'a', {
    pools: { training: { nodes: 8, accelerator: 'H100-SXM-80GB', devices: 8, cpu: 160, memory: '1536Gi' } },
    teams: {
      research: {
        deserved: { training: 4 },
        capability: {
          // @ts-expect-error not a pool
          inference: 8,
        },
      },
      applied: {
        deserved: {
          // @ts-expect-error not a pool
          trainign: 4,
        },
      },
      robotics: {
        // @ts-expect-error not a team
        parent: 'reserch',
        deserved: { training: 4 },
      },
    },
    scheduling: new KueueSystem(),
  });
  // @ts-expect-error not a team
  never(platform.teams.reserch);
  // @ts-expect-error not a pool
  platform.teams.research.wholeNode('inference');
  // @ts-expect-error not a priority
  platform.priorities.at('critical');
  // @ts-expect-error a queue of Kueue
  new volcano.Job(chart, 'a').submitTo(platform.teams.research.queue);
  new GpuPlatform(chart, 'a', {
    pools: {
      training: {
        nodes: 8,
        accelerator: 'H100-SXM-80GB',
        // @ts-expect-error devices
        gpus: 8,
        cpu: 160,
        memory: '1536Gi',
      },
    },
    teams: { research: { deserved: { training: 8 } } },
  });
  new GpuPlatform(chart, 'a', {
    pools: {
      training: {
        nodes: 8,
        accelerator: 'H100-SXM-80GB',
        devices: 8,
        cpu: 160,
        // @ts-expect-error 1536 bytes
        memory: 1536,
      },
    },
    teams: { research: { deserved: { training: 8 } } },
  });
  new PriorityLadder(chart, 'a', {
    rungs: ['low', { name: 'high' }],
    globalDefault: {
      // @ts-expect-error not a rung
      rung: 'medium',
      because: 'most pods are of this kind',
    },
  });
  // @ts-expect-error a label selector
  new PlacementGate(chart, 'a', { namespaces: ['research'] });
}

/** Accelerators of each vendor have their own options. */
export function accelerators(): void {
  Accelerator.nvidia({
    // @ts-expect-error count
    gpus: 8,
  });
  // @ts-expect-error a number
  Accelerator.nvidia({ count: '8' });
  // @ts-expect-error a profile is required
  Accelerator.mig({ count: 1 });
  Accelerator.amd({
    count: 8,
    // @ts-expect-error cpx_nps4
    partition: 'cpx',
  });
  // @ts-expect-error huge pages are required
  Accelerator.gaudi({ count: 8 });
  // @ts-expect-error a topology is required
  Accelerator.tpu({ count: 4, accelerator: 'TPU-v6e' });
  // @ts-expect-error the vendor's factory
  never(Accelerator.gpu);
  new kubeflow.PyTorchJob(chart, 'a', {
    image,
    nodes: 2,
    // @ts-expect-error an Accelerator
    accelerators: 8,
  });
  new kubeflow.PyTorchJob(chart, 'a', {
    image,
    nodes: 2,
    // @ts-expect-error accelerators
    gpus: 8,
  });
}

/** Fields without a prop go into `overrides`, and workloads into the constructs of cdk8s-plus that fit them. */
export function escapeAndInterop(): void {
  const pytorch = new kubeflow.PyTorchJob(chart, 'a', {
    ...job,
    // @ts-expect-error overrides
    raw: { suspend: true },
  });
  const cluster = new ray.RayCluster(chart, 'a', {
    rayVersion: '2.52.0',
    head: { image },
    // @ts-expect-error overrides
    spec: { suspend: true },
  });
  new Service(chart, 'service', { selector: pytorch, ports: [{ port: 80 }] });
  // @ts-expect-error a job has no replicas to scale
  new HorizontalPodAutoscaler(chart, 'scaler', { target: pytorch, maxReplicas: 8 });
  never(cluster);
  new DistributedTraining(chart, 'a', {
    ...job,
    // @ts-expect-error pytorch
    framework: 'torch',
    as: TrainingEngine.pyTorchJob(),
  });
}

function never(value: unknown): void {
  throw new Error(`not executed: ${String(value)}`);
}

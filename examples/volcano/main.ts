/**
 * A laboratory on Volcano: a tree of queues, nodes in leaf switches below a spine, an MPI job that stays below one switch, a flow from data
 * to report, and an evaluation every night.
 */
import { App, Chart, Duration } from 'cdk8s';
import { Accelerator, Namespace, PodTemplate, PriorityLadder, volcano } from 'cdk8s-gantry';
import { type Construct } from 'constructs';

const { CronJob, HyperNode, HyperNodeMember, Job, JobFlow, JobPlugin, JobTemplate, JobVolume, Policy, Queue } = volcano;

const IMAGE = 'registry.example.com/lab/climate:5.2';
/** Sixteen nodes of eight GPUs, four below each leaf switch. */
const LEAVES = 4;
const CLUSTER = { cpu: 16 * 96, memory: `${16 * 1024}Gi`, accelerators: Accelerator.nvidia({ count: 16 * 8 }) };

/** What all teams share: queues, priorities, and the topology of nodes. */
export class Ground extends Chart {
  readonly priorities: PriorityLadder<'night' | 'day'>;
  readonly models: volcano.Queue;
  readonly reports: volcano.Queue;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.priorities = new PriorityLadder(this, 'priorities', {
      prefix: 'lab-',
      rungs: [{ name: 'night', preemptionPolicy: 'Never' }, { name: 'day' }],
    });
    const lab = new Queue(this, 'lab', { capability: CLUSTER, deserved: CLUSTER });
    this.models = new Queue(this, 'models', {
      parent: lab,
      deserved: { accelerators: Accelerator.nvidia({ count: 96 }) },
      guarantee: { accelerators: Accelerator.nvidia({ count: 32 }) },
    });
    // Without GPUs of its own: it takes what models leave idle, and gives it back.
    this.reports = new Queue(this, 'reports', {
      parent: lab,
      deserved: { accelerators: Accelerator.nvidia({ count: 0 }) },
      capability: { accelerators: Accelerator.nvidia({ count: 16 }) },
    });

    const leaves = Array.from(
      { length: LEAVES },
      (_, leaf) =>
        new HyperNode(this, `leaf-${leaf}`, {
          tier: 1,
          tierName: 'leaf',
          members: [HyperNodeMember.nodesLabeled({ 'lab.example.com/leaf': String(leaf) })],
        }),
    );
    new HyperNode(this, 'spine', {
      tier: 2,
      tierName: 'spine',
      members: leaves.map((leaf) => HyperNodeMember.hyperNode(leaf)),
    });
    volcano.SchedulerConfiguration.forGpus(this, 'scheduler', { networkTopology: true });
  }
}

/** What the laboratory runs. */
export class Laboratory extends Chart {
  constructor(scope: Construct, id: string, ground: Ground) {
    super(scope, id, { namespace: 'lab' });
    this.node.addDependency(ground);
    const namespace = new Namespace(this, 'lab');
    const { models, reports, priorities } = ground;

    // Four nodes below one leaf switch, or waiting: every step waits for the slowest link.
    const worker = new PodTemplate({
      image: IMAGE,
      command: ['/usr/sbin/sshd', '-D'],
      accelerators: Accelerator.nvidia({ count: 8 }),
      sharedMemory: '64Gi',
      resources: { cpu: 88, memory: '900Gi' },
    });
    const master = new PodTemplate({
      image: IMAGE,
      command: ['mpirun', '-n', '32', 'simulate'],
      resources: { cpu: 2, memory: '8Gi' },
    });
    const simulation = new Job(this, 'simulation', {
      priorityClass: priorities.at('day'),
      networkTopology: { mode: 'hard', highestTier: 1 },
      plugins: [JobPlugin.mpi({ master: 'mpimaster', worker: 'mpiworker' })],
      policies: [Policy.onEvent('PodEvicted', 'RestartJob'), Policy.onPodPending(Duration.minutes(30), 'RestartJob')],
      volumes: [JobVolume.existing('/data', 'measurements')],
      tasks: [
        { name: 'mpimaster', template: master, policies: [Policy.onEvent('TaskCompleted', 'CompleteJob')] },
        { name: 'mpiworker', replicas: 4, template: worker },
      ],
    }).submitTo(models);
    simulation.node.addDependency(namespace);

    const step = (name: string, gpus: number): volcano.JobTemplate =>
      new JobTemplate(this, name, {
        tasks: [
          {
            name: 'main',
            restartPolicy: 'OnFailure',
            template: new PodTemplate({
              image: IMAGE,
              command: [name],
              resources: { cpu: 16, memory: '128Gi' },
              ...(gpus > 0 ? { accelerators: Accelerator.nvidia({ count: gpus }), sharedMemory: '16Gi' } : {}),
            }),
          },
        ],
      }).submitTo(models);
    const [clean, fit, draw] = [step('clean', 0), step('fit', 8), step('draw', 1)];
    new JobFlow(this, 'paper', { jobRetainPolicy: 'delete' })
      .addFlow(clean)
      .addFlow(fit, { after: [clean] })
      .addFlow(draw, { after: [fit] });

    new CronJob(this, 'nightly', {
      schedule: '30 1 * * *',
      timeZone: 'Europe/Vienna',
      priorityClass: priorities.at('night'),
      job: {
        ttlAfterFinished: Duration.days(1),
        tasks: [
          {
            name: 'evaluate',
            template: new PodTemplate({
              image: IMAGE,
              command: ['evaluate'],
              accelerators: Accelerator.nvidia({ count: 1 }),
              resources: { cpu: 8, memory: '64Gi' },
            }),
          },
        ],
      },
    }).submitTo(reports);
  }
}

export function volcanoExample(app: App): App {
  new Laboratory(app, 'laboratory', new Ground(app, 'ground'));
  return app;
}

if (require.main === module) {
  volcanoExample(new App()).synth();
}

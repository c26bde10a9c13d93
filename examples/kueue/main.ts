/**
 * Two teams share a cluster through Kueue: quotas over two sorts of GPUs, idle quota is lent, urgent work goes first, large trainings
 * stay within a rack. Beside them the same Job under each scheduler that a cluster may have.
 */
import { App, Chart, Duration } from 'cdk8s';
import {
  Accelerator,
  batch,
  Checks,
  DistributedTraining,
  GantryQueue,
  kueue,
  Namespace,
  Scheduling,
  TrainingEngine,
  TrainingTopology,
  volcano,
} from 'cdk8s-gantry';

const POD = {
  image: 'registry.example.com/train:1.4',
  command: ['torchrun', 'train.py'],
  accelerators: Accelerator.nvidia({ count: 8 }),
  resources: { cpu: 96, memory: '900Gi' },
  sharedMemory: '64Gi',
};

interface Team {
  readonly namespace: Namespace;
  readonly queue: kueue.LocalQueue;
}

/** Nodes, and who may use how much of them. */
class Quotas extends Chart {
  readonly teams: Readonly<Record<'vision' | 'language', Team>>;
  readonly urgent: kueue.WorkloadPriorityClass;

  constructor(app: App) {
    super(app, 'quotas');
    const topology = new kueue.Topology(this, 'data-center', {
      levels: ['example.com/block', 'example.com/rack', 'kubernetes.io/hostname'],
    });
    const sort = (id: string, product: string): kueue.ResourceFlavor =>
      new kueue.ResourceFlavor(this, id, { nodeLabels: { 'nvidia.com/gpu.product': product }, topology });
    const h100 = sort('h100', 'NVIDIA-H100-80GB-HBM3');
    const a100 = sort('a100', 'NVIDIA-A100-SXM4-80GB');
    const cohort = new kueue.Cohort(this, 'company');
    this.urgent = new kueue.WorkloadPriorityClass(this, 'urgent', {
      value: 1000,
      description: 'What a release waits for',
    });

    const team = (name: string, gpus: { readonly h100: number; readonly a100: number }): Team => {
      const namespace = new Namespace(this, name);
      // Eight devices, 96 cores and 900 GiB are a node.
      const nodes = (count: number): Omit<kueue.FlavorQuotas, 'flavor'> => ({
        nominalQuota: {
          accelerators: Accelerator.nvidia({ count }),
          cpu: count * 12,
          memory: `${Math.ceil(count / 8) * 960}Gi`,
        },
        borrowingLimit: { accelerators: Accelerator.nvidia({ count }) },
      });
      const clusterQueue = new kueue.ClusterQueue(this, `${name}-quota`, {
        cohort,
        namespaces: [namespace],
        flavors: [
          { flavor: h100, ...nodes(gpus.h100) },
          { flavor: a100, ...nodes(gpus.a100) },
        ],
        preemption: { reclaimWithinCohort: 'Any', withinClusterQueue: 'LowerPriority' },
        flavorFungibility: { whenCanBorrow: 'TryNextFlavor', whenCanPreempt: 'TryNextFlavor' },
      });
      return {
        namespace,
        queue: new kueue.LocalQueue(this, `${name}-queue`, { name: 'gpus', namespace, clusterQueue }),
      };
    };
    this.teams = { vision: team('vision', { h100: 32, a100: 64 }), language: team('language', { h100: 96, a100: 0 }) };
  }
}

/** What the teams run. */
function workloads(app: App, { teams, urgent }: Quotas): void {
  const language = new Chart(app, 'language-jobs', { namespace: teams.language.namespace.name });
  new DistributedTraining(language, 'llama-70b', {
    ...POD,
    framework: 'pytorch',
    nodes: 8,
    as: TrainingEngine.jobSet(),
    scheduling: Scheduling.kueue(teams.language.queue, { workloadPriorityClass: urgent }),
    topology: TrainingTopology.required('example.com/block'),
  });

  const vision = new Chart(app, 'vision-jobs', { namespace: teams.vision.namespace.name });
  // As many of the sixteen as there is room for, two at least.
  new batch.Job(vision, 'label-images', {
    ...POD,
    accelerators: Accelerator.nvidia({ count: 1 }),
    resources: { cpu: 12, memory: '100Gi' },
    sharedMemory: '8Gi',
    parallelism: 16,
    completions: 400,
    backoffLimitPerIndex: 2,
    scheduling: Scheduling.kueue(teams.vision.queue, { elastic: { min: 2 } }),
  });
  new batch.CronJob(vision, 'evaluate', {
    ...POD,
    accelerators: Accelerator.nvidia({ count: 1 }),
    resources: { cpu: 12, memory: '100Gi' },
    schedule: '0 2 * * *',
    timeZone: 'Etc/UTC',
    scheduling: Scheduling.kueue(teams.vision.queue, { topology: { preferred: 'kubernetes.io/hostname' } }),
  });
}

/** The same Job under each scheduler. */
function elsewhere(app: App): void {
  const namespace = new Namespace(new Chart(app, 'research'), 'research');
  const chart = new Chart(app, 'elsewhere', { namespace: namespace.name });
  Checks.of(chart).ignore('schema/api-version-on-by-default', 'the cluster serves the alpha API of PodGroups');
  const queue = volcano.Queue.fromName('research');
  const gantryQueue = GantryQueue.fromName('research');
  const choices = {
    'by-volcano': Scheduling.volcano(queue, { topology: { required: 1 }, minimumRuntime: Duration.minutes(30) }),
    'by-pod-group': Scheduling.podGroup({ topology: { required: 'example.com/rack' } }),
    'by-coscheduling': Scheduling.schedulerPlugins(),
    'by-gantry': Scheduling.gantry(gantryQueue, {
      topology: { required: 'example.com/rack' },
      minimumRuntime: Duration.minutes(30),
    }),
    'by-gantry-hand-over': Scheduling.gantry(gantryQueue, {
      topology: { required: 'example.com/rack' },
      handOver: true,
    }),
  };
  for (const [name, scheduling] of Object.entries(choices)) {
    new batch.Job(chart, name, { ...POD, parallelism: 4, peers: true, scheduling });
  }
}

export function kueueExample(app: App): App {
  Checks.of(app).target('1.36');
  workloads(app, new Quotas(app));
  elsewhere(app);
  return app;
}

if (require.main === module) {
  kueueExample(new App()).synth();
}

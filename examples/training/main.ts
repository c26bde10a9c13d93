/**
 * One training, stated once and rendered as each kind that can run it; and the other ways to keep GPUs busy: a fine-tuning on the
 * platform's own runtime, a parameter sweep on Ray, a model too large for one node.
 */
import { App, Chart, Duration } from 'cdk8s';
import {
  Accelerator,
  batch,
  DistributedTraining,
  type DistributedTrainingProps,
  kueue,
  Mount,
  ray,
  Scheduling,
  trainer,
  TrainingEngine,
  TrainingTopology,
  volcano,
} from 'cdk8s-gantry';

const POD = {
  image: 'registry.example.com/llama:1.4',
  accelerators: Accelerator.nvidia({ count: 8 }),
  resources: { cpu: 96, memory: '900Gi' },
  sharedMemory: '64Gi',
  mounts: [Mount.claim('datasets', '/data')],
};

const LLAMA: DistributedTrainingProps = {
  ...POD,
  framework: 'pytorch',
  nodes: 8,
  command: ['torchrun', 'train.py', '--model=llama-70b'],
};

/** The same statement under every engine that starts PyTorch. */
export class OneStatement extends Chart {
  constructor(scope: App, id: string, queue: volcano.Queue, runtime: trainer.ClusterTrainingRuntime) {
    super(scope, id, { namespace: 'research' });
    const topology = TrainingTopology.preferred('topology.kubernetes.io/zone');
    new DistributedTraining(this, 'by-operator', { ...LLAMA, elastic: { min: 4, max: 16 }, topology }).submitTo(queue);
    new DistributedTraining(this, 'by-volcano', {
      ...LLAMA,
      as: TrainingEngine.volcanoJob(),
      topology: TrainingTopology.required(1),
      retries: 3,
    }).submitTo(queue);
    new DistributedTraining(this, 'by-jobset', {
      ...LLAMA,
      as: TrainingEngine.jobSet(),
      topology,
      retries: 3,
    }).submitTo(kueue.LocalQueue.fromName('research'));
    new DistributedTraining(this, 'by-trainer', { ...LLAMA, as: TrainingEngine.trainJob(runtime) }).submitTo(queue);
  }
}

/** What is no plain training. */
export class OtherWork extends Chart {
  constructor(scope: App, id: string) {
    super(scope, id, { namespace: 'research' });
    new trainer.TrainJob(this, 'tune', {
      runtime: trainer.ClusterTrainingRuntime.builtIn('torchtune-llama3.2-1b'),
      nodes: 1,
      command: ['tune', 'run'],
      args: ['epochs=3'],
      accelerators: Accelerator.nvidia({ count: 2 }),
      resources: { memory: '128Gi' },
      sharedMemory: '16Gi',
      model: { storageUri: 'hf://meta-llama/Llama-3.2-1B-Instruct', secret: 'hf-token' },
    }).submitTo(kueue.LocalQueue.fromName('research'));

    const image = 'rayproject/ray:2.52.0-gpu';
    new ray.RayJob(this, 'sweep', {
      entrypoint: ['python', 'sweep.py', '--trials=64'],
      cluster: {
        rayVersion: '2.52.0',
        head: { image, resources: { cpu: 4, memory: '16Gi' } },
        workers: [
          {
            groupName: 'gpu',
            max: 16,
            image,
            resources: { cpu: 8, memory: '64Gi' },
            accelerators: Accelerator.nvidia({ count: 1 }),
          },
        ],
        autoscaler: { idleTimeout: Duration.minutes(2) },
      },
      ttlAfterFinished: Duration.minutes(10),
    });

    new batch.LeaderWorkerSet(this, 'llama-405b', {
      ...POD,
      groups: 2,
      groupSize: 2,
      command: ['serve'],
      leader: { command: ['serve', '--leader'] },
      exclusiveTopology: 'topology.kubernetes.io/zone',
    });
  }
}

export function trainingExample(app: App): App {
  const platform = new Chart(app, 'platform');
  const queue = new volcano.Queue(platform, 'research', {
    capability: { accelerators: Accelerator.nvidia({ count: 256 }) },
  });
  const runtime = new trainer.ClusterTrainingRuntime(platform, 'torch-gang', {
    ...POD,
    mounts: [],
    policy: trainer.MlPolicy.torch(),
    scheduling: Scheduling.volcano(queue),
  });
  new OneStatement(app, 'one-statement', queue, runtime);
  new OtherWork(app, 'other-work');
  return app;
}

if (require.main === module) {
  trainingExample(new App()).synth();
}

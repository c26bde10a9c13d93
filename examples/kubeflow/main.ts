/**
 * One team, every framework: jobs of the training-operator and the MPI operator, each with the roles that its framework knows, all of them
 * gangs in one queue.
 */
import { App, Chart } from 'cdk8s';
import { Accelerator, kubeflow, Mount, NcclProfile, PriorityLadder, Scheduling, Team } from 'cdk8s-gantry';
import { type Construct } from 'constructs';

const { JAXJob, MPIJob, PaddleJob, PyTorchJob, TFJob, XGBoostJob } = kubeflow;

/** What belongs to the platform: the team, and the order of work. */
export class Vision extends Chart {
  readonly team: Team;
  readonly priorities: PriorityLadder<'later' | 'now'>;

  constructor(scope: Construct, id: string) {
    super(scope, id, { namespace: 'vision' });
    this.priorities = new PriorityLadder(this, 'priorities', {
      prefix: 'vision-',
      rungs: [{ name: 'later', preemptionPolicy: 'Never' }, { name: 'now' }],
    });
    this.team = new Team(this, 'vision', {
      quota: { accelerators: Accelerator.nvidia({ count: 128 }), cpu: 2048, memory: '20Ti' },
      queue: {
        deserved: { accelerators: Accelerator.nvidia({ count: 64 }) },
        capability: { accelerators: Accelerator.nvidia({ count: 128 }), cpu: 2048, memory: '20Ti' },
      },
    });
  }
}

/** Its jobs. */
export class Jobs extends Chart {
  constructor(scope: Construct, id: string, { team, priorities }: Vision) {
    super(scope, id, { namespace: 'vision' });
    const scheduling = Scheduling.volcano(team.queue);
    const common = {
      scheduling,
      mounts: [Mount.claim('images', '/data', { readOnly: true }), Mount.claim('checkpoints', '/checkpoints')],
    };
    const node = {
      ...common,
      accelerators: Accelerator.nvidia({ count: 8 }),
      resources: { cpu: 88, memory: '800Gi' },
      sharedMemory: '64Gi',
      nccl: NcclProfile.ethernet(),
    };

    // Ranks, ports and the number of processes come from the operator: the command says none of them.
    new PyTorchJob(this, 'segmentation', {
      ...node,
      image: 'registry.example.com/vision/torch:2.9',
      command: ['torchrun', 'segment.py'],
      nodes: 4,
      elastic: { min: 2, max: 8 },
      priorityClass: priorities.at('now'),
    });
    new JAXJob(this, 'video', {
      ...node,
      image: 'registry.example.com/vision/jax:0.8',
      command: ['python', 'video.py'],
      nodes: 2,
    });
    new PaddleJob(this, 'ocr', {
      ...node,
      image: 'registry.example.com/vision/paddle:3.2',
      command: ['python', '-m', 'paddle.distributed.launch', 'ocr.py'],
      nodes: 2,
    });
    // The launcher runs mpirun, and has no GPU.
    new MPIJob(this, 'features', {
      ...node,
      image: 'registry.example.com/vision/horovod:0.28',
      command: ['mpirun', 'python', 'features.py'],
      workers: 2,
    });

    // Parameter servers hold the tables, in memory and without GPUs; an evaluator looks on.
    new TFJob(this, 'ranking', {
      ...common,
      image: 'registry.example.com/vision/tensorflow:2.20',
      command: ['python', 'rank.py'],
      workers: 4,
      accelerators: Accelerator.nvidia({ count: 1 }),
      resources: { cpu: 16, memory: '128Gi' },
      parameterServers: { replicas: 2, accelerators: undefined, resources: { cpu: 32, memory: '256Gi' } },
      chief: {},
      evaluator: {},
    });
    new XGBoostJob(this, 'quality', {
      ...common,
      image: 'registry.example.com/vision/xgboost:3.1',
      command: ['python', 'quality.py'],
      nodes: 4,
      resources: { cpu: 32, memory: '128Gi' },
      priorityClass: priorities.at('later'),
    });
  }
}

export function kubeflowExample(app: App): App {
  const vision = new Vision(app, 'vision');
  new Jobs(app, 'jobs', vision).node.addDependency(vision);
  return app;
}

if (require.main === module) {
  kubeflowExample(new App()).synth();
}

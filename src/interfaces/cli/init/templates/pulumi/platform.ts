import { Chart, Duration, Size } from 'cdk8s';
import { Accelerator, kubeflow, Team } from 'cdk8s-gantry';
import { type Construct } from 'constructs';

/** A team with a quota and a queue of Volcano, and its training job. */
export class Platform extends Chart {
  readonly research: Team;
  readonly training: kubeflow.PyTorchJob;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.research = new Team(this, 'research', {
      quota: { accelerators: Accelerator.nvidia({ count: 16 }), cpu: 256, memory: '2Ti' },
    });
    this.training = new kubeflow.PyTorchJob(this, 'training', {
      name: 'training',
      namespace: this.research.namespace,
      nodes: 2,
      image: 'registry.example.com/training:1.0',
      command: ['torchrun', 'train.py'],
      accelerators: Accelerator.nvidia({ count: 8 }),
      resources: { cpu: 64, memory: Size.gibibytes(512) },
      sharedMemory: Size.gibibytes(64),
      ttlAfterFinished: Duration.days(7),
    }).submitTo(this.research.queue);
  }
}

/**
 * The lab: small experiments of everybody, by Kueue, on the inference nodes that serving leaves idle. Who comes first is served first, and
 * no pod waits in a gang.
 */
import { Chart } from 'cdk8s';
import {
  Accelerator,
  batch,
  devices,
  DistributedTraining,
  kueue,
  Namespace,
  ray,
  Scheduling,
  trainer,
  TrainingEngine,
} from 'cdk8s-gantry';
import { type Construct } from 'constructs';
import { INFERENCE_GPU } from './cluster';
import { type Nodes } from './nodes';

/** What the lab may use of the inference nodes. */
const QUOTA = { cpu: 256, memory: '2Ti', accelerators: Accelerator.nvidia({ count: 16 }) };

export class Lab extends Chart {
  readonly queue: kueue.LocalQueue;

  constructor(scope: Construct, id: string, nodes: Nodes) {
    super(scope, id, { namespace: 'lab' });
    this.node.addDependency(nodes);
    const namespace = new Namespace(this, 'lab');
    const flavor = new kueue.ResourceFlavor(this, 'l40s', { nodeLabels: { 'nvidia.com/gpu.product': INFERENCE_GPU } });
    const clusterQueue = new kueue.ClusterQueue(this, 'lab-queue', {
      name: 'lab',
      flavors: [{ flavor, nominalQuota: QUOTA }],
      namespaces: [namespace],
    });
    this.queue = new kueue.LocalQueue(this, 'experiments', { namespace, clusterQueue });
    const scheduling = Scheduling.kueue(this.queue);
    const pod = {
      accelerators: Accelerator.nvidia({ count: 2 }),
      resources: { cpu: 16, memory: '128Gi' },
      sharedMemory: '16Gi',
    };

    // One statement of a training, as a JobSet; and one by a runtime that the platform team keeps.
    new DistributedTraining(this, 'ablation', {
      ...pod,
      image: 'registry.example.com/lab/train:3.0',
      framework: 'pytorch',
      nodes: 2,
      command: ['torchrun', 'ablation.py'],
      as: TrainingEngine.jobSet(),
      scheduling,
    });
    const runtime = new trainer.TrainingRuntime(this, 'torch', {
      policy: trainer.MlPolicy.torch(),
      image: 'registry.example.com/lab/torch:2.9',
    });
    new trainer.TrainJob(this, 'distillation', {
      ...pod,
      runtime,
      nodes: 2,
      command: ['torchrun', 'distil.py'],
      scheduling,
    });
    const image = 'rayproject/ray:2.52.0-gpu';
    new ray.RayJob(this, 'sweep', {
      entrypoint: ['python', 'sweep.py'],
      cluster: {
        rayVersion: '2.52.0',
        head: { image, resources: { cpu: 4, memory: '16Gi' } },
        workers: [{ groupName: 'trial', replicas: 2, image, ...pod }],
      },
      scheduling,
    });
    new batch.Job(this, 'tokenise', {
      image: 'registry.example.com/lab/data:1.2',
      command: ['python', 'tokenise.py'],
      parallelism: 4,
      completions: 16,
      resources: { cpu: 8, memory: '32Gi' },
      scheduling,
    });

    // For the day on which devices come by claim: a GPU with at least 40 GiB, whichever it is.
    new devices.GpuClaim(this, 'any-large-gpu', { selectors: [devices.DeviceSelector.memoryAtLeast('40Gi')] });
  }
}

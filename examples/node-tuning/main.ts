/**
 * The nodes of a GPU platform: two kinds that Karpenter makes, kept empty until their GPUs are there, tuned while they run; and the files
 * that belong into their image, because they must not change under running pods.
 *
 * The files are written to `node-files/` beside the manifests.
 */
import { App, Chart } from 'cdk8s';
import { Accelerator, gpuOperator, Namespace, nodeTuning, PodTemplate, Resource } from 'cdk8s-gantry';
import { Job } from 'cdk8s-gantry/api/batch/v1';

const {
  ContainerdConfiguration,
  DeviceReadiness,
  Ec2NodeClass,
  KubeletDropIn,
  MemlockRuntime,
  NodeDocuments,
  NodePool,
  NodeProfile,
  NodeTuner,
  SpotJob,
  SystemdDropIn,
  Tuning,
} = nodeTuning;

export class Nodes extends Chart {
  /** Eight GPUs on two NUMA nodes, given out whole. */
  readonly training: nodeTuning.NodeProfile;
  /** The same, at a third of the price and for as long as it lasts. */
  readonly spot: nodeTuning.NodeProfile;
  readonly rdma: nodeTuning.MemlockRuntime;
  readonly documents: nodeTuning.NodeDocuments;

  constructor(app: App, id: string) {
    super(app, id);
    const namespace = new Namespace(this, 'node-tuning', {
      labels: { 'pod-security.kubernetes.io/enforce': 'privileged' },
    });

    const ready = new DeviceReadiness(this, 'gpu-ready', {
      namespace,
      image: 'registry.example.com/kubectl:1.36',
      count: 8,
    });
    const devices = { perNode: 8, numaNodes: 2 };
    this.training = new NodeProfile('h100', {
      tier: 'training',
      devices,
      topologyManager: 'restricted',
      startupTaints: [ready.taint],
    });
    this.spot = new NodeProfile('h100-spot', {
      tier: 'training',
      spot: 'karpenter',
      devices,
      startupTaints: [ready.taint],
    });

    const nodeClass = new Ec2NodeClass(this, 'gpu', {
      role: 'KarpenterNode-ml',
      amiAlias: 'al2023@v20260101',
      clusterName: 'ml',
    });
    const common = { nodeClass, instanceTypes: ['p5.48xlarge'], zones: ['eu-west-1a'] };
    new NodePool(this, 'h100', {
      ...common,
      profile: this.training,
      limits: { accelerators: Accelerator.nvidia({ count: 64 }) },
    });
    new NodePool(this, 'h100-spot', {
      ...common,
      profile: this.spot,
      limits: { accelerators: Accelerator.nvidia({ count: 32 }) },
      weight: 10,
    });

    new gpuOperator.GpuOperator(this, 'gpu-operator', {
      through: 'chart',
      namespace,
      daemonSets: { tolerations: this.training.operatorTolerations },
    });

    new NodeTuner(this, 'training-nodes', {
      namespace,
      nodeSelection: this.training.selection,
      tunings: [...Tuning.forTraining(), Tuning.irqAffinity({ interfaces: ['ens*'], to: 'local' })],
    });

    this.rdma = new MemlockRuntime(this, 'rdma', { nodeSelection: this.training.selection });
    this.documents = new NodeDocuments(this, 'image-files', {
      namespace,
      documents: [
        new KubeletDropIn({
          reservedSystemCpus: '0-3,96-99',
          memoryManager: 'Static',
          kubeReserved: { memory: '8Gi' },
          systemReserved: { memory: '4Gi', pid: 4096 },
        }),
        new ContainerdConfiguration({ runtimes: { kata: { type: 'io.containerd.kata.v2' } } }),
        ...this.rdma.documents,
        SystemdDropIn.slice('ai.slice', { cpuWeight: 50, memoryHigh: '10%' }),
      ],
    });
  }
}

/** A job that needs its nodes whole, and one that takes what it gets. */
export class Jobs extends Chart {
  constructor(app: App, id: string, nodes: Nodes) {
    super(app, id, { namespace: 'research' });
    new Namespace(this, 'research');
    const eight = new PodTemplate({
      image: 'registry.example.com/train:1',
      command: ['torchrun', '--nproc-per-node=8', 'train.py'],
      resources: { cpu: 160, cpuLimit: 160, memory: '1Ti' },
      sharedMemory: '64Gi',
      accelerators: Accelerator.nvidia({ count: 8 }),
      runtimeClass: nodes.rdma,
    });
    const template = nodes.training.place(eight).toPodTemplate({ restartPolicy: 'Never' });
    new Resource(this, 'train', Job, { metadata: { name: 'train' }, spec: { backoffLimit: 0, template } });
    new SpotJob(this, 'sweep', {
      on: nodes.spot,
      image: 'registry.example.com/sweep:1',
      command: ['python', 'sweep.py', '--resume'],
      completions: 100,
      parallelism: 8,
      resources: { cpu: 20, memory: '120Gi' },
      accelerators: Accelerator.nvidia({ count: 1 }),
    });
  }
}

/** Nodes and jobs in one app. */
export function gpuNodePools(app: App): Nodes {
  const nodes = new Nodes(app, 'nodes');
  new Jobs(app, 'jobs', nodes);
  return nodes;
}

if (require.main === module) {
  const app = new App();
  const nodes = gpuNodePools(app);
  app.synth();
  nodes.documents.write(app.outdir);
}

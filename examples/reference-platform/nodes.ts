/**
 * What belongs to the nodes: the operators by their charts, GPUs given out, measured and alerted on, the functions of the InfiniBand
 * cards, kernels that are set for training, an agent on each node, and what is done about nodes with a problem.
 */
import { Chart } from 'cdk8s';
import {
  charts,
  gpuOperator,
  monitoring,
  Namespace,
  networking,
  NodeAgent,
  NodeSelection,
  nodeTuning,
  Remediation,
} from 'cdk8s-gantry';
import { type Construct } from 'constructs';
import { GPU, INFERENCE_GPU, RDMA_FUNCTIONS } from './cluster';

const PRIVILEGED = { 'pod-security.kubernetes.io/enforce': 'privileged' };

export class Nodes extends Chart {
  readonly gpus: gpuOperator.GpuOperator;
  readonly monitoring: monitoring.GpuMonitoring;
  /** Virtual functions of the InfiniBand cards. */
  readonly functions: networking.SriovNetworkNodePolicy;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const namespace = new Namespace(this, 'gpu-operator', { labels: PRIVILEGED });
    this.monitoring = new monitoring.GpuMonitoring(this, 'gpu-monitoring', {
      namespace,
      labels: { release: 'prometheus' },
      alertLabels: { team: 'platform' },
    });
    this.gpus = new gpuOperator.GpuOperator(this, 'gpus', {
      namespace,
      through: 'chart',
      dcgmExporter: this.monitoring.exporter,
    });
    // Nodes that are labeled so give each GPU to four notebooks; all others give whole GPUs.
    this.gpus.addNodePool('notebooks', gpuOperator.Sharing.timeSlicing({ replicas: 4 }));

    const network = new Namespace(this, 'network-operator', { labels: PRIVILEGED });
    this.functions = new networking.SriovNetworkNodePolicy(this, 'infiniband', {
      namespace: network,
      ...RDMA_FUNCTIONS,
      nodeSelector: { 'nvidia.com/gpu.product': GPU },
      virtualFunctions: 1,
      linkType: 'ib',
    });

    const tuning = new Namespace(this, 'node-tuning', { labels: PRIVILEGED });
    new nodeTuning.NodeTuner(this, 'training-nodes', {
      namespace: tuning,
      nodeSelection: NodeSelection.labels({ 'nvidia.com/gpu.product': GPU }),
      tunings: nodeTuning.Tuning.forTraining(),
    });
    new nodeTuning.NodeTuner(this, 'inference-nodes', {
      namespace: tuning,
      nodeSelection: NodeSelection.labels({ 'nvidia.com/gpu.product': INFERENCE_GPU }),
      tunings: [nodeTuning.Tuning.cpuGovernor('performance')],
    });

    const labels = { release: 'prometheus' };
    new NodeAgent(this, 'node-agent', {
      pools: [
        {
          name: 'h100',
          nodeSelector: { 'nvidia.com/gpu.product': GPU },
          devices: { 'nvidia.com/gpu': 8 },
          rdmaPorts: 8,
        },
        { name: 'l40s', nodeSelector: { 'nvidia.com/gpu.product': INFERENCE_GPU } },
      ],
      monitoring: { labels },
    });
    // A dry run: it shows what it would do about the conditions of the agent. With `mode: 'active'` it does it.
    new Remediation(this, 'remediation', {
      budget: { poolLabel: 'nvidia.com/gpu.product', maxUnavailablePercent: 10, maxPerRack: 1 },
      monitoring: { labels },
    });

    new charts.HelmRelease(this, 'gpu-operator-release', {
      chart: 'gpu-operator',
      namespace,
      values: this.gpus.values,
    });
    new charts.HelmRelease(this, 'network-operator-release', {
      chart: 'network-operator',
      namespace: network,
      values: { sriovNetworkOperator: { enabled: true } },
    });
    new charts.HelmRelease(this, 'keda-release', { chart: 'keda' });
    new charts.HelmRelease(this, 'kueue-release', { chart: 'kueue' });
    new charts.TrainingOperatorRelease(this, 'training-operator');
  }
}

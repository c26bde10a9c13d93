/**
 * What belongs to the nodes: the operators by their charts, GPUs given out, measured and alerted on, the functions of the InfiniBand
 * cards, and kernels that are set for training.
 */
import { Chart } from 'cdk8s';
import { charts, gpuOperator, monitoring, Namespace, networking, NodeSelection, nodeTuning } from 'cdk8s-gantry';
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

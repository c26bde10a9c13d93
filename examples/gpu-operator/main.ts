/**
 * GPU nodes of three kinds under one operator: whole GPUs for training, shares for inference, MIG slices for notebooks.
 *
 * Flux installs the operator from its chart. `nodeLabels` says what the nodes of each pool must be labeled with by the tool that creates them.
 */
import { App, Chart, Duration } from 'cdk8s';
import { charts, gpuOperator, Namespace, PodTemplate, Resource } from 'cdk8s-gantry';
import { Deployment } from 'cdk8s-gantry/api/apps/v1';

const { DcgmCounters, GpuOperator, NvidiaDriver, Sharing } = gpuOperator;

export class GpuNodes extends Chart {
  readonly operator: gpuOperator.GpuOperator;
  readonly inference: gpuOperator.GpuNodePool;
  readonly notebooks: gpuOperator.GpuNodePool;

  constructor(app: App, id: string) {
    super(app, id);
    const namespace = new Namespace(this, 'gpu-operator', {
      labels: { 'pod-security.kubernetes.io/enforce': 'privileged' },
    });
    const counters = new DcgmCounters(this, 'dcgm-counters', { namespace }).addCounters({
      field: 'DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL',
      type: 'counter',
      help: 'NVLink traffic of all lanes',
    });
    this.operator = new GpuOperator(this, 'gpu', {
      namespace,
      through: 'chart',
      driver: { fromNvidiaDrivers: true },
      dcgmExporter: { counters, serviceMonitor: { interval: Duration.seconds(15), labels: { release: 'prometheus' } } },
    });
    this.inference = this.operator.addNodePool('inference', Sharing.timeSlicing({ replicas: 4 }));
    this.notebooks = this.operator.addNodePool(
      'notebooks',
      Sharing.mig({
        gpu: 'H100-SXM-80GB',
        layout: [
          { devices: [0, 1, 2, 3], layout: { '1g.10gb': 7 } },
          { devices: [4, 5, 6, 7], layout: { '1g.10gb': 1, '2g.20gb': 1, '4g.40gb': 1 } },
        ],
      }),
    );
    new charts.HelmRelease(this, 'release', {
      chart: 'gpu-operator',
      name: 'gpu-operator',
      values: this.operator.values,
    });

    const upgrade = {
      maxUnavailable: '10%',
      waitFor: { podSelector: 'gantry.dev/drain=wait', timeout: Duration.hours(12) },
    } as const;
    new NvidiaDriver(this, 'default-driver', {
      kernelModuleType: 'open',
      rdma: 'operator',
      gds: { enabled: true },
      upgrade,
    });
    new NvidiaDriver(this, 'inference-driver', {
      version: '580.105.08',
      nodeSelector: { 'example.com/pool': 'inference' },
      upgrade,
    });
  }
}

/** A server on a share of a GPU, a notebook on a slice of one. */
export class Workloads extends Chart {
  constructor(app: App, id: string, nodes: GpuNodes) {
    super(app, id, { namespace: 'apps' });
    this.deployment(
      'ranking',
      nodes.inference,
      new PodTemplate({
        image: 'registry.example.com/ranking:4.2',
        accelerators: nodes.inference.accelerator(),
        parts: [nodes.inference.nodes],
        resources: { cpu: 4, memory: '16Gi' },
      }),
    );
    this.deployment(
      'notebook',
      nodes.notebooks,
      new PodTemplate({
        image: 'registry.example.com/notebook:7.1',
        accelerators: nodes.notebooks.accelerator('2g.20gb'),
        parts: [nodes.notebooks.nodes],
        resources: { cpu: 8, memory: '32Gi' },
      }),
    );
  }

  private deployment(name: string, pool: gpuOperator.GpuNodePool, template: PodTemplate): void {
    const labels = { app: name };
    new Resource(this, name, Deployment, {
      metadata: { name, annotations: { 'example.com/node-pool': pool.name } },
      spec: { replicas: 2, selector: { matchLabels: labels }, template: template.toPodTemplate({ podLabels: labels }) },
    });
  }
}

export function gpuNodes(app: App): App {
  new Workloads(app, 'workloads', new GpuNodes(app, 'gpu-nodes'));
  return app;
}

if (require.main === module) {
  gpuNodes(new App()).synth();
}

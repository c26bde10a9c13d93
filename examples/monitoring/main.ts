/**
 * Monitoring of a GPU platform: the exporter's list of counters, who fetches it, what is alerted on and what is shown; servers of models
 * with alerts of their own, the switches of the RDMA network, and the teams' share of the GPUs as a series that is kept.
 */
import { App, Chart, Duration } from 'cdk8s';
import { Accelerator, catalog, charts, gpuOperator, monitoring, Namespace, PodTemplate, Resource } from 'cdk8s-gantry';
import { Deployment } from 'cdk8s-gantry/api/apps/v1';

const { GpuMonitoring, GrafanaDashboard, NODE_RELABELING, PodMonitor, PrometheusRule, ScrapeConfig } = monitoring;

/** The labels by which kube-prometheus-stack finds what it is to read. */
const FOUND = { release: 'prometheus' };

export class GpuPlatformMonitoring extends Chart {
  readonly gpu: monitoring.GpuMonitoring;

  constructor(app: App, id: string) {
    super(app, id, { namespace: 'gpu-operator' });
    const namespace = new Namespace(this, 'gpu-operator', {
      labels: { 'pod-security.kubernetes.io/enforce': 'privileged' },
    });
    this.gpu = new GpuMonitoring(this, 'gpu', {
      namespace,
      labels: FOUND,
      engine: 'kueue',
      alerts: { GpuMemoryNearlyFull: { threshold: 0.97 }, GpuAllocatedButIdle: { for: Duration.hours(2) } },
      alertLabels: { team: 'platform' },
      // Beside what alerts and panels read: what the energy bill is made of.
      counters: [gpuOperator.dcgmCounter('TOTAL_ENERGY_CONSUMPTION')],
      runbooks: 'https://wiki.example.com/gpu',
    });
    const operator = new gpuOperator.GpuOperator(this, 'operator', {
      namespace,
      through: 'chart',
      dcgmExporter: this.gpu.exporter,
    });
    new charts.HelmRelease(this, 'release', { chart: 'gpu-operator', name: 'gpu-operator', values: operator.values });

    const held = catalog.dcgmMetric('GPU_TEMP').names['4.8'].name;
    new PrometheusRule(this, 'shares', { labels: FOUND }).addGroup('shares', {
      record: 'namespace:gpus_held:count',
      expr: `count by (exported_namespace) (count by (exported_namespace, UUID) (${held}{exported_pod!=""}))`,
    });
    new ScrapeConfig(this, 'switches', {
      labels: FOUND,
      targets: ['leaf-1.example.com:9100', 'leaf-2.example.com:9100'],
      targetLabels: { fabric: 'rail' },
      interval: Duration.minutes(1),
    });
  }
}

/** A server of a model, which says itself how long its queue is. */
export class Serving extends Chart {
  constructor(app: App, id: string) {
    super(app, id, { namespace: 'serving' });
    const namespace = new Namespace(this, 'serving');
    const labels = { app: 'chat' };
    const template = new PodTemplate({
      image: 'registry.example.com/vllm:0.11',
      accelerators: Accelerator.nvidia({ count: 2 }),
      sharedMemory: '16Gi',
      resources: { cpu: 8, memory: '128Gi' },
      podOverrides: { container: { ports: [{ name: 'http', containerPort: 8000 }] } },
    });
    const chat = new Resource(this, 'chat', Deployment, {
      metadata: { name: 'chat' },
      spec: { replicas: 2, selector: { matchLabels: labels }, template: template.toPodTemplate({ podLabels: labels }) },
    });
    chat.node.addDependency(namespace);
    new PodMonitor(this, 'chat-metrics', {
      namespace,
      labels: FOUND,
      selector: labels,
      port: 'http',
      relabelings: [NODE_RELABELING],
    });
    new PrometheusRule(this, 'chat-alerts', { namespace, labels: FOUND }).addGroup('chat', {
      alert: 'ChatQueueLong',
      expr: 'sum by (model_name) (vllm:num_requests_waiting) / sum by (model_name) (vllm:num_requests_running + vllm:num_requests_waiting > 0) > 0.5',
      for: Duration.minutes(5),
      summary: 'Half of the requests to {{ $labels.model_name }} wait ({{ $value | humanizePercentage }})',
    });
    new GrafanaDashboard(this, 'chat-dashboard', {
      namespace,
      title: 'Chat',
      uid: 'chat',
      folder: 'Serving',
      rows: [
        {
          title: 'Requests',
          panels: [
            {
              title: 'Waiting',
              kind: 'timeseries',
              queries: [{ expr: 'sum by (model_name) (vllm:num_requests_waiting)', legend: '{{model_name}}' }],
            },
            {
              title: 'Time to the first token, 99 of 100',
              kind: 'timeseries',
              unit: 's',
              queries: [
                {
                  expr: 'histogram_quantile(0.99, sum by (le, model_name) (rate(vllm:time_to_first_token_seconds_bucket[$__rate_interval])))',
                },
              ],
            },
          ],
        },
      ],
    });
  }
}

export function monitoredPlatform(app: App): App {
  new GpuPlatformMonitoring(app, 'gpu-monitoring');
  new Serving(app, 'serving');
  return app;
}

if (require.main === module) {
  monitoredPlatform(new App()).synth();
}

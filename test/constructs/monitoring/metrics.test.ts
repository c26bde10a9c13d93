/**
 * Rules about the metrics that expressions name: those of DCGM, and those of model servers.
 */
import { monitoringRules } from '../../../src/constructs/monitoring/rules';
import { findingsOf } from '../../support/findings';
import { alert, counters, fires, rules } from './manifests';

describe('metrics of DCGM', () => {
  test('one that the list of counters beside the alert does not have', () => {
    const expr = 'increase(DCGM_FI_DEV_ECC_SBE_AGG_TOTAL[1h]) > 0';
    expect(fires(alert(expr) + counters('DCGM_FI_DEV_GPU_TEMP'))).toEqual(['dcgm-metric-collected']);
    expect(fires(alert(expr) + counters('DCGM_FI_DEV_ECC_SBE_AGG_TOTAL'))).toEqual([]);
  });

  test('one that the list has under the name of the other generation', () => {
    const [finding] = findingsOf(
      alert('DCGM_FI_DEV_GPU_TEMP > 90') + counters('DCGM_FI_DEV_GPU_TEMP_CELSIUS'),
      monitoringRules,
    );
    expect(finding).toMatchObject({
      rule: 'monitoring/dcgm-metric-collected',
      severity: 'error',
      expected: 'DCGM_FI_DEV_GPU_TEMP_CELSIUS',
    });
  });

  test("one that is off in the exporter's own list, where there is no other", () => {
    expect(findingsOf(alert('increase(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL[1h]) > 0'), monitoringRules)).toMatchObject([
      { rule: 'monitoring/dcgm-metric-collected', severity: 'warning' },
    ]);
    expect(fires(alert('DCGM_FI_DEV_GPU_TEMP > 90 or DCGM_FI_DEV_GPU_TEMP_CELSIUS > 90'))).toEqual([]);
  });

  test('one that is misspelled; an unknown one may exist', () => {
    expect(findingsOf(alert('DCGM_FI_DEV_GPU_TEMPS > 90'), monitoringRules)).toMatchObject([
      { rule: 'monitoring/dcgm-metric-known', expected: 'DCGM_FI_DEV_GPU_TEMP' },
    ]);
    expect(fires(alert('DCGM_FI_DEV_SUPPORTED_CLOCKS > 90'))).toEqual([]);
    expect(fires(alert('DCGM_FI_DEV_GPU_TEMPS > 90') + counters('DCGM_FI_DEV_GPU_TEMPS'))).toEqual([]);
  });

  test.each([
    ['rate(DCGM_FI_DEV_GPU_UTIL[5m]) > 1', 'error'],
    ['increase(kube_node_status_allocatable[5m]) > 1', 'error'],
    ['rate(DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL[5m]) > 1e9', 'warning'],
    ['avg_over_time(container_cpu_cfs_periods_total[5m]) > 1', 'warning'],
  ])('%s takes a function that does not suit', (expr, severity) => {
    expect(findingsOf(alert(expr), monitoringRules)).toMatchObject([
      { rule: 'monitoring/function-suits-metric-type', severity },
    ]);
  });

  test.each([
    'avg_over_time(DCGM_FI_DEV_GPU_UTIL[5m]) > 10',
    'rate(container_cpu_cfs_periods_total[5m]) > 1',
    'rate(some_gauge_of_mine[5m]) > 1',
    'changes(DCGM_FI_DEV_GPU_TEMP[5m]) > 1',
  ])('%s is right', (expr) => {
    expect(fires(alert(expr))).toEqual([]);
  });

  test.each([
    ['DCGM_FI_DEV_GPU_UTIL > 100', 'never', 'error'],
    ['avg by (node) (DCGM_FI_PROF_GR_ENGINE_ACTIVE) > 90', 'never', 'error'],
    ['30 > avg_over_time(DCGM_FI_PROF_SM_ACTIVE[10m])', 'always', 'error'],
    ['DCGM_FI_DEV_FB_USED_PERCENT > 90', 'never', 'error'],
    ['DCGM_FI_DEV_GPU_UTIL_RATIO > 90', 'never', 'error'],
    ['DCGM_FI_DEV_GPU_UTIL < 0.3', 'percent', 'warning'],
    ['DCGM_FI_DEV_FB_USED > 90', 'MiB', 'warning'],
    ['max(DCGM_FI_DEV_FB_USED_BYTES) > 0.9', 'bytes', 'warning'],
  ])('%s compares in the wrong unit', (expr, message, severity) => {
    const found = findingsOf(alert(expr), monitoringRules).filter(
      ({ rule }) => rule === 'monitoring/comparison-in-unit',
    );
    expect(found).toMatchObject([{ severity, message: expect.stringContaining(message) as string }]);
  });

  test.each([
    'DCGM_FI_DEV_GPU_UTIL > 95',
    'DCGM_FI_PROF_GR_ENGINE_ACTIVE < 0.05',
    'DCGM_FI_DEV_ROW_REMAP_FAILURE > 0',
    'DCGM_FI_DEV_FB_FREE < 100',
    'DCGM_FI_DEV_FB_USED > 60000',
    'DCGM_FI_DEV_FB_USED / (DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE) > 0.9',
    'sum(DCGM_FI_PROF_GR_ENGINE_ACTIVE) > 4',
    '(DCGM_FI_DEV_MEMORY_TEMP < 200) > 95',
    'DCGM_FI_PROF_GR_ENGINE_ACTIVE * 100 > 90',
    'DCGM_FI_DEV_GPU_UTIL > bool 200',
  ])('%s compares in its unit', (expr) => {
    expect(fires(alert(expr)).filter((rule) => rule === 'comparison-in-unit')).toEqual([]);
  });

  test('the last XID as a value', () => {
    expect(fires(alert('DCGM_FI_DEV_XID_ERRORS > 0'))).toEqual(['last-xid-not-compared']);
    expect(fires(alert('changes(DCGM_FI_DEV_XID_ERRORS[10m]) > 0'))).toEqual([]);
    expect(fires(alert('DCGM_FI_DEV_XID_ERRORS == 79'))).toEqual([]);
  });
});

describe('metrics of model servers', () => {
  const metrics = (yaml: string): readonly (readonly unknown[])[] =>
    findingsOf(yaml, monitoringRules)
      .filter(({ rule }) => rule === 'monitoring/server-metric-known')
      .map(({ severity, found, expected }) => [severity, found, expected]);

  test.each([
    'vllm:num_requests_waiting > 0',
    'histogram_quantile(0.9, rate(vllm:time_to_first_token_seconds_bucket[5m])) > 1',
    'rate(vllm:prompt_tokens_total[5m]) > 0 or vllm:gpu_cache_usage_perc > 0.9',
    'rate(sglang:num_requests_total[5m]) > 0 and sglang:token_usage > 0.9',
    'tgi_queue_size > 3 or rate(tgi_request_duration_sum[5m]) > 2',
    'nv_inference_pending_request_count > 3 or nv_gpu_utilization > 0.9',
    'nv_trt_llm_request_metrics{request_type="waiting"} > 3',
    'vllm:num_requests_waiting:sum > 3',
    'my_vllm_requests > 1',
  ])('%s reads what a server exposes, or what is not its own', (expr) => {
    expect(metrics(alert(expr))).toEqual([]);
  });

  test.each([
    ['vllm:num_request_waiting > 0', 'warning', 'vllm:num_request_waiting', 'vllm:num_requests_waiting'],
    ['rate(vllm:request_success[5m]) > 0', 'warning', 'vllm:request_success', 'vllm:request_success_total'],
    ['sglang:num_queue_request > 0', 'info', 'sglang:num_queue_request', 'sglang:num_queue_reqs'],
    ['tgi_queue_sizes > 0', 'warning', 'tgi_queue_sizes', 'tgi_queue_size'],
    [
      'nv_inference_pending_requests_count > 0',
      'warning',
      'nv_inference_pending_requests_count',
      'nv_inference_pending_request_count',
    ],
    ['vllm:queue_depth_of_the_engine > 0', 'info', 'vllm:queue_depth_of_the_engine', undefined],
  ])('%s is a %s', (expr, severity, found, expected) => {
    expect(metrics(alert(expr))).toEqual([[severity, found, expected]]);
  });

  test('what a rule of the manifests records is known', () => {
    expect(
      metrics(rules('record: vllm:load\nexpr: sum(vllm:num_requests_running)', 'alert: A\nexpr: vllm:load > 3')),
    ).toEqual([]);
  });

  const misspelled = ['warning', 'vllm:num_request_waiting', 'vllm:num_requests_waiting'];

  test('in the trigger of a ScaledObject', () => {
    expect(
      metrics(`
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: { name: s }
spec:
  scaleTargetRef: { name: d }
  triggers:
  - type: prometheus
    metadata: { serverAddress: http://p, threshold: '1', query: 'sum(vllm:num_request_waiting)' }
`),
    ).toEqual([misspelled]);
  });

  test('in the metrics of an autoscaler, also by the name of Google Managed Prometheus', () => {
    const autoscaler = (name: string): string => `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: h }
spec:
  maxReplicas: 3
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: d }
  metrics:
  - type: Pods
    pods: { metric: { name: '${name}' }, target: { type: AverageValue, averageValue: 1 } }
`;
    expect(metrics(autoscaler('vllm:num_request_waiting'))).toEqual([misspelled]);
    expect(metrics(autoscaler('prometheus.googleapis.com|vllm:num_request_waiting|gauge'))).toEqual([misspelled]);
    expect(metrics(autoscaler('prometheus.googleapis.com|vllm:num_requests_waiting|gauge'))).toEqual([]);
  });

  test('in a monitor that keeps metrics by name', () => {
    const monitor = (regex: string): string => `
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: m }
spec:
  selector: {}
  endpoints:
  - port: http
    metricRelabelings:
    - { action: keep, sourceLabels: [__name__], regex: '${regex}' }
`;
    expect(metrics(monitor('vllm:num_requests_running|vllm:num_request_waiting'))).toEqual([misspelled]);
    expect(metrics(monitor('vllm:num_.*'))).toEqual([]);
  });

  test('in a panel of a dashboard', () => {
    const json = {
      title: 'x',
      panels: [
        {
          id: 1,
          title: 'p',
          type: 'timeseries',
          datasource: { type: 'prometheus' },
          targets: [{ expr: 'vllm:num_request_waiting{pod=~"$pod"}' }],
        },
      ],
    };
    expect(
      metrics(`
apiVersion: v1
kind: ConfigMap
metadata: { name: board, labels: { grafana_dashboard: '1' } }
data:
  board.json: '${JSON.stringify(json)}'
`),
    ).toEqual([misspelled]);
  });
});

/** Metrics, formulas, and queries. */
import { type RuleCase, CPU, CRON, indented, prometheus, QUEUE, scaledJob, scaledObject } from './objects';

function modified(modifiers: string, more: readonly string[] = []): string {
  return scaledObject([`name: q\n${QUEUE}`, ...more], {
    spec: `advanced:\n${indented(`scalingModifiers: ${modifiers}`, 2)}`,
  });
}

export const METRIC_CASES: readonly RuleCase[] = [
  ['keda/triggers-present', 'no entry', scaledObject([]), scaledObject([QUEUE])],
  [
    'keda/triggers-present',
    'a ScaledJob without a spec',
    'apiVersion: keda.sh/v1alpha1\nkind: ScaledJob\nmetadata: {name: work}\n',
    scaledJob([QUEUE]),
  ],
  [
    'keda/trigger-names-unique',
    'one name twice',
    scaledObject([`name: q\n${QUEUE}`, `name: q\n${CRON}`]),
    scaledObject([`name: q\n${QUEUE}`, `name: r\n${CRON}`]),
  ],
  [
    'keda/cached-metrics-supported',
    'cron',
    scaledObject([`useCachedMetrics: true\n${CRON}`]),
    scaledObject([`useCachedMetrics: true\n${QUEUE}`]),
  ],
  [
    'keda/metric-type-fits',
    'cpu without one',
    scaledObject(['type: cpu\nmetadata: {value: "70"}'], { spec: 'minReplicaCount: 1' }),
    scaledObject([CPU], { spec: 'minReplicaCount: 1' }),
  ],
  [
    'keda/metric-type-fits',
    'a share of a queue',
    scaledObject([`metricType: Utilization\n${QUEUE}`]),
    scaledObject([`metricType: Value\n${QUEUE}`]),
  ],
  [
    'keda/resource-trigger-value',
    'a sign for percent',
    scaledObject(['type: cpu\nmetricType: Utilization\nmetadata: {value: "70%"}'], { spec: 'minReplicaCount: 1' }),
    scaledObject([CPU], { spec: 'minReplicaCount: 1' }),
  ],
  [
    'keda/resource-trigger-value',
    'no quantity',
    scaledObject(['type: memory\nmetricType: AverageValue\nmetadata: {value: 2GB}'], { spec: 'minReplicaCount: 1' }),
    scaledObject(['type: memory\nmetricType: AverageValue\nmetadata: {value: 2Gi}'], { spec: 'minReplicaCount: 1' }),
  ],
  ['keda/cron-window', 'a word', scaledObject([CRON.replace('0 8 * * 1-5', '"@daily"')]), scaledObject([CRON])],
  [
    'keda/cron-window',
    'six fields',
    scaledObject([CRON.replace('0 8 * * 1-5', '0 0 8 * * 1-5')]),
    scaledObject([CRON.replace('0 8 * * 1-5', '0/15 8 * jan mon')]),
  ],
  ['keda/cron-window', 'an end at the start', scaledObject([CRON.replace('0 18', '0 8')]), scaledObject([CRON])],
  [
    'keda/cron-window',
    'a zone that is none',
    scaledObject([CRON.replace('Europe/Berlin', 'Middle/Earth')]),
    scaledObject([CRON.replace('Europe/Berlin', 'Etc/UTC')]),
  ],
  ['keda/cron-window', 'no replicas', scaledObject([CRON.replace('"3"', '"0"')]), scaledObject([CRON])],
  ['keda/formula-has-target', 'no target', modified('{formula: q}'), modified('{formula: q, target: "5"}')],
  [
    'keda/formula-has-target',
    'a target of zero',
    modified('{formula: q, target: "0"}'),
    modified('{formula: q, target: "0.5"}'),
  ],
  [
    'keda/formula-has-target',
    'no formula',
    modified('{metricType: Value}'),
    modified('{formula: q, target: "5", metricType: Value}'),
  ],
  [
    'keda/formula-has-target',
    'an activation that is no number',
    modified('{formula: q, target: "5", activationTarget: some}'),
    modified('{formula: q, target: "5", activationTarget: "0.5"}'),
  ],
  [
    'keda/formula-compiles',
    'half a sum',
    modified('{formula: q +, target: "5"}'),
    modified('{formula: q + 1, target: "5"}'),
  ],
  [
    'keda/formula-compiles',
    'a truth',
    modified('{formula: q > 5, target: "5"}'),
    modified('{formula: "q > 5 ? q : 0", target: "5"}'),
  ],
  [
    'keda/formula-names-triggers',
    'a name without an owner',
    modified('{formula: q + other, target: "5"}'),
    modified('{formula: q + 1, target: "5"}'),
  ],
  [
    'keda/formula-names-triggers',
    'the name of cpu',
    modified('{formula: q + load, target: "5"}', [`name: load\n${CPU}`]),
    modified('{formula: q + load, target: "5"}', [`name: load\n${CRON}`]),
  ],
  [
    'keda/formula-names-triggers',
    'a dash',
    modified('{formula: by-day, target: "5"}', [`name: by-day\n${CRON}`]),
    modified('{formula: by_day, target: "5"}', [`name: by_day\n${CRON}`]),
  ],

  [
    'keda/prometheus-query-valid',
    'no PromQL',
    scaledObject([prometheus('sum(rate(requests_total[5m])')]),
    scaledObject([prometheus('sum(rate(requests_total[5m]))')]),
  ],
  [
    'keda/prometheus-query-valid',
    'a scalar',
    scaledObject([prometheus('scalar(sum(requests))')]),
    scaledObject([prometheus('vector(scalar(sum(requests)))')]),
  ],
  [
    'keda/prometheus-query-valid',
    'a range',
    scaledObject([prometheus('requests[5m]')]),
    scaledObject([prometheus('sum(rate(requests[5m]))')]),
  ],
  [
    'keda/prometheus-query-gives-one-value',
    'a value for each series',
    scaledObject([prometheus('rate(requests_total{app="chat"}[1m])')]),
    scaledObject([prometheus('sum(rate(requests_total{app="chat"}[1m])) or vector(0)')]),
  ],
  [
    'keda/prometheus-query-gives-one-value',
    'a value for each pod',
    scaledObject([prometheus('avg by (pod) (requests)')]),
    scaledObject([prometheus('max(avg by (pod) (requests))')]),
  ],
  [
    'keda/first-replica-has-signal',
    'a queue of servers that do not run',
    scaledObject([prometheus('sum(vllm:num_requests_waiting{namespace="serving"}) or vector(0)')]),
    scaledObject([
      prometheus('sum(vllm:num_requests_waiting{namespace="serving"}) or vector(0)'),
      prometheus('sum(rate(gateway_requests_total[1m]))'),
    ]),
  ],
  [
    'keda/first-replica-has-signal',
    'idle at zero',
    scaledObject([prometheus('sum(sglang:num_queue_reqs)')], { spec: 'minReplicaCount: 2\nidleReplicaCount: 0' }),
    scaledObject([prometheus('sum(sglang:num_queue_reqs)')], { spec: 'minReplicaCount: 1' }),
  ],
];

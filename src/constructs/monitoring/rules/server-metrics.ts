/**
 * Metrics of model servers, wherever manifests name them: rules, dashboards, triggers, autoscalers, relabeling.
 */
import { serverMetricsFor, type ServerMetrics } from '../../../facts/catalog';
import { type JsonObject } from '../../../facts/api/schema';
import { metricOf, parsePromql, type PromqlReading, selectorsOf } from '../../../facts/promql';
import { editDistance } from '../../../facts/spelling';
import { type Rule, type Violation } from '../../../checks/rules/rule';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { asObject, asString, objectsAt, stringsIn } from '../../../manifests/read';
import { monitoringRule } from './monitoring-rule';
import { PROMETHEUS_RULE, queriesOf, rulesOf } from './query-places';

const SCALED_OBJECT = 'keda.sh/ScaledObject';
const SCALED_JOB = 'keda.sh/ScaledJob';
const AUTOSCALER = 'autoscaling/HorizontalPodAutoscaler';
const MONITORS: ReadonlyMap<string, string> = new Map([
  ['monitoring.coreos.com/ServiceMonitor', '/spec/endpoints'],
  ['monitoring.coreos.com/PodMonitor', '/spec/podMetricsEndpoints'],
]);

/** A metric that a manifest reads. */
interface NamedMetric {
  readonly name: string;
  readonly path: string;
  /** What reads it, as messages call it. */
  readonly by: string;
}

function* inQuery({ expression, problems }: PromqlReading, path: string, by: string): Iterable<NamedMetric> {
  if (expression === undefined || problems.length > 0) {
    return;
  }
  const names = new Set<string>();
  for (const { selector } of selectorsOf(expression)) {
    const name = metricOf(selector);
    if (name !== undefined && !names.has(name)) {
      names.add(name);
      yield { name, path, by };
    }
  }
}

function* inTriggers(object: JsonObject): Iterable<NamedMetric> {
  for (const { value, path, index } of objectsAt(object, '/spec/triggers')) {
    const query = value.type === 'prometheus' ? asString(asObject(value.metadata).query) : undefined;
    if (query !== undefined) {
      yield* inQuery(parsePromql(query), `${path}/metadata/query`, `triggers[${index}]`);
    }
  }
}

/** Adapters name metrics as Prometheus does; Google's puts the name between a domain and a type. */
function* inAutoscaler(object: JsonObject): Iterable<NamedMetric> {
  for (const { value, path } of objectsAt(object, '/spec/metrics')) {
    for (const kind of ['pods', 'object', 'external']) {
      const name = asString(asObject(asObject(value[kind]).metric).name);
      for (const part of name?.split('|') ?? []) {
        yield { name: part, path: `${path}/${kind}/metric/name`, by: 'the autoscaler' };
      }
    }
  }
}

/** Names in a step that keeps or drops metrics by name, where its expression is a list of names. */
function* inRelabeling(object: JsonObject, endpoints: string): Iterable<NamedMetric> {
  for (const endpoint of objectsAt(object, endpoints)) {
    for (const { value, path } of objectsAt(endpoint.value, '/metricRelabelings')) {
      const names = asString(value.regex) ?? '';
      if (stringsIn(value.sourceLabels).join() === '__name__' && /^\(?[\w:|]+\)?$/.test(names)) {
        for (const name of names.replace(/[()]/g, '').split('|')) {
          yield { name, path: `${endpoint.path}${path}/regex`, by: 'the relabeling' };
        }
      }
    }
  }
}

function* metricsIn(manifest: Manifest): Iterable<NamedMetric> {
  const kind = manifest.id.group === '' ? manifest.id.kind : `${manifest.id.group}/${manifest.id.kind}`;
  const endpoints = MONITORS.get(kind);
  if (kind === SCALED_OBJECT || kind === SCALED_JOB) {
    yield* inTriggers(manifest.object);
  } else if (kind === AUTOSCALER) {
    yield* inAutoscaler(manifest.object);
  } else if (endpoints !== undefined) {
    yield* inRelabeling(manifest.object, endpoints);
  } else {
    for (const { reading, path, title } of queriesOf(manifest)) {
      yield* inQuery(reading, path, title);
    }
  }
}

const recorded = new WeakMap<ManifestSet, ReadonlySet<string>>();

/** What recording rules of the set make. */
function recordedIn(set: ManifestSet): ReadonlySet<string> {
  let names = recorded.get(set);
  if (names === undefined) {
    const manifests = [...set.ofKind(PROMETHEUS_RULE), ...set.ofKind('ConfigMap')];
    names = new Set(manifests.flatMap((manifest) => [...rulesOf(manifest)].map(({ rule }) => rule.record ?? '')));
    recorded.set(set, names);
  }
  return names;
}

/** Edits that still are a slip rather than another metric. */
const SLIP = 2;
/** Edits up to which another name is worth showing. */
const WORTH_SHOWING = 4;

function nearestSeries(name: string, { series }: ServerMetrics): { readonly near?: string; readonly edits: number } {
  let near: string | undefined;
  let edits = WORTH_SHOWING + 1;
  for (const candidate of series) {
    const distance = editDistance(name, candidate, edits);
    if (distance < edits) {
      [near, edits] = [candidate, distance];
    }
  }
  return { near, edits };
}

function unknownMetric({ name, path, by }: NamedMetric, metrics: ServerMetrics): Violation {
  const series = metrics.bases.get(name);
  if (series !== undefined) {
    return {
      path,
      message: `${by} reads ${name}, which ${metrics.server} exposes as ${series}`,
      found: name,
      expected: series,
      fix: `Replace ${name} with ${series}.`,
    };
  }
  const { near, edits } = nearestSeries(name, metrics);
  return {
    path,
    message: `${by} reads ${name}, which is not a metric of ${metrics.server}${near === undefined ? '' : ` (did you mean ${near}?)`}`,
    found: name,
    ...(near === undefined ? {} : { expected: near, fix: `Replace ${name} with ${near}.` }),
    severity: edits <= SLIP ? 'warning' : 'info',
  };
}

export const serverMetricRules: readonly Rule[] = [
  monitoringRule(
    'server-metric-known',
    [PROMETHEUS_RULE, 'ConfigMap', SCALED_OBJECT, SCALED_JOB, AUTOSCALER, ...MONITORS.keys()],
    {
      tier: 'advice',
      severity: 'warning',
      summary: 'A metric of vLLM, SGLang, Text Generation Inference, or Triton should be one that the server exposes.',
      why: 'A selector for an unknown metric matches nothing, without an error: an alert never fires, and an autoscaler never scales. A later release may have added the metric.',
      source:
        'vLLM 0.25, vllm/v1/metrics/loggers.py; SGLang, python/sglang/srt/metrics/collector.py; Text Generation Inference 3, docs/source/reference/metrics.md; Triton 25, docs/user_guide/metrics.md',
      fix: 'Replace the metric with one that the server exposes at /metrics.',
    },
    function* (manifest, { set }) {
      for (const metric of metricsIn(manifest)) {
        const metrics = serverMetricsFor(metric.name);
        // Names with a second colon follow the convention of recording rules.
        const isRecorded = metric.name.split(':').length > 2 || recordedIn(set).has(metric.name);
        if (metrics !== undefined && !isRecorded && !metrics.series.has(metric.name)) {
          yield unknownMetric(metric, metrics);
        }
      }
    },
  ),
];

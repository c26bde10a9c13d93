/**
 * Whatever is in rules, rule files, dashboards and monitors, the rules answer: they never fail, and never loop.
 */
import * as fc from 'fast-check';
import { type JsonValue } from '../../../src/facts/api/schema';
import { gpuAlerts } from '../../../src/constructs/monitoring';
import { renderGroup } from '../../../src/constructs/monitoring/rule-groups';
import { monitoringRules } from '../../../src/constructs/monitoring/rules';
import { readTemplate } from '../../../src/constructs/monitoring/rules/go-template';
import { findingsOf } from '../../support/findings';
import { samples } from '../../support/samples';

const runs = { seed: 11, numRuns: samples(150) };
const piece = fc.constantFrom(
  '{{',
  '}}',
  '$labels',
  '.Labels.pod',
  '$value',
  '"',
  '`',
  '|',
  'humanize',
  'if',
  'range',
  'end',
  ' ',
  'x',
  '{',
  '(',
  '\n',
  '-',
  '$x := 1',
  'index',
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;

test('a template of any text is read to its end', () => {
  fc.assert(
    fc.property(text, (template) => {
      const { labels } = readTemplate(template);
      expect(labels.every((label) => label !== '')).toBe(true);
    }),
    { ...runs, numRuns: samples(500) },
  );
});

test('rules, monitors and Prometheus objects of any shape', () => {
  const kinds = fc.constantFrom('PrometheusRule', 'ServiceMonitor', 'PodMonitor', 'Prometheus', 'ScrapeConfig');
  const members = fc.constantFrom(
    'groups',
    'rules',
    'endpoints',
    'podMetricsEndpoints',
    'selector',
    'relabelings',
    'expr',
    'alert',
    'labels',
    'annotations',
    'serviceMonitorSelector',
    'interval',
    'scrapeTimeout',
  );
  const listOf = <T>(member: fc.Arbitrary<T>): fc.Arbitrary<readonly Record<string, T>[]> =>
    fc.array(fc.dictionary(members, member), { maxLength: 2 });
  const shape = fc.dictionary(members, fc.oneof(json, listOf(fc.oneof(json, text, listOf(json)))), { maxKeys: 5 });
  fc.assert(
    fc.property(kinds, shape, (kind, spec) => {
      const apiVersion = kind === 'ScrapeConfig' ? 'monitoring.coreos.com/v1alpha1' : 'monitoring.coreos.com/v1';
      findingsOf(JSON.stringify({ apiVersion, kind, metadata: { name: 'a', namespace: 'b' }, spec }), monitoringRules);
    }),
    runs,
  );
});

test('ConfigMaps with any text', () => {
  const content = fc.oneof(
    json.map((value) => JSON.stringify({ groups: [{ name: 'a', rules: value }], expr: 1 })),
    json.map((value) => `groups:\n- ${JSON.stringify(value)}\n# expr: x`),
    json.map((value) => `scrape_configs:\n- ${JSON.stringify(value)}`),
    json.map((value) => JSON.stringify({ title: 'a', panels: value })),
    text,
  );
  fc.assert(
    fc.property(content, (data) => {
      findingsOf(
        JSON.stringify({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'a', labels: { grafana_dashboard: '1' } },
          data: { 'a.json': data, 'rules.yaml': data },
        }),
        monitoringRules,
      );
    }),
    runs,
  );
});

test('whatever thresholds are set, the alerts are free of errors', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1e6, noNaN: true }),
      fc.boolean(),
      fc.constantFrom('4.8' as const, '4.9' as const),
      (threshold, honorLabels, exporter) => {
        const groups = gpuAlerts({
          exporter,
          honorLabels,
          engine: 'kueue',
          alerts: {
            GpuMemoryNearlyFull: { threshold },
            ContainerCpuThrottled: { threshold },
            RoceCongested: { threshold },
            GpuHeatThrottled: { threshold },
          },
        }).map(renderGroup);
        const rule = {
          apiVersion: 'monitoring.coreos.com/v1',
          kind: 'PrometheusRule',
          metadata: { name: 'a' },
          spec: { groups },
        };
        expect(
          findingsOf(JSON.stringify(rule), monitoringRules).filter(({ severity }) => severity === 'error'),
        ).toEqual([]);
      },
    ),
    { ...runs, numRuns: samples(40) },
  );
});

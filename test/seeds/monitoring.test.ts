/**
 * The corrected monitoring manifests, made by constructs.
 */
import { App, Chart, Duration } from 'cdk8s';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type JsonObject } from '../../src/facts/api/schema';
import { DcgmCounters } from '../../src/constructs/gpu-operator';
import { readDcgmCounters } from '../../src/constructs/gpu-operator/dcgm-counters-text';
import { asObject, asString } from '../../src/manifests/read';
import { parseYaml } from '../../src/manifests/yaml';
import { PrometheusRule, ServiceMonitor } from '../../src/constructs/monitoring';
import { monitoringRules } from '../../src/constructs/monitoring/rules';
import { Testing } from '../../src/interfaces/testing';
import { findingsOf } from '../support/findings';

const FILE = resolve(__dirname, '../fixtures/manifests/corrected/monitoring.yaml');
test('counters, monitor and rules are the same objects', () => {
  const chart = new Chart(new App(), 'monitoring', { namespace: 'gpu-operator' });
  new DcgmCounters(chart, 'dcgm-exporter-config', {
    counters: [
      { field: 'DCGM_FI_DEV_GPU_TEMP', type: 'gauge', help: 'GPU temperature (in C).' },
      { field: 'DCGM_FI_DEV_GPU_UTIL', type: 'gauge', help: 'GPU utilization (in %).' },
      { field: 'DCGM_FI_DEV_FB_USED', type: 'gauge', help: 'Framebuffer memory used (in MiB).' },
      { field: 'DCGM_FI_DEV_FB_FREE', type: 'gauge', help: 'Framebuffer memory free (in MiB).' },
      { field: 'DCGM_FI_DEV_POWER_USAGE', type: 'gauge', help: 'Power draw (in W).' },
      { field: 'DCGM_FI_DEV_SM_CLOCK', type: 'gauge', help: 'SM clock frequency (in MHz).' },
      {
        field: 'DCGM_FI_DEV_ECC_SBE_AGG_TOTAL',
        type: 'counter',
        help: 'Total number of single-bit persistent ECC errors.',
      },
      { field: 'DCGM_FI_DEV_XID_ERRORS', type: 'gauge', help: 'Value of the last XID error encountered.' },
    ],
  });
  new ServiceMonitor(chart, 'nvidia-dcgm-exporter', {
    selector: { app: 'nvidia-dcgm-exporter' },
    port: 'gpu-metrics',
    path: '/metrics',
    interval: Duration.seconds(15),
  });
  new PrometheusRule(chart, 'devices').addGroup(
    'devices',
    { alert: 'DeviceIdle', expr: 'avg_over_time(DCGM_FI_DEV_GPU_UTIL[10m]) < 30', for: Duration.minutes(10) },
    {
      alert: 'DeviceMemoryFull',
      expr: 'DCGM_FI_DEV_FB_USED / (DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE) > 0.9',
      for: Duration.minutes(5),
    },
    { alert: 'DeviceEccErrors', expr: 'increase(DCGM_FI_DEV_ECC_SBE_AGG_TOTAL[1h]) > 0' },
  );
  const rendered = Testing.synth(chart);
  const wanted = parseYaml(readFileSync(FILE, 'utf8'), FILE).manifests.map(({ object }) => object);
  const others = (manifests: readonly JsonObject[]): readonly JsonObject[] =>
    manifests.filter(({ kind }) => kind !== 'ConfigMap');
  expect(others(rendered)).toEqual(others(wanted));
  // Of the list it is the rows that count, not blanks and comments.
  const rows = (manifests: readonly JsonObject[]): unknown => {
    const map = manifests.find(({ kind }) => kind === 'ConfigMap') ?? {};
    const text = asString(asObject(map.data)['dcgm-metrics.csv']) ?? '';
    return [map.metadata, readDcgmCounters(text).rows.map(({ field, type, help }) => ({ field, type, help }))];
  };
  expect(rows(rendered)).toEqual(rows(wanted));
});

test('a query with signs that are no operators is refused at the first of them', () => {
  const query = 'rate(requests_total{mesh="old"}[5m]) ≈ rate(requests_total{mesh="new"}[5m]) × 0.995';
  const rule = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'a' },
    spec: { groups: [{ name: 'a', rules: [{ alert: 'A', expr: query }] }] },
  };
  const [finding, ...others] = findingsOf(JSON.stringify(rule), monitoringRules);
  expect(finding).toMatchObject({
    rule: 'monitoring/expression-valid',
    severity: 'error',
    message: expect.stringContaining('"≈') as string,
  });
  expect(others).toEqual([]);
});

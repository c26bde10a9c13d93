/**
 * Monitoring of the accelerators of other vendors: each has the same alerts and rows, its metrics are those of its exporter, and what is
 * rendered is free of findings.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { App, Chart } from 'cdk8s';
import { type JsonObject } from '../../../src/facts/api/schema';
import { ACCELERATOR_EXPORTERS, findAcceleratorMetric, type MeasuredVendor } from '../../../src/facts/catalog';
import { parsePromql } from '../../../src/facts/promql';
import { DeviceConfig } from '../../../src/constructs/amd-gpu';
import { AcceleratorMonitoring, vendorAlerts, vendorDashboard } from '../../../src/constructs/monitoring';
import { metricsInDashboard } from '../../../src/constructs/monitoring/dashboard/gpu-panels';
import { metricsInGroups } from '../../../src/constructs/monitoring/gpu-alerts';
import { describeVendorAlerts } from '../../../src/constructs/monitoring/vendors/vendor-alerts';
import { Testing } from '../../../src/interfaces/testing';

const VENDORS = Object.keys(ACCELERATOR_EXPORTERS) as MeasuredVendor[];
const chart = (): Chart => new Chart(new App(), 'monitoring', { namespace: 'monitoring' });

describe.each(VENDORS)('%s', (vendor) => {
  const groups = vendorAlerts(vendor, { alerts: { MemoryNearlyFull: true } });
  const alerts = groups.flatMap(({ rules }) => rules);

  test('every expression is PromQL, and reads metrics of the exporter or of kube-state-metrics', () => {
    for (const { expr } of alerts) {
      expect([expr, parsePromql(expr).problems]).toEqual([expr, []]);
    }
    const read = [...metricsInGroups(groups), ...metricsInDashboard(vendorDashboard(vendor))];
    const others = read.filter((name) => findAcceleratorMetric(name)?.vendor !== vendor);
    expect(others.filter((name) => !name.startsWith('kube_'))).toEqual([]);
    expect(read.length - others.length).toBeGreaterThan(5);
  });

  test('every metric of the catalog is read by an alert or a panel', () => {
    const read = new Set([...metricsInGroups(groups), ...metricsInDashboard(vendorDashboard(vendor))]);
    expect(ACCELERATOR_EXPORTERS[vendor].metrics.map(({ name }) => name).filter((name) => !read.has(name))).toEqual([]);
  });

  test('what is rendered is free of findings', () => {
    const scope = chart();
    new AcceleratorMonitoring(scope, 'accelerators', { vendor, labels: { release: 'prometheus' } });
    const found = Testing.check(scope).findings.filter(({ severity }) => severity !== 'info');
    expect(found.map(({ rule, path, message }) => `${rule} ${path}: ${message}`)).toEqual([]);
  });

  test('silent exporters and devices out of use are alerted on, and memory errors where the exporter counts them', () => {
    const names = groups.flatMap(({ rules }) => rules.map((rule) => ('alert' in rule ? rule.alert : '')));
    expect(names.some((one) => one.endsWith('MemoryErrors'))).toBe(vendor !== 'tpu');
    for (const name of ['DevicesUnhealthy', 'NodeWithoutMetrics', 'ExporterAbsent', 'PodsPending']) {
      expect(names.filter((one) => one.endsWith(name))).toHaveLength(1);
    }
  });
});

test('alerts can be left out, added, and set; a threshold that an alert does not have is refused', () => {
  const names = (options: Parameters<typeof vendorAlerts>[1]): readonly string[] =>
    vendorAlerts('amd', options).flatMap(({ rules }) => rules.map((rule) => ('alert' in rule ? rule.alert : '')));
  expect(names({})).not.toContain('AmdMemoryNearlyFull');
  expect(names({ alerts: { MemoryNearlyFull: true, Idle: false } })).toEqual(
    expect.arrayContaining(['AmdMemoryNearlyFull', 'AmdHot']),
  );
  expect(names({ alerts: { Idle: false } })).not.toContain('AmdIdle');
  const [hot] = vendorAlerts('amd', { alerts: { Hot: { threshold: 10 } } })
    .flatMap(({ rules }) => rules)
    .filter((rule) => 'alert' in rule && rule.alert === 'AmdHot');
  expect(hot?.expr).toBe('gpu_junction_temperature > 90');
  expect(() => vendorAlerts('amd', { alerts: { Unhealthy: { threshold: 1 } } })).toThrow('has no threshold');
});

test('the operator of AMD is configured to make the ServiceMonitor, the others get a PodMonitor', () => {
  const scope = chart();
  const monitoring = new AcceleratorMonitoring(scope, 'amd', { vendor: 'amd', labels: { release: 'prometheus' } });
  expect(monitoring.podMonitor).toBeUndefined();
  new DeviceConfig(scope, 'gpus', { exporter: monitoring.exporter });
  const config = (Testing.synth(scope) as unknown as JsonObject[]).find(({ kind }) => kind === 'DeviceConfig');
  expect(config).toMatchObject({
    spec: {
      metricsExporter: {
        prometheus: {
          serviceMonitor: {
            enable: true,
            labels: { release: 'prometheus' },
            relabelings: [{ sourceLabels: ['__meta_kubernetes_pod_node_name'], targetLabel: 'node' }],
          },
        },
      },
    },
  });
  const other = chart();
  new AcceleratorMonitoring(other, 'npus', { vendor: 'ascend' });
  expect(Testing.synth(other)[0]).toMatchObject({
    kind: 'PodMonitor',
    metadata: { namespace: 'npu-exporter' },
    spec: { selector: { matchLabels: { app: 'npu-exporter' } }, podMetricsEndpoints: [{ port: 'http' }] },
  });
});

describe('the page', () => {
  const page = readFileSync(resolve(__dirname, '../../../docs/accelerator-monitoring.md'), 'utf8');

  test.each(describeVendorAlerts().map((alert) => [alert.name, alert] as const))(
    '%s is in the table of alerts and has a section',
    (name, { severity, minutes, threshold, optIn, vendors }) => {
      const cells = [
        `[${name}](#${name.toLowerCase()})`,
        `${severity}${optIn ? ' (on demand)' : ''}`,
        minutes === undefined ? 'at once' : `${minutes} min`,
        threshold === undefined ? '' : String(threshold),
        vendors.join(', '),
      ];
      expect(page).toContain(`| ${cells.join(' | ')} |`);
      expect(page).toContain(`\n### ${name}\n`);
    },
  );
});

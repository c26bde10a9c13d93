/**
 * What the DCGM exporter of the set collects, and how monitors select it.
 */
import { monitoringRules } from '../../../src/constructs/monitoring/rules';
import { findingsOf } from '../../support/findings';

const objects = (...list: readonly object[]): string => list.map((one) => JSON.stringify(one)).join('\n---\n');

describe('metrics', () => {
  const query = (expr: string): object => ({
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'gpu', namespace: 'ai' },
    spec: { groups: [{ name: 'gpu', rules: [{ alert: 'A', expr }] }] },
  });
  const counters = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'counters', namespace: 'ai' },
    data: { 'dcgm-metrics.csv': 'DCGM_FI_DEV_GPU_TEMP, gauge, help' },
  };

  test('a misspelled one is reported once, with the counter list and without', () => {
    const misspelled = query('DCGM_FI_DEV_GPU_TEMPP > 1');
    for (const manifests of [objects(misspelled), objects(misspelled, counters)]) {
      expect(findingsOf(manifests, monitoringRules)).toMatchObject([
        {
          rule: 'monitoring/dcgm-metric-known',
          found: 'DCGM_FI_DEV_GPU_TEMPP',
          expected: 'DCGM_FI_DEV_GPU_TEMP',
        },
      ]);
    }
  });

  test('one that no name is like is missing from the counter list', () => {
    expect(findingsOf(objects(query('DCGM_FI_OWN_COUNTER_X > 1'), counters), monitoringRules)).toMatchObject([
      { rule: 'monitoring/dcgm-metric-collected', severity: 'error', found: 'DCGM_FI_OWN_COUNTER_X' },
    ]);
    expect(findingsOf(objects(query('DCGM_FI_DEV_GPU_TEMP > 1'), counters), monitoringRules)).toEqual([]);
  });
});

describe('a monitor that selects app: dcgm-exporter', () => {
  const severity = (namespace: string, namespaceSelector?: object): string | undefined => {
    const monitor = {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'ServiceMonitor',
      metadata: { name: 'a', namespace },
      spec: { namespaceSelector, selector: { matchLabels: { app: 'dcgm-exporter' } }, endpoints: [{ port: 'm' }] },
    };
    const [finding, ...others] = findingsOf(objects(monitor), monitoringRules);
    expect(others).toEqual([]);
    expect(finding.rule).toBe('monitoring/dcgm-exporter-labels');
    return finding.severity;
  };

  test('finds nothing of the GPU operator in its namespace', () => {
    expect(severity('gpu-operator')).toBe('error');
    expect(severity('gpu-operator', { matchNames: [] })).toBe('error');
    expect(severity('monitoring', { matchNames: ['ai', 'gpu-operator'] })).toBe('error');
  });

  test('may find an exporter of its own chart in other namespaces', () => {
    expect(severity('monitoring')).toBe('warning');
    expect(severity('gpu-operator', { matchNames: ['ai'] })).toBe('warning');
    expect(severity('gpu-operator', { any: true, matchNames: ['gpu-operator'] })).toBe('warning');
  });
});

describe('a monitor of labels that only pods have', () => {
  const selects = (namespaceSelector: object | undefined, namespace: string): readonly string[] =>
    findingsOf(
      objects(
        {
          apiVersion: 'monitoring.coreos.com/v1',
          kind: 'ServiceMonitor',
          metadata: { name: 'a', namespace: 'monitoring' },
          spec: { namespaceSelector, selector: { matchLabels: { app: 'web' } }, endpoints: [{ port: 'm' }] },
        },
        {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'web', namespace },
          spec: { selector: { app: 'web' }, ports: [{ name: 'm', port: 80 }] },
        },
      ),
      monitoringRules,
    ).map(({ rule }) => rule);
  const FOUND = ['monitoring/monitor-selects-services-by-their-labels'];

  test('is reported where it looks at the namespace of the Service', () => {
    expect(selects({ any: true }, 'ai')).toEqual(FOUND);
    expect(selects({ any: true, matchNames: ['monitoring'] }, 'ai')).toEqual(FOUND);
    expect(selects({ matchNames: ['ai'] }, 'ai')).toEqual(FOUND);
    expect(selects(undefined, 'monitoring')).toEqual(FOUND);
    expect(selects(undefined, 'ai')).toEqual([]);
    expect(selects({ matchNames: ['ai'] }, 'monitoring')).toEqual([]);
  });
});

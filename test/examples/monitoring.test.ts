/**
 * The example of monitoring: what a reader copies is free of findings, and its parts fit together.
 */
import { App } from 'cdk8s';
import { monitoredPlatform } from '../../examples/monitoring/main';
import { readDcgmCounters } from '../../src/constructs/gpu-operator/dcgm-counters-text';
import { asArray, asObject, asString } from '../../src/manifests/read';
import { Testing } from '../../src/interfaces/testing';

const manifests = Testing.synth(monitoredPlatform(new App()));
const named = (kind: string, name: string): ReturnType<typeof asObject> =>
  asObject(manifests.find((one) => one.kind === kind && asObject(one.metadata).name === name));

test('has neither errors nor warnings', () => {
  const { findings } = Testing.check(monitoredPlatform(new App()));
  expect(
    findings
      .filter(({ severity }) => severity !== 'info')
      .map(({ rule, object, message }) => `${rule} ${object}: ${message}`),
  ).toEqual([]);
});

test('is the same each time', () => {
  expect(JSON.stringify(Testing.synth(monitoredPlatform(new App())))).toBe(JSON.stringify(manifests));
});

test('the chart of the operator gets the list, and makes no monitor of its own', () => {
  const values = asObject(asObject(named('HelmRelease', 'gpu-operator').spec).values);
  expect(values.dcgmExporter).toEqual({ config: { name: 'gpu-counters' }, serviceMonitor: { enabled: false } });
  const { rows, problems } = readDcgmCounters(
    asString(asObject(named('ConfigMap', 'gpu-counters').data)['dcgm-metrics.csv']) ?? '',
  );
  expect(problems).toEqual([]);
  expect(rows.map(({ field }) => field)).toEqual(
    expect.arrayContaining([
      'DCGM_EXP_XID_ERRORS_COUNT',
      'DCGM_FI_DEV_ROW_REMAP_PENDING',
      'DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION',
    ]),
  );
});

test('alerts are those that were chosen, each with its page', () => {
  const alerts = asArray(asObject(named('PrometheusRule', 'gpu').spec).groups)
    .flatMap((group) => asArray(asObject(group).rules))
    .map(asObject);
  expect(alerts.find(({ alert }) => alert === 'GpuMemoryNearlyFull')).toMatchObject({
    expr: expect.stringMatching(/> 0\.97$/) as string,
    labels: { severity: 'warning', team: 'platform' },
    annotations: { runbook_url: 'https://wiki.example.com/gpu/monitoring.md#gpumemorynearlyfull' },
  });
  expect(alerts.find(({ alert }) => alert === 'GpuAllocatedButIdle')).toMatchObject({ for: '2h' });
  expect(alerts.find(({ alert }) => alert === 'GangsPending')).toMatchObject({
    expr: expect.stringContaining('kueue_pending_workloads') as string,
  });
});

/**
 * Monitors, rules, dashboards and the bundle of them: what they render, that it is free of findings, and that its parts fit together.
 */
import { App, Chart, Duration } from 'cdk8s';
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { DCGM_GENERATIONS, findDcgmMetric, findExporterMetric } from '../../../src/facts/catalog';
import { GpuOperator } from '../../../src/constructs/gpu-operator';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import {
  gpuAlerts,
  gpuDashboard,
  GpuMonitoring,
  GrafanaDashboard,
  NODE_RELABELING,
  PodMonitor,
  PrometheusRule,
  ScrapeAuthentication,
  ScrapeConfig,
  ServiceMonitor,
} from '../../../src/constructs/monitoring';
import { metricsInDashboard } from '../../../src/constructs/monitoring/dashboard/gpu-panels';
import { describeGpuAlerts, metricsInGroups } from '../../../src/constructs/monitoring/gpu-alerts';
import { durationText } from '../../../src/constructs/resources/durations';
import { parsePromql } from '../../../src/facts/promql';
import { Testing } from '../../../src/interfaces/testing';

const chart = (): Chart => new Chart(new App(), 'monitoring', { namespace: 'monitoring' });
const only = (scope: Chart): JsonObject => Testing.synth(scope)[0] ?? {};
const errors = (scope: Chart): readonly string[] =>
  Testing.check(scope)
    .findings.filter(({ severity }) => severity !== 'info')
    .map(({ rule, path, message }) => `${rule} ${path}: ${message}`);

test('durations are written with each unit once, the larger ones first', () => {
  expect(
    [Duration.seconds(15), Duration.minutes(90), Duration.days(2), Duration.millis(1500), Duration.millis(0)].map(
      (duration) => durationText('interval', duration, 'days'),
    ),
  ).toEqual(['15s', '1h30m', '2d', '1s500ms', '0s']);
});

describe('monitors', () => {
  test('a ServiceMonitor names the port of the Service, how it is scraped and as whom', () => {
    const scope = chart();
    new ServiceMonitor(scope, 'server', {
      selector: { app: 'server' },
      port: 'metrics',
      interval: Duration.seconds(30),
      timeout: Duration.seconds(10),
      namespaces: ['a', 'b'],
      labels: { release: 'prometheus' },
      authentication: ScrapeAuthentication.bearer('server-token'),
      relabelings: [NODE_RELABELING],
      overrides: { targetLabels: ['team'] },
    });
    expect(only(scope)).toMatchObject({
      kind: 'ServiceMonitor',
      metadata: { name: 'server', labels: { release: 'prometheus' } },
      spec: {
        selector: { matchLabels: { app: 'server' } },
        namespaceSelector: { matchNames: ['a', 'b'] },
        targetLabels: ['team'],
        endpoints: [
          {
            port: 'metrics',
            interval: '30s',
            scrapeTimeout: '10s',
            authorization: { type: 'Bearer', credentials: { name: 'server-token', key: 'token' } },
            relabelings: [{ sourceLabels: ['__meta_kubernetes_pod_node_name'], targetLabel: 'node' }],
          },
        ],
      },
    });
    expect(errors(scope)).toEqual([]);
  });

  test('ports by number are ports of the pod', () => {
    const scope = chart();
    new ServiceMonitor(scope, 'a', { selector: { app: 'a' }, port: 9100 });
    new PodMonitor(scope, 'b', {
      selector: { app: 'b' },
      port: 9100,
      namespaces: 'all',
      authentication: ScrapeAuthentication.basic('login'),
    });
    const [service, pods] = Testing.synth(scope).map(({ spec }) => asObject(spec));
    expect(asArray(service?.endpoints)[0]).toEqual({ targetPort: 9100 });
    expect(pods).toMatchObject({
      namespaceSelector: { any: true },
      podMetricsEndpoints: [
        {
          portNumber: 9100,
          basicAuth: { username: { name: 'login', key: 'username' }, password: { name: 'login', key: 'password' } },
        },
      ],
    });
    expect(errors(scope)).toEqual([]);
  });

  test('a ScrapeConfig says what a target outside the cluster is called', () => {
    const scope = chart();
    new ScrapeConfig(scope, 'switches', {
      targets: ['leaf-1:9100'],
      targetLabels: { fabric: 'rail-0' },
      path: '/probe',
      interval: Duration.minutes(1),
      jobName: 'switches',
    });
    expect(only(scope).spec).toEqual({
      jobName: 'switches',
      staticConfigs: [{ targets: ['leaf-1:9100'], labels: { fabric: 'rail-0' } }],
      metricsPath: '/probe',
      scrapeInterval: '1m',
    });
    expect(errors(scope)).toEqual([]);
  });
});

describe('PrometheusRule', () => {
  test('writes alerts and recordings, also those that are added late', () => {
    const scope = chart();
    const rule = new PrometheusRule(scope, 'queue', {
      groups: [
        {
          name: 'queue',
          interval: Duration.minutes(1),
          rules: [{ record: 'queue:length:sum', expr: 'sum(queue_length)' }],
        },
      ],
    });
    rule.addGroup('queue', {
      alert: 'QueueLong',
      expr: 'queue:length:sum > 100',
      for: Duration.minutes(10),
      keepFiringFor: Duration.minutes(5),
      severity: 'critical',
      summary: 'The queue is long',
      runbook: 'https://example.com/queue',
      labels: { team: 'web' },
    });
    rule.addGroup('other', { alert: 'Up', expr: 'up == 0' });
    expect(only(scope).spec).toEqual({
      groups: [
        {
          name: 'queue',
          interval: '1m',
          rules: [
            { record: 'queue:length:sum', expr: 'sum(queue_length)' },
            {
              alert: 'QueueLong',
              expr: 'queue:length:sum > 100',
              for: '10m',
              keep_firing_for: '5m',
              labels: { severity: 'critical', team: 'web' },
              annotations: { summary: 'The queue is long', runbook_url: 'https://example.com/queue' },
            },
          ],
        },
        { name: 'other', rules: [{ alert: 'Up', expr: 'up == 0', labels: { severity: 'warning' } }] },
      ],
    });
    expect(errors(scope)).toEqual([]);
  });
});

describe('the set of alerts', () => {
  const names = (options: Parameters<typeof gpuAlerts>[0]): readonly string[] =>
    gpuAlerts(options).flatMap(({ rules }) => rules.map((rule) => ('alert' in rule ? rule.alert : '')));

  test('each has a name of its own, a sentence, a severity and a page', () => {
    const all = gpuAlerts({
      engine: 'kueue',
      alerts: { GpuMemoryNearlyFull: true },
      runbooks: 'https://example.com/docs/',
    }).flatMap(({ rules }) => rules);
    expect(all.length).toBe(describeGpuAlerts().length);
    expect(new Set(all.map((rule) => ('alert' in rule ? rule.alert : ''))).size).toBe(all.length);
    for (const rule of all) {
      expect(rule).toMatchObject({
        summary: expect.stringMatching(/\S/) as string,
        description: expect.stringMatching(/\.$/) as string,
        severity: expect.stringMatching(/critical|warning|info/) as string,
      });
      expect('runbook' in rule ? rule.runbook : '').toMatch(/^https:\/\/example\.com\/docs\/monitoring\.md#[a-z0-9]+$/);
    }
  });

  test('what one leaves out is out, and what is there on demand is in', () => {
    expect(names({})).not.toContain('GpuMemoryNearlyFull');
    expect(names({})).not.toContain('GangsPending');
    expect(
      names({ alerts: { GpuMemoryNearlyFull: { threshold: 0.9 }, GpuPodsPending: false }, engine: 'volcano' }),
    ).toEqual(expect.arrayContaining(['GpuMemoryNearlyFull', 'GangsPending']));
    expect(names({ alerts: { GpuPodsPending: false } })).not.toContain('GpuPodsPending');
    expect(gpuAlerts({ without: ['rdma', 'contention'] }).map(({ name }) => name)).toEqual([
      'gpu-faults',
      'gpu-use',
      'gpu-devices',
    ]);
  });

  test('thresholds, times and severities can be set; a threshold where there is none is refused', () => {
    const [rule] = gpuAlerts({
      alerts: { ContainerCpuThrottled: { threshold: 0.5, for: Duration.minutes(3), severity: 'critical' } },
    })
      .flatMap(({ rules }) => rules)
      .filter((one) => 'alert' in one && one.alert === 'ContainerCpuThrottled');
    expect(rule).toMatchObject({
      expr: expect.stringContaining('> 0.5)') as string,
      severity: 'critical',
      for: Duration.minutes(3),
    });
    expect(() => gpuAlerts({ alerts: { GpuRowRemapFailed: { threshold: 2 } } })).toThrow(
      'alerts.GpuRowRemapFailed.threshold',
    );
  });

  test.each(DCGM_GENERATIONS)(
    'every expression of generation %s is PromQL, and reads known metrics only',
    (exporter) => {
      const groups = gpuAlerts({ exporter, engine: 'kueue', alerts: { GpuMemoryNearlyFull: true } });
      expect(groups.flatMap(({ rules }) => rules.flatMap(({ expr }) => parsePromql(expr).problems))).toEqual([]);
      const unknown = metricsInGroups(groups).filter(
        (name) => findDcgmMetric(name) === undefined && findExporterMetric(name) === undefined,
      );
      expect(unknown).toEqual([]);
    },
  );

  test('the generations differ in names and in units', () => {
    const heat = (exporter: '4.8' | '4.9'): string | undefined =>
      gpuAlerts({ exporter })
        .flatMap(({ rules }) => rules)
        .find((one) => 'alert' in one && one.alert === 'GpuHeatThrottled')?.expr;
    expect(heat('4.8')).toBe('rate(DCGM_FI_DEV_THERMAL_VIOLATION[5m]) / 1e9 > 0.05');
    expect(heat('4.9')).toBe('rate(DCGM_FI_DEV_GPU_THERMAL_THROTTLE_SECONDS_TOTAL[5m]) > 0.05');
  });
});

describe('dashboards', () => {
  interface Placed {
    readonly id: number;
    readonly box: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  }
  const placedIn = (panels: readonly JsonValue[]): readonly Placed[] =>
    panels
      .map(asObject)
      .map(({ id, gridPos }) => ({ id: Number(id), box: asObject(gridPos) as unknown as Placed['box'] }));
  const overlap = ({ box: a }: Placed, { box: b }: Placed): boolean =>
    a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

  test.each(DCGM_GENERATIONS)(
    'the one of GPUs has panels with ids of their own that do not overlap, and queries that are PromQL (%s)',
    (exporter) => {
      const { json } = new GrafanaDashboard(chart(), 'gpu', gpuDashboard({ exporter }));
      const levels = [asArray(json.panels), ...asArray(json.panels).map((row) => asArray(asObject(row).panels))];
      const all = levels.flatMap((level) => placedIn(level));
      expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
      for (const level of levels.map((one) => placedIn(one))) {
        expect(
          level.flatMap((panel, index) => level.slice(index + 1).filter((other) => overlap(panel, other))),
        ).toEqual([]);
        for (const { box } of level) {
          expect(box.x + box.w).toBeLessThanOrEqual(24);
        }
      }
      const queries = levels
        .flat()
        .flatMap((panel) => asArray(asObject(panel).targets).map((target) => asString(asObject(target).expr) ?? ''));
      expect(queries.length).toBeGreaterThan(25);
      expect(
        queries.flatMap((expr) =>
          parsePromql(expr.replaceAll('$__rate_interval', '5m')).problems.map(({ message }) => `${expr}: ${message}`),
        ),
      ).toEqual([]);
    },
  );

  test('it is in a ConfigMap that the sidecar finds, as JSON, the same each time', () => {
    const render = (): JsonObject => {
      const scope = chart();
      new GrafanaDashboard(scope, 'gpu', { ...gpuDashboard(), folder: 'GPU' }).addRow({
        title: 'Own',
        panels: [{ title: 'Up', kind: 'stat', queries: [{ expr: 'sum(up)' }] }],
      });
      // That nothing here collects what it reads is a warning, and true of a dashboard alone.
      expect(Testing.check(scope).findings.filter(({ rule }) => rule !== 'monitoring/dcgm-metric-collected')).toEqual(
        [],
      );
      return only(scope);
    };
    const { metadata, data } = render();
    expect(metadata).toMatchObject({ labels: { grafana_dashboard: '1' }, annotations: { grafana_folder: 'GPU' } });
    const text = asString(asObject(data)['gantry-gpu-nodes.json']) ?? '';
    expect(asObject(JSON.parse(text) as JsonValue)).toMatchObject({
      uid: 'gantry-gpu-nodes',
      title: 'GPU nodes',
      schemaVersion: 39,
    });
    expect(text).toContain('"title": "Own"');
    expect(render()).toEqual(render());
  });

  test('what Grafana would not take is refused at the door', () => {
    const panel = { title: 'p', kind: 'stat', queries: [{ expr: 'up' }], width: 30 } as const;
    expect(() => new GrafanaDashboard(chart(), 'a', { title: 'a', uid: 'no blanks', rows: [] })).toThrow('uid');
    expect(
      () => new GrafanaDashboard(chart(), 'a', { title: 'a', uid: 'a', rows: [{ title: 'r', panels: [panel] }] }),
    ).toThrow('30 columns');
  });
});

describe('GpuMonitoring', () => {
  const everything = { engine: 'volcano' as const, alerts: { GpuMemoryNearlyFull: true } };
  const variants = DCGM_GENERATIONS.flatMap((exporter) =>
    [true, false].map((honorLabels) => ({ exporter, honorLabels, ...everything })),
  );

  test.each(variants)(
    'each metric that its alerts and panels read is collected by its list, or is one of another exporter (exporter $exporter, labels honored: $honorLabels)',
    (options) => {
      const { exporter, honorLabels } = options;
      const monitoring = new GpuMonitoring(chart(), 'gpu', options);
      const collected = new Set<string>(monitoring.counters.counters.map(({ field }) => field));
      const read = [
        ...metricsInGroups(monitoring.rules.groups),
        ...metricsInDashboard(gpuDashboard({ exporter, honorLabels })),
      ];
      expect(read.filter((name) => !collected.has(name) && findExporterMetric(name) === undefined)).toEqual([]);
      // And each under a name of the generation, in its type.
      for (const { field, type } of monitoring.counters.counters) {
        expect(findDcgmMetric(field)).toMatchObject({ type });
      }
    },
  );

  test("it renders the list, the monitor, the rules and the dashboard into the operator's namespace, without findings", () => {
    const scope = chart();
    const monitoring = new GpuMonitoring(scope, 'gpu', {
      labels: { release: 'prometheus' },
      alertLabels: { team: 'platform' },
      counters: [{ field: 'DCGM_FI_DEV_FAN_SPEED', type: 'gauge', help: 'Fan' }],
    });
    new GpuOperator(scope, 'operator', { dcgmExporter: monitoring.exporter });
    const manifests = Testing.synth(scope);
    expect(
      manifests.map(
        ({ kind, metadata }) =>
          `${asString(kind)} ${asString(asObject(metadata).namespace) ?? ''}/${asString(asObject(metadata).name)}`,
      ),
    ).toEqual(
      expect.arrayContaining([
        'ConfigMap gpu-operator/gpu-counters',
        'ServiceMonitor gpu-operator/gpu',
        'PrometheusRule gpu-operator/gpu',
        'ConfigMap gpu-operator/gpu-dashboard',
      ]),
    );
    const policy = manifests.find(({ kind }) => kind === 'ClusterPolicy');
    expect(asObject(policy?.spec).dcgmExporter).toEqual({
      config: { name: 'gpu-counters' },
      serviceMonitor: { enabled: false },
    });
    expect(monitoring.counters.text).toContain('DCGM_FI_DEV_FAN_SPEED, gauge, Fan');
    expect(errors(scope)).toEqual([]);
  });

  test('alerts without a dashboard collect what alerts read, and no more than that', () => {
    const scope = chart();
    const { dashboard, counters } = new GpuMonitoring(scope, 'gpu', { dashboard: false });
    expect(dashboard).toBeUndefined();
    expect(counters.counters.map(({ field }) => field)).not.toContain('DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL');
  });
});

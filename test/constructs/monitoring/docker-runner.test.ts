/**
 * The dashboard and the alerts of the Docker runner read what the runner exports, by the labels that it gives.
 */
import { App, Chart } from 'cdk8s';
import { metricsOf, parsePromql } from '../../../src/facts/promql';
import {
  dockerRunnerAlerts,
  dockerRunnerDashboard,
  GrafanaDashboard,
  PrometheusRule,
} from '../../../src/constructs/monitoring';
import { metricsInDashboard } from '../../../src/constructs/monitoring/dashboard/gpu-panels';
import { Testing } from '../../../src/interfaces/testing';
import { RunnerClient } from '../../../src/runtime/docker/service/client';
import { busyHost, type DockerHost } from '../../support/docker-host';

let host: DockerHost;
let exported: ReadonlyMap<string, ReadonlySet<string>>;

beforeAll(async () => {
  host = busyHost();
  await host.listen();
  // A task that is placed and one that ends while the runner counts.
  host.running({ tenant: 'alice' }, [5]);
  host.ended({ tenant: 'alice' }, 1, 'exited');
  exported = samplesOf(await new RunnerClient(host.socket).metrics());
});
afterAll(() => host.close());

/** Labels by the name of the metric. */
function samplesOf(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const line of text.split('\n').filter((one) => one !== '' && !one.startsWith('#'))) {
    const [, name, labels = ''] = /^(\w+)(?:\{(.*)\})? /.exec(line)!;
    const known = found.get(name) ?? new Set(['job', 'instance']);
    [...labels.matchAll(/(\w+)="/g)].forEach(([, label]) => known.add(label));
    found.set(name, known);
  }
  return found;
}

const alerts = dockerRunnerAlerts().flatMap(({ rules }) => rules);
const expressions = [
  ...alerts.map(({ expr }) => expr),
  ...dockerRunnerDashboard().rows.flatMap(({ panels }) =>
    panels.flatMap(({ queries }) => queries.map(({ expr }) => expr)),
  ),
];

test('every metric that is read is exported, and every exported metric is read', () => {
  const read = new Set([
    ...metricsInDashboard(dockerRunnerDashboard()),
    ...alerts.flatMap(({ expr }) => metricsOf(parsePromql(expr).expression!)),
  ]);
  expect([...read].filter((name) => !exported.has(name))).toEqual([]);
  const unread = [...exported.keys()].filter((name) => !read.has(name));
  expect(unread).toEqual(['gantry_docker_task_wait_seconds_sum']);
});

test.each(expressions)('%s is valid, and selects by labels that its metrics have', (expr) => {
  expect(parsePromql(expr).expression).toBeDefined();
  for (const [, name, matchers] of expr.matchAll(/(gantry_\w+)\{([^}]*)\}/g)) {
    const labels = [...matchers.matchAll(/(\w+)\s*(?:=~|=|!=)/g)].map(([, label]) => label);
    expect([name, labels.filter((label) => exported.get(name)?.has(label) !== true)]).toEqual([name, []]);
  }
});

test('both render as objects without a finding', () => {
  const chart = new Chart(new App(), 'chart', { namespace: 'monitoring' });
  new GrafanaDashboard(chart, 'dashboard', dockerRunnerDashboard());
  new PrometheusRule(chart, 'alerts', { groups: dockerRunnerAlerts() });
  const manifests = Testing.synth(chart);
  expect(JSON.stringify(manifests)).toContain('gantry-docker-runner');
});

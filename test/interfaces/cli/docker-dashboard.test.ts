/**
 * The dashboard and the alerts as files: what Grafana and Prometheus without Kubernetes take.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { dashboardCommand } from '../../../src/interfaces/cli/docker/dashboard-command';

function printed(flags: { readonly alerts?: boolean }): string {
  let out = '';
  expect(dashboardCommand(flags, { out: (text) => (out += text) })).toBe(0);
  return out;
}

test('the dashboard is JSON that Grafana imports', () => {
  const dashboard = JSON.parse(printed({})) as { uid: string; panels: { type: string; id: number }[] };
  expect(dashboard).toMatchObject({ uid: 'gantry-docker-runner', schemaVersion: 39, title: 'Docker GPU runner' });
  expect(dashboard.panels.filter(({ type }) => type !== 'row').length).toBeGreaterThan(12);
});

test('the alerts are a rule file of Prometheus', () => {
  const { groups } = parse(printed({ alerts: true })) as {
    groups: { name: string; rules: Record<string, unknown>[] }[];
  };
  expect(groups.map(({ name }) => name)).toEqual(['gantry-docker']);
  expect(groups[0].rules[0]).toEqual({
    alert: 'GantryDockerEngineLost',
    expr: 'gantry_docker_engine_connected == 0',
    for: '5m',
    labels: { severity: 'critical' },
    annotations: expect.objectContaining({ summary: expect.stringContaining('does not answer') as string }) as object,
  });
});

test('each runbook is a heading of the page', () => {
  const { groups } = parse(printed({ alerts: true })) as {
    groups: { rules: { annotations: { runbook: string } }[] }[];
  };
  const page = readFileSync(join(__dirname, '../../../docs/docker.md'), 'utf8');
  const anchors = [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^a-z0-9 -]/g, '')
      .replace(/ /g, '-'),
  );
  const runbooks = groups.flatMap(({ rules }) => rules.map(({ annotations }) => annotations.runbook));
  expect(runbooks.length).toBeGreaterThan(3);
  expect(runbooks.filter((runbook) => !anchors.includes(runbook.split('docs/docker.md#')[1]))).toEqual([]);
});

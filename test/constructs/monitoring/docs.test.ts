/**
 * The page on monitoring: its table of alerts is that of the code, and each alert has the section that its runbook leads to.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describeGpuAlerts } from '../../../src/constructs/monitoring/gpu-alerts';

const DOCS = resolve(__dirname, '../../../docs');
const page = readFileSync(join(DOCS, 'monitoring.md'), 'utf8');

test.each(describeGpuAlerts().map((alert) => [alert.name, alert] as const))(
  '%s is in the table, and has a section',
  (name, { group, severity, for: minutes, threshold, optIn }) => {
    const cells = [
      `[${name}](#${name.toLowerCase()})`,
      `${severity}${optIn === true ? ' (on demand)' : ''}`,
      minutes === undefined ? 'at once' : `${minutes} min`,
      threshold === undefined ? '' : `${threshold.value} ${threshold.unit}`,
      `\`${group}\``,
    ];
    expect(page).toContain(`| ${cells.join(' | ')} |`);
    expect(page).toContain(`\n### ${name}\n`);
  },
);

test('links to the page on contention lead to sections of it', () => {
  const contention = readFileSync(join(DOCS, 'contention.md'), 'utf8');
  const anchors = [...contention.matchAll(/^## (.+)$/gm)].map(([, heading = '']) =>
    heading.toLowerCase().replaceAll(' ', '-'),
  );
  const links = [...page.matchAll(/contention\.md#([\w-]+)/g)].map(([, anchor]) => anchor);
  expect(links.length).toBeGreaterThan(5);
  expect(links.filter((anchor) => anchor === undefined || !anchors.includes(anchor))).toEqual([]);
});

test('every alert of the five kinds of contention is named on that page', () => {
  const contention = readFileSync(join(DOCS, 'contention.md'), 'utf8');
  const names = describeGpuAlerts()
    .filter(({ group }) => group === 'contention' || group === 'rdma')
    .map(({ name }) => name);
  expect(
    [...names, 'GpuDevicesMissing', 'GpuDevicesUnhealthy', 'GpuMemoryNearlyFull'].filter(
      (name) => !contention.includes(`\`${name}\``),
    ),
  ).toEqual([]);
});

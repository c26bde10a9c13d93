/**
 * The alerts and the dashboard of `gantry docker`, the runner of GPU tasks on one Docker host. Each Prometheus may scrape several runners.
 */
import { Duration } from 'cdk8s';
import { publicFunction } from '../../facts/calls/public-function';
import { type DashboardModel, type Panel, type PanelRow } from './dashboard/panel';
import { type Alert, type RuleGroup } from './rule-groups';

/** The section that says what to do. */
const runbook = (heading: string): Alert['annotations'] => ({ runbook: `cdk8s-gantry, docs/docker.md#${heading}` });

const DEVICE = 'job, instance, index, device';

const ALERTS: readonly Alert[] = [
  {
    alert: 'GantryDockerEngineLost',
    severity: 'critical',
    for: Duration.minutes(5),
    expr: 'gantry_docker_engine_connected == 0',
    summary: 'The Docker engine of {{ $labels.instance }} does not answer the runner: nothing starts',
    annotations: runbook('restarts-failures-and-backups'),
  },
  {
    alert: 'GantryDockerRunnerTroubled',
    severity: 'critical',
    for: Duration.minutes(5),
    expr: 'gantry_docker_problem == 1',
    summary: 'The runner of {{ $labels.instance }} cannot work, for example write its store',
    description: 'The command gantry docker top prints the problem.',
    annotations: runbook('restarts-failures-and-backups'),
  },
  {
    alert: 'GantryDockerDeviceOutOfService',
    for: Duration.minutes(5),
    expr: 'gantry_docker_devices{state=~"out of service|quarantined"} == 1',
    summary: 'Device {{ $labels.index }} of {{ $labels.instance }} is {{ $labels.state }}',
    description: 'The command gantry docker top prints the reason.',
    annotations: runbook('devices'),
  },
  {
    alert: 'GantryDockerDeviceHeldIdle',
    severity: 'info',
    for: Duration.minutes(10),
    expr: `max_over_time(gantry_docker_device_busy_ratio[1h]) < 0.02 and on (${DEVICE}) min_over_time(gantry_docker_devices{state="used"}[1h]) == 1`,
    summary: 'A task holds device {{ $labels.index }} of {{ $labels.instance }} and has not used it for an hour',
    annotations: runbook('devices'),
  },
  {
    alert: 'GantryDockerTasksFailForHost',
    expr: 'sum by (job, instance, class) (increase(gantry_docker_tasks_ended_total{state="failed", class=~"device|engine|image|lost"}[1h])) > 3',
    summary: '{{ $value | humanize }} tasks of {{ $labels.instance }} failed within an hour ({{ $labels.class }})',
    description:
      'These failures are not of the programs: a device, the engine, an image, or containers that were removed by hand.',
    annotations: runbook('request-resources-for-a-task'),
  },
];

/** The alerts about runners of GPU tasks on Docker hosts, by their own metrics. */
export const dockerRunnerAlerts = publicFunction('monitoring.dockerRunnerAlerts', (): readonly RuleGroup[] => [
  { name: 'gantry-docker', rules: ALERTS },
]);

const CHOSEN = 'instance=~"$host"';
const RATIO = { unit: 'percentunit', min: 0, max: 1 } as const;

/** The dashboard that goes with `dockerRunnerAlerts`: the queue, the devices and their use, and how tasks end. */
export const dockerRunnerDashboard = publicFunction('monitoring.dockerRunnerDashboard', (): DashboardModel => ({
  title: 'Docker GPU runner',
  uid: 'gantry-docker-runner',
  tags: ['gpu', 'docker', 'gantry'],
  description: 'The queue, the devices, and the tasks of gantry docker.',
  variables: [{ name: 'host', label: 'Host', metric: 'gantry_docker_engine_connected', of: 'instance' }],
  rows: [overview(), queue(), devices(), ends()],
}));

function stat(title: string, expr: string, more: Partial<Panel> = {}): Panel {
  return { title, kind: 'stat', width: 4, height: 4, unit: 'none', queries: [{ expr }], ...more };
}

function lines(title: string, expr: string, legend: string, more: Partial<Panel> = {}): Panel {
  return { title, kind: 'timeseries', min: 0, queries: [{ expr, legend }], ...more };
}

const inState = (state: string): string => `sum(gantry_docker_devices{${CHOSEN}, state=~"${state}"}) or vector(0)`;

function overview(): PanelRow {
  return {
    title: 'Overview',
    panels: [
      stat('Devices', `sum(gantry_docker_devices{${CHOSEN}})`),
      stat('In use', inState('used|shared|used by others')),
      stat('Out of service', inState('out of service|quarantined|drained'), {
        thresholds: [{ from: 1, color: 'orange' }],
      }),
      stat('Running tasks', `sum(gantry_docker_tasks{${CHOSEN}, state=~"starting|running|stopping"}) or vector(0)`),
      stat('Waiting tasks', `sum(gantry_docker_tasks{${CHOSEN}, state="queued"}) or vector(0)`),
      stat('Busy', `avg(gantry_docker_device_busy_ratio{${CHOSEN}})`, {
        unit: 'percentunit',
        description: 'Average over all devices, those without a task included.',
      }),
    ],
  };
}

function queue(): PanelRow {
  const wait = (quantile: number): string =>
    `histogram_quantile(${quantile}, sum by (le) (rate(gantry_docker_task_wait_seconds_bucket{${CHOSEN}}[1h])))`;
  return {
    title: 'Queue',
    panels: [
      lines('Waiting tasks', `sum by (tenant) (gantry_docker_tasks{${CHOSEN}, state="queued"})`, '{{tenant}}'),
      lines(
        'Running tasks',
        `sum by (tenant) (gantry_docker_tasks{${CHOSEN}, state=~"starting|running|stopping"})`,
        '{{tenant}}',
      ),
      {
        title: 'Time to the first placement',
        kind: 'timeseries',
        unit: 's',
        min: 0,
        description: 'Of the tasks that were placed in the last hour. Tasks that still wait do not count.',
        queries: [
          { expr: wait(0.5), legend: 'half of the tasks' },
          { expr: wait(0.9), legend: '9 of 10 tasks' },
        ],
      },
      lines(
        'Placed tasks per hour',
        `sum by (tenant) (increase(gantry_docker_task_wait_seconds_count{${CHOSEN}}[1h]))`,
        '{{tenant}}',
      ),
    ],
  };
}

function devices(): PanelRow {
  const legend = '{{instance}} {{index}}';
  const used = `gantry_docker_device_memory_used_bytes{${CHOSEN}}`;
  return {
    title: 'Devices',
    panels: [
      lines('Busy', `gantry_docker_device_busy_ratio{${CHOSEN}}`, legend, {
        ...RATIO,
        description: 'Part of the time in which something ran on the device, as its vendor program reports it.',
      }),
      lines('Memory in use', `${used} / on (${DEVICE}) gantry_docker_device_memory_bytes{${CHOSEN}}`, legend, RATIO),
      lines('Devices by state', `sum by (state) (gantry_docker_devices{${CHOSEN}})`, '{{state}}'),
      lines(
        'Held and idle',
        `sum((gantry_docker_device_busy_ratio{${CHOSEN}} < bool 0.02) * on (${DEVICE}) group_left () gantry_docker_devices{${CHOSEN}, state="used"}) or vector(0)`,
        'devices',
        { description: 'Devices that a task holds and that do nothing now.' },
      ),
    ],
  };
}

function ends(): PanelRow {
  const ended = (labels: string, by: string): string =>
    `sum by (${by}) (increase(gantry_docker_tasks_ended_total{${CHOSEN}, ${labels}}[1h]))`;
  return {
    title: 'How tasks end',
    panels: [
      lines('Ended tasks per hour', ended('state=~".+"', 'state'), '{{state}}'),
      lines('Failures per hour', ended('state="failed"', 'class'), '{{class}}', {
        description: 'By the class of the failure: program, oom, timeout, device, image, engine, lost.',
      }),
    ],
  };
}

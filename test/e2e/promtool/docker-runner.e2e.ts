/**
 * The alerts about Docker runners, put to Prometheus itself: each fires where it has to and is quiet where it must not.
 */
import { dockerRunnerAlerts } from '../../../src/constructs/monitoring';
import { renderGroup } from '../../../src/constructs/monitoring/rule-groups';
import { type AlertCase, describeAlerts } from './alert-cases';

const HOST = 'job="gantry-docker", instance="gpu-host:8443"';
const DEVICE = `${HOST}, index="0", device="GPU-1"`;
const busy = `gantry_docker_device_busy_ratio{${DEVICE}}`;
const state = (name: string): string => `gantry_docker_devices{${DEVICE}, state="${name}"}`;
const failed = (kind: string): string =>
  `gantry_docker_tasks_ended_total{${HOST}, tenant="alice", state="failed", class="${kind}"}`;

const CASES: Readonly<Record<string, AlertCase>> = {
  GantryDockerEngineLost: {
    at: 10,
    fires: { [`gantry_docker_engine_connected{${HOST}}`]: '0x20' },
    quiet: { [`gantry_docker_engine_connected{${HOST}}`]: '1x4 0x2 1x20' },
  },
  GantryDockerRunnerTroubled: {
    at: 10,
    fires: { [`gantry_docker_problem{${HOST}}`]: '1x20' },
    quiet: { [`gantry_docker_problem{${HOST}}`]: '0x20' },
  },
  GantryDockerDeviceOutOfService: {
    at: 10,
    fires: { [state('quarantined')]: '1x20' },
    quiet: { [state('drained')]: '1x20' },
  },
  GantryDockerDeviceHeldIdle: {
    at: 90,
    fires: { [busy]: '0x100', [state('used')]: '1x100' },
    quiet: { [busy]: '0x50 0.9x5 0x45', [state('used')]: '1x100', [state('free')]: '_x100' },
  },
  GantryDockerTasksFailForHost: {
    at: 60,
    fires: { [failed('device')]: '0+0.1x80' },
    quiet: { [failed('program')]: '0+1x80', [failed('device')]: '0x30 1x50' },
  },
};

describeAlerts({
  rules: { groups: dockerRunnerAlerts().map(renderGroup) },
  alerts: dockerRunnerAlerts().flatMap(({ rules }) => rules.flatMap((rule) => ('alert' in rule ? rule.alert : []))),
  cases: CASES,
});

/**
 * The alerts about Docker runners, put to Prometheus itself: each fires where it has to and is quiet where it must not.
 */
import { dockerRunnerAlerts } from '../../../src/constructs/monitoring';
import { renderGroup } from '../../../src/constructs/monitoring/rule-groups';
import { buildPromtool, promtoolVersion, runPromtool, whyNoPromtool } from './promtool';

const withPromtool = whyNoPromtool() === undefined ? describe : describe.skip;
const RULES = { groups: dockerRunnerAlerts().map(renderGroup) };

type World = Readonly<Record<string, string>>;

const HOST = 'job="gantry-docker", instance="gpu-host:8443"';
const DEVICE = `${HOST}, index="0", device="GPU-1"`;
const busy = `gantry_docker_device_busy_ratio{${DEVICE}}`;
const state = (name: string): string => `gantry_docker_devices{${DEVICE}, state="${name}"}`;
const failed = (kind: string): string =>
  `gantry_docker_tasks_ended_total{${HOST}, tenant="alice", state="failed", class="${kind}"}`;

const CASES: Readonly<Record<string, { readonly at: number; readonly fires: World; readonly quiet: World }>> = {
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

withPromtool(`promtool ${promtoolVersion()}`, () => {
  const program = buildPromtool();

  test('takes all rules, and each of them has a case', () => {
    const { ok, output } = runPromtool(program, ['check', 'rules', '--lint=all', '--lint-fatal', 'rules.yaml'], {
      'rules.yaml': RULES,
    });
    expect([ok, output]).toEqual([true, expect.stringContaining('SUCCESS')]);
    const names = dockerRunnerAlerts().flatMap(({ rules }) => rules.map((rule) => ('alert' in rule ? rule.alert : '')));
    expect(Object.keys(CASES).sort()).toEqual([...names].sort());
  });

  test.each(Object.entries(CASES))('%s fires when it has to, and is quiet otherwise', (name, { at, fires, quiet }) => {
    const expr = `count(ALERTS{alertname="${name}", alertstate="firing"})`;
    const test = (world: World, samples: readonly object[]): object => ({
      interval: '1m',
      input_series: Object.entries(world).map(([series, values]) => ({ series, values })),
      promql_expr_test: [{ expr, eval_time: `${at}m`, exp_samples: samples }],
    });
    const tests = {
      rule_files: ['rules.yaml'],
      evaluation_interval: '1m',
      tests: [test(fires, [{ labels: '{}', value: 1 }]), test(quiet, [])],
    };
    const { ok, output } = runPromtool(program, ['test', 'rules', 'tests.yaml'], {
      'rules.yaml': RULES,
      'tests.yaml': tests,
    });
    expect([ok, output]).toEqual([true, expect.stringContaining('SUCCESS')]);
  });
});

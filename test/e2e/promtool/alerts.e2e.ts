/**
 * The alerts, put to Prometheus itself: it reads the rules, and each alert fires where it has to and is quiet where it must not.
 */
import { DCGM_GENERATIONS, type DcgmGeneration } from '../../../src/facts/catalog';
import { gpuAlerts, type GpuAlertName } from '../../../src/constructs/monitoring/gpu-alerts';
import { renderGroup } from '../../../src/constructs/monitoring/rule-groups';
import { buildPromtool, promtoolVersion, runPromtool, whyNoPromtool } from './promtool';
import { scenarios } from './scenarios';

const reason = whyNoPromtool();
const withPromtool = reason === undefined ? describe : describe.skip;

const rulesOf = (exporter: DcgmGeneration): object => ({
  groups: gpuAlerts({ exporter, engine: 'volcano', alerts: { GpuMemoryNearlyFull: true } }).map(renderGroup),
});

withPromtool(`promtool ${promtoolVersion()}`, () => {
  const program = buildPromtool();

  test.each(DCGM_GENERATIONS)('takes all rules, with the names of exporter %s', (exporter) => {
    const { ok, output } = runPromtool(program, ['check', 'rules', '--lint=all', '--lint-fatal', 'rules.yaml'], {
      'rules.yaml': rulesOf(exporter),
    });
    expect([ok, output]).toEqual([true, expect.stringContaining('SUCCESS')]);
  });

  const expressions = (exporter: DcgmGeneration): ReadonlySet<string> => {
    const groups = gpuAlerts({ exporter, engine: 'volcano', alerts: { GpuMemoryNearlyFull: true } });
    return new Set(
      groups.flatMap(({ rules }) => rules.map((rule) => `${'alert' in rule ? rule.alert : ''} ${rule.expr}`)),
    );
  };
  /** Those whose names or units differ between generations are tried with both. */
  const cases = DCGM_GENERATIONS.flatMap((exporter, index) =>
    Object.entries(scenarios(exporter))
      .filter(
        ([name]) =>
          index === 0 ||
          ![...expressions('4.8')].some((known) => known.startsWith(`${name} `) && expressions(exporter).has(known)),
      )
      .map(([name, scenario]) => [name as GpuAlertName, exporter, scenario] as const),
  );

  test.each(cases)(
    '%s with exporter %s fires when it has to, and is quiet otherwise',
    (name, exporter, { at, fires, quiet, count = 1 }) => {
      const series = (world: Readonly<Record<string, string>>): object[] =>
        Object.entries(world).map(([one, values]) => ({ series: one, values }));
      const expr = `count(ALERTS{alertname="${name}", alertstate="firing"})`;
      const test = (world: Readonly<Record<string, string>>, samples: readonly object[]): object => ({
        interval: '1m',
        input_series: series(world),
        promql_expr_test: [{ expr, eval_time: `${at}m`, exp_samples: samples }],
      });
      const tests = {
        rule_files: ['rules.yaml'],
        evaluation_interval: '1m',
        tests: [test(fires, [{ labels: '{}', value: count }]), test(quiet, [])],
      };
      const { ok, output } = runPromtool(program, ['test', 'rules', 'tests.yaml'], {
        'rules.yaml': rulesOf(exporter),
        'tests.yaml': tests,
      });
      expect([ok, output]).toEqual([true, expect.stringContaining('SUCCESS')]);
    },
  );

  test('annotations are filled in with what the expression leaves of the labels', () => {
    const { at, fires } = scenarios('4.8').ContainerCpuThrottled;
    const tests = {
      rule_files: ['rules.yaml'],
      evaluation_interval: '1m',
      tests: [
        {
          interval: '1m',
          input_series: Object.entries(fires).map(([series, values]) => ({ series, values })),
          alert_rule_test: [
            {
              eval_time: `${at}m`,
              alertname: 'ContainerCpuThrottled',
              exp_alerts: [
                {
                  exp_labels: { severity: 'warning', namespace: 'research', pod: 'train-0', container: 'main' },
                  exp_annotations: {
                    summary: 'main of research/train-0 is throttled in 50% of its periods, and its GPU waits',
                    description:
                      'The CPU limit is used up early in each period of 100 ms. Whole CPUs and a Guaranteed pod under the static CPU manager, or no limit.',
                    runbook: 'cdk8s-gantry, docs/monitoring.md#containercputhrottled',
                  },
                },
              ],
            },
          ],
        },
      ],
    };
    const { ok, output } = runPromtool(program, ['test', 'rules', 'tests.yaml'], {
      'rules.yaml': rulesOf('4.8'),
      'tests.yaml': tests,
    });
    expect([ok, output]).toEqual([true, expect.stringContaining('SUCCESS')]);
  });
});

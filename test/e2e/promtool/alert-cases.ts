/**
 * Alerts put to Prometheus itself: each fires where it has to and is quiet where it must not.
 */
import { buildPromtool, promtoolVersion, runPromtool, whyNoPromtool } from './promtool';

/** Series with their values, in the notation of promtool. */
export type World = Readonly<Record<string, string>>;

export interface AlertCase {
  /** The minute at which it is looked. */
  readonly at: number;
  readonly fires: World;
  readonly quiet: World;
}

export interface AlertSuite {
  /** The rule file. */
  readonly rules: { readonly groups: readonly object[] };
  /** Every alert of the file. */
  readonly alerts: readonly string[];
  readonly cases: Readonly<Record<string, AlertCase>>;
  /**
   * Label by which firing alerts are counted, and its value in the series.
   * @default - all are counted together
   */
  readonly by?: readonly [label: string, value: string];
}

export function describeAlerts({ rules, alerts, cases, by }: AlertSuite): void {
  const withPromtool = whyNoPromtool() === undefined ? describe : describe.skip;
  withPromtool(`promtool ${promtoolVersion()}`, () => {
    const program = buildPromtool();
    const expectSuccess = (args: readonly string[], files: Readonly<Record<string, object>>): void => {
      const { ok, output } = runPromtool(program, args, { 'rules.yaml': rules, ...files });
      expect([ok, output]).toEqual([true, expect.stringContaining('SUCCESS')]);
    };

    test('takes all rules, and each of them has a case', () => {
      expectSuccess(['check', 'rules', '--lint=all', '--lint-fatal', 'rules.yaml'], {});
      expect(Object.keys(cases).sort()).toEqual([...alerts].sort());
    });

    test.each(Object.entries(cases))(
      '%s fires when it has to, and is quiet otherwise',
      (name, { at, fires, quiet }) => {
        const expr = `count${by === undefined ? '' : ` by (${by[0]}) `}(ALERTS{alertname="${name}", alertstate="firing"})`;
        const firing = { labels: by === undefined ? '{}' : `{${by[0]}="${by[1]}"}`, value: 1 };
        const look = (world: World, samples: readonly object[]): object => ({
          interval: '1m',
          input_series: Object.entries(world).map(([series, values]) => ({ series, values })),
          promql_expr_test: [{ expr, eval_time: `${at}m`, exp_samples: samples }],
        });
        expectSuccess(['test', 'rules', 'tests.yaml'], {
          'tests.yaml': {
            rule_files: ['rules.yaml'],
            evaluation_interval: '1m',
            tests: [look(fires, [firing]), look(quiet, [])],
          },
        });
      },
    );
  });
}

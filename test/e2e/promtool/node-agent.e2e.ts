/**
 * The alerts of the node agent, put to Prometheus itself: each fires where it has to, names the node, and is quiet where it must not.
 */
import { NODE_AGENT_ALERTS } from '../../../src/constructs/agent';
import { renderGroup } from '../../../src/constructs/monitoring/rule-groups';
import { buildPromtool, promtoolVersion, runPromtool, whyNoPromtool } from './promtool';

const withPromtool = whyNoPromtool() === undefined ? describe : describe.skip;
const RULES = { groups: [renderGroup({ name: 'gantry-node-agent', rules: NODE_AGENT_ALERTS })] };

type World = Readonly<Record<string, string>>;

/** Series of the agent on node a, as Prometheus has them after the relabeling of its PodMonitor. */
const AGENT =
  'namespace="gantry-node-agent", pod="gantry-node-agent-h100-x2x7q", container="agent", node="a", job="gantry-node-agent"';
const condition = (type: string, status: string): string =>
  `gantry_node_condition{${AGENT}, type="${type}", status="${status}"}`;
const patches = (outcome: string): string => `gantry_agent_patches_total{${AGENT}, outcome="${outcome}"}`;

interface Case {
  readonly at: number;
  readonly fires: World;
  readonly quiet: World;
}

const lasting = (type: string, minutes: number): Case => ({
  at: 20 + minutes,
  // The condition is True from minute 20 on.
  fires: { [condition(type, 'False')]: '1x19 _x60', [condition(type, 'True')]: '_x20 1x60' },
  // True for a minute less than the alert waits; and unknown, which is not a problem of the node.
  quiet: {
    [condition(type, 'True')]: `_x20 ${'1 '.repeat(minutes)}stale`,
    [condition(type, 'Unknown')]: `_x${20 + minutes} 1x60`,
  },
});

const CASES: Readonly<Record<string, Case>> = {
  // 7 of 8 devices are allocatable.
  NodeAcceleratorsMissing: lasting('AcceleratorsMissing', 5),
  NodeAcceleratorUnhealthy: lasting('AcceleratorUnhealthy', 1),
  NodeRdmaDegraded: lasting('RdmaDegraded', 5),
  NodeAgentCannotReport: {
    at: 40,
    fires: { [patches('failed')]: '0+1x60', [patches('written')]: '5x60' },
    quiet: { [patches('failed')]: '0+1x60', [patches('written')]: '0+1x60' },
  },
};

withPromtool(`promtool ${promtoolVersion()}`, () => {
  const program = buildPromtool();

  test('takes all rules, and each of them has a case', () => {
    const { ok, output } = runPromtool(program, ['check', 'rules', '--lint=all', '--lint-fatal', 'rules.yaml'], {
      'rules.yaml': RULES,
    });
    expect([ok, output]).toEqual([true, expect.stringContaining('SUCCESS')]);
    expect(Object.keys(CASES).sort()).toEqual(NODE_AGENT_ALERTS.map(({ alert }) => alert).sort());
  });

  test.each(Object.entries(CASES))(
    '%s fires when it has to, for the node, and is quiet otherwise',
    (name, { at, fires, quiet }) => {
      const expr = `count by (node) (ALERTS{alertname="${name}", alertstate="firing"})`;
      const test = (world: World, samples: readonly object[]): object => ({
        interval: '1m',
        input_series: Object.entries(world).map(([series, values]) => ({ series, values })),
        promql_expr_test: [{ expr, eval_time: `${at}m`, exp_samples: samples }],
      });
      const { ok, output } = runPromtool(program, ['test', 'rules', 'tests.yaml'], {
        'rules.yaml': RULES,
        'tests.yaml': {
          rule_files: ['rules.yaml'],
          evaluation_interval: '1m',
          tests: [test(fires, [{ labels: '{node="a"}', value: 1 }]), test(quiet, [])],
        },
      });
      expect([ok, output]).toEqual([true, expect.stringContaining('SUCCESS')]);
    },
  );
});

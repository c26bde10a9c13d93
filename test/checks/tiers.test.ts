import { FindingCollector } from '../../src/checks/report/collector';
import { type Tier } from '../../src/checks/report/finding';
import { type ObjectRule } from '../../src/checks/rules/rule';
import { runRules } from '../../src/checks/rules/run-rules';
import { ManifestSet } from '../../src/manifests/manifest-set';
import { parseYaml } from '../../src/manifests/yaml';

function rule(tier: Tier, says: Tier, otherTiers?: readonly Tier[]): ObjectRule & { readonly runs: () => number } {
  let runs = 0;
  return {
    id: `test/${tier}-${says}`,
    tier,
    otherTiers,
    severity: 'error',
    summary: 'None.',
    why: 'A test.',
    source: 'this test',
    fix: 'None.',
    on: 'object',
    kinds: ['*'],
    runs: () => runs,
    check: () => {
      runs++;
      return [{ message: 'Said.', tier: says }];
    },
  };
}

function found(rules: readonly ObjectRule[], tiers: readonly Tier[]): readonly string[] {
  const set = new ManifestSet(parseYaml('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n', 'a.yaml').manifests);
  const collector = new FindingCollector(set, { tiers });
  runRules(rules, { set, kubernetes: '1.35' }, collector);
  return collector.report().findings.map(({ tier }) => tier);
}

test('a rule is run only where its tier is asked for', () => {
  const advice = rule('advice', 'advice');
  expect(found([advice], ['server'])).toEqual([]);
  expect(advice.runs()).toBe(0);
  expect(found([advice], ['server', 'advice'])).toEqual(['advice']);
});

test('a rule whose violations may be of another tier runs for that tier too, and only the requested tier is reported', () => {
  const either = rule('server', 'webhook', ['webhook']);
  expect(found([either], ['webhook'])).toEqual(['webhook']);
  expect(found([either], ['server'])).toEqual([]);
});

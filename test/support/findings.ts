/**
 * Small world for rule tests: YAML in, findings of the given rules out.
 */
import { type KubernetesMinor } from '../../src/facts/api/schema';
import { check } from '../../src/checks/engine';
import { FindingCollector } from '../../src/checks/report/collector';
import { type Finding, RULE_GROUPS } from '../../src/checks/report/finding';
import { type Report } from '../../src/checks/report/report';
import { type Rule } from '../../src/checks/rules/rule';
import { runRules } from '../../src/checks/rules/run-rules';
import { ManifestSet } from '../../src/manifests/manifest-set';
import { parseFile } from '../../src/manifests/documents/node-file';
import { parseYaml } from '../../src/manifests/yaml';
import { keepManifests } from './manifests-of-tests';

export interface FindingsOptions {
  readonly kubernetes?: KubernetesMinor;
}

/** Runs only these rules (no schema check) over the YAML and gives what they find. Throws where a rule fails or the YAML is broken. */
export function findingsOf(yaml: string, rules: readonly Rule[], options: FindingsOptions = {}): readonly Finding[] {
  const { manifests, problems } = parseYaml(yaml, 'test.yaml');
  if (problems.length > 0) {
    throw new Error(`the test's YAML is broken: ${JSON.stringify(problems)}`);
  }
  keepManifests(manifests);
  const set = new ManifestSet(manifests);
  const report = run(rules, set, options);
  // What a rule concerns and sees saves time and changes nothing.
  expect(report.findings).toEqual(run(everywhere(rules), set, options).findings);
  const failed = report.notChecked.filter(({ why }) => why.startsWith('the rule '));
  if (failed.length > 0) {
    throw new Error(failed.map(({ why }) => why).join('\n'));
  }
  const tiersOf = new Map(rules.map(({ id, tier, otherTiers = [] }) => [id, [tier, ...otherTiers]]));
  for (const { rule, tier } of report.findings) {
    if (tiersOf.has(rule)) {
      expect(tiersOf.get(rule)).toContain(tier);
    }
  }
  return report.findings.filter((finding) => tiersOf.has(finding.rule));
}

const ranEverywhere = new WeakMap<readonly Rule[], readonly Rule[]>();

/** The rules without what they concern and see: the same list for the same rules, which the engine sorts once. */
function everywhere(rules: readonly Rule[]): readonly Rule[] {
  const known =
    ranEverywhere.get(rules) ?? rules.map((rule) => ({ ...rule, concerns: undefined, sees: undefined }) as Rule);
  ranEverywhere.set(rules, known);
  return known;
}

function run(rules: readonly Rule[], set: ManifestSet, options: FindingsOptions): Report {
  const collector = new FindingCollector(set, { groups: RULE_GROUPS });
  runRules(rules, { set, kubernetes: options.kubernetes ?? '1.35' }, collector);
  return collector.report();
}

/** What rules find in a file of any kind: one of a host, or manifests. */
export function findingsOfFile(text: string, file: string, rules: readonly Rule[]): readonly Finding[] {
  const { manifests, problems } = parseFile(text, file, { skipForeign: 'all' });
  expect(problems).toEqual([]);
  keepManifests(manifests);
  return check(new ManifestSet(manifests), { rules }).findings;
}

/** The ids of the rules that fire, sorted, each once. */
export function rulesFiring(yaml: string, rules: readonly Rule[], options: FindingsOptions = {}): readonly string[] {
  return [...new Set(findingsOf(yaml, rules, options).map((finding) => finding.rule))].sort();
}

/**
 * Runs one rule by itself, as its test does.
 */
import { DEFAULT_MINOR } from '../../facts/api/kinds';
import { type JsonObject, type KubernetesMinor } from '../../facts/api/schema';
import { FindingCollector } from '../../checks/report/collector';
import { RULE_GROUPS, type Finding } from '../../checks/report/finding';
import { type Rule } from '../../checks/rules/rule';
import { runRules } from '../../checks/rules/run-rules';
import { idOf } from '../../manifests/identity';
import { ManifestSet } from '../../manifests/manifest-set';
import { InputError } from '../../manifests/input-error';
import { readManifests } from './read-files';

/** Options of `runRule`. */
export interface RunRuleOptions {
  /**
   * The Kubernetes minor version that the manifests are for.
   * @default '1.35'
   */
  readonly kubernetes?: KubernetesMinor;
}

/**
 * Runs one rule over manifests and returns what it finds. Nothing else is checked, and suppressions in the manifests count.
 * @param manifests YAML or JSON, objects, or a set
 * @throws InputError if the text is not a set of manifests
 * @throws what the rule throws, and an error if `concerns` or `sees` of the rule hides a finding
 *
 * @example
 * const ownerLabel = defineRule({
 *   on: 'object',
 *   id: 'acme/owner-label',
 *   kinds: ['batch/Job'],
 *   summary: 'Each Job has the label acme.example/owner.',
 *   fix: 'Set metadata.labels["acme.example/owner"] to the name of a team.',
 *   check: ({ object }) =>
 *     valueAt(object, '/metadata/labels/acme.example~1owner') === undefined
 *       ? [{ path: '/metadata/labels', message: 'label "acme.example/owner" is required' }]
 *       : [],
 * });
 * expect(runRule(ownerLabel, 'apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: train\n')).toMatchObject([
 *   { path: '/metadata/labels', message: 'label "acme.example/owner" is required' },
 * ]);
 */
export function runRule(
  rule: Rule,
  manifests: string | readonly object[] | ManifestSet,
  options: RunRuleOptions = {},
): readonly Finding[] {
  const set = setOf(manifests);
  const kubernetes = options.kubernetes ?? DEFAULT_MINOR;
  const findings = run(rule, set, kubernetes);
  // These save time. They must not change what a rule finds.
  const { concerns, sees, appliesTo, ...always } = {
    concerns: undefined,
    sees: undefined,
    appliesTo: undefined,
    ...rule,
  };
  const all = run(always, set, kubernetes);
  const hidden = all.find((finding) => !findings.some((found) => sameFinding(found, finding)));
  if (hidden !== undefined) {
    const props = Object.entries({ concerns, sees, appliesTo })
      .filter(([, value]) => value !== undefined)
      .map(([name]) => name)
      .join(' or ');
    throw new Error(
      `rule ${rule.id}: ${props} hides the finding "${hidden.message}" in ${hidden.object}; name every field that the rule reads, or leave it out`,
    );
  }
  return findings;
}

function sameFinding(a: Finding, b: Finding): boolean {
  return a.object === b.object && a.path === b.path && a.message === b.message;
}

function run(rule: Rule, set: ManifestSet, kubernetes: KubernetesMinor): readonly Finding[] {
  const collector = new FindingCollector(set, { groups: RULE_GROUPS });
  runRules([rule], { set, kubernetes }, collector);
  const { findings, notChecked } = collector.report();
  const [failed] = notChecked;
  if (failed !== undefined) {
    throw new Error(`${failed.object}: ${failed.why}`);
  }
  return findings.filter((finding) => finding.rule === rule.id);
}

function setOf(manifests: string | readonly object[] | ManifestSet): ManifestSet {
  if (manifests instanceof ManifestSet) {
    return manifests;
  }
  if (typeof manifests === 'string') {
    const set = readManifests(manifests);
    const [problem] = set.problems;
    if (problem !== undefined) {
      throw new InputError(`${problem.position.line}:${problem.position.column}: ${problem.message}`);
    }
    return set;
  }
  return new ManifestSet(
    manifests.map((value) => {
      const object = value as JsonObject;
      return { id: idOf(object), object, origin: {} };
    }),
  );
}

/**
 * Checks as a library, the entry point `cdk8s-gantry/checks`: read manifests, check them, report, and write rules.
 *
 * Must not import a construct: the command line loads this, and nothing of cdk8s.
 */
import { provideRules } from '../../checks/rules/registry';
import { allRules } from './all-rules';

provideRules(allRules);

export { allRules };
export { check, type CheckOptions } from '../../checks/engine';
export { type OfferedDevices } from '../../checks/offered-devices';
export { TargetCluster } from '../../checks/cluster/target-cluster';
export { type ClusterSnapshot } from '../../manifests/snapshot/cluster-snapshot';
export { CheckError } from '../../checks/synth/check-error';
export { defineRule, type RuleDefinition } from '../../checks/rules/define-rule';
export {
  RULE_GROUPS,
  SEVERITIES,
  TIERS,
  type Finding,
  type NotChecked,
  type NotJudged,
  type RuleGroup,
  type Severity,
  type Tier,
} from '../../checks/report/finding';
export { countsOf, hasErrors, type Report, type SuppressedFinding } from '../../checks/report/report';
export { renderJson } from '../../checks/report/json';
export { findingText, renderText, type FindingTextOptions, type TextOptions } from '../../checks/report/text';
export {
  type ObjectRule,
  type PodTemplateRule,
  type Rule,
  type RuleContext,
  type RuleFacts,
  type SetRule,
  type Violation,
} from '../../checks/rules/rule';
export { IGNORE_ANNOTATION, type Suppression } from '../../checks/report/suppression';
export * from '../../manifests';
export { ruleFacts } from './rule-facts';
export { InputError } from '../../manifests/input-error';
export { readManifestFiles, readManifests, type ReadFilesOptions, type ReadTextOptions } from './read-files';
export { runRule, type RunRuleOptions } from './run-rule';
export { renderSarif, type SarifReportOptions } from './sarif-report';

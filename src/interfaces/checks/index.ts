/**
 * All rules of all domains in one list, and the face `cdk8s-gantry/checks`.
 *
 * Must not import a construct: the command line loads this and nothing of cdk8s.
 */
import { provideRules } from '../../checks/registry';
import { allRules } from './all-rules';

provideRules(allRules());

export { allRules };
export { check, type CheckOptions } from '../../checks/engine';
export { SEVERITIES, TIERS, type Finding, type NotChecked, type Severity, type Tier } from '../../checks/finding';
export { hasErrors, type Report, type SuppressedFinding } from '../../checks/report';
export {
  type ObjectRule,
  type PodTemplateRule,
  type Rule,
  type RuleContext,
  type RuleFacts,
  type SetRule,
  type Violation,
} from '../../checks/rule';
export { IGNORE_ANNOTATION, type Suppression } from '../../checks/suppression';

/**
 * Remediation: what is done about nodes with a problem, and undone when the problem ends.
 */
export { type BudgetUse } from './budget';
export { isAlertOf, nodeOfAlert } from './causes';
export { type RemediationEviction } from './evictions';
export { type RemediationNeeds, remediationNeeds } from './needs';
export {
  DRIVER_UPGRADE_ANNOTATION,
  type FitsElsewhere,
  hasMark,
  healthySeconds,
  planRemediation,
} from './plan-remediation';
export type { RemediationFinding, RemediationPlan, RemediationRefusal, RemediationStep } from './plan-remediation';
export {
  type Clearing,
  isActing,
  type Mark,
  MARKS,
  NO_RECORD,
  readRecord,
  recordText,
  type RemediationRecord,
} from './record';
export { DEFAULT_REMEDIATION, DEFAULT_REMEDIATION_RULES, REMEDIATION_ACTIONS } from './rules';
export type { RemediationAction, RemediationCause, RemediationRule, RemediationSettings } from './rules';
export { readRemediationSettings, RemediationSettingsError } from './settings';
export type { RemediationAlert, RemediationGang, RemediationNode, RemediationPod, RemediationState } from './state';
export { NO_MEMORY, type RemediationMemory } from './waits';

/**
 * Remediation: what is done about nodes with a problem, and undone when the problem ends.
 */
export { DRIVER_UPGRADE_ANNOTATION, type FitsElsewhere, NO_MEMORY, planRemediation } from './plan-remediation';
export type {
  RemediationEviction,
  RemediationMemory,
  RemediationPlan,
  RemediationRefusal,
  RemediationStep,
} from './plan-remediation';
export { type Mark, NO_RECORD, readRecord, recordText, type RemediationRecord } from './record';
export { DEFAULT_REMEDIATION, DEFAULT_REMEDIATION_RULES, REMEDIATION_ACTIONS } from './rules';
export type { RemediationAction, RemediationCause, RemediationRule, RemediationSettings } from './rules';
export { readRemediationSettings, RemediationSettingsError } from './settings';
export type { RemediationAlert, RemediationGang, RemediationNode, RemediationPod, RemediationState } from './state';

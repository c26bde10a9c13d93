/**
 * Remediation: what is done about nodes with a problem, with the rights that its rules need.
 */
export { REMEDIATION_ALERTS, RemediationAlerts, type RemediationAlertsProps } from './alerts';
export {
  type RemediationAction,
  type RemediationBudget,
  type RemediationCause,
  type RemediationConfiguration,
  type RemediationRule,
} from './configuration';
export { Remediation, type RemediationProps, type RemediationWebhook } from './remediation';

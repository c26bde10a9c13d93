/**
 * What most rules of this folder share.
 */
import { cite } from '../../../facts/upstream';
import { type ObjectRule, type RuleFacts } from '../../../checks/rules/rule';
import { isForMonitoring } from './query-places';

type Facts = Omit<RuleFacts, 'id' | 'tier' | 'severity'> & Partial<Pick<RuleFacts, 'tier' | 'severity'>>;

export const OPERATOR = cite('prometheus-operator');
export const PROMETHEUS = 'Prometheus v3.15';
export const DROPPED =
  "The operator ignores the whole object and only records an event: none of its rules is evaluated. The operator's webhook, if installed, rejects the object.";

/** A rule on single manifests; its id without the domain. An error of the tier `webhook` unless it says otherwise. */
export function monitoringRule(
  id: string,
  kinds: readonly string[],
  facts: Facts,
  check: ObjectRule['check'],
): ObjectRule {
  return {
    tier: 'webhook',
    severity: 'error',
    ...facts,
    id: `monitoring/${id}`,
    on: 'object',
    kinds,
    ...(kinds.includes('ConfigMap') ? { appliesTo: isForMonitoring } : {}),
    check,
  };
}

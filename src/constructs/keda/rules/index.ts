/**
 * What KEDA demands beyond its schema, and what it accepts and silently does not do. Rows KE1 to KE25 of docs/keda.md; that
 * minReplicaCount is at most maxReplicaCount (of KE2) is a rule of the CRD itself.
 *
 * Must not import a construct: the command line loads this and nothing of cdk8s.
 */
import { seeAllButName } from '../../../checks/rules/all-but-name';
import { type Rule } from '../../../checks/rules/rule';
import { authenticationRules } from './authentication';
import { combinationRules } from './combinations';
import { parameterRules } from './parameters';
import { prometheusRules } from './prometheus';
import { replicaRules } from './replicas';
import { targetRules } from './targets';
import { triggerRules } from './triggers';

export const kedaRules: readonly Rule[] = seeAllButName(
  [
    ...targetRules,
    ...replicaRules,
    ...triggerRules,
    ...prometheusRules,
    ...parameterRules,
    ...combinationRules,
    ...authenticationRules,
  ],
  ['keda/container-of-target', 'keda/variable-of-target', 'keda/name-fits-label'],
);

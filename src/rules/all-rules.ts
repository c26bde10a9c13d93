/**
 * Every rule that there is.
 */
import { batchRules } from '../batch/rules';
import { chartRules } from '../charts/rules';
import { type Rule, type RuleFacts } from '../checks/rule';
import { shapeRuleFacts } from '../checks/schema/check-shape';
import { coreRules } from '../checks/server/rules';
import { sourceRules } from '../checks/source-rules';
import { suppressionNeedsReason } from '../checks/suppression';
import { deviceRules } from '../devices/rules';
import { gpuOperatorRules } from '../gpu-operator/rules';
import { kedaRules } from '../keda/rules';
import { kubeflowRules } from '../kubeflow/rules';
import { kueueRules } from '../kueue/rules';
import { monitoringRules } from '../monitoring/rules';
import { networkingRules } from '../networking/rules';
import { nodeTuningRules } from '../node-tuning/rules';
import { podRules } from '../pods/rules';
import { schedulingRules } from '../pods/rules/scheduling';
import { rayRules } from '../ray/rules';
import { servingRules } from '../serving/rules';
import { tenancyRules } from '../tenancy/rules';
import { trainerRules } from '../trainer/rules';
import { volcanoRules } from '../volcano/rules';

const ALL: readonly Rule[] = [
  ...coreRules,
  ...podRules,
  ...schedulingRules,
  ...nodeTuningRules,
  ...gpuOperatorRules,
  ...deviceRules,
  ...monitoringRules,
  ...chartRules,
  ...networkingRules,
  ...tenancyRules,
  ...volcanoRules,
  ...kubeflowRules,
  ...kueueRules,
  ...kedaRules,
  ...batchRules,
  ...trainerRules,
  ...rayRules,
  ...servingRules,
];

/** Every semantic rule, domain by domain. */
export function allRules(): readonly Rule[] {
  return ALL;
}

/** The facts of everything that a check can report: semantic rules, and what the engine itself says of shape, text and suppressions. */
export function allRuleFacts(): readonly RuleFacts[] {
  return [...allRules(), ...shapeRuleFacts, ...Object.values(sourceRules), suppressionNeedsReason];
}

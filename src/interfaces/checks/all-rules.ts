/**
 * Every rule that there is.
 */
import { amdGpuRules } from '../../constructs/amd-gpu/rules';
import { ascendRules } from '../../constructs/ascend/rules';
import { batchRules } from '../../constructs/batch/rules';
import { chartRules } from '../../constructs/charts/rules';
import { seeAllButName } from '../../checks/rules/all-but-name';
import { type Rule, type RuleFacts } from '../../checks/rules/rule';
import { ENGINE_RULES } from '../../checks/rules/known-rules';
import { coreRules } from '../../checks/server/rules';
import { deviceRules } from '../../constructs/devices/rules';
import { gaudiRules } from '../../constructs/gaudi/rules';
import { gpuOperatorRules } from '../../constructs/gpu-operator/rules';
import { kaiRules } from '../../constructs/kai/rules';
import { kedaRules } from '../../constructs/keda/rules';
import { kubeflowRules } from '../../constructs/kubeflow/rules';
import { kueueRules } from '../../constructs/kueue/rules';
import { monitoringRules } from '../../constructs/monitoring/rules';
import { networkingRules } from '../../constructs/networking/rules';
import { dockerRules } from '../../constructs/docker/rules';
import { nodeTuningRules } from '../../constructs/node-tuning/rules';
import { neuronRules } from '../../constructs/neuron/rules';
import { hygieneRules } from '../../constructs/pods/rules/hygiene';
import { podRules } from '../../constructs/pods/rules';
import { schedulingRules } from '../../constructs/pods/rules/scheduling';
import { rayRules } from '../../constructs/ray/rules';
import { referenceRules } from '../../constructs/resources/rules';
import { servingRules } from '../../constructs/serving/rules';
import { tenancyRules } from '../../constructs/tenancy/rules';
import { trainerRules } from '../../constructs/trainer/rules';
import { volcanoRules } from '../../constructs/volcano/rules';

const ALL: readonly Rule[] = [
  ...seeAllButName(coreRules, [
    'core/job-selector-generated',
    'core/job-name-fits-index',
    'core/job-name-fits-pod-label',
    'core/cron-job-valid',
    'core/priority-class-value-valid',
    'core/volume-valid',
    'core/role-binding-valid',
    'core/admission-policy-valid',
    'core/priority-level-valid',
  ]),
  ...podRules,
  ...schedulingRules,
  ...nodeTuningRules,
  ...dockerRules,
  ...gpuOperatorRules,
  ...amdGpuRules,
  ...gaudiRules,
  ...ascendRules,
  ...neuronRules,
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
  ...kaiRules,
  ...referenceRules,
  ...hygieneRules,
];

/** Every semantic rule, domain by domain. */
export function allRules(): readonly Rule[] {
  return ALL;
}

/** The facts of everything that a check can report: semantic rules, and what the engine itself reports about shape, syntax, and suppressions. */
export function allRuleFacts(): readonly RuleFacts[] {
  return [...allRules(), ...ENGINE_RULES];
}

/**
 * Remediation of a platform: the pools of the platform are the pools of its budget.
 */
import { type Construct } from 'constructs';
import { type GpuMonitoringProps } from '../monitoring';
import { NODE_PROFILE_LABEL } from '../node-tuning';
import { Remediation, type RemediationProps } from '../remediation';

export function platformRemediation(
  scope: Construct,
  props: RemediationProps,
  { monitoring }: { readonly monitoring?: GpuMonitoringProps | false },
): Remediation {
  return new Remediation(scope, 'remediation', {
    monitoring: monitoring === false ? false : { labels: monitoring?.labels },
    ...props,
    budget: { poolLabel: NODE_PROFILE_LABEL, ...props.budget },
  });
}

/**
 * The plan as JSON: the view, and which of its gangs were asked about. The format is stable; docs/plan.md describes it.
 */
import { type ClusterPlan } from '../../../planning/cluster';
import { type ScaleUp } from '../../../planning/cluster/autoscaling/scale-up';
import { type PlanDifference } from '../../../planning/cluster/what-if';

interface PlanReport {
  readonly changes: readonly string[];
  readonly difference: PlanDifference | undefined;
  readonly scaleUps: readonly ScaleUp[];
}

export function planJson(
  { view, asked, good, claimsNotEvaluated }: ClusterPlan,
  { changes, difference, scaleUps }: PlanReport,
): string {
  const whatIf = difference === undefined ? {} : { whatIf: { changes, ...difference } };
  const claims = claimsNotEvaluated.length === 0 ? {} : { claimsNotEvaluated };
  return `${JSON.stringify({ good, asked: asked.length, ...view, ...claims, scaleUps, ...whatIf }, undefined, 2)}\n`;
}

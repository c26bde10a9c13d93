/**
 * The plan as JSON: the view, and which of its gangs were asked about. The format is stable; docs/plan.md describes it.
 */
import { type ClusterPlan } from '../../planning/cluster';
import { type PlanDifference } from '../../planning/cluster/what-if';

export function planJson(
  { view, asked, good }: ClusterPlan,
  changes: readonly string[],
  difference: PlanDifference | undefined,
): string {
  const whatIf = difference === undefined ? {} : { whatIf: { changes, ...difference } };
  return `${JSON.stringify({ good, asked: asked.length, ...view, ...whatIf }, undefined, 2)}\n`;
}

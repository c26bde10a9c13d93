/**
 * What pods prefer and do not require: soft spread, and preferred affinity to nodes and pods.
 */
import { type PodTemplate } from '../model/model';

/** Does the template prefer some places to others? */
export function hasWishes(template: PodTemplate): boolean {
  return (
    [template.preferredNodeTerms, template.preferredPodAffinity, template.preferredPodAntiAffinity].some(
      (list) => list !== undefined && list.length > 0,
    ) || (template.topologySpread ?? []).some(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway')
  );
}

/**
 * What pods prefer and do not require: soft spread, and preferred affinity to nodes and pods.
 */
import { type PodTemplate } from '../model/model';

/** Does the template prefer some places to others? */
export function hasWishes(template: PodTemplate): boolean {
  const { preferredNodeTerms, preferredPodAffinity, preferredPodAntiAffinity, topologySpread } = template;
  return (
    isFilled(preferredNodeTerms) ||
    isFilled(preferredPodAffinity) ||
    isFilled(preferredPodAntiAffinity) ||
    (topologySpread ?? NONE).some(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway')
  );
}

const NONE: NonNullable<PodTemplate['topologySpread']> = [];

function isFilled(list: readonly unknown[] | undefined): boolean {
  return list !== undefined && list.length > 0;
}

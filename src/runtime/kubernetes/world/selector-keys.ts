/**
 * Which labels of pods the selectors of a template look at.
 */
import { type PodSelector, type PodTemplate } from '../../../placement';

export function labelKeysIn(template: PodTemplate): readonly string[] {
  const { podAffinity = [], podAntiAffinity = [], topologySpread = [] } = template;
  const { preferredPodAffinity = [], preferredPodAntiAffinity = [] } = template;
  const selectors: PodSelector[] = [
    ...[...podAffinity, ...podAntiAffinity].map(({ selector }) => selector),
    ...[...preferredPodAffinity, ...preferredPodAntiAffinity].map(({ term }) => term.selector),
    ...topologySpread.map(({ selector }) => selector),
  ];
  return selectors.flatMap(({ labels }) => labels.map(({ key }) => key));
}

/**
 * Adds node requirements and preferences to an affinity. The terms of a required node affinity are alternatives, so what must hold in
 * any case goes into each of them.
 */
import {
  type Affinity,
  type NodeAffinity,
  type NodeSelectorRequirement,
  type PreferredSchedulingTerm,
} from '../../facts/api/types/core/v1';

export function nodeAffinity(
  own: Affinity | undefined,
  requirements: readonly NodeSelectorRequirement[],
  preferences: readonly PreferredSchedulingTerm[],
): Affinity | undefined {
  if (requirements.length === 0 && preferences.length === 0) {
    return own;
  }
  const node = own?.nodeAffinity;
  const preferred = [...(node?.preferredDuringSchedulingIgnoredDuringExecution ?? []), ...preferences];
  return {
    ...own,
    nodeAffinity: {
      ...node,
      ...(requirements.length === 0
        ? {}
        : { requiredDuringSchedulingIgnoredDuringExecution: required(node, requirements) }),
      ...(preferred.length === 0 ? {} : { preferredDuringSchedulingIgnoredDuringExecution: preferred }),
    },
  };
}

function required(
  node: NodeAffinity | undefined,
  requirements: readonly NodeSelectorRequirement[],
): NodeAffinity['requiredDuringSchedulingIgnoredDuringExecution'] {
  const stated = node?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = stated?.nodeSelectorTerms ?? [];
  return {
    ...stated,
    nodeSelectorTerms:
      terms.length === 0
        ? [{ matchExpressions: requirements }]
        : terms.map((term) => ({ ...term, matchExpressions: [...(term.matchExpressions ?? []), ...requirements] })),
  };
}

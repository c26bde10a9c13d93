/**
 * How much one pod may ask of nodes and of other pods. Each requirement is compared with each node, so a pod with ten thousand of them would
 * keep all others waiting; the API server has no limit but the size of the pod.
 */
import { counted } from '../../../facts/words';
import { type NodeTerm, type PodTemplate } from '../../../placement';

/** Requirements on nodes: expressions of the affinity, entries of the node selector, tolerations, host ports. */
const MOST_REQUIREMENTS = 1000;
/** Terms of affinity and anti-affinity to pods, and topology spread constraints. */
const MOST_POD_TERMS = 100;

/** Matches no node. */
const NOWHERE: readonly NodeTerm[] = [{ labels: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [] }] }];

/** What the pod asks too much of, in words; undefined if it does not. */
export function excessOf(template: PodTemplate): string | undefined {
  const requirements = requirementsOf(template);
  if (requirements > MOST_REQUIREMENTS) {
    return `has ${counted(requirements, 'requirement')} on nodes, but the scheduler reads at most ${MOST_REQUIREMENTS}.`;
  }
  const terms = podTermsOf(template);
  return terms > MOST_POD_TERMS
    ? `has ${counted(terms, 'term')} of pod affinity and topology spread, but the scheduler reads at most ${MOST_POD_TERMS}.`
    : undefined;
}

/** The pod as one that fits on no node and constrains no other; what it uses where it runs stays. */
export function withoutDemands(template: PodTemplate): PodTemplate {
  const { request, accelerator, claims, charged, sharedCharges, namespace, labels } = template;
  return {
    request,
    ...(accelerator !== undefined && { accelerator }),
    ...(claims !== undefined && { claims }),
    ...(charged !== undefined && { charged }),
    ...(sharedCharges !== undefined && { sharedCharges }),
    ...(namespace !== undefined && { namespace }),
    ...(labels !== undefined && { labels }),
    nodeTerms: NOWHERE,
  };
}

function requirementsOf(template: PodTemplate): number {
  const { nodeSelector = {}, nodeTerms = [], preferredNodeTerms = [], tolerations = [], hostPorts = [] } = template;
  return [...nodeTerms, ...preferredNodeTerms.map(({ term }) => term)].reduce(
    (sum, { labels = [], fields = [] }) => sum + 1 + labels.length + fields.length,
    Object.keys(nodeSelector).length + tolerations.length + hostPorts.length,
  );
}

function podTermsOf(template: PodTemplate): number {
  const { podAffinity, podAntiAffinity, preferredPodAffinity, preferredPodAntiAffinity, topologySpread } = template;
  return [podAffinity, podAntiAffinity, preferredPodAffinity, preferredPodAntiAffinity, topologySpread].reduce(
    (sum, list) => sum + (list?.length ?? 0),
    0,
  );
}

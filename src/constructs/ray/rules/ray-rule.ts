/**
 * What every rule on Ray's kinds shares: access to the cluster in any of them.
 */
import { type ObjectRule, type RuleFacts, type Violation } from '../../../checks/rules/rule';
import { type Manifest } from '../../../manifests/manifest';
import { clusterOf, type ClusterView, KUBERAY, RAY_JOB_KINDS, RAY_KINDS, rayJobOf, type RayJobView } from '../ray-view';

/** A group as messages name it, by its place: the head group has no name of its own. */
export function groupAt(path: string, name: string): string {
  if (/\/headGroupSpec\b/.test(path)) {
    return 'the head group';
  }
  return name === '' ? 'the worker group' : `the worker group "${name}"`;
}

export const VALIDATION = `${KUBERAY}, ray-operator/controllers/ray/utils/validation.go`;

export type RayRuleFacts = Omit<RuleFacts, 'source' | 'tier' | 'severity'> &
  Partial<Pick<RuleFacts, 'source' | 'tier' | 'severity'>>;

/** What the controller finds wrong at reconcile: the object is there, with an event, and no pod is made. */
const STANDARD = { source: VALIDATION, tier: 'webhook', severity: 'error', on: 'object' } as const;

export function clusterRule(
  facts: RayRuleFacts,
  check: (cluster: ClusterView, manifest: Manifest) => Iterable<Violation>,
): ObjectRule {
  return {
    ...STANDARD,
    ...facts,
    kinds: RAY_KINDS,
    check: (manifest) => {
      const cluster = clusterOf(manifest);
      return cluster === undefined ? [] : check(cluster, manifest);
    },
  };
}

export function rayJobRule(
  facts: RayRuleFacts,
  check: (job: RayJobView, manifest: Manifest) => Iterable<Violation>,
): ObjectRule {
  return { ...STANDARD, ...facts, kinds: RAY_JOB_KINDS, check: (manifest) => check(rayJobOf(manifest), manifest) };
}

export function rayRule(
  kinds: readonly string[],
  facts: RayRuleFacts,
  check: (manifest: Manifest) => Iterable<Violation>,
): ObjectRule {
  return { ...STANDARD, ...facts, kinds, check };
}

/**
 * Disruption budgets: whom the API server would not let us evict now.
 *
 * A gang is evicted as a whole, so it is protected if one of its budgets allows fewer disruptions than the gang has pods under it: a partial
 * eviction has no use.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { labelRequirements } from '../../../planning/cluster/objects/selectors';
import { asInteger, asObject, asString, stringEntries } from '../../../manifests/read';
import { type Requirement } from '../../../placement';
import { matchesRequirement } from '../../../placement/nodes/filters/selectors';
import { type PodEntry } from './pod-entry';

export interface Budget {
  readonly namespace: string;
  readonly selector: readonly Requirement[];
  readonly allowed: number;
}

export function budgetsOf(objects: Iterable<JsonObject>): ReadonlyMap<string, readonly Budget[]> {
  const byNamespace = new Map<string, Budget[]>();
  for (const object of objects) {
    const { metadata, spec, status } = object;
    const namespace = asString(asObject(metadata).namespace) ?? 'default';
    const selector = asObject(spec).selector;
    // A budget without a selector covers nothing.
    if (selector !== undefined && selector !== null) {
      const allowed = asInteger(asObject(status).disruptionsAllowed) ?? 0;
      const budget = { namespace, selector: labelRequirements(asObject(selector)), allowed };
      byNamespace.set(namespace, [...(byNamespace.get(namespace) ?? []), budget]);
    }
  }
  return byNamespace;
}

/** Is any of these pods, all of one gang, under a budget that does not allow all of them to go? */
export function areProtected(pods: readonly PodEntry[], budgets: ReadonlyMap<string, readonly Budget[]>): boolean {
  if (budgets.size === 0 || pods.length === 0) {
    return false;
  }
  return (budgets.get(pods[0].namespace) ?? []).some(({ selector, allowed }) => {
    return pods.filter((pod) => covers(selector, pod)).length > allowed;
  });
}

export function covers(selector: Budget['selector'], { raw }: Pick<PodEntry, 'raw'>): boolean {
  const labels = Object.fromEntries(stringEntries(asObject(raw.metadata).labels));
  return selector.every((requirement) => matchesRequirement(labels, requirement));
}

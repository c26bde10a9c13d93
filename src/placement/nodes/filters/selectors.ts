/**
 * Label and node selectors, taints: the meaning that Kubernetes gives them.
 */
import {
  type ClusterNode,
  type NodeTerm,
  type PodSelector,
  type Requirement,
  type Taint,
  type Toleration,
} from '../../model/model';

export type Labels = Readonly<Record<string, string>>;

/** Keys come from users: `constructor` must not match a property that every object inherits. */
function valueOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

export function matchesRequirement(labels: Labels, { key, operator, values = [] }: Requirement): boolean {
  const value = valueOf(labels, key);
  switch (operator) {
    case 'In':
      return value !== undefined && isAmong(values, value);
    case 'NotIn':
      return value === undefined || !isAmong(values, value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return compareIntegers(value, values, (a, b) => a > b);
    case 'Lt':
      return compareIntegers(value, values, (a, b) => a < b);
  }
}

/** More values than this are looked up and not searched: a pod may list tens of thousands, which are compared with each node. */
const MANY = 16;
const sets = new WeakMap<readonly string[], ReadonlySet<string>>();

function isAmong(values: readonly string[], value: string): boolean {
  if (values.length <= MANY) {
    return values.includes(value);
  }
  let set = sets.get(values);
  if (set === undefined) {
    set = new Set(values);
    sets.set(values, set);
  }
  return set.has(value);
}

function compareIntegers(
  value: string | undefined,
  values: readonly string[],
  holds: (a: number, b: number) => boolean,
): boolean {
  const numbers = [value, values[0]].map((text) => (text !== undefined && /^-?\d+$/.test(text) ? Number(text) : NaN));
  return values.length === 1 && numbers.every((number) => !Number.isNaN(number)) && holds(numbers[0], numbers[1]);
}

/** A term without any requirement matches nothing. */
export function matchesTerm(node: ClusterNode, { labels = [], fields = [] }: NodeTerm): boolean {
  return (
    labels.length + fields.length > 0 &&
    labels.every((requirement) => matchesRequirement(node.labels ?? {}, requirement)) &&
    fields.every((requirement) => matchesRequirement({ 'metadata.name': node.name }, requirement))
  );
}

export function matchesAnyTerm(node: ClusterNode, terms: readonly NodeTerm[]): boolean {
  return terms.some((term) => matchesTerm(node, term));
}

export function matchesLabels(labels: Labels, wanted: Labels): boolean {
  for (const key in wanted) {
    if (valueOf(labels, key) !== wanted[key]) {
      return false;
    }
  }
  return true;
}

/** Does `selector`, written in a pod of `ownNamespace`, select a pod with these labels? */
export function selectsPod(selector: PodSelector, ownNamespace: string, namespace: string, labels: Labels): boolean {
  const namespaces = selector.namespaces ?? [ownNamespace];
  return (
    namespaces.includes(namespace) && selector.labels.every((requirement) => matchesRequirement(labels, requirement))
  );
}

/** The first taint that keeps the pod away; taints that only prefer do not. */
export function untoleratedTaint(taints: readonly Taint[], tolerations: readonly Toleration[]): Taint | undefined {
  return taints.find(
    (taint) => taint.effect !== 'PreferNoSchedule' && !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
}

/** All of them. */
export function untoleratedTaints(taints: readonly Taint[], tolerations: readonly Toleration[]): readonly Taint[] {
  return taints.filter((taint) => untoleratedTaint([taint], tolerations) !== undefined);
}

export function tolerates({ key, operator = 'Equal', value, effect }: Toleration, taint: Taint): boolean {
  if (effect !== undefined && effect !== taint.effect) {
    return false;
  }
  if (key === undefined || key === '') {
    return operator === 'Exists';
  }
  return key === taint.key && (operator === 'Exists' || (value ?? '') === (taint.value ?? ''));
}

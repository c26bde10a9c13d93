/**
 * Selectors: objects that choose others by label, and whom they choose.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { kindKey } from '../identity';
import { type Manifest } from '../manifest';
import { asArray, asObject, asString, isObject, stringsIn } from '../read';

/**
 * Whether a label selector (`matchLabels` and `matchExpressions`) chooses these labels. An empty selector chooses everything, as it does in
 * Kubernetes; one that is not there chooses nothing.
 */
export function selectorChooses(selector: JsonValue | undefined, labels: JsonObject): boolean {
  if (!isObject(selector)) {
    return false;
  }
  const expressions = asArray(selector.matchExpressions).map(asObject);
  return (
    labelsHold(asObject(selector.matchLabels), labels) &&
    expressions.every((expression) => expressionHolds(expression, labels))
  );
}

/** Whether all these labels are there, with these values: the selector of a Service. */
export function labelsHold(wanted: JsonObject, labels: JsonObject): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}

function expressionHolds({ key, operator, values }: JsonObject, labels: JsonObject): boolean {
  const value = typeof key === 'string' ? labels[key] : undefined;
  switch (asString(operator) ?? '') {
    case 'In':
      return typeof value === 'string' && stringsIn(values).includes(value);
    case 'NotIn':
      return typeof value !== 'string' || !stringsIn(values).includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}

/** What a manifest chooses by label. */
export interface Selection {
  /** Pods of the templates, or the Services with the labels. */
  readonly of: 'pods' | 'services';
  /** Namespaces that it looks into; `undefined` for all. */
  readonly namespaces: readonly string[] | undefined;
  readonly chooses: (labels: JsonObject) => boolean;
}

const POD_SELECTORS: Readonly<Record<string, string>> = {
  'apps/Deployment': 'selector',
  'apps/ReplicaSet': 'selector',
  'apps/StatefulSet': 'selector',
  'apps/DaemonSet': 'selector',
  'policy/PodDisruptionBudget': 'selector',
  'networking.k8s.io/NetworkPolicy': 'podSelector',
  'monitoring.coreos.com/PodMonitor': 'selector',
};

/** What a manifest chooses by label; `undefined` for kinds that choose nothing, and for a Service without a selector. */
export function selectionOf(manifest: Manifest): Selection | undefined {
  const kind = kindKey(manifest.id);
  const spec = asObject(manifest.object.spec);
  if (kind === 'Service') {
    const selector = asObject(spec.selector);
    if (Object.keys(selector).length === 0) {
      return undefined;
    }
    return { of: 'pods', namespaces: [manifest.id.namespace], chooses: (labels) => labelsHold(selector, labels) };
  }
  const field =
    kind === 'monitoring.coreos.com/ServiceMonitor'
      ? 'selector'
      : Object.hasOwn(POD_SELECTORS, kind)
        ? POD_SELECTORS[kind]
        : undefined;
  if (field === undefined) {
    return undefined;
  }
  return {
    of: kind === 'monitoring.coreos.com/ServiceMonitor' ? 'services' : 'pods',
    namespaces: namespacesOf(manifest, spec),
    chooses: (labels) => selectorChooses(spec[field], labels),
  };
}

/** Monitors may look into other namespaces, by name or into all. */
function namespacesOf(manifest: Manifest, spec: JsonObject): readonly string[] | undefined {
  if (manifest.id.group !== 'monitoring.coreos.com') {
    return [manifest.id.namespace];
  }
  const { any, matchNames } = asObject(spec.namespaceSelector);
  if (any === true) {
    return undefined;
  }
  const names = asArray(matchNames).flatMap((name) => asString(name) ?? []);
  return names.length > 0 ? names : [manifest.id.namespace];
}

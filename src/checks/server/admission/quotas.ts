/**
 * The ResourceQuota admission plugin: what a quota counts of an object, and which objects it counts.
 *
 * Source: Kubernetes 1.36, pkg/quota/v1/evaluator/core (pods.go, persistent_volume_claims.go, services.go, registry.go).
 */
import { type JsonObject } from '../../../facts/api/schema';
import { findKind } from '../../../facts/api/kinds';
import { type Manifest } from '../../../manifests/manifest';
import {
  type Amounts,
  amountsIn,
  type ContainerAmounts,
  containerAmounts,
  type ContainerDefaults,
  containersOf,
} from '../../../manifests/pods/pod-amounts';
import { Quantity } from '../../../manifests/values/quantity';
import { asArray, asObject, asString, isObject, objectsAt } from '../../../manifests/read';
import { claimedDevices } from './claim-use';
import { type Quota, type ScopeSelector } from './namespace-policy';
import { isMandatory, podAmountOf } from './quota-keys';

/** A pod as the plugin sees it: after the defaults of the limit ranges and of the priority. */
export interface CountedPod {
  readonly spec: JsonObject;
  readonly amounts: ContainerAmounts;
  readonly defaults: ContainerDefaults;
  /** Empty where the pod has none. */
  readonly priorityClass: string;
}

const BEST_EFFORT_COUNTED = ['cpu', 'memory'];

/** No container, and not the pod itself, requests or limits CPU or memory. */
function isBestEffort({ spec, defaults }: CountedPod): boolean {
  const asks = (amounts: Amounts): boolean =>
    BEST_EFFORT_COUNTED.some((name) => amounts.get(name)?.isPositive() === true);
  const own = asObject(spec.resources);
  return (
    !asks(amountsIn(own.requests)) &&
    !asks(amountsIn(own.limits)) &&
    containersOf(spec).every(({ container }) => {
      const { requests, limits } = containerAmounts(container, defaults);
      return !asks(requests) && !asks(limits);
    })
  );
}

/** A term of pod affinity that looks into other namespaces. */
function crossesNamespaces(spec: JsonObject): boolean {
  const affinity = asObject(spec.affinity);
  return ['podAffinity', 'podAntiAffinity'].some((kind) => {
    const terms = asObject(affinity[kind]);
    return [
      ...asArray(terms.requiredDuringSchedulingIgnoredDuringExecution).map(asObject),
      ...asArray(terms.preferredDuringSchedulingIgnoredDuringExecution).map((one) =>
        asObject(asObject(one).podAffinityTerm),
      ),
    ].some((term) => asArray(term.namespaces).length > 0 || isObject(term.namespaceSelector));
  });
}

function matchesPriority({ operator, values }: ScopeSelector, priorityClass: string): boolean {
  switch (operator) {
    case 'In':
      return values.includes(priorityClass);
    case 'NotIn':
      return !values.includes(priorityClass);
    case 'DoesNotExist':
      return priorityClass === '';
    default:
      return priorityClass !== '';
  }
}

function matchesScope(selector: ScopeSelector, pod: CountedPod): boolean {
  const { activeDeadlineSeconds } = pod.spec;
  const terminating = typeof activeDeadlineSeconds === 'number' && activeDeadlineSeconds >= 0;
  switch (selector.scope) {
    case 'Terminating':
      return terminating;
    case 'NotTerminating':
      return !terminating;
    case 'BestEffort':
      return isBestEffort(pod);
    case 'NotBestEffort':
      return !isBestEffort(pod);
    case 'PriorityClass':
      return matchesPriority(selector, pod.priorityClass);
    case 'CrossNamespacePodAffinity':
      return crossesNamespaces(pod.spec);
    default:
      return false;
  }
}

/** Whether a quota counts a pod. */
export function countsPod({ selectors }: Quota, pod: CountedPod): boolean {
  return selectors.every((selector) => matchesScope(selector, pod));
}

/** What a quota counts of one pod under this key; `undefined` where it counts nothing of pods. */
export function podUse(key: string, { requests, limits }: ContainerAmounts): Quantity | undefined {
  const amount = podAmountOf(key);
  if (amount === undefined) {
    return undefined;
  }
  if (amount.of === 'pods') {
    return Quantity.of(1);
  }
  return (amount.of === 'requests' ? requests : limits).get(amount.resource) ?? Quantity.ZERO;
}

/** The amounts that a quota demands of a container and that it does not get. */
export function unstatedAmounts({ hard }: Quota, amounts: ContainerAmounts): readonly string[] {
  return [...hard.keys()].filter((key) => {
    const amount = isMandatory(key) ? podAmountOf(key) : undefined;
    return amount !== undefined && amount.of !== 'pods' && !amounts[amount.of].has(amount.resource);
  });
}

const STORAGE_CLASS = '.storageclass.storage.k8s.io/';

/** Older names of the counts of some kinds. */
const COUNT_ALIASES: ReadonlyMap<string, string> = new Map([
  ['ConfigMap', 'configmaps'],
  ['ResourceQuota', 'resourcequotas'],
  ['ReplicationController', 'replicationcontrollers'],
  ['Secret', 'secrets'],
]);

function claimUse(spec: JsonObject): ReadonlyMap<string, Quantity> {
  const storage = amountsIn(asObject(spec.resources).requests).get('storage');
  const storageClass = asString(spec.storageClassName) ?? '';
  return new Map([
    ['persistentvolumeclaims', Quantity.of(1)],
    ['count/persistentvolumeclaims', Quantity.of(1)],
    ...(storage === undefined ? [] : ([['requests.storage', storage]] as const)),
    ...(storageClass === ''
      ? []
      : ([
          [`${storageClass}${STORAGE_CLASS}persistentvolumeclaims`, Quantity.of(1)],
          ...(storage === undefined ? [] : ([[`${storageClass}${STORAGE_CLASS}requests.storage`, storage]] as const)),
        ] as const)),
  ]);
}

function serviceUse(spec: JsonObject): ReadonlyMap<string, Quantity> {
  const ports = objectsAt(spec, '/ports').map(({ value }) => value);
  const balanced = spec.type === 'LoadBalancer';
  const nodePorts =
    balanced && spec.allocateLoadBalancerNodePorts === false
      ? ports.filter(({ nodePort }) => typeof nodePort === 'number' && nodePort !== 0)
      : balanced || spec.type === 'NodePort'
        ? ports
        : [];
  return new Map([
    ['services', Quantity.of(1)],
    ['count/services', Quantity.of(1)],
    ['services.loadbalancers', Quantity.of(balanced ? 1 : 0)],
    ['services.nodeports', Quantity.of(nodePorts.length)],
  ]);
}

/** What quotas count of an object other than a pod. */
export function objectUse({ id, object }: Manifest): ReadonlyMap<string, Quantity> {
  const spec = asObject(object.spec);
  if (id.group === '' && id.kind === 'PersistentVolumeClaim') {
    return claimUse(spec);
  }
  if (id.group === '' && id.kind === 'Service') {
    return serviceUse(spec);
  }
  const plural = findKind(id.apiVersion, id.kind)?.plural;
  const use = new Map<string, Quantity>();
  if (plural !== undefined) {
    use.set(`count/${plural}${id.group === '' ? '' : `.${id.group}`}`, Quantity.of(1));
  }
  if (id.group === 'resource.k8s.io' && id.kind === 'ResourceClaim') {
    claimedDevices(spec).forEach((count, key) => use.set(key, count));
  }
  const alias = id.group === '' ? COUNT_ALIASES.get(id.kind) : undefined;
  if (alias !== undefined) {
    use.set(alias, Quantity.of(1));
  }
  return use;
}

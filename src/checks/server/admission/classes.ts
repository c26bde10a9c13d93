/**
 * The Priority and RuntimeClass admission plugins: what the classes that a pod names make of it, and what contradicts them.
 *
 * Source: Kubernetes 1.36, plugin/pkg/admission/priority/admission.go and plugin/pkg/admission/runtimeclass/admission.go.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type Violation } from '../../rules/rule';
import { type Manifest } from '../../../manifests/manifest';
import { amountsIn } from '../../../manifests/pods/pod-amounts';
import { pointer } from '../../../manifests/pointer';
import { asInteger, asObject, asString, stringEntries } from '../../../manifests/read';
import { type ClusterContents } from './cluster-contents';

/** The class of a pod: the one that it names, or the one that is the default. */
function priorityClassOf(spec: JsonObject, { priorityClasses }: ClusterContents): Manifest | undefined {
  const name = asString(spec.priorityClassName) ?? '';
  if (name !== '') {
    return priorityClasses.get(name);
  }
  const defaults = [...priorityClasses.values()].filter(({ object }) => object.globalDefault === true);
  // Of several defaults the one with the lowest value counts.
  return defaults.sort((a, b) => (asInteger(a.object.value) ?? 0) - (asInteger(b.object.value) ?? 0))[0];
}

/** The name of the class that the pod gets; empty where it gets none. */
export function priorityClassName(spec: JsonObject, contents: ClusterContents): string {
  return asString(spec.priorityClassName) || (priorityClassOf(spec, contents)?.id.name ?? '');
}

/** What contradicts the priority class. */
export function* priorityViolations(spec: JsonObject, contents: ClusterContents): Iterable<Violation> {
  const found = priorityClassOf(spec, contents);
  const named = (asString(spec.priorityClassName) ?? '') !== '';
  // A class that is not listed may have any values, and so may a default class of the cluster.
  if (found === undefined && (named || !contents.complete.has(''))) {
    return;
  }
  const value = asInteger(found?.object.value) ?? 0;
  const priority = asInteger(spec.priority);
  if (priority !== undefined && priority !== value) {
    yield {
      path: '/spec/priority',
      message:
        found === undefined
          ? `priority must be unset or ${value} in a pod without a priority class, but is ${priority}`
          : `priority must be unset or equal to the value of the PriorityClass "${found.id.name}" (${priority} != ${value})`,
      found: priority,
      expected: 'unset',
      fix: `Remove priority from the pod${found === undefined ? ', and set priorityClassName' : ''}.`,
    };
  }
  const policy = asString(found?.object.preemptionPolicy) ?? 'PreemptLowerPriority';
  const own = asString(spec.preemptionPolicy);
  if (own !== undefined && own !== policy) {
    yield {
      path: '/spec/preemptionPolicy',
      message:
        found === undefined
          ? `preemptionPolicy must be unset or ${policy} in a pod without a priority class, but is "${own}"`
          : `preemptionPolicy must be unset or equal to that of the PriorityClass "${found.id.name}" (${own} != ${policy})`,
      found: own,
      expected: 'unset',
      fix: `Remove preemptionPolicy from the pod${found === undefined ? ', and set priorityClassName' : ''}.`,
    };
  }
}

function runtimeClassOf(spec: JsonObject, { runtimeClasses }: ClusterContents): Manifest | undefined {
  const name = asString(spec.runtimeClassName) ?? '';
  return name === '' ? undefined : runtimeClasses.get(name);
}

/** The pod with the overhead of its RuntimeClass. */
export function withOverhead(spec: JsonObject, contents: ClusterContents): JsonObject {
  const overhead = asObject(runtimeClassOf(spec, contents)?.object.overhead).podFixed;
  return overhead === undefined ? spec : { ...spec, overhead };
}

function sameAmounts(a: JsonObject, b: JsonObject): boolean {
  const [one, other] = [amountsIn(a), amountsIn(b)];
  return one.size === other.size && [...one].every(([name, amount]) => other.get(name)?.compare(amount) === 0);
}

/** What contradicts the runtime class. */
export function* runtimeClassViolations(spec: JsonObject, contents: ClusterContents): Iterable<Violation> {
  const found = runtimeClassOf(spec, contents);
  const named = (asString(spec.runtimeClassName) ?? '') !== '';
  const overhead = asObject(spec.overhead);
  const fixed = asObject(asObject(found?.object.overhead).podFixed);
  // Of a class that is not known, nothing is known of its overhead.
  if ((found !== undefined || !named) && Object.keys(overhead).length > 0 && !sameAmounts(overhead, fixed)) {
    yield {
      path: '/spec/overhead',
      message:
        found === undefined
          ? 'overhead must not be set in a pod without a RuntimeClass'
          : `overhead must be unset or equal to that of the RuntimeClass "${found.id.name}"`,
      found: overhead,
      expected: 'unset',
      fix: 'Remove overhead from the pod.',
    };
  }
  const selector = asObject(spec.nodeSelector);
  for (const [key, value] of stringEntries(asObject(asObject(found?.object.scheduling).nodeSelector))) {
    const own = Object.hasOwn(selector, key) ? asString(selector[key]) : undefined;
    if (own !== undefined && own !== value) {
      yield {
        path: pointer('/spec/nodeSelector', key),
        message: `nodeSelector must not contradict the RuntimeClass "${found?.id.name ?? ''}", which selects ${key}: ${value}`,
        found: own,
        expected: value,
      };
    }
  }
}

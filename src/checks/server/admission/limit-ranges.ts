/**
 * The LimitRanger admission plugin: bounds of containers, pods, and claims, after its defaults.
 *
 * Source: Kubernetes 1.36, plugin/pkg/admission/limitranger/admission.go.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type Violation } from '../../rules/rule';
import { kindAndName } from '../../../manifests/manifest';
import {
  type Amounts,
  amountsIn,
  type ContainerAmounts,
  containerAmounts,
  type ContainerDefaults,
  containersOf,
  podAmounts,
} from '../../../manifests/pods/pod-amounts';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { asObject, asString } from '../../../manifests/read';
import { type LimitItem, type NamespacePolicy } from './namespace-policy';

const boundsOfItems = new WeakMap<LimitItem, Bounds>();

/** Read once for each item, since each pod and claim of the namespace is held to it. */
function boundsOf(item: LimitItem): Bounds {
  let bounds = boundsOfItems.get(item);
  if (bounds === undefined) {
    const { max, min, maxLimitRequestRatio } = item.value;
    bounds = { max: amountsIn(max), min: amountsIn(min), ratio: amountsIn(maxLimitRequestRatio) };
    boundsOfItems.set(item, bounds);
  }
  return bounds;
}

/** What the limit ranges of a namespace reject of a pod; paths start from the object with its `spec`. */
export function* limitViolations(spec: JsonObject, { limits, defaults }: NamespacePolicy): Iterable<BoundViolation> {
  const subjects = new Map<string, readonly Subject[]>();
  for (const item of limits) {
    const { max, min, ratio } = boundsOf(item);
    if (max.size + min.size + ratio.size === 0) {
      continue;
    }
    let bounded = subjects.get(item.type);
    if (bounded === undefined) {
      subjects.set(item.type, (bounded = subjectsOf(item.type, spec, defaults)));
    }
    for (const { name, path, amounts } of bounded) {
      for (const violation of outside(amounts, { max, min, ratio })) {
        const place = path === '/spec' ? 'the containers of the pod' : fieldOf(path);
        yield {
          ...violation,
          path,
          message: `${name} ${violation.message} in the ${kindAndName(item.manifest.id)}`,
          fix: `Set ${violation.amount} in ${place}, or change spec.limits of the ${kindAndName(item.manifest.id)}.`,
        };
      }
    }
  }
}

/** What they reject of a claim, whose requests alone count: there are no defaults, and limits are ignored. */
export function* claimViolations(spec: JsonObject, { limits }: NamespacePolicy): Iterable<Violation> {
  const requests = amountsIn(asObject(spec.resources).requests);
  for (const item of limits.filter(({ type }) => type === 'PersistentVolumeClaim')) {
    const { min, max } = boundsOf(item);
    const of = `the ${kindAndName(item.manifest.id)}`;
    for (const [resource, bound] of max) {
      const amount = requests.get(resource);
      if (amount === undefined || amount.isGreaterThan(bound)) {
        yield {
          path: pointer('/resources/requests', resource),
          message: `the claim ${amount === undefined ? `must set a request for ${resource}, because there is a` : `has a request of ${amount.toString()} for ${resource}, more than the`} maximum of ${bound.toString()} in ${of}`,
          expected: `at most ${bound.toString()}`,
          fix: `Set ${fieldOf(pointer('/requests', resource))} of the claim to at most ${bound.toString()}, or change spec.limits of ${of}.`,
        };
      }
    }
    for (const [resource, bound] of min) {
      const amount = requests.get(resource);
      if (amount === undefined || amount.isLessThan(bound)) {
        yield {
          path: pointer('/resources/requests', resource),
          message: `the claim ${amount === undefined ? `must set a request for ${resource}, because there is a` : `has a request of ${amount.toString()} for ${resource}, less than the`} minimum of ${bound.toString()} in ${of}`,
          expected: `at least ${bound.toString()}`,
          fix: `Set ${fieldOf(pointer('/requests', resource))} of the claim to at least ${bound.toString()}, or change spec.limits of ${of}.`,
        };
      }
    }
  }
}

/** Requests that a default limit of the namespace makes invalid: they exceed the limit that the container does not set itself. */
export function* defaultLimitViolations(spec: JsonObject, { defaults }: NamespacePolicy): Iterable<Violation> {
  if (defaults.limits.size === 0 && defaults.requests.size === 0) {
    return;
  }
  yield* podLevelViolations(spec, defaults);
  for (const { container, path } of containersOf(spec)) {
    const { requests, limits } = asObject(container.resources);
    const own = amountsIn(limits);
    for (const [resource, amount] of amountsIn(requests)) {
      const limit = own.has(resource) ? undefined : defaults.limits.get(resource);
      if (limit === undefined || !amount.isGreaterThan(limit)) {
        continue;
      }
      yield {
        path: pointer(`/spec${path}/resources/requests`, resource),
        message: `the request of ${containerWords(container)} exceeds the default limit of the namespace (${amount.toString()} > ${limit.toString()} ${resource})`,
        found: amount.toString(),
        expected: `a limit of at least ${amount.toString()}`,
        fix: `Set ${fieldOf(pointer('/limits', resource))} in ${fieldOf(`/spec${path}/resources`)} to at least ${amount.toString()}, or remove ${resource} from default in the LimitRange.`,
      };
    }
  }
}

/**
 * Requests of the pod as a whole that default requests of its containers exceed. The server fills in what the pod does not state from its
 * containers and its limits, before the defaults of the namespace.
 *
 * Source: Kubernetes 1.36, pkg/apis/core/v1/defaults.go (defaultPodRequests); pkg/apis/core/validation (validatePodResourceConsistency).
 */
function* podLevelViolations(spec: JsonObject, defaults: ContainerDefaults): Iterable<Violation> {
  const own = asObject(spec.resources);
  const limits = amountsIn(own.limits);
  const requests = amountsIn(own.requests);
  if (limits.size + requests.size === 0) {
    return;
  }
  const withoutOwn = { ...spec, overhead: null, resources: null };
  const before = podAmounts(withoutOwn).requests;
  for (const [resource, amount] of podAmounts(withoutOwn, defaults).requests) {
    const filled = limits.size === 0 ? undefined : (before.get(resource) ?? limits.get(resource));
    const ofPod = POD_LEVEL.has(resource) ? (requests.get(resource) ?? filled) : undefined;
    if (ofPod !== undefined && amount.isGreaterThan(ofPod) && before.get(resource)?.isGreaterThan(ofPod) !== true) {
      yield {
        path: pointer('/spec/resources/requests', resource),
        message: `the default requests of the namespace make the containers request more ${resource} than the pod (${amount.toString()} > ${ofPod.toString()})`,
        found: ofPod.toString(),
        expected: `at least ${amount.toString()}`,
        fix: `Set ${fieldOf(pointer('/requests', resource))} in spec.resources of the pod to at least ${amount.toString()}, or set smaller requests in its containers.`,
      };
    }
  }
}

/** Resources that a pod may request as a whole. */
const POD_LEVEL: ReadonlySet<string> = new Set(['cpu', 'memory']);

/** The plugin runs before the overhead of the RuntimeClass counts. */
function withoutOverhead(spec: JsonObject): JsonObject {
  return { ...spec, overhead: null };
}

interface Subject {
  readonly name: string;
  readonly path: string;
  readonly amounts: ContainerAmounts;
}

/** Whom an item of this type bounds. */
function containerWords(container: JsonObject): string {
  const name = asString(container.name) ?? '';
  return name === '' ? 'a container' : `the container "${name}"`;
}

function subjectsOf(type: string, spec: JsonObject, defaults: ContainerDefaults): readonly Subject[] {
  if (type === 'Pod') {
    return [{ name: 'the pod', path: '/spec', amounts: podAmounts(withoutOverhead(spec), defaults) }];
  }
  if (type !== 'Container') {
    return [];
  }
  return containersOf(spec).map(({ container, path }) => ({
    name: containerWords(container),
    path: `/spec${path}/resources`,
    amounts: containerAmounts(container, defaults),
  }));
}

interface Bounds {
  readonly max: Amounts;
  readonly min: Amounts;
  /** How many times its request a limit may be. */
  readonly ratio: Amounts;
}

/** A bound that something exceeds. */
export interface BoundViolation extends Violation {
  /** What to set, and to which amount. */
  readonly amount: string;
  /** Nothing is stated where the bound demands it. */
  readonly missing: boolean;
}

function* aboveMaximum({ requests, limits }: ContainerAmounts, max: Amounts): Iterable<BoundViolation> {
  for (const [resource, bound] of max) {
    const [limit, request] = [limits.get(resource), requests.get(resource)];
    const amount = [limit, request].find((one) => one?.isGreaterThan(bound));
    if (amount === undefined && limit !== undefined) {
      continue;
    }
    const expected = `a limit of at most ${bound.toString()}`;
    const isRequest = amount !== undefined && amount !== limit;
    const write = `${fieldOf(pointer(isRequest ? '/requests' : '/limits', resource))} to at most ${bound.toString()}`;
    if (amount !== undefined) {
      const message = `has a ${amount === limit ? 'limit' : 'request'} of ${amount.toString()} for ${resource}, more than the maximum of ${bound.toString()}`;
      yield { message, found: amount.toString(), expected, amount: write, missing: false };
    } else {
      yield {
        message: `must set a limit for ${resource}, because there is a maximum of ${bound.toString()}`,
        expected,
        amount: write,
        missing: true,
      };
    }
  }
}

/** A bound is also a requirement: a container without a limit exceeds every maximum, and one without a request is below every minimum. */
function* outside({ requests, limits }: ContainerAmounts, { max, min, ratio }: Bounds): Iterable<BoundViolation> {
  yield* aboveMaximum({ requests, limits }, max);
  for (const [resource, bound] of min) {
    const amount = requests.get(resource);
    const limited = limits.get(resource);
    if (amount?.isLessThan(bound) === false && limited?.isLessThan(bound) !== true) {
      continue;
    }
    const expected = `a request of at least ${bound.toString()}`;
    const write = `${fieldOf(pointer('/requests', resource))} to at least ${bound.toString()}`;
    if (amount === undefined) {
      yield {
        message: `must set a request for ${resource}, because there is a minimum of ${bound.toString()}`,
        expected,
        amount: write,
        missing: true,
      };
    } else if (amount.isLessThan(bound)) {
      const message = `has a request of ${amount.toString()} for ${resource}, less than the minimum of ${bound.toString()}`;
      yield { message, found: amount.toString(), expected, amount: write, missing: false };
    } else {
      const limit = limited?.toString() ?? '';
      const message = `has a limit of ${limit} for ${resource}, less than the minimum of ${bound.toString()}`;
      yield {
        message,
        found: limit,
        expected,
        amount: `${fieldOf(pointer('/limits', resource))} to at least ${bound.toString()}`,
        missing: false,
      };
    }
  }
  for (const [resource, bound] of ratio) {
    const [request, limit] = [requests.get(resource), limits.get(resource)];
    const expected = `a limit of at most ${bound.toString()} times the request`;
    const write = `${fieldOf(pointer('/limits', resource))} to at most ${bound.toString()} times ${fieldOf(pointer('/requests', resource))}`;
    if (request === undefined || request.isZero() || limit === undefined || limit.isZero()) {
      const message = `must set both a request and a limit for ${resource}, because there is a maxLimitRequestRatio of ${bound.toString()}`;
      yield { message, expected, amount: write, missing: true };
    } else if (limit.toNumber() > request.toNumber() * bound.toNumber()) {
      const message = `has a limit of ${limit.toString()} and a request of ${request.toString()} for ${resource}, which exceeds the maxLimitRequestRatio of ${bound.toString()}`;
      yield { message, found: limit.toString(), expected, amount: write, missing: false };
    }
  }
}

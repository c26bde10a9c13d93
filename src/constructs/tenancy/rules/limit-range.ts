/**
 * LimitRange: unintended defaults, and pods that the LimitRanger admission plugin rejects.
 */
import { isExtendedResource } from '../../../facts/catalog';
import { type Rule, type Violation } from '../../../checks/rule';
import { describeId } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { type PodTemplate } from '../../../manifests/pod-template';
import { pointer } from '../../../manifests/pointer';
import { asObject, asString, isObject } from '../../../manifests/read';
import {
  type Amounts,
  amountsIn,
  type ContainerAmounts,
  containerAmounts,
  type ContainerDefaults,
  containersOf,
} from '../../../manifests/pod-amounts';
import { amountsOf, containerDefaultsOf, limitItemsIn, namespaceIsOurs, policyOf } from '../namespace-policy';

const noDevicesByDefault: Rule = {
  id: 'tenancy/limit-range-gives-no-devices',
  row: 'K9',
  on: 'object',
  kinds: ['LimitRange'],
  tier: 'advice',
  severity: 'error',
  summary:
    'A LimitRange must not give devices to containers that request none: a maximum of devices requires a default of 0.',
  why: 'A maximum without a default is also the default: every sidecar and init container in the namespace then gets that number of GPUs.',
  source: 'Kubernetes 1.36, pkg/apis/core/v1/defaults.go (SetDefaults_LimitRangeItem)',
  fix: 'Set default: {"<resource>": "0"} in addition to max, or limit devices with a ResourceQuota.',
  *check(manifest) {
    for (const item of limitItemsIn(manifest)) {
      if (item.type !== 'Container') {
        continue;
      }
      for (const [resource, amount] of containerDefaultsOf(item).limits) {
        if (!isExtendedResource(resource) || !amount.isPositive()) {
          continue;
        }
        const field = isObject(item.value.default) && resource in item.value.default ? 'default' : 'max';
        yield {
          path: pointer(item.path, field, resource),
          message: `every container in the namespace that requests no ${resource} gets ${amount.toString()}${field === 'max' ? ', because a maximum is also the default' : ''}`,
          found: amount.toString(),
          expected: `a default of 0 for ${resource}`,
        };
      }
    }
  },
};

const withinLimitRange: Rule = {
  id: 'tenancy/container-within-limits',
  on: 'pod-template',
  sees: 'namespace',
  tier: 'advice',
  severity: 'error',
  summary:
    'Containers and pods must be within the minimum, maximum, and ratio of the LimitRanges in their namespace, and must set the amounts that these limit.',
  why: 'The pods are rejected when the controller creates them; the workload itself is accepted.',
  source: 'Kubernetes 1.36, plugin/pkg/admission/limitranger/admission.go',
  fix: 'Set resources.requests and resources.limits to amounts within the limits, or change the LimitRange.',
  *check(template, { set }) {
    const { limits, defaults } = policyOf(set, template.manifest.id.namespace);
    for (const { type, value, manifest } of limits) {
      const bounds = {
        max: amountsIn(value.max),
        min: amountsIn(value.min),
        ratio: amountsIn(value.maxLimitRequestRatio),
      };
      if (bounds.max.size + bounds.min.size + bounds.ratio.size === 0) {
        continue;
      }
      for (const { name, path, amounts } of subjectsOf(type, template, defaults, set)) {
        for (const { missing, ...violation } of outside(amounts, bounds)) {
          yield {
            path,
            ...violation,
            message: `${name} ${violation.message} of ${describeId(manifest.id)}`,
            // Another limit range of the cluster may give a default.
            severity: missing && !namespaceIsOurs(set, manifest.id.namespace) ? 'warning' : 'error',
          };
        }
      }
    }
  },
};

const defaultLimitCovers: Rule = {
  id: 'tenancy/default-limit-covers-request',
  on: 'pod-template',
  sees: 'namespace',
  tier: 'advice',
  severity: 'error',
  summary: 'The request of a container without a limit must not exceed the default limit of its namespace.',
  why: 'The LimitRange fills in its default limit, which is then below the request, and every pod is rejected. This affects training pods that deliberately set no CPU limit.',
  source:
    'Kubernetes 1.36, plugin/pkg/admission/limitranger/admission.go; pkg/apis/core/validation (request above limit)',
  fix: 'Set resources.limits of the container, or remove the resource from default of the LimitRange.',
  *check(template, { set }) {
    const { defaults } = policyOf(set, template.manifest.id.namespace);
    if (defaults.limits.size === 0) {
      return;
    }
    for (const { container, path } of containersOf(template.spec)) {
      const { requests, limits } = asObject(container.resources);
      const own = amountsIn(limits);
      for (const [resource, amount] of amountsIn(requests)) {
        const limit = own.has(resource) ? undefined : defaults.limits.get(resource);
        if (limit === undefined || !amount.isGreaterThan(limit)) {
          continue;
        }
        yield {
          path: pointer(`/spec${path}/resources/requests`, resource),
          message: `the request of the container ${asString(container.name) ?? '(no name)'} exceeds the default limit of the namespace (${amount.toString()} > ${limit.toString()} ${resource})`,
          found: amount.toString(),
          expected: `a limit of its own of at least ${amount.toString()}`,
        };
      }
    }
  },
};

interface Subject {
  readonly name: string;
  readonly path: string;
  readonly amounts: ContainerAmounts;
}

/** Whom an item of this type bounds. */
function subjectsOf(
  type: string,
  template: PodTemplate,
  defaults: ContainerDefaults,
  set: ManifestSet,
): readonly Subject[] {
  if (type === 'Pod') {
    return [{ name: 'the pod', path: '/spec', amounts: amountsOf(template, set) }];
  }
  if (type !== 'Container') {
    return [];
  }
  return containersOf(template.spec).map(({ container, path }) => ({
    name: `the container ${asString(container.name) ?? '(no name)'}`,
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

interface BoundViolation extends Violation {
  /** Nothing is stated where the bound demands it. */
  readonly missing: boolean;
}

/** A bound is also a requirement: a container without a limit exceeds every maximum, and one without a request is below every minimum. */
function* outside({ requests, limits }: ContainerAmounts, { max, min, ratio }: Bounds): Iterable<BoundViolation> {
  for (const [resource, bound] of max) {
    const amount = [limits.get(resource), requests.get(resource)].find((one) => one?.isGreaterThan(bound));
    const expected = `a limit of at most ${bound.toString()}`;
    if (amount !== undefined) {
      const message = `has ${amount.toString()} of ${resource}, more than the maximum ${bound.toString()}`;
      yield { message, found: amount.toString(), expected, missing: false };
    } else if (!limits.has(resource)) {
      yield {
        message: `sets no limit of ${resource}, which is required by the maximum ${bound.toString()}`,
        expected,
        missing: true,
      };
    }
  }
  for (const [resource, bound] of min) {
    const amount = requests.get(resource);
    const expected = `a request of at least ${bound.toString()}`;
    if (amount === undefined) {
      yield {
        message: `sets no request of ${resource}, which is required by the minimum ${bound.toString()}`,
        expected,
        missing: true,
      };
    } else if (amount.isLessThan(bound)) {
      const message = `requests ${amount.toString()} of ${resource}, less than the minimum ${bound.toString()}`;
      yield { message, found: amount.toString(), expected, missing: false };
    }
  }
  for (const [resource, bound] of ratio) {
    const [request, limit] = [requests.get(resource), limits.get(resource)];
    const expected = `a limit of at most ${bound.toString()} times the request`;
    if (request === undefined || request.isZero() || limit === undefined || limit.isZero()) {
      const message = `must set both request and limit of ${resource}, as required by the ratio ${bound.toString()}`;
      yield { message, expected, missing: true };
    } else if (limit.toNumber() > request.toNumber() * bound.toNumber()) {
      const message = `limits ${resource} to ${limit.toString()} and requests ${request.toString()}, which exceeds the ratio ${bound.toString()}`;
      yield { message, found: limit.toString(), expected, missing: false };
    }
  }
}

export const limitRangeRules: readonly Rule[] = [noDevicesByDefault, withinLimitRange, defaultLimitCovers];

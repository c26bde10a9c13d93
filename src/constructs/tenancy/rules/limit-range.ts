/**
 * LimitRange: defaults that nobody meant, and pods that the LimitRanger admission plugin will refuse.
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
    'A LimitRange gives no device to containers that ask for none; a maximum of devices stands with a default of 0.',
  why: 'A maximum without a default is the default: every sidecar and init container of the namespace then takes that many GPUs.',
  source: 'Kubernetes 1.36, pkg/apis/core/v1/defaults.go (SetDefaults_LimitRangeItem)',
  fix: 'Write default: {"<resource>": "0"} beside the maximum, or bound devices with a ResourceQuota.',
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
          message: `Every container of the namespace that asks for no ${resource} gets ${amount.toString()}${field === 'max' ? ', since a maximum is also the default' : ''}.`,
          found: amount.toString(),
          expected: `default ${resource} 0`,
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
    'Containers and pods stay within minimum, maximum and ratio of the limit ranges of their namespace, and state what these bound.',
  why: 'The pods are refused when the controller makes them; the workload itself is accepted.',
  source: 'Kubernetes 1.36, plugin/pkg/admission/limitranger/admission.go',
  fix: 'Ask for an amount within the bounds, or widen them.',
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
            message: `${name} ${violation.message} of ${describeId(manifest.id)}.`,
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
  summary: 'A container that states a request and no limit requests no more than the default limit of its namespace.',
  why: 'The LimitRange fills in its limit, the limit is then below the request, and every pod is refused. Training pods that leave out the CPU limit on purpose meet this first.',
  source:
    'Kubernetes 1.36, plugin/pkg/admission/limitranger/admission.go; pkg/apis/core/validation (request above limit)',
  fix: 'State the limit on the container, or leave that resource out of the default of the LimitRange.',
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
          message: `Container ${asString(container.name) ?? '(no name)'} requests ${amount.toString()} of ${resource} and gets the namespace's default limit, ${limit.toString()}.`,
          found: amount.toString(),
          expected: `a limit of its own, at least ${amount.toString()}`,
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
    return [{ name: 'The pod', path: '/spec', amounts: amountsOf(template, set) }];
  }
  if (type !== 'Container') {
    return [];
  }
  return containersOf(template.spec).map(({ container, path }) => ({
    name: `Container ${asString(container.name) ?? '(no name)'}`,
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

/** A bound is also a demand: whoever states no limit exceeds every maximum, whoever states no request falls below every minimum. */
function* outside({ requests, limits }: ContainerAmounts, { max, min, ratio }: Bounds): Iterable<BoundViolation> {
  for (const [resource, bound] of max) {
    const amount = [limits.get(resource), requests.get(resource)].find((one) => one?.isGreaterThan(bound));
    const expected = `a limit of at most ${bound.toString()}`;
    if (amount !== undefined) {
      const message = `has ${amount.toString()} of ${resource}, above the maximum ${bound.toString()}`;
      yield { message, found: amount.toString(), expected, missing: false };
    } else if (!limits.has(resource)) {
      yield {
        message: `states no limit of ${resource}, which the maximum ${bound.toString()} demands`,
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
        message: `states no request of ${resource}, which the minimum ${bound.toString()} demands`,
        expected,
        missing: true,
      };
    } else if (amount.isLessThan(bound)) {
      const message = `requests ${amount.toString()} of ${resource}, below the minimum ${bound.toString()}`;
      yield { message, found: amount.toString(), expected, missing: false };
    }
  }
  for (const [resource, bound] of ratio) {
    const [request, limit] = [requests.get(resource), limits.get(resource)];
    const expected = `a limit of at most ${bound.toString()} times the request`;
    if (request === undefined || request.isZero() || limit === undefined || limit.isZero()) {
      const message = `states not both request and limit of ${resource}, which the ratio ${bound.toString()} demands`;
      yield { message, expected, missing: true };
    } else if (limit.toNumber() > request.toNumber() * bound.toNumber()) {
      const message = `limits ${resource} to ${limit.toString()} and requests ${request.toString()}, beyond the ratio ${bound.toString()}`;
      yield { message, found: limit.toString(), expected, missing: false };
    }
  }
}

export const limitRangeRules: readonly Rule[] = [noDevicesByDefault, withinLimitRange, defaultLimitCovers];

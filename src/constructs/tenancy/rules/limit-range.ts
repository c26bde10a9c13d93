/**
 * LimitRange: unintended defaults, and pods that the LimitRanger admission plugin rejects.
 */
import { isExtendedResource } from '../../../facts/catalog';
import { type Rule } from '../../../checks/rules/rule';
import {
  claimViolations,
  defaultLimitViolations,
  limitViolations,
} from '../../../checks/server/admission/limit-ranges';
import {
  containerDefaultsOf,
  limitItemsIn,
  namespaceIsOurs,
  policyOf,
} from '../../../checks/server/admission/namespace-policy';
import { pointer } from '../../../manifests/pointer';
import { asObject, isObject, objectsAt } from '../../../manifests/read';

const LIMIT_RANGER = 'Kubernetes 1.36, plugin/pkg/admission/limitranger/admission.go';

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
  fix: 'Set default of each device to "0", or limit devices with a ResourceQuota instead.',
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
          message: `every container in the namespace without a limit for ${resource} gets ${amount.toString()}${field === 'max' ? ', because max is also the default' : ''}`,
          found: amount.toString(),
          expected: `a default of 0 for ${resource}`,
          fix: `Set default["${resource}"] to "0", or remove ${resource} from ${field} and limit it with a ResourceQuota.`,
        };
      }
    }
  },
};

const withinLimitRange: Rule = {
  id: 'tenancy/container-within-limits',
  on: 'pod-template',
  sees: 'namespace',
  tier: 'server',
  severity: 'error',
  summary:
    'Containers and pods must be within the minimum, maximum, and ratio of the LimitRanges in their namespace, and must set the amounts that these limit.',
  why: 'The pods are rejected when the controller creates them; the workload itself is accepted.',
  source: LIMIT_RANGER,
  fix: 'Set resources.requests and resources.limits to amounts within the limits, or change spec.limits of the LimitRange.',
  *check({ manifest, spec }, { set }) {
    const { namespace } = manifest.id;
    for (const violation of limitViolations(spec, policyOf(set, manifest))) {
      // Another limit range of the cluster may give a default.
      yield { ...violation, severity: violation.missing && !namespaceIsOurs(set, namespace) ? 'warning' : 'error' };
    }
  },
};

const claimWithinLimits: Rule = {
  id: 'tenancy/claim-within-limits',
  on: 'object',
  kinds: ['PersistentVolumeClaim', 'apps/StatefulSet'],
  tier: 'server',
  severity: 'error',
  summary: 'A claim must be within the minimum and maximum storage of the LimitRanges in its namespace.',
  why: 'The API server rejects the claim; the claims of a StatefulSet are rejected when its controller creates them.',
  source: LIMIT_RANGER,
  fix: 'Set spec.resources.requests.storage to an amount within the limits, or change spec.limits of the LimitRange.',
  *check(manifest, { set }) {
    const { id, object } = manifest;
    const policy = policyOf(set, manifest);
    const claims =
      id.kind === 'StatefulSet'
        ? objectsAt(object, '/spec/volumeClaimTemplates').map(({ value, path }) => ({ value, path: `${path}/spec` }))
        : [{ value: object, path: '/spec' }];
    for (const { value, path } of claims) {
      for (const violation of claimViolations(asObject(value.spec), policy)) {
        yield { ...violation, path: path + (violation.path ?? '') };
      }
    }
  },
};

const defaultLimitCovers: Rule = {
  id: 'tenancy/default-limit-covers-request',
  on: 'pod-template',
  sees: 'namespace',
  tier: 'server',
  severity: 'error',
  summary: 'The request of a container without a limit must not exceed the default limit of its namespace.',
  why: 'The LimitRange fills in its default limit, which is then below the request, and every pod is rejected. This affects training pods that deliberately set no CPU limit.',
  source:
    'Kubernetes 1.36, plugin/pkg/admission/limitranger/admission.go; pkg/apis/core/validation (request above limit)',
  fix: 'Set resources.limits in the container, or remove the resource from default in the LimitRange.',
  check: ({ manifest, spec }, { set }) => defaultLimitViolations(spec, policyOf(set, manifest)),
};

export const limitRangeRules: readonly Rule[] = [
  noDevicesByDefault,
  withinLimitRange,
  claimWithinLimits,
  defaultLimitCovers,
];

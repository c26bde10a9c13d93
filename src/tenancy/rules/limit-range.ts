/**
 * LimitRange: defaults that nobody meant.
 */
import { isExtendedResource } from '../../catalog';
import { type Rule } from '../../checks/rule';
import { pointer } from '../../manifests/pointer';
import { isObject } from '../../manifests/read';
import { containerDefaultsOf, limitItemsIn } from '../namespace-policy';

const noDevicesByDefault: Rule = {
  id: 'tenancy/limit-range-gives-no-devices',
  row: 'K9',
  on: 'object',
  kinds: ['LimitRange'],
  tier: 'advice',
  severity: 'error',
  summary: 'A LimitRange gives no device to containers that ask for none; a maximum of devices stands with a default of 0.',
  why: 'A maximum without a default is the default: every sidecar and init container of the namespace then takes that many GPUs.',
  source: 'Kubernetes 1.36, pkg/apis/core/v1/defaults.go (SetDefaults_LimitRangeItem)',
  fix: 'Write default: {"<resource>": "0"} beside the maximum, or bound devices with a ResourceQuota.',
  *check(manifest) {
    for (const item of limitItemsIn(manifest)) {
      if (item.type !== 'Container') continue;
      for (const [resource, amount] of containerDefaultsOf(item).limits) {
        if (!isExtendedResource(resource) || !amount.isPositive()) continue;
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

export const limitRangeRules: readonly Rule[] = [noDevicesByDefault];

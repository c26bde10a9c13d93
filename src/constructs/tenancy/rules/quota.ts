/**
 * ResourceQuota: keys that count, amounts that can be meant, defaults beside mandatory amounts.
 */
import { fixesByField } from '../../../checks/rules/field-fix';
import { cite } from '../../../facts/upstream';
import { findResource, isExtendedResource } from '../../../facts/catalog';
import { type JsonValue } from '../../../facts/api/schema';
import { type Rule } from '../../../checks/rules/rule';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { pointer, fieldOf } from '../../../manifests/pointer';
import { parseQuantity, Quantity } from '../../../manifests/values/quantity';
import { asObject } from '../../../manifests/read';
import { containersOf } from '../../../manifests/pods/pod-amounts';
import { limitItemsIn, policyOf, quotaOf } from '../../../checks/server/admission/namespace-policy';
import { countedInsteadOf, isMandatory, podAmountOf } from '../../../checks/server/admission/quota-keys';
import { allOf } from '../../../facts/words';

const ONE_MEBIBYTE = Quantity.of(2n ** 20n, 'BinarySI');
const QUOTA_SOURCE = 'Kubernetes 1.36, pkg/quota/v1/evaluator/core/pods.go';

/** HAMi keeps quotas of its own, read from `limits.<resource>`; its amounts beside the device name give it away. */
const HAMI_AMOUNTS = /\/(?:gpumem|gpumem-percentage|gpucores)$/;

const hamiInSet = new WeakMap<ManifestSet, boolean>();

function usesHami(set: ManifestSet): boolean {
  let found = hamiInSet.get(set);
  if (found === undefined) {
    const named = [
      ...set.podTemplates
        .flatMap(({ spec }) => containersOf(spec))
        .flatMap(({ container }) => Object.keys(asObject(asObject(container.resources).limits))),
      ...set.ofKind('ResourceQuota').flatMap(({ object }) => Object.keys(asObject(asObject(object.spec).hard))),
    ];
    found = named.some((name) => HAMI_AMOUNTS.test(name));
    hamiInSet.set(set, found);
  }
  return found;
}

const keyCounted: Rule = {
  id: 'tenancy/quota-key-counted',
  row: 'K10',
  on: 'object',
  kinds: ['ResourceQuota'],
  tier: 'advice',
  severity: 'error',
  summary: 'A quota must name extended resources with the prefix `requests.`, the only form that Kubernetes counts.',
  why: 'The API server accepts `limits.nvidia.com/gpu` and `nvidia.com/gpu` but counts neither: the namespace has no GPU limit at all.',
  source: `${QUOTA_SOURCE}; ${cite('hami')}, pkg/device/quota.go for its exception`,
  fix: 'Rename the key in spec.hard to `requests.<resource>`, unless HAMi reads `limits.<resource>` for its own quotas.',
  *check(manifest, { set }) {
    const hard = asObject(asObject(manifest.object.spec).hard);
    for (const key of Object.keys(hard)) {
      const counted = countedInsteadOf(key);
      if (counted === undefined || (key.startsWith('limits.') && usesHami(set))) {
        continue;
      }
      const beside = counted in hard;
      yield {
        path: pointer('/spec/hard', key),
        message: `${key} has no effect: Kubernetes counts only ${counted}`,
        found: key,
        expected: counted,
        fix: beside
          ? `Remove hard["${key}"], because hard["${counted}"] is already set.`
          : `Rename the key "${key}" in spec.hard to ${counted}.`,
      };
    }
  },
};

const wholeDevices: Rule = fixesByField({
  id: 'tenancy/quota-devices-whole',
  row: 'K10',
  on: 'object',
  kinds: ['ResourceQuota', 'LimitRange'],
  tier: 'advice',
  severity: 'warning',
  summary: 'Amounts of extended resources must be integers.',
  why: 'Containers can only request whole devices, so the fraction is never used; half a GPU is a different resource.',
  source: 'kube-apiserver 1.36.2 as observed: it takes fractions here and refuses them in containers',
  fix: 'Set spec.hard to an integer, or use the resource of the share (nvidia.com/gpu.shared, a MIG profile).',
  *check(manifest) {
    for (const { resource, value, path } of amountPlaces(manifest)) {
      const quantity = parseQuantity(value);
      if (quantity === undefined || quantity.isInteger() || !isExtendedResource(resource)) {
        continue;
      }
      yield {
        path,
        message: `${resource} must be an integer, but is ${value}`,
        found: value,
        expected: 'an integer',
      };
    }
  },
});

const memoryPlausible: Rule = {
  id: 'tenancy/memory-has-unit',
  on: 'object',
  kinds: ['ResourceQuota', 'LimitRange'],
  tier: 'advice',
  severity: 'error',
  summary: 'An amount of memory must have a unit.',
  why: 'A plain number is bytes, and `m` is thousandths of a byte: no container starts in a namespace that has less than 1 MiB.',
  source: 'Kubernetes 1.36, apimachinery/pkg/api/resource',
  fix: 'Add a unit to the amount, for example memory: 64Gi.',
  *check(manifest) {
    for (const { resource, value, path } of amountPlaces(manifest)) {
      const quantity = parseQuantity(value);
      if (resource !== 'memory' || !quantity?.isPositive() || !quantity.isLessThan(ONE_MEBIBYTE)) {
        continue;
      }
      yield {
        path,
        message: `memory must have a unit such as Gi, because ${JSON.stringify(value)} is less than 1 MiB`,
        found: value,
        expected: `${parseInt(String(value), 10) || 1}Gi`,
      };
    }
  },
};

const memoryBinary: Rule = {
  id: 'tenancy/memory-in-binary-units',
  on: 'object',
  kinds: ['ResourceQuota', 'LimitRange'],
  tier: 'advice',
  severity: 'info',
  summary: 'Memory should be written in binary units: Gi, not G.',
  why: 'G is 10^9 bytes, 7% less than Gi, in which containers are usually written: the last pod that should fit does not fit.',
  source: 'Kubernetes 1.36, apimachinery/pkg/api/resource',
  fix: 'Set the memory in spec.hard or spec.limits with a binary unit such as Gi, unless the decimal unit is intended.',
  *check(manifest) {
    for (const { resource, value, path } of amountPlaces(manifest)) {
      const unit = /\d([kMGTP])$/.exec(String(value))?.[1];
      if (resource !== 'memory' || unit === undefined) {
        continue;
      }
      const binary = String(value).replace(/[kMGTP]$/, `${unit === 'k' ? 'K' : unit}i`);
      yield {
        path,
        message: `${JSON.stringify(value)} uses the decimal unit ${unit}, not the binary unit ${binary.replace(/^.*\d/, '')}`,
        found: value,
        expected: binary,
        fix: `Set ${fieldOf(path)} to ${binary}, unless the decimal unit is intended.`,
      };
    }
  },
};

const resourceServed: Rule = {
  id: 'tenancy/quota-resource-served',
  on: 'object',
  kinds: ['ResourceQuota'],
  tier: 'advice',
  severity: 'warning',
  summary: 'A quota must name resources that a device plugin still serves.',
  why: 'No container can request a resource that no node offers, so the quota limits nothing.',
  source: "the catalog, from the device plugins and the vendors' documents",
  fix: 'Rename the key in spec.hard to the resource that replaces it.',
  *check(manifest) {
    for (const key of Object.keys(asObject(asObject(manifest.object.spec).hard))) {
      const amount = podAmountOf(key);
      const successor = amount && findResource(amount.resource)?.successor;
      if (successor === undefined || amount === undefined) {
        continue;
      }
      yield {
        path: pointer('/spec/hard', key),
        message: `the resource "${amount.resource}" is outdated: ${successor} replaces it`,
        found: key,
        expected: `requests.${successor}`,
        fix: `Rename the key "${key}" in spec.hard to requests.${successor}.`,
      };
    }
  },
};

const comesWithDefaults: Rule = {
  id: 'tenancy/quota-with-defaults',
  row: 'K12',
  on: 'object',
  kinds: ['ResourceQuota'],
  tier: 'advice',
  severity: 'warning',
  summary: 'A namespace whose quota counts CPU or memory should have a LimitRange with defaults for both.',
  why: 'Such a quota makes the amount mandatory: a pod with one container that does not set it is rejected, and its owner only sees that the pod is missing.',
  source: `${QUOTA_SOURCE} (Constraints)`,
  fix: 'Add a LimitRange with an item of type Container that sets default and defaultRequest for cpu and memory.',
  *check(manifest, { set }) {
    const { hard, scoped } = quotaOf(manifest);
    if (scoped) {
      return;
    }
    const { defaults } = policyOf(set, manifest);
    const lacking = [...hard.keys()].flatMap((key) => {
      const amount = isMandatory(key) ? podAmountOf(key) : undefined;
      return amount !== undefined && amount.of !== 'pods' && !defaults[amount.of].has(amount.resource)
        ? [`${amount.of}.${amount.resource}`]
        : [];
    });
    if (lacking.length === 0) {
      return;
    }
    const filled = lacking.map((field) => field.replace('limits.', 'default.').replace('requests.', 'defaultRequest.'));
    yield {
      path: '/spec/hard',
      message: `every container in the namespace must set ${allOf(lacking)}, because no LimitRange in these manifests sets a default`,
      expected: `a LimitRange of type Container with ${allOf(filled)}`,
      fix: `Add a LimitRange to the namespace with an item of type Container that sets ${allOf(filled)}.`,
    };
  },
};

interface AmountPlace {
  readonly resource: string;
  readonly value: string | number;
  readonly path: string;
}

const placesOf = new WeakMap<Manifest, readonly AmountPlace[]>();

/** Every amount of a ResourceQuota or LimitRange, under the name of the container resource that it is an amount of. */
function amountPlaces(manifest: Manifest): readonly AmountPlace[] {
  let places = placesOf.get(manifest);
  if (places === undefined) {
    placesOf.set(manifest, (places = readAmountPlaces(manifest)));
  }
  return places;
}

function readAmountPlaces(manifest: Manifest): readonly AmountPlace[] {
  if (manifest.id.kind === 'ResourceQuota') {
    return amountsAt(asObject(manifest.object.spec).hard, '/spec/hard');
  }
  return limitItemsIn(manifest).flatMap(({ value, path }) =>
    ['max', 'min', 'default', 'defaultRequest'].flatMap((field) => amountsAt(value[field], `${path}/${field}`)),
  );
}

function amountsAt(map: JsonValue | undefined, path: string): readonly AmountPlace[] {
  return Object.entries(asObject(map)).flatMap(([key, value]) =>
    typeof value === 'string' || typeof value === 'number'
      ? [{ resource: key.replace(/^(?:requests|limits)\./, ''), value, path: pointer(path, key) }]
      : [],
  );
}

export const quotaRules: readonly Rule[] = [
  keyCounted,
  wholeDevices,
  memoryPlausible,
  memoryBinary,
  resourceServed,
  comesWithDefaults,
];

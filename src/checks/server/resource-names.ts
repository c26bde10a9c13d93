/**
 * Which resource names exist where (kubernetes, `apis/core/helper`): standard ones, extended ones (`vendor/name`), huge pages.
 */
import { parseQuantity, type Quantity } from '../../manifests/values/quantity';
import { qualifiedName } from '../../manifests/values/name-syntax';

const CONTAINER = ['cpu', 'memory', 'ephemeral-storage'];
const COUNTED = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const QUOTA: ReadonlySet<string> = new Set([
  ...CONTAINER,
  ...COUNTED,
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
]);
const COUNTED_SET: ReadonlySet<string> = new Set(COUNTED);
const CONTAINER_SET: ReadonlySet<string> = new Set(CONTAINER);

/** The names without a "/" that a container may request, huge pages aside. */
export const CONTAINER_RESOURCES: readonly string[] = CONTAINER;

/** The names without a "/" that a ResourceQuota may limit, huge pages aside. */

export function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}

/** In the `kubernetes.io` name space, or without any. */
function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

/** A vendor's resource that the scheduler counts in whole pieces: `nvidia.com/gpu`. */
export function isExtended(name: string): boolean {
  return !isNative(name) && !name.startsWith('requests.') && qualifiedName(`requests.${name}`) === undefined;
}

/** Resources whose limit may be greater than their request. */
export function mayOvercommit(name: string): boolean {
  return isNative(name) && !isHugePages(name);
}

function isCountedInWholes(name: string): boolean {
  return COUNTED_SET.has(name) || isExtended(name);
}

export function isQuotaResource(name: string): boolean {
  return QUOTA.has(name) || isHugePages(name) || name.startsWith('requests.hugepages-');
}

/** What the name of any resource would have to be; `undefined` for a good one. */
export function resourceName(name: string): string | undefined {
  const complaint = qualifiedName(name);
  if (complaint !== undefined) {
    return complaint;
  }
  return name.includes('/') || isQuotaResource(name) || name === 'storage'
    ? undefined
    : 'be a standard resource, or a fully qualified name such as vendor.com/name';
}

/** What the name of a container's resource would have to be. */
export function containerResourceName(name: string): string | undefined {
  const complaint = resourceName(name);
  if (complaint !== undefined) {
    return complaint;
  }
  if (!name.includes('/')) {
    return CONTAINER_SET.has(name) || isHugePages(name)
      ? undefined
      : 'be cpu, memory, ephemeral-storage, hugepages-<size>, or vendor.com/name';
  }
  return isNative(name) || isExtended(name)
    ? undefined
    : 'be an extended resource (vendor.com/name, without "requests.")';
}

/** What a ResourceQuota's key would have to be. */
export function quotaResourceName(name: string): string | undefined {
  const complaint = resourceName(name);
  if (complaint !== undefined) {
    return complaint;
  }
  return name.includes('/') || isQuotaResource(name) ? undefined : 'be a resource that a quota can limit';
}

/** The largest amount whose thousandths the server counts in 64 bits without overflow. */
const LARGEST_COUNT = (2n ** 63n - 1n) / 1000n;

/** What an amount of this resource would have to be. */
export function amountOf(name: string, amount: Quantity): string | undefined {
  if (amount.isNegative()) {
    return 'be greater than or equal to 0';
  }
  if (!isCountedInWholes(name)) {
    return undefined;
  }
  if (amount.countedThousandths() % 1000n === 0n) {
    return undefined;
  }
  return amount.isInteger() ? `be less than or equal to ${LARGEST_COUNT}` : 'be an integer';
}

/** Whether an amount of huge pages is made of whole pages. */
export function isWholePages(name: string, amount: Quantity): boolean {
  const page = parseQuantity(name.slice('hugepages-'.length));
  if (page === undefined || !page.isPositive() || page.thousandths() % 1000n !== 0n) {
    return false;
  }
  return amount.wholeUnits() % page.wholeUnits() === 0n;
}

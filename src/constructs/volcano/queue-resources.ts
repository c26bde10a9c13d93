/**
 * Which resource names a Volcano queue counts (pkg/scheduler/api/resource_info.go NewResource), and the amounts in a resource map.
 */
import { type JsonValue } from '../../facts/api/schema';
import { parseQuantity, type Quantity } from '../../manifests/values/quantity';
import { asObject } from '../../manifests/read';

export type Amounts = ReadonlyMap<string, Quantity>;

const WITHOUT_DOMAIN = new Set(['cpu', 'memory', 'pods', 'ephemeral-storage']);
/** A qualified name: an optional domain, and up to 63 characters that begin and end with a letter or digit. */
const QUALIFIED =
  /^(?:[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** Whether the name is an extended resource: a domain of its own, not Kubernetes', and not a quota key (`requests.…`). */
export function isExtendedResource(name: string): boolean {
  return (
    name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.') && QUALIFIED.test(name)
  );
}

/** Whether Volcano counts an amount under this name. Volcano ignores others silently. */
export function isCountedResource(name: string): boolean {
  if (name.startsWith('count/')) {
    return false;
  }
  if (WITHOUT_DOMAIN.has(name) || name.startsWith('hugepages-') || name.startsWith('attachable-volumes-')) {
    return true;
  }
  return name.includes('/') && (name.includes('kubernetes.io/') || isExtendedResource(name));
}

/** Whether the API machinery wants whole amounts of this resource. */
export function isIntegerResource(name: string): boolean {
  return name === 'pods' || isExtendedResource(name);
}

/** The amounts of a resource map, without entries that are not quantities. */
export function amountsIn(value: JsonValue | undefined): Amounts {
  const amounts = new Map<string, Quantity>();
  for (const [name, amount] of Object.entries(asObject(value))) {
    const quantity = typeof amount === 'string' || typeof amount === 'number' ? parseQuantity(amount) : undefined;
    if (quantity !== undefined) {
      amounts.set(name, quantity);
    }
  }
  return amounts;
}

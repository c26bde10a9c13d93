/**
 * Resource maps as exact amounts, and what a pod asks for in all.
 *
 * The sum is the scheduler's and the quota's: containers together, or a greater init container beside the sidecars that already run;
 * amounts at pod level replace the sum; overhead comes on top. Source: Kubernetes 1.36, component-helpers/resource/helpers.go.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { parseQuantity, Quantity } from '../values/quantity';
import { asArray, asObject, isObject } from '../read';

export type Amounts = ReadonlyMap<string, Quantity>;

const NO_AMOUNTS: Amounts = new Map();

/** The amounts of a resource map, without entries that are not quantities. */
export function amountsIn(value: JsonValue | undefined): Amounts {
  if (value === undefined) {
    return NO_AMOUNTS;
  }
  const amounts = new Map<string, Quantity>();
  for (const [name, amount] of Object.entries(asObject(value))) {
    const quantity = typeof amount === 'string' || typeof amount === 'number' ? parseQuantity(amount) : undefined;
    if (quantity !== undefined) {
      amounts.set(name, quantity);
    }
  }
  return amounts;
}

/** What containers get that do not say. */
export interface ContainerDefaults {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

const NO_DEFAULTS: ContainerDefaults = { requests: new Map(), limits: new Map() };

export interface ContainerAmounts {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

/**
 * What a container asks for once the server has filled in what it does not say: limits and requests by the namespace's defaults, a
 * missing request by the limit that the container itself names.
 */
export function containerAmounts(container: JsonObject, defaults: ContainerDefaults): ContainerAmounts {
  const resources = asObject(container.resources);
  const ownLimits = amountsIn(resources.limits);
  // Defaulting of the Pod comes before the admission plugin: an own limit is an own request.
  const ownRequests = over(ownLimits, amountsIn(resources.requests));
  return { limits: over(defaults.limits, ownLimits), requests: over(defaults.requests, ownRequests) };
}

/** All containers of a pod spec, init containers first, each with its pointer from the spec. */
export function containersOf(
  spec: JsonObject,
): readonly { readonly container: JsonObject; readonly path: string; readonly init: boolean }[] {
  return (['initContainers', 'containers'] as const).flatMap((field) =>
    asArray(spec[field]).flatMap((container, index) =>
      isObject(container) ? [{ container, path: `/${field}/${index}`, init: field === 'initContainers' }] : [],
    ),
  );
}

/** Amounts stated for the pod as a whole take the place of what its containers say. */
export function hasPodLevelResources(spec: JsonObject): boolean {
  const resources = asObject(spec.resources);
  return Object.keys(asObject(resources.requests)).length > 0 || Object.keys(asObject(resources.limits)).length > 0;
}

/** What one pod of this spec asks for. */
export function podAmounts(spec: JsonObject, defaults: ContainerDefaults = NO_DEFAULTS): ContainerAmounts {
  const containers = containersOf(spec).map(({ container, init }) => ({
    amounts: containerAmounts(container, defaults),
    init,
    sidecar: container.restartPolicy === 'Always',
  }));
  return { requests: podTotal(spec, containers, 'requests'), limits: podTotal(spec, containers, 'limits') };
}

interface Asking {
  readonly amounts: ContainerAmounts;
  readonly init: boolean;
  readonly sidecar: boolean;
}

function podTotal(spec: JsonObject, containers: readonly Asking[], form: 'requests' | 'limits'): Amounts {
  let running: Amounts = new Map();
  let peak: Amounts = new Map();
  let sidecars: Amounts = new Map();
  for (const {
    amounts: { [form]: amounts },
    init,
    sidecar,
  } of containers) {
    if (!init) {
      running = sum(running, amounts);
    } else if (sidecar) {
      sidecars = sum(sidecars, amounts);
      running = sum(running, amounts);
    } else {
      peak = greater(peak, sum(sidecars, amounts));
    }
  }
  const together = greater(running, peak);
  const resources = asObject(spec.resources);
  const podLevel =
    form === 'limits' ? amountsIn(resources.limits) : over(amountsIn(resources.limits), amountsIn(resources.requests));
  const total = over(together, podLevel);
  const overhead = amountsIn(spec.overhead);
  // A limit that is not set stays unset.
  return sum(
    total,
    form === 'requests' ? overhead : new Map([...overhead].filter(([name]) => total.get(name)?.isZero() === false)),
  );
}

/** The first with the second's entries in place of its own; like the sums below, one of the two as it is where the other is empty. */
function over(a: Amounts, b: Amounts): Amounts {
  if (b.size === 0) {
    return a;
  }
  return a.size === 0 ? b : new Map([...a, ...b]);
}

function sum(a: Amounts, b: Amounts): Amounts {
  if (b.size === 0) {
    return a;
  }
  if (a.size === 0) {
    return b;
  }
  const total = new Map(a);
  for (const [name, amount] of b) {
    total.set(name, (total.get(name) ?? Quantity.ZERO).add(amount));
  }
  return total;
}

function greater(a: Amounts, b: Amounts): Amounts {
  if (b.size === 0) {
    return a;
  }
  const result = new Map(a);
  for (const [name, amount] of b) {
    const other = result.get(name);
    if (other === undefined || amount.isGreaterThan(other)) {
      result.set(name, amount);
    }
  }
  return result;
}

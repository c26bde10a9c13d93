/**
 * Amounts of resources, in the one form that every quota, share, ceiling, and limit takes.
 *
 * The type is closed: a resource has one spelling, and a name that is not a member does not compile. Accelerators are stated as in a pod,
 * so the resource name, which differs by vendor, profile, and sharing, is never written by hand.
 */
import {
  ACCELERATORS,
  findAccelerator,
  findResource,
  GANTRY_PRODUCTS,
  isAcceleratorResource,
  type ResourceUnit,
} from '../../facts/catalog';
import { parseQuantity } from '../../manifests/values/quantity';
import { insteadOf } from '../resources/instead-of';
import { bytesText, type ByteSize, coresText, type Cores, countText } from '../resources/quantities';
import { Accelerator } from './accelerator';

/**
 * Amounts of resources. A resource that is left out is not stated, which most owners of amounts read as "not limited".
 *
 * Accelerators of one resource name add up: a queue counts `nvidia.com/gpu`, whichever product it is. Two products of one resource name
 * in one `Amounts` are therefore an error.
 *
 * @example
 * const share: Amounts = {
 *   cpu: 768,
 *   memory: '8Ti',
 *   accelerators: [
 *     Accelerator.nvidia({ count: 64 }),
 *     Accelerator.mig({ profile: '1g.10gb', count: 14 }),
 *     Accelerator.amd({ count: 16 }),
 *   ],
 *   other: { 'rdma/hca_shared_devices_a': 8 },
 * };
 */
export interface Amounts {
  /** CPU cores: a number, or a quantity such as `500m`. @default - not stated */
  readonly cpu?: Cores;
  /** Memory with its unit: `8Ti`, or a `Size` of cdk8s. @default - not stated */
  readonly memory?: ByteSize;
  /** Disk of the nodes, with its unit. @default - not stated */
  readonly ephemeralStorage?: ByteSize;
  /** Number of pods. @default - not stated */
  readonly pods?: number;
  /** Huge pages by page size, with their unit: `{ '2Mi': '5120Mi' }`. @default - not stated */
  readonly hugepages?: HugepageAmounts;
  /**
   * Accelerators, written as in a pod; `count` is the number of devices, slices, or shares in total, and may be 0.
   *
   * Node labels, tolerations, and the resources that pods need beside the device have no effect here.
   * @default - not stated
   */
  readonly accelerators?: Accelerator | readonly Accelerator[];
  /** Any other extended resource by its full name: `{ 'rdma/hca_shared_devices_a': 8 }`. @default - none */
  readonly other?: OtherAmounts;
}

/** Huge pages by the size of a page. */
export type HugepageAmounts = Readonly<Partial<Record<`${number}${'Ki' | 'Mi' | 'Gi'}`, ByteSize>>>;

/** Extended resources that are not accelerators. A name has a domain, so `gpu` does not compile, and neither does `nvidia.com/gpu`. */
export type OtherAmounts = {
  readonly [name: `${string}/${string}`]: number | string | undefined;
} & { readonly [name in WrittenAsAccelerator]?: never };

/** Resource names that belong into `accelerators`; MIG profiles, which no finite type lists, are refused when they are rendered. */
type WrittenAsAccelerator =
  | 'nvidia.com/gpu'
  | 'nvidia.com/gpu.shared'
  | 'amd.com/gpu'
  | 'gpu.intel.com/i915'
  | 'gpu.intel.com/xe'
  | 'habana.ai/gaudi'
  | 'huawei.com/Ascend910'
  | 'huawei.com/Ascend310P'
  | 'aws.amazon.com/neuron'
  | 'aws.amazon.com/neuroncore'
  | 'google.com/tpu';

/** Amounts by the names that Kubernetes uses, as strings. */
export type AmountsByName = Readonly<Record<string, string>>;

const MEMBERS = ['cpu', 'memory', 'ephemeralStorage', 'pods', 'hugepages', 'accelerators', 'other'] as const;

/**
 * Amounts by the names that Kubernetes uses, in the order in which they are written.
 *
 * @param prop the property that states them, for messages
 * @throws if a member is unknown, an amount is not valid, or an accelerator cannot be counted
 */
export function amountsByName(prop: string, amounts: Amounts): AmountsByName {
  if (typeof amounts !== 'object' || amounts === null || Array.isArray(amounts)) {
    throw new Error(`${prop} ${String(amounts)}: must be amounts such as { cpu: 96, memory: "1Ti" }.`);
  }
  const entries: [string, string][] = [];
  for (const [member, value] of Object.entries(amounts)) {
    if (value !== undefined) {
      entries.push(...entriesOf(prop, member, amounts));
    }
  }
  const seen = new Map<string, string>();
  for (const [name, amount] of entries) {
    if (seen.has(name)) {
      throw new Error(`${prop}: duplicate value "${name}" (${seen.get(name)} and ${amount}). Set it once.`);
    }
    seen.set(name, amount);
  }
  return Object.fromEntries(seen);
}

/** The same for an optional prop. */
export function optionalAmountsByName(prop: string, amounts: Amounts | undefined): AmountsByName | undefined {
  return amounts === undefined ? undefined : amountsByName(prop, amounts);
}

/**
 * Amounts from names that Kubernetes uses: the way back, for amounts that were computed.
 *
 * @param byName quantities by resource name, memory with its unit
 */
export function amountsOf(byName: AmountsByName): Amounts {
  const { cpu, memory, pods, 'ephemeral-storage': ephemeralStorage, ...others } = byName;
  const named = Object.entries(others);
  const hugepages = named.filter(([name]) => name.startsWith('hugepages-'));
  const devices = named.filter(([name]) => isAcceleratorResource(name));
  const rest = named.filter((entry) => !hugepages.includes(entry) && !devices.includes(entry));
  return {
    ...(cpu === undefined ? {} : { cpu }),
    ...(memory === undefined ? {} : { memory }),
    ...(ephemeralStorage === undefined ? {} : { ephemeralStorage }),
    ...(pods === undefined ? {} : { pods: numberOf(pods) }),
    ...(hugepages.length === 0
      ? {}
      : {
          hugepages: Object.fromEntries(hugepages.map(([name, amount]) => [name.slice('hugepages-'.length), amount])),
        }),
    ...(devices.length === 0
      ? {}
      : { accelerators: devices.map(([resource, count]) => Accelerator.of({ resource, count: numberOf(count) })) }),
    ...(rest.length === 0 ? {} : { other: Object.fromEntries(rest) }),
  };
}

function numberOf(quantity: string): number {
  return parseQuantity(quantity)?.toNumber() ?? NaN;
}

function entriesOf(prop: string, member: string, amounts: Amounts): readonly [string, string][] {
  const at = `${prop}.${member}`;
  const { cpu = 0, memory = '0', ephemeralStorage = '0', pods = 0 } = amounts;
  switch (member) {
    case 'cpu':
      return [['cpu', coresText(at, cpu)]];
    case 'memory':
      return [['memory', bytesText(at, memory)]];
    case 'ephemeralStorage':
      return [['ephemeral-storage', bytesText(at, ephemeralStorage)]];
    case 'pods':
      return [['pods', countText(at, pods)]];
    case 'hugepages':
      return Object.entries(amounts.hugepages ?? {}).map(([size, amount]) => [
        `hugepages-${size}`,
        bytesText(`${at}["${size}"]`, amount ?? '0'),
      ]);
    case 'accelerators':
      return acceleratorEntries(at, amounts.accelerators ?? []);
    case 'other':
      return otherEntries(at, amounts.other ?? {});
    default:
      throw new Error(`${prop}: unknown field "${member}"${insteadOf(member, MEMBERS)}`);
  }
}

function acceleratorEntries(at: string, stated: Accelerator | readonly Accelerator[]): readonly [string, string][] {
  const products = new Map<string, Set<string>>();
  const counts = new Map<string, number>();
  for (const accelerator of Array.isArray(stated) ? (stated as readonly Accelerator[]) : [stated as Accelerator]) {
    if (typeof accelerator !== 'object' || accelerator === null || typeof accelerator.toPod !== 'function') {
      throw new Error(
        `${at} ${JSON.stringify(accelerator)}: must be an Accelerator, such as Accelerator.nvidia({ count: 8 }).`,
      );
    }
    const resource = countedResource(at, accelerator);
    const product = productOf(accelerator);
    const known = products.get(resource) ?? new Set();
    if (product !== undefined) {
      known.add(product);
    }
    if (known.size > 1) {
      throw new Error(
        `${at}: ${[...known].join(' and ')} both count as ${resource}, so their amounts cannot be distinguished. Set one amount for ${resource}, or use Kueue with a flavor for each.`,
      );
    }
    products.set(resource, known);
    counts.set(resource, (counts.get(resource) ?? 0) + accelerator.count);
  }
  return [...counts].map(([resource, count]) => [resource, String(count)]);
}

/** The resource under which an accelerator is counted, whole devices alone: a share of a device has amounts of its own. */
function countedResource(at: string, accelerator: Accelerator): string {
  const { resource } = accelerator;
  const shares = accelerator.count === 0 ? [] : sharesOf(accelerator);
  if (resource === undefined && shares.length === 0) {
    throw new Error(
      `${at}: a quota cannot count devices of a resource claim by resource name. Limit them with hard: { "<device class>.deviceclass.resource.k8s.io/devices": ${accelerator.count} } of a ResourceQuota.`,
    );
  }
  if (resource === undefined || shares.length > 0) {
    throw new Error(
      `${at}: ${shares.join(', ')} describe a share of one device, not a total. Set totals under other: { ${shares.map((name) => `"${name}": …`).join(', ')} }.`,
    );
  }
  return resource;
}

const NOT_OF_A_SHARE: ReadonlySet<ResourceUnit> = new Set(['device', 'slice', 'interface', 'rank']);

/** Extended resources that a pod names beside the device: memory and compute of a share. */
function sharesOf(accelerator: Accelerator): readonly string[] {
  const { limits = {} } = accelerator.toPod({ hostNetwork: false });
  return Object.keys(limits).filter((name) => {
    const unit = findResource(name)?.unit;
    return name !== accelerator.resource && unit !== undefined && !NOT_OF_A_SHARE.has(unit);
  });
}

/**
 * An annotation with the accelerators that amounts are for, as far as they name products. Kubernetes counts the resource name alone, so
 * nothing else in the object says it.
 */
export function productsAnnotation(...stated: readonly (Amounts | undefined)[]): Readonly<Record<string, string>> {
  const accelerators = stated.flatMap((amounts) => [amounts?.accelerators ?? []].flat() as readonly Accelerator[]);
  const labels = accelerators.flatMap((accelerator) => productOf(accelerator) ?? []);
  const products = new Set(labels.map((label) => findAccelerator(label)?.name ?? label));
  return products.size === 0 ? {} : { [GANTRY_PRODUCTS]: [...products].join(', ') };
}

/** Node labels that name the accelerator, of any vendor. */
const PRODUCT_KEYS: ReadonlySet<string> = new Set([
  ...ACCELERATORS.flatMap(({ productLabelKey }) => productLabelKey ?? []),
  'amd.com/gpu.product-name',
]);

/** The product as far as nodes are chosen by it. */
function productOf(accelerator: Accelerator): string | undefined {
  if (accelerator.count === 0) {
    return undefined;
  }
  const { nodeRequirements = [], nodeLabels = {} } = accelerator.toPod({ hostNetwork: false });
  const values = nodeRequirements.flatMap(({ key, values: of = [] }) => (PRODUCT_KEYS.has(key) ? of : []));
  const labels = Object.entries(nodeLabels).flatMap(([key, value]) => (PRODUCT_KEYS.has(key) ? [value] : []));
  return [...values, ...labels][0];
}

function otherEntries(at: string, other: OtherAmounts): readonly [string, string][] {
  return Object.entries(other).flatMap(([name, amount]): readonly [string, string][] => {
    if (amount === undefined) {
      return [];
    }
    if (!name.includes('/')) {
      throw new Error(
        `${at}: "${name}" must be the full name of an extended resource, with its domain${insteadOf(name, MEMBERS)}`,
      );
    }
    if (isAcceleratorResource(name)) {
      throw new Error(`${at}: "${name}" is an accelerator${insteadOf(name, MEMBERS, { amount })}`);
    }
    return [[name, countText(`${at}["${name}"]`, amount)]];
  });
}

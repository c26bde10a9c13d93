/**
 * The devices of a node, from the labels and resources of device plugins and feature discovery.
 *
 * A Node names amounts and one product, not devices; so alike devices are assumed, and instances of MIG are spread evenly over the GPUs
 * that are divided. Replicas that share without a name of their own, and instances of the single strategy, are counted by the kubelet like
 * devices and are devices here.
 */
import { findAccelerator, isWholeDevice, type KnownAcceleratorFacts, vendorOfResource } from '../../../facts/catalog';
import { memoryMiBOf } from '../../../facts/catalog/reported-memory';
import { DEFAULT_DEVICE_RESOURCE, type Device } from '../../../placement';
import { isPartitionResource, partitionOf } from '../nodes/partitions';
import { migProfileOf, PERCENT_RESOURCES, RENAMED_REPLICA, SHARED_COUNTS } from './accelerator-request';

type Labels = Readonly<Record<string, string>>;
type Amounts = Readonly<Record<string, number>>;

export interface NodeDevices {
  readonly deviceResource?: string;
  readonly devices?: readonly Device[];
}

const CLOUD_LABELS = [
  'cloud.google.com/gke-accelerator',
  'k8s.amazonaws.com/accelerator',
  'karpenter.k8s.aws/instance-gpu-name',
  'aliyun.accelerator/nvidia_name',
  'cloud.tencent.com/tke-accelerator',
  'kubernetes.azure.com/accelerator',
] as const;

/** Labels that name a product, which is what people know a device by. */
const PRODUCT_LABELS = [
  'nvidia.com/gpu.product',
  'amd.com/gpu.product-name',
  'gpu.intel.com/product',
  'cloud.google.com/gke-tpu-accelerator',
  ...CLOUD_LABELS,
] as const;
/** Labels that say it in the vendor's own way. */
const VENDOR_LABELS = [
  'amd.com/gpu.device-id',
  'node.kubernetes.io/npu.chip.name',
  'node.kubernetes.io/instance-type',
] as const;

/** Devices by the node's allocatable amounts and labels; nothing where it has none. */
export function devicesOf(allocatable: Amounts, labels: Labels): NodeDevices {
  const resource = deviceResource(allocatable);
  const instances = migInstances(allocatable);
  if (resource === undefined && instances.size === 0) {
    return {};
  }
  const kind = deviceKind(resource ?? DEFAULT_DEVICE_RESOURCE, labels);
  const devices = wholeDevices(resource, allocatable, labels, kind);
  if (instances.size > 0) {
    devices.push(...divided(instances, numberIn(labels['nvidia.com/gpu.count']), devices.length, kind));
  }
  return { deviceResource: resource ?? DEFAULT_DEVICE_RESOURCE, devices };
}

/** The physical GPUs of an NVIDIA node by its labels, as whole devices; undefined where no label states their number. */
export function physicalDevices(labels: Labels): readonly Device[] | undefined {
  const count = numberIn(labels['nvidia.com/gpu.count']);
  return count === undefined ? undefined : times(count, deviceKind(DEFAULT_DEVICE_RESOURCE, labels));
}

/** What pods of the node request: the catalog's whole devices first, NVIDIA's before others; then partitions that have a name of their own. */
function deviceResource(allocatable: Amounts): string | undefined {
  const there = Object.keys(allocatable).filter((name) => allocatable[name] > 0);
  const known = [DEFAULT_DEVICE_RESOURCE, RENAMED_REPLICA, ...SHARED_COUNTS, ...PERCENT_RESOURCES];
  return (
    known.find((name) => there.includes(name)) ??
    there.filter((name) => isWholeDevice(name)).sort()[0] ??
    there.filter((name) => isPartitionResource(name)).sort()[0]
  );
}

function deviceKind(resource: string, labels: Labels): Device {
  const label = PRODUCT_LABELS.map((key) => labels[key]).find((value) => value !== undefined);
  const facts = factsOf(resource, labels);
  if (label === undefined && facts === undefined) {
    return {};
  }
  return kindOf(label ?? facts?.name ?? '', facts, labels, partitionOf(resource, facts?.name, labels)?.devices);
}

/**
 * The catalog's entry of a node's devices: by the first of its labels that means one of the resource's vendor. Inferentia and Trainium are
 * told apart by the instance type.
 */
function factsOf(resource: string, labels: Labels): KnownAcceleratorFacts | undefined {
  const vendor = vendorOfResource(resource);
  const keys = vendor === undefined ? PRODUCT_LABELS : [...PRODUCT_LABELS, ...VENDOR_LABELS];
  return keys
    .flatMap((key) => (labels[key] === undefined ? [] : [findAccelerator(labels[key])]))
    .find((facts) => facts !== undefined && (vendor === undefined || facts.vendor === vendor));
}

function kindOf(label: string, facts: KnownAcceleratorFacts | undefined, labels: Labels, partitions = 1): Device {
  const instance = /-MIG-(.+)$/s.exec(label.replace(/-SHARED$/, ''))?.[1];
  const model = facts === undefined ? label : `${facts.name}${instance === undefined ? '' : ` ${instance}`}`;
  const memoryMiB =
    numberIn(labels['nvidia.com/gpu.memory']) ??
    numberIn(labels['karpenter.k8s.aws/instance-gpu-memory']) ??
    gibibytesIn(labels['amd.com/gpu.vram']) ??
    (facts === undefined || instance !== undefined ? undefined : Math.floor(memoryMiBOf(facts) / partitions));
  return { model, ...(memoryMiB !== undefined && { memoryMiB }) };
}

function wholeDevices(resource: string | undefined, allocatable: Amounts, labels: Labels, kind: Device): Device[] {
  if (resource === undefined) {
    return [];
  }
  const amount = allocatable[resource];
  const physical = numberIn(labels['nvidia.com/gpu.count']) ?? amount;
  const replicas = numberIn(labels['nvidia.com/gpu.replicas']) ?? 1;
  if (PERCENT_RESOURCES.includes(resource)) {
    return times(Math.floor(amount / 100), kind);
  }
  if (resource === RENAMED_REPLICA) {
    return times(Math.min(physical, amount), { ...kind, replicas: Math.max(replicas, Math.floor(amount / physical)) });
  }
  const shares = replicas > 1 || labels['nvidia.com/gpu.product']?.endsWith('-SHARED') === true;
  if (shares && amount > physical && kind.memoryMiB !== undefined) {
    return times(amount, { ...kind, memoryMiB: Math.floor((kind.memoryMiB * physical) / amount) });
  }
  // A sharing component announces more than there is, to have room for parts.
  return times(SHARED_COUNTS.includes(resource) && !shares ? Math.min(physical, amount) : amount, kind);
}

function migInstances(allocatable: Amounts): ReadonlyMap<string, number> {
  const instances = new Map<string, number>();
  for (const resource of Object.keys(allocatable).sort()) {
    const profile = migProfileOf(resource);
    if (profile !== undefined && allocatable[resource] > 0) {
      instances.set(profile, allocatable[resource]);
    }
  }
  return instances;
}

function divided(
  instances: ReadonlyMap<string, number>,
  physical: number | undefined,
  whole: number,
  kind: Device,
): Device[] {
  const slices = [...instances].reduce(
    (sum, [profile, count]) => sum + Number(/^\d+/.exec(profile)?.[0] ?? 1) * count,
    0,
  );
  const count = Math.max(1, physical === undefined ? Math.ceil(slices / 7) : physical - whole);
  return Array.from({ length: Math.min(count, MOST_DEVICES) }, (_, index): Device => {
    const mig: Record<string, number> = {};
    for (const [profile, all] of instances) {
      const own = Math.floor(all / count) + (index < all % count ? 1 : 0);
      if (own > 0) {
        mig[profile] = own;
      }
    }
    return { ...kind, mig };
  });
}

/** No node has as many: what announces more is taken as this, so that no number that a node states fills the memory. */
export const MOST_DEVICES = 4096;

function times(count: number, device: Device): Device[] {
  return Array.from({ length: Math.min(count, MOST_DEVICES) }, () => device);
}

function numberIn(text: string | undefined): number | undefined {
  const number = text === undefined ? NaN : Number.parseInt(text, 10);
  return Number.isInteger(number) && number > 0 ? number : undefined;
}

/** `192G` as MiB. */
function gibibytesIn(text: string | undefined): number | undefined {
  const number = numberIn(text);
  return number === undefined ? undefined : number * 1024;
}

/**
 * The ResourceSlices that a vendor's DRA driver publishes for a pool of a cluster file: one slice for each node, one device for each accelerator
 * of the catalog.
 *
 * Sources of names and attributes: dra-driver-nvidia-gpu, cmd/gpu-kubelet-plugin/deviceinfo.go; ROCm/k8s-gpu-dra-driver,
 * docs/driver-attributes.md. Attributes that a catalog cannot know, such as the UUID and the PCIe root, are left out.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type KnownAcceleratorFacts } from '../../../facts/catalog';
import { type Device } from '../../../placement';
import { type ClaimableDevices, deviceKey } from '../../../placement/model/claims';

type Attributes = Readonly<Record<string, JsonObject>>;

interface Driver {
  readonly name: string;
  readonly attributes: (facts: KnownAcceleratorFacts, product: string) => Attributes;
}

const DRIVERS: Partial<Readonly<Record<KnownAcceleratorFacts['vendor'], Driver>>> = {
  nvidia: {
    name: 'gpu.nvidia.com',
    attributes: ({ architecture, computeCapability }, product) => ({
      type: { string: 'gpu' },
      productName: { string: productName(product) },
      ...(architecture !== undefined && { architecture: { string: titleCase(architecture) } }),
      ...(computeCapability !== undefined && { cudaComputeCapability: { version: `${computeCapability}.0` } }),
    }),
  },
  amd: {
    name: 'gpu.amd.com',
    attributes: (_, product) => ({ type: { string: 'amdgpu' }, productName: { string: product } }),
  },
};

/** The DRA driver of a vendor whose devices are known; `undefined` for other vendors. */
export function driverOf(facts: KnownAcceleratorFacts): string | undefined {
  return DRIVERS[facts.vendor]?.name;
}

/** The slice of a node. @param product the product label of the node */
export function sliceOfNode(
  node: string,
  facts: KnownAcceleratorFacts,
  product: string,
  devices: readonly Device[],
): JsonObject {
  const driver = DRIVERS[facts.vendor];
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: { name: `${node}-${driver?.name ?? ''}` },
    spec: {
      driver: driver?.name ?? '',
      nodeName: node,
      pool: { name: node, generation: 1, resourceSliceCount: 1 },
      devices: devices.map(({ memoryMiB, numa }, index) => ({
        name: deviceName(index),
        attributes: {
          ...driver?.attributes(facts, product),
          ...(numa !== undefined && { 'resource.kubernetes.io/numaNode': { int: numa } }),
        },
        ...(memoryMiB !== undefined && { capacity: { memory: { value: `${memoryMiB}Mi` } } }),
      })),
    },
  };
}

/** What claims call the devices of the node. */
export function claimableOf(node: string, driver: string, count: number): ClaimableDevices {
  return new Map(
    Array.from({ length: count }, (_, index) => [
      deviceKey({ driver, pool: node, device: deviceName(index) }),
      { device: index, milli: 1000 },
    ]),
  );
}

function deviceName(index: number): string {
  return `gpu-${index}`;
}

/** Feature discovery writes a hyphen for each space of the product's name; the hyphens of form factors are its own. */
function productName(label: string): string {
  return label
    .split(/(-SXM\d*-|-PCIE-)/)
    .map((text, index) => (index % 2 === 1 ? text : text.replaceAll('-', ' ')))
    .join('');
}

/** `ada-lovelace` as the driver writes it: `Ada Lovelace`. */
function titleCase(name: string): string {
  return name
    .split('-')
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join(' ');
}

/**
 * The whole devices that DRA drivers publish for a node, as devices of the node, and which of them each device of a claim is a part of.
 *
 * Sources of the attributes: dra-driver-nvidia-gpu, cmd/gpu-kubelet-plugin/deviceinfo.go and mig.go; ROCm/k8s-gpu-dra-driver,
 * docs/driver-attributes.md.
 */
import { findAccelerator } from '../../../../facts/catalog';
import { deviceClassResource } from '../../../../facts/catalog/device-classes';
import { addTo } from '../../../../facts/collections';
import { type JsonObject } from '../../../../facts/api/schema';
import { asObject, asString } from '../../../../manifests/read';
import { type ClusterNode, type Device as NodeDevice } from '../../../../placement';
import {
  type ClaimablePart,
  type Device,
  type DeviceAttribute,
  deviceKey,
  type DeviceSlice,
} from '../../../../placement/model/claims';
import { sliceOf } from './read-slices';

/** What a node has by its ResourceSlices. */
export type SliceDevices = Required<Pick<ClusterNode, 'devices' | 'deviceResource' | 'claimable'>>;

const WHOLE_TYPES: readonly unknown[] = [undefined, 'gpu', 'amdgpu'];
const NANOS_OF_MEBIBYTE = 2n ** 20n * 10n ** 9n;
/** Compute slices of a GPU that is divided by MIG. */
const MIG_SLICES = 7;
const MOST_DEVICES = 4096;

/** The devices of each node, of drivers whose devices are accelerators of the catalog. Of each pool the newest generation counts. */
export function devicesBySlices(slices: readonly JsonObject[]): ReadonlyMap<string, SliceDevices> {
  const ofNode = new Map<string, DeviceSlice[]>();
  for (const object of slices) {
    const { nodeName, driver } = asObject(object.spec);
    const node = asString(nodeName);
    if (node !== undefined && deviceClassResource(asString(driver) ?? '') !== undefined) {
      addTo(ofNode, node, sliceOf(object, new Map()));
    }
  }
  return new Map(
    [...ofNode].flatMap(([node, own]) => {
      const devices = devicesOfNode(own);
      return devices === undefined ? [] : [[node, devices] as const];
    }),
  );
}

interface Published {
  readonly slice: DeviceSlice;
  readonly device: Device;
}

/** A node has devices of one driver; of several the first by name counts. */
function devicesOfNode(slices: readonly DeviceSlice[]): SliceDevices | undefined {
  const [driver] = slices.map((slice) => slice.driver).sort();
  const own = slices.filter((slice) => slice.driver === driver);
  const newest = new Map<string, number>();
  own.forEach(({ pool, generation }) => newest.set(pool, Math.max(newest.get(pool) ?? generation, generation)));
  const published = own
    .filter(({ pool, generation }) => newest.get(pool) === generation)
    .flatMap((slice) => slice.devices.map((device): Published => ({ slice, device })));
  const whole = published.filter(({ device }) => isWhole(device)).slice(0, MOST_DEVICES);
  const indices = new Map(whole.map((one, index) => [one, index]));
  if (whole.length === 0) {
    return undefined;
  }
  const claimable = new Map<string, ClaimablePart>();
  const byUuid = new Map<unknown, number>();
  whole.forEach(({ device }, index) => byUuid.set(valueOf(device, 'uuid'), index));
  byUuid.delete(undefined);
  published.forEach((one) => {
    const index = indices.get(one);
    const part = index === undefined ? partOf(one.device, byUuid) : { device: index, milli: 1000 };
    if (part !== undefined) {
      claimable.set(keyOf(one), { ...part, ...(one.device.shareable && { capacity: capacityOf(one.device) }) });
    }
  });
  return {
    devices: whole.map(({ device }) => nodeDevice(device)),
    deviceResource: deviceClassResource(driver) ?? '',
    claimable,
  };
}

function keyOf({ slice: { driver, pool }, device }: Published): string {
  return deviceKey({ driver, pool, device: device.name });
}

function isWhole(device: Device): boolean {
  return WHOLE_TYPES.includes(valueOf(device, 'type')) && valueOf(device, 'parentUUID') === undefined;
}

/** A MIG instance is as many sevenths of its GPU as its profile has compute slices. */
function partOf(device: Device, byUuid: ReadonlyMap<unknown, number>): ClaimablePart | undefined {
  const index = byUuid.get(valueOf(device, 'parentUUID'));
  const slices = /^(\d)g\./.exec(String(valueOf(device, 'profile') ?? ''))?.[1];
  return index === undefined || slices === undefined
    ? undefined
    : { device: index, milli: Math.floor((Math.min(MIG_SLICES, Number(slices)) * 1000) / MIG_SLICES) };
}

function capacityOf({ capacity }: Device): ReadonlyMap<string, bigint> {
  return new Map([...capacity].map(([name, { value }]) => [name, value]));
}

function nodeDevice(device: Device): NodeDevice {
  const product = valueOf(device, 'productName');
  const model =
    typeof product === 'string' ? (findAccelerator(product.replaceAll('_', ' '))?.name ?? product) : undefined;
  const memory = [...device.capacity].find(([name]) => bareName(name) === 'memory')?.[1].value;
  const numa = valueOf(device, 'numaNode') ?? valueOf(device, 'numa');
  return {
    ...(model !== undefined && { model }),
    ...(memory !== undefined && { memoryMiB: Number(memory / NANOS_OF_MEBIBYTE) }),
    ...(typeof numa === 'bigint' && numa >= 0n && { numa: Number(numa) }),
  };
}

/** An attribute of the driver or of Kubernetes, by its name without a domain. */
function valueOf({ attributes }: Device, name: string): DeviceAttribute['values'][number] | undefined {
  return (attributes.get(name) ?? [...attributes].find(([key]) => bareName(key) === name)?.[1])?.values[0];
}

function bareName(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}

/**
 * Accelerators on the PCI bus, and the NUMA node of each: what the host has, whatever its drivers say.
 *
 * Sources: the PCI ID repository for vendors and classes; Linux, Documentation/ABI/testing/sysfs-bus-pci for `numa_node`.
 */
import { join } from 'node:path';
import { type HostRoot } from './host-root';

export type PciVendor = 'nvidia' | 'amd' | 'gaudi' | 'ascend' | 'neuron' | 'tpu';

export interface PciAccelerator {
  /** `0000:17:00.0` */
  readonly address: string;
  readonly vendor: PciVendor;
  /** Absent where the firmware does not say. */
  readonly numaNode?: number;
}

const BUS = 'sys/bus/pci/devices';
const MOST_DEVICES = 4096;

/** Display controllers (03), processing accelerators (12), and what single vendors call theirs. */
const VENDORS: ReadonlyMap<number, { readonly vendor: PciVendor; readonly classes: readonly number[] }> = new Map([
  [0x10de, { vendor: 'nvidia', classes: [0x0302, 0x0300] }],
  [0x1002, { vendor: 'amd', classes: [0x0380, 0x1200] }],
  [0x1da3, { vendor: 'gaudi', classes: [0x1200] }],
  [0x19e5, { vendor: 'ascend', classes: [0x1200] }],
  [0x1d0f, { vendor: 'neuron', classes: [0x0880] }],
  [0x1ae0, { vendor: 'tpu', classes: [0x0880, 0x1200, 0xff00] }],
]);

/** In the order of their addresses. */
export async function readPciAccelerators(root: HostRoot): Promise<readonly PciAccelerator[]> {
  const addresses = (await root.list(BUS)).slice(0, MOST_DEVICES);
  const read = await Promise.all(addresses.map((address) => readDevice(root, address)));
  return read.filter((device) => device !== undefined);
}

async function readDevice(root: HostRoot, address: string): Promise<PciAccelerator | undefined> {
  const folder = join(BUS, address);
  const known = VENDORS.get((await root.number(join(folder, 'vendor'))) ?? 0);
  const pciClass = (await root.number(join(folder, 'class'))) ?? 0;
  if (known === undefined || !known.classes.includes(pciClass >> 8)) {
    return undefined;
  }
  const numaNode = await root.number(join(folder, 'numa_node'));
  return { address, vendor: known.vendor, ...(numaNode === undefined || numaNode < 0 ? {} : { numaNode }) };
}

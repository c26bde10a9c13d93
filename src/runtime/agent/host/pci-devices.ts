/**
 * Accelerators on the PCI bus, and the NUMA node of each: what the host has, whatever its drivers say.
 *
 * Sources: the PCI ID repository for vendors and classes; jax, jax/_src/hardware_utils.py, for TPUs; Linux, Documentation/ABI/testing/sysfs-bus-pci for `numa_node`.
 */
import { join } from 'node:path';
import { type HostRoot } from './host-root';
import { Seldom } from './seldom';

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

/** What distinguishes the accelerators of a vendor from its other devices: the class, or the device ID. */
interface Recognition {
  readonly vendor: PciVendor;
  readonly classes?: readonly number[];
  readonly devices?: readonly number[];
}

/** Display controllers (03), processing accelerators (12), and system peripherals (08). */
const VENDORS: ReadonlyMap<number, Recognition> = new Map<number, Recognition>([
  [0x10de, { vendor: 'nvidia', classes: [0x0302, 0x0300] }],
  [0x1002, { vendor: 'amd', classes: [0x0380, 0x1200] }],
  [0x1da3, { vendor: 'gaudi', classes: [0x1200] }],
  [0x19e5, { vendor: 'ascend', classes: [0x1200] }],
  [0x1d0f, { vendor: 'neuron', classes: [0x0880] }],
  // TPU v2 to v7x.
  [0x1ae0, { vendor: 'tpu', devices: [0x0027, 0x0056, 0x005e, 0x0062, 0x0063, 0x006f, 0x0076] }],
]);

export interface PciBus {
  /** In the order of their addresses. */
  readonly accelerators: readonly PciAccelerator[];
  /** NVSwitches, which connect all of NVIDIA's GPUs of the node. */
  readonly nvSwitches: number;
}

const NVIDIA = 0x10de;
/** "Other bridge", as `lspci` shows the NVSwitches of A100 and H100 baseboards. */
const OTHER_BRIDGE = 0x0680;

/** A device is read when its address appears, and then seldom: what it is changes only with the hardware. */
export class PciReader {
  private readonly devices = new Seldom(() => new Map<string, PciAccelerator | 'nvswitch' | 'other'>());

  constructor(private readonly root: HostRoot) {}

  read(): PciBus {
    const known = this.devices.get();
    const devices = this.root
      .promptList(BUS)
      .slice(0, MOST_DEVICES)
      .map((address) => {
        const device = known.get(address) ?? readDevice(this.root, address);
        known.set(address, device);
        return device;
      });
    return {
      accelerators: devices.filter((device) => typeof device === 'object'),
      nvSwitches: devices.filter((device) => device === 'nvswitch').length,
    };
  }
}

/** These files are those of the bus itself, which no driver answers. */
function readDevice(root: HostRoot, address: string): PciAccelerator | 'nvswitch' | 'other' {
  const folder = join(BUS, address);
  const vendor = root.promptNumber(join(folder, 'vendor')) ?? 0;
  const known = VENDORS.get(vendor);
  if (known === undefined) {
    return 'other';
  }
  const pciClass = root.promptNumber(join(folder, 'class')) ?? 0;
  const device = root.promptNumber(join(folder, 'device')) ?? 0;
  if (vendor === NVIDIA && pciClass >> 8 === OTHER_BRIDGE) {
    return 'nvswitch';
  }
  if (known.classes?.includes(pciClass >> 8) !== true && known.devices?.includes(device) !== true) {
    return 'other';
  }
  const numaNode = root.promptNumber(join(folder, 'numa_node'));
  return { address, vendor: known.vendor, ...(numaNode === undefined || numaNode < 0 ? {} : { numaNode }) };
}

/**
 * The state of each accelerator from what its vendor's exporter says: DCGM's, AMD's, Gaudi's, Ascend's, and that of TPUs.
 */
import { type MeasuredVendor } from '../../../facts/catalog/accelerator-exporters';
import { type DcgmKey, dcgmUnitOf, findDcgmMetric } from '../../../facts/catalog/dcgm-metrics';
import { findXid, XIDS_TO_ACT_ON } from '../../../facts/catalog/xids';
import { busIdOf, type THROTTLE_REASONS } from '../../nvidia/nvidia-smi';
import { parseExposition, type Sample } from './exposition';

export interface AcceleratorState {
  /** As the node numbers its devices. */
  readonly index: number;
  /** By which the device plugin calls the device; absent where the exporter does not say it. */
  readonly id?: string;
  /** As sysfs names it: `0000:3b:00.0`. */
  readonly busId?: string;
  readonly totalMiB?: number;
  readonly usedMiB?: number;
  /** 0 to 1. */
  readonly utilization?: number;
  /** Why its clocks are low, in NVIDIA's words; absent where nothing slows it down. */
  readonly throttled?: readonly string[];
  /** Whether the kubelet gave it to a pod; absent where that is not known. */
  readonly held?: boolean;
  /** Why the device must not be used before an administrator has acted; absent where nothing is known to be wrong. */
  readonly fault?: string;
}

export type ExporterVendor = 'nvidia' | Exclude<MeasuredVendor, 'neuron'>;

/** What of one vendor's metrics says what. */
interface Reading {
  readonly vendor: ExporterVendor;
  /** Labels that number a device; the first that a sample has. */
  readonly index: readonly string[];
  readonly id: readonly string[];
  /** Samples that are about a part of a device, or about something else. */
  readonly leftOut?: (sample: Sample) => boolean;
  /** Value of a metric in terms of the state; nothing where the metric says nothing about it. */
  readonly read: (name: string, value: number, sample: Sample) => Partial<Measured> | undefined;
}

interface Measured {
  readonly totalMiB: number;
  readonly usedMiB: number;
  readonly freeMiB: number;
  readonly reservedMiB: number;
  readonly utilization: number;
  readonly throttled: readonly string[];
  readonly fault: string;
}

const MIB = 2 ** 20;
const MB_IN_MIB = 1e6 / MIB;

/** By key of the catalog, values in the unit of exporters up to 4.8. */
const DCGM: Partial<Readonly<Record<DcgmKey, (value: number) => Partial<Measured> | undefined>>> = {
  FB_FREE: (freeMiB) => ({ freeMiB }),
  FB_USED: (usedMiB) => ({ usedMiB }),
  FB_RESERVED: (reservedMiB) => ({ reservedMiB }),
  GPU_UTIL: (percent) => ({ utilization: percent / 100 }),
  ROW_REMAP_FAILURE: (failed) => (failed > 0 ? { fault: 'a row of memory could not be remapped' } : undefined),
  ECC_DBE_VOL_TOTAL: (errors) =>
    errors > 0 ? { fault: `${errors} uncorrectable memory errors since its last reset; reset the device` } : undefined,
  CLOCKS_EVENT_REASONS: throttling,
  XID_ERRORS: (code) =>
    XIDS_TO_ACT_ON.includes(code) ? { fault: `XID ${code}: ${findXid(code)?.meaning ?? 'unknown'}` } : undefined,
};

/** Bits of NVML, nvml.h, nvmlClocksEventReason…, in the words of `nvidia-smi`. */
const THROTTLE_BITS: ReadonlyMap<string, number> = new Map<(typeof THROTTLE_REASONS)[number], number>([
  ['sw_power_cap', 0x04],
  ['hw_slowdown', 0x08],
  ['sw_thermal_slowdown', 0x20],
  ['hw_thermal_slowdown', 0x40],
  ['hw_power_brake_slowdown', 0x80],
]);

function throttling(bits: number): Partial<Measured> {
  const throttled = [...THROTTLE_BITS].filter(([, bit]) => (bits & bit) !== 0).map(([reason]) => reason);
  const isHot = throttled.includes('hw_thermal_slowdown');
  return {
    ...(throttled.length === 0 ? {} : { throttled }),
    ...(isHot ? { fault: 'hardware thermal slowdown; check its cooling' } : {}),
  };
}

function readDcgm(name: string, value: number): Partial<Measured> | undefined {
  const key = findDcgmMetric(name)?.key;
  const unit = dcgmUnitOf(name);
  const inOldUnit = unit === 'bytes' ? value / MIB : unit === 'ratio' ? value * 100 : value;
  return key === undefined ? undefined : DCGM[key]?.(inOldUnit);
}

const flagged = (fault: string) => (value: number) => (value === 0 ? { fault } : undefined);

const table =
  (rows: Readonly<Record<string, (value: number) => Partial<Measured> | undefined>>) =>
  (name: string, value: number): Partial<Measured> | undefined =>
    Object.hasOwn(rows, name) ? rows[name](value) : undefined;

const READINGS: Readonly<Record<ExporterVendor, Reading>> = {
  nvidia: {
    vendor: 'nvidia',
    index: ['gpu'],
    id: ['UUID'],
    // A MIG instance has its own series beside those of its GPU.
    leftOut: ({ labels }) => (labels.GPU_I_ID ?? '') !== '',
    read: readDcgm,
  },
  amd: {
    vendor: 'amd',
    index: ['gpu_id'],
    id: ['serial_number'],
    read: table({
      gpu_health: flagged('gpu_health is 0'),
      gpu_gfx_activity: (percent) => ({ utilization: percent / 100 }),
      gpu_used_vram: (mb) => ({ usedMiB: mb * MB_IN_MIB }),
      gpu_total_vram: (mb) => ({ totalMiB: mb * MB_IN_MIB }),
    }),
  },
  gaudi: {
    vendor: 'gaudi',
    index: ['id', 'device'],
    id: ['UUID'],
    read: table({
      habanalabs_utilization: (percent) => ({ utilization: percent / 100 }),
      habanalabs_memory_used_bytes: (bytes) => ({ usedMiB: bytes / MIB }),
      habanalabs_memory_total_bytes: (bytes) => ({ totalMiB: bytes / MIB }),
    }),
  },
  ascend: {
    vendor: 'ascend',
    index: ['id'],
    id: ['vdie_id'],
    read: table({
      npu_chip_info_health_status: flagged('npu_chip_info_health_status is 0'),
      npu_chip_info_utilization: (percent) => ({ utilization: percent / 100 }),
      npu_chip_info_hbm_used_memory: (mb) => ({ usedMiB: mb * MB_IN_MIB }),
      npu_chip_info_hbm_total_memory: (mb) => ({ totalMiB: mb * MB_IN_MIB }),
    }),
  },
  tpu: {
    vendor: 'tpu',
    index: ['accelerator_id'],
    id: ['accelerator_id'],
    read: table({
      duty_cycle_node: (percent) => ({ utilization: percent / 100 }),
      memory_used_node: (bytes) => ({ usedMiB: bytes / MIB }),
      memory_total_node: (bytes) => ({ totalMiB: bytes / MIB }),
    }),
  },
};

export const EXPORTER_VENDORS: readonly ExporterVendor[] = ['nvidia', 'amd', 'gaudi', 'ascend', 'tpu'];

type Described = { readonly id?: string; readonly busId?: string } & Partial<Measured>;

/** Labels with the address on the PCI bus: of DCGM's exporter, and of Ascend's. */
const BUS_LABELS = ['pci_bus_id', 'pcie_bus_info'];

/** A device index above this is a mistake: no node has as many. */
const MOST_INDEX = 1023;

/** @returns the accelerators that the exporter's text describes, by index */
export function readAccelerators(vendor: ExporterVendor, text: string): readonly AcceleratorState[] {
  const { index: indexLabels, id: idLabels, leftOut, read } = READINGS[vendor];
  const devices = new Map<number, Described>();
  for (const sample of parseExposition(text, (name) => isRead(vendor, name))) {
    // No amount, ratio, or code is negative or infinite; what an exporter could not read is sometimes written so.
    if (!Number.isFinite(sample.value) || sample.value < 0) {
      continue;
    }
    const index = numbered(first(sample, indexLabels));
    const measured = leftOut?.(sample) === true ? undefined : read(sample.name, sample.value, sample);
    if (index === undefined || leftOut?.(sample) === true) {
      continue;
    }
    const id = first(sample, idLabels);
    const busId = busIdOf(first(sample, BUS_LABELS));
    devices.set(index, {
      ...devices.get(index),
      ...measured,
      ...(id === undefined ? {} : { id }),
      ...(busId === undefined ? {} : { busId }),
    });
  }
  return [...devices].sort(([a], [b]) => a - b).map(([index, device]) => stateOf(index, device));
}

function isRead(vendor: ExporterVendor, name: string): boolean {
  return vendor === 'nvidia'
    ? Object.hasOwn(DCGM, findDcgmMetric(name)?.key ?? '')
    : READINGS[vendor].read(name, 1, { name, labels: {}, value: 1 }) !== undefined ||
        READINGS[vendor].read(name, 0, { name, labels: {}, value: 0 }) !== undefined;
}

function stateOf(index: number, device: Described): AcceleratorState {
  const { id, busId, usedMiB, freeMiB, reservedMiB = 0, utilization, throttled, fault } = device;
  const totalMiB =
    device.totalMiB ?? (freeMiB === undefined || usedMiB === undefined ? undefined : freeMiB + usedMiB + reservedMiB);
  // What the driver reserves is not free either.
  const used = usedMiB === undefined ? undefined : usedMiB + (device.totalMiB === undefined ? reservedMiB : 0);
  return {
    index,
    ...(id === undefined ? {} : { id }),
    ...(busId === undefined ? {} : { busId }),
    ...(totalMiB === undefined ? {} : { totalMiB: Math.round(totalMiB) }),
    ...(used === undefined ? {} : { usedMiB: Math.round(used) }),
    ...(utilization === undefined ? {} : { utilization: Math.min(1, Math.max(0, utilization)) }),
    ...(throttled === undefined ? {} : { throttled }),
    ...(fault === undefined ? {} : { fault }),
  };
}

function first({ labels }: Sample, names: readonly string[]): string | undefined {
  const name = names.find((one) => (Object.hasOwn(labels, one) ? labels[one] : '') !== '');
  return name === undefined ? undefined : labels[name];
}

/** `0`, `nvidia0`, `accel3`, `4804027988914551-2`: the number at the end. */
function numbered(text: string | undefined): number | undefined {
  const digits = /(\d+)$/.exec(text ?? '')?.[1];
  const index = digits === undefined ? undefined : Number(digits);
  return index === undefined || index > MOST_INDEX ? undefined : index;
}

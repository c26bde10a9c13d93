/**
 * What `nvidia-smi -q -x` and `nvidia-smi -L` print, as plain values.
 *
 * The XML has no MIG UUID before driver 570 and no MIG profile at all; the list has both. The index of a device is the one of the list, which `topo -m` and CDI
 * use too.
 */
import { nvidiaFault } from './nvidia-health';
import { type DeviceUse } from './device-use';
import { elementAt, parseXml, textAt, type XmlElement } from './xml';

export interface NvidiaGpu {
  readonly uuid: string;
  readonly model?: string;
  readonly memoryMiB?: number;
  /** What neither programs nor the driver hold. */
  readonly freeMiB?: number;
  /** As sysfs names it: `0000:3b:00.0`. */
  readonly busId?: string;
  /** MIG mode is on. */
  readonly isDivided: boolean;
  /** Why nothing should start on it. @default - nothing is wrong */
  readonly fault?: string;
  /** Why its clocks are lower than they could be, as the report names the reasons. @default - for no reason that slows work down */
  readonly throttled?: readonly string[];
  readonly use: DeviceUse;
}

export interface NvidiaReport {
  readonly driver?: string;
  readonly gpus: readonly NvidiaGpu[];
}

/**
 * A process chooses its name, and `nvidia-smi` prints it as it is, with bytes and markup that make the report another one or none. Nothing here reads it.
 */
const PROCESS_NAME = /<process_name>.*<\/process_name>/g;

/** @returns `undefined` if the text is not a report, or if the name of a process may have changed it */
export function parseNvidiaReport(xml: string): NvidiaReport | undefined {
  const text = xml.replace(PROCESS_NAME, '');
  const root = parseXml(text);
  if (root?.name !== 'nvidia_smi_log') {
    return undefined;
  }
  const driver = textAt(root, 'driver_version');
  const gpus = root.children.filter(({ name }) => name === 'gpu').flatMap((gpu) => gpuOf(gpu) ?? []);
  return isChanged(text, gpus) ? undefined : { ...(driver === undefined ? {} : { driver }), gpus };
}

/**
 * A process name with line breaks is still in the text. What it can do to devices of others shows: all that they state themselves is in the text too, so that
 * a device is there twice, more devices than are attached, or one inside another.
 */
function isChanged(text: string, gpus: readonly NvidiaGpu[]): boolean {
  const stated = [...text.matchAll(/<uuid>\s*(?!MIG-)([^<]*?)\s*<\/uuid>/g)].map(([, uuid]) => uuid);
  const attached = Number(/<attached_gpus>(\d+)<\/attached_gpus>/.exec(text)?.[1] ?? Infinity);
  return stated.length !== gpus.length || new Set(stated).size < stated.length || stated.length > attached;
}

function gpuOf(gpu: XmlElement): NvidiaGpu | undefined {
  const uuid = textAt(gpu, 'uuid');
  if (uuid === undefined) {
    return undefined;
  }
  const model = textAt(gpu, 'product_name');
  const mebibytes = (name: string): string | undefined =>
    /^(\d+) MiB$/.exec(textAt(gpu, 'fb_memory_usage', name) ?? '')?.[1];
  const [memory, free] = [mebibytes('total'), mebibytes('free')];
  const throttled = throttleReasons(gpu);
  const busId = busIdOf(textAt(gpu, 'pci', 'pci_bus_id') ?? /\bid="([^"]*)"/.exec(gpu.attributes)?.[1]);
  const fault = nvidiaFault(gpu);
  return {
    uuid,
    ...(model === undefined ? {} : { model: model.replace(/^NVIDIA /, '') }),
    ...(memory === undefined ? {} : { memoryMiB: Number(memory) }),
    ...(free === undefined ? {} : { freeMiB: Number(free) }),
    ...(busId === undefined ? {} : { busId }),
    isDivided: elementAt(gpu, 'mig_mode', 'current_mig')?.text === 'Enabled',
    ...(fault === undefined ? {} : { fault }),
    ...(throttled.length === 0 ? {} : { throttled }),
    use: useOf(gpu),
  };
}

/** Reasons that slow work down: an idle device, and clocks that an administrator chose, have a reason too. */
export const THROTTLE_REASONS = [
  'sw_power_cap',
  'hw_slowdown',
  'sw_thermal_slowdown',
  'hw_thermal_slowdown',
  'hw_power_brake_slowdown',
] as const;

/** Drivers up to 550 say "throttle". */
function throttleReasons(gpu: XmlElement): readonly string[] {
  return THROTTLE_REASONS.filter((reason) =>
    ['event', 'throttle'].some(
      (word) => elementAt(gpu, `clocks_${word}_reasons`, `clocks_${word}_reason_${reason}`)?.text === 'Active',
    ),
  );
}

/** A divided device reports no utilization. */
function useOf(gpu: XmlElement): DeviceUse {
  const busy = /^(\d{1,3}) %$/.exec(textAt(gpu, 'utilization', 'gpu_util') ?? '')?.[1];
  const memory = /^(\d+) MiB$/.exec(textAt(gpu, 'fb_memory_usage', 'used') ?? '')?.[1];
  return {
    ...(busy === undefined ? {} : { busy: Math.min(1, Number(busy) / 100) }),
    ...(memory === undefined ? {} : { memoryMiB: Number(memory) }),
  };
}

/** `0000:3b:00.0` of `00000000:3B:00.0`, or of `0000:3b:00` in the kernel log. */
export function busIdOf(text: string | undefined): string | undefined {
  const [, domain, bus, device, part = '0'] =
    /^([0-9a-f]{4,8}):([0-9a-f]{2}):([0-9a-f]{2})(?:\.([0-7]))?$/i.exec(text ?? '') ?? [];
  return domain === undefined ? undefined : `${domain.slice(-4)}:${bus}:${device}.${part}`.toLowerCase();
}

export interface ListedGpu {
  readonly index: number;
  readonly uuid: string;
  /** In the order of their numbers. */
  readonly mig: readonly { readonly number: number; readonly id: string; readonly profile: string }[];
}

/** Devices of `nvidia-smi -L`. Other lines, such as warnings, are left out. */
export function parseNvidiaList(text: string): readonly ListedGpu[] {
  const gpus: { index: number; uuid: string; mig: { number: number; id: string; profile: string }[] }[] = [];
  for (const line of text.split('\n')) {
    const gpu = /^GPU (\d+): .*\(UUID: (GPU-[\w-]+)\)/.exec(line);
    const mig = /^\s+MIG (\S+)\s+Device\s+(\d+): \(UUID: (MIG-[\w/-]+)\)/.exec(line);
    if (gpu !== null) {
      gpus.push({ index: Number(gpu[1]), uuid: gpu[2], mig: [] });
    } else if (mig !== null) {
      gpus.at(-1)?.mig.push({ number: Number(mig[2]), id: mig[3], profile: mig[1] });
    }
  }
  return gpus;
}

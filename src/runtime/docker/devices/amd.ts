/**
 * What `amd-smi static --asic --bus --vram --numa --json` and, on older hosts, `rocm-smi --showid --showproductname --showbus --showmeminfo vram --showuse
 * --showuniqueid --json` print, as plain values.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { isObject } from '../../../manifests/read';
import { busIdOf } from '../../nvidia/nvidia-smi';
import { type DeviceUse } from '../../nvidia/device-use';

export interface AmdGpu {
  readonly index: number;
  readonly model?: string;
  readonly memoryMiB?: number;
  /** As sysfs names it. */
  readonly busId?: string;
  readonly numa?: number;
  readonly use: DeviceUse;
}

/** @returns `undefined` if the text is neither a list of devices nor `{ gpu_data: [...] }` (ROCm 7) */
export function parseAmdSmi(json: string): readonly AmdGpu[] | undefined {
  return entriesOf(json)?.map(([index, entry]) =>
    gpu(index, {
      model: at(entry, 'asic', 'market_name'),
      memoryMiB: mebibytes(at(entry, 'vram', 'size')),
      bus: at(entry, 'bus', 'bdf'),
      numa: at(entry, 'numa', 'node'),
      use: {},
    }),
  );
}

/** What `amd-smi metric --usage --mem-usage --json` prints, by the index of the device. */
export function parseAmdMetrics(json: string): ReadonlyMap<number, DeviceUse> {
  return new Map(
    (entriesOf(json) ?? []).map(([index, entry]) => {
      const activity = at(entry, 'usage', 'gfx_activity');
      const percent = isObject(activity) ? own(activity, 'value') : undefined;
      return [index, useOf(percent, mebibytes(at(entry, 'mem_usage', 'used_vram')))];
    }),
  );
}

function entriesOf(json: string): readonly (readonly [number, JsonObject])[] | undefined {
  const parsed = jsonOf(json);
  const list = isObject(parsed) && Object.hasOwn(parsed, 'gpu_data') ? parsed.gpu_data : parsed;
  return Array.isArray(list)
    ? list.flatMap((entry) => {
        const index = isObject(entry) ? own(entry, 'gpu') : undefined;
        return isObject(entry) && typeof index === 'number' ? [[index, entry] as const] : [];
      })
    : undefined;
}

function useOf(percent: unknown, memoryMiB: number | undefined): DeviceUse {
  const isKnown = typeof percent === 'number' && percent >= 0;
  return {
    ...(isKnown ? { busy: Math.min(1, percent / 100) } : {}),
    ...(memoryMiB === undefined ? {} : { memoryMiB }),
  };
}

/** @returns `undefined` if the text is not an object of cards */
export function parseRocmSmi(json: string): readonly AmdGpu[] | undefined {
  const parsed = jsonOf(json);
  if (!isObject(parsed)) {
    return undefined;
  }
  return Object.entries(parsed).flatMap(([name, card]) => {
    const index = /^card(\d+)$/.exec(name)?.[1];
    if (index === undefined || !isObject(card)) {
      return [];
    }
    // ROCm 6 writes the names with capitals, ROCm 5 without.
    const value = (wanted: string): JsonValue | undefined =>
      Object.entries(card).find(([key]) => key.toLowerCase() === wanted)?.[1];
    const memory = (name: string): number | undefined => {
      const bytes = Number(value(name) ?? Number.NaN);
      return bytes >= 0 ? Math.floor(bytes / 2 ** 20) : undefined;
    };
    const percent = value('gpu use (%)');
    return [
      gpu(Number(index), {
        model: value('card series'),
        memoryMiB: memory('vram total memory (b)') || undefined,
        bus: value('pci bus'),
        numa: undefined,
        use: useOf(percent === undefined ? undefined : Number(percent), memory('vram total used memory (b)')),
      }),
    ];
  });
}

interface Read {
  readonly model: JsonValue | undefined;
  readonly memoryMiB: number | undefined;
  readonly bus: JsonValue | undefined;
  readonly numa: JsonValue | undefined;
  readonly use: DeviceUse;
}

function gpu(index: number, { model, memoryMiB, bus, numa, use }: Read): AmdGpu {
  const busId = typeof bus === 'string' ? busIdOf(bus) : undefined;
  return {
    index,
    ...(typeof model === 'string' && model !== 'N/A' ? { model: model.replace(/^AMD /i, '') } : {}),
    ...(memoryMiB === undefined ? {} : { memoryMiB }),
    ...(busId === undefined ? {} : { busId }),
    ...(typeof numa === 'number' && numa >= 0 ? { numa } : {}),
    use,
  };
}

const UNITS: ReadonlyMap<unknown, number> = new Map([
  ['B', 2 ** -20],
  ['KB', 2 ** -10],
  ['MB', 1],
  ['GB', 2 ** 10],
]);

/** Units of AMD SMI are binary. */
function mebibytes(size: JsonValue | undefined): number | undefined {
  const amount = isObject(size) ? own(size, 'value') : undefined;
  const factor = isObject(size) ? UNITS.get(own(size, 'unit')) : undefined;
  return typeof amount === 'number' && factor !== undefined ? Math.floor(amount * factor) : undefined;
}

function at(entry: JsonObject, group: string, field: string): JsonValue | undefined {
  const found = own(entry, group);
  return isObject(found) ? own(found, field) : undefined;
}

function own(value: JsonObject, field: string): JsonValue | undefined {
  return Object.hasOwn(value, field) ? value[field] : undefined;
}

/** Programs print warnings before the document. */
function jsonOf(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text.slice(Math.max(0, text.search(/[[{]/)))) as JsonValue;
  } catch {
    return undefined;
  }
}

/**
 * What a node says about its accelerators in the annotation `gantry.dev/accelerator-capacity`.
 *
 * The text is JSON: `{"at": "2026-01-01T00:00:00Z", "devices": [{"index": 0, "freeMemoryMiB": 40000, "utilization": 0.3, "latencyMs":
 * 4, "held": true}]}`, with `at` as RFC 3339 text or milliseconds since the epoch. `held`: the kubelet had given the device to a pod. A report is a hint from a program that may be broken or gone: one
 * that is too old or makes no sense is left aside and counted, and never stops anything.
 */
export interface DeviceReport {
  readonly freeMemoryMiB?: number;
  /** 0 to 1. */
  readonly utilization?: number;
  readonly latencyMs?: number;
  /**
   * A pod had the device when the report was made. What was measured is then the pod's: it says nothing about the device once the pod is deleted.
   */
  readonly held?: boolean;
}

export interface CapacityReport {
  readonly at: number;
  /** By device index. */
  readonly devices: ReadonlyMap<number, DeviceReport>;
}

export type ReportState =
  | { readonly state: 'fresh'; readonly report: CapacityReport }
  | { readonly state: 'stale' | 'malformed' };

/** A clock that is this much ahead is still believed, milliseconds. */
const CLOCK_SKEW = 5_000;

/** What a report counts for as of `now`; fresh is what is at most `seconds` old. */
export function reportAsOf(report: CapacityReport | undefined, now: number, seconds: number): ReportState {
  if (report === undefined || report.at > now + CLOCK_SKEW) {
    return { state: 'malformed' };
  }
  return now - report.at <= seconds * 1000 ? { state: 'fresh', report } : { state: 'stale' };
}

/** Reads the text of a report; undefined where it makes no sense. */
export function parseCapacityReport(text: string): CapacityReport | undefined {
  const read = readCapacityReport(text);
  return 'report' in read ? read.report : undefined;
}

/** What keeps a text from being a report: where in it, and what is expected there. */
export interface ReportProblem {
  /** `devices[2].utilization`; empty for the text as a whole. */
  readonly at: string;
  readonly expected: string;
}

const MEASURES = ['freeMemoryMiB', 'utilization', 'latencyMs'] as const;

/** The report in a text, or why it is none. */
export function readCapacityReport(
  text: string,
): { readonly report: CapacityReport } | { readonly problem: ReportProblem } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return problem('', 'JSON such as {"at": "2026-01-01T00:00:00Z", "devices": []}');
  }
  if (!isObject(value)) {
    return problem('', 'an object with the members at and devices');
  }
  const at = typeof value.at === 'number' ? value.at : typeof value.at === 'string' ? Date.parse(value.at) : NaN;
  if (!Number.isFinite(at)) {
    return problem('at', 'a time such as 2026-01-01T00:00:00Z, or milliseconds since the epoch');
  }
  if (!Array.isArray(value.devices)) {
    return problem('devices', 'a list of devices');
  }
  const devices = new Map<number, DeviceReport>();
  for (const [place, entry] of (value.devices as readonly unknown[]).entries()) {
    const device = readDevice(entry, `devices[${place}]`);
    if ('problem' in device) {
      return device;
    }
    devices.set(device.index, device.report);
  }
  return { report: { at, devices } };
}

function readDevice(
  entry: unknown,
  at: string,
): { readonly index: number; readonly report: DeviceReport } | { readonly problem: ReportProblem } {
  if (!isObject(entry) || typeof entry.index !== 'number' || !Number.isInteger(entry.index) || entry.index < 0) {
    return problem(`${at}.index`, 'the index of a device, from 0');
  }
  const wrong = MEASURES.find((name) => !isMeasure(entry[name]));
  if (wrong !== undefined) {
    return problem(`${at}.${wrong}`, 'a number that is not negative');
  }
  const { freeMemoryMiB, utilization, latencyMs, held } = entry;
  if (!['boolean', 'undefined'].includes(typeof held)) {
    return problem(`${at}.held`, 'true or false');
  }
  return {
    index: entry.index,
    report: {
      freeMemoryMiB: freeMemoryMiB as number | undefined,
      utilization: utilization as number | undefined,
      latencyMs: latencyMs as number | undefined,
      ...(held === true ? { held } : {}),
    },
  };
}

function problem(at: string, expected: string): { readonly problem: ReportProblem } {
  return { problem: { at, expected } };
}

function isMeasure(value: unknown): boolean {
  return value === undefined || (typeof value === 'number' && Number.isFinite(value) && value >= 0);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

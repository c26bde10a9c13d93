/**
 * Pressure stall information (PSI): the part of the time in which tasks waited for a resource. Source: Linux, Documentation/accounting/psi.rst.
 */
import { type KeptFiles } from './kept-files';

/** One line of a pressure file. */
export interface Stall {
  /** Part of the last 10 seconds, 0 to 1. */
  readonly avg10: number;
  /** Part of the last minute, 0 to 1. */
  readonly avg60: number;
  /** Part of the last five minutes, 0 to 1. */
  readonly avg300: number;
  /** Since the system or the cgroup started. */
  readonly totalSeconds: number;
}

/** `some`: at least one task waited; `full`: all of them did at once. */
export interface Pressure {
  readonly some: Stall;
  /** Absent for CPU in kernels before 5.13. */
  readonly full?: Stall;
}

export type PressureResource = 'cpu' | 'memory' | 'io';
export const PRESSURE_RESOURCES: readonly PressureResource[] = ['cpu', 'memory', 'io'];
export type Pressures = Partial<Readonly<Record<PressureResource, Pressure>>>;

const LINE = /^(some|full) avg10=([\d.]+) avg60=([\d.]+) avg300=([\d.]+) total=(\d+)[ \r]*$/gm;

/** Text of one pressure file; undefined where it is none. */
export function parsePressure(text: string | undefined): Pressure | undefined {
  const stalls: { some?: Stall; full?: Stall } = {};
  for (const [, kind, avg10, avg60, avg300, total] of text?.matchAll(LINE) ?? []) {
    stalls[kind as 'some' | 'full'] = {
      avg10: Number(avg10) / 100,
      avg60: Number(avg60) / 100,
      avg300: Number(avg300) / 100,
      totalSeconds: Number(total) / 1e6,
    };
  }
  const { some, full } = stalls;
  return some === undefined ? undefined : { some, ...(full === undefined ? {} : { full }) };
}

/** Of the whole node, from `/proc/pressure`. Nothing where the kernel was started without PSI. */
export function nodePressure(files: KeptFiles): Pressures {
  return pressuresAt(files, (resource) => `proc/pressure/${resource}`);
}

export function pressuresAt(files: KeptFiles, pathOf: (resource: PressureResource) => string): Pressures {
  const pressures: { [R in PressureResource]?: Pressure } = {};
  for (const resource of PRESSURE_RESOURCES) {
    const pressure = parsePressure(files.text(pathOf(resource)));
    if (pressure !== undefined) {
      pressures[resource] = pressure;
    }
  }
  return pressures;
}

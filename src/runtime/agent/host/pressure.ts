/**
 * Pressure stall information (PSI): the part of the time in which tasks waited for a resource. Source: Linux, Documentation/accounting/psi.rst.
 */
import { type HostRoot } from './host-root';

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

const LINE = /^(some|full) avg10=([\d.]+) avg60=([\d.]+) avg300=([\d.]+) total=(\d+)$/;

/** Text of one pressure file; undefined where it is none. */
export function parsePressure(text: string | undefined): Pressure | undefined {
  const stalls: { some?: Stall; full?: Stall } = {};
  for (const line of text?.split('\n') ?? []) {
    const found = LINE.exec(line.trim());
    if (found !== null) {
      const [avg10, avg60, avg300] = found.slice(2, 5).map((percent) => Number(percent) / 100);
      stalls[found[1] as 'some' | 'full'] = { avg10, avg60, avg300, totalSeconds: Number(found[5]) / 1e6 };
    }
  }
  const { some, full } = stalls;
  return some === undefined ? undefined : { some, ...(full === undefined ? {} : { full }) };
}

/** Of the whole node, from `/proc/pressure`. Nothing where the kernel was started without PSI. */
export function nodePressure(root: HostRoot): Promise<Pressures> {
  return pressuresAt(root, (resource) => `proc/pressure/${resource}`);
}

export async function pressuresAt(root: HostRoot, pathOf: (resource: PressureResource) => string): Promise<Pressures> {
  const read = await Promise.all(
    PRESSURE_RESOURCES.map(async (resource) => [resource, parsePressure(await root.text(pathOf(resource)))] as const),
  );
  return Object.fromEntries(read.filter(([, pressure]) => pressure !== undefined));
}

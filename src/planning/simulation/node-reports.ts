/**
 * The capacity reports of nodes as a simulation runs. The agent of a node keeps its report fresh until it stops; then the report ages.
 */
import { type ScenarioReport } from './scenario';

interface Reported {
  readonly devices: readonly DeviceEntry[];
  /** Seconds. */
  at: number;
  isRenewed: boolean;
}

/** An entry of the annotation. */
interface DeviceEntry {
  readonly index: number;
  readonly freeMemoryMiB?: number;
  readonly utilization?: number;
  readonly latencyMs?: number;
  readonly held?: boolean;
}

export class NodeReports {
  private readonly reports = new Map<string, Reported>();

  /** @param seconds for how long the scheduler believes a report */
  constructor(private readonly seconds: number) {}

  /**
   * The agent measures something else from now on.
   *
   * @param deviceCount number of devices of the node
   * @returns the annotation
   */
  set(node: string, { devices = [] }: ScenarioReport, deviceCount: number, now: number): string {
    const entries = devices.flatMap(({ index, ...measured }) =>
      index === undefined
        ? Array.from({ length: deviceCount }, (_, i) => ({ index: i, ...measured }))
        : [{ index, ...measured }],
    );
    const reported = { devices: entries, at: now, isRenewed: true };
    this.reports.set(node, reported);
    return textOf(reported);
  }

  /**
   * The agent ends after it has reported again.
   *
   * @returns the annotation; `undefined` where there is no report
   */
  stop(node: string, now: number): string | undefined {
    const reported = this.reports.get(node);
    if (reported === undefined) {
      return undefined;
    }
    reported.at = reported.isRenewed ? now : reported.at;
    reported.isRenewed = false;
    return textOf(reported);
  }

  /** Reports that were renewed meanwhile, so that none of a running agent is stale. */
  renewed(now: number): readonly (readonly [node: string, text: string])[] {
    return [...this.reports].flatMap(([node, reported]) => {
      if (!reported.isRenewed || now - reported.at <= this.seconds / 2) {
        return [];
      }
      reported.at = now;
      return [[node, textOf(reported)] as const];
    });
  }

  /** Least free memory that a fresh report of the node states. */
  freeMemoryMiB(node: string, now: number): number | undefined {
    const reported = this.reports.get(node);
    if (reported === undefined || (!reported.isRenewed && now - reported.at > this.seconds)) {
      return undefined;
    }
    const free = reported.devices.flatMap(({ freeMemoryMiB }) => freeMemoryMiB ?? []);
    return free.length === 0 ? undefined : Math.min(...free);
  }
}

function textOf({ at, devices }: Reported): string {
  return JSON.stringify({ at: at * 1000, devices });
}

/** `2000 MiB free, 95% utilization`. */
export function measuresText({ devices }: ScenarioReport): string {
  return (devices ?? [])
    .map(({ index, freeMemoryMiB, utilization, latencyMs }) => {
      const measures = [
        freeMemoryMiB === undefined ? [] : `${freeMemoryMiB} MiB free`,
        utilization === undefined ? [] : `${Math.round(utilization * 100)}% utilization`,
        latencyMs === undefined ? [] : `${latencyMs} ms latency`,
      ].flat();
      return `${index === undefined ? 'each device' : `device ${index}`} ${measures.join(', ')}`;
    })
    .join('; ');
}

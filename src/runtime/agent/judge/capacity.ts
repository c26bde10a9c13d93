/**
 * What the node reports about its accelerators for the placement of pods, with hysteresis: small changes are not worth a write.
 *
 * The form is that of `placement/nodes/capacity-report`, which reads it.
 */
import { createHash } from 'node:crypto';
import { timeText } from '../../api/clock';
import { type JsonObject } from '../../../facts/api/schema';
import { type AcceleratorState } from '../devices/accelerators';

export interface CapacityOptions {
  /** Change of free memory that is reported, as a part of the device's memory. */
  readonly memoryStep: number;
  /** Change of utilization that is reported. */
  readonly utilizationStep: number;
  /** A report without change is renewed after these milliseconds, so that it does not count as stale. */
  readonly renewal: number;
}

export const DEFAULT_CAPACITY_OPTIONS: CapacityOptions = {
  memoryStep: 0.05,
  utilizationStep: 0.2,
  renewal: 240_000,
};

/** Part of the renewal by which nodes differ, so that agents that started together do not renew together. */
const SPREAD = 0.25;

/** Milliseconds after which the agent of a node renews its report: 180 to 240 seconds, by the name. */
export function renewalOf(node: string): number {
  const digest = createHash('sha256').update(node).digest().readUInt32BE(0);
  return Math.round(DEFAULT_CAPACITY_OPTIONS.renewal * (1 - (SPREAD * digest) / 2 ** 32));
}

export class CapacityReporter {
  private reported: readonly AcceleratorState[] | undefined;
  private at = 0;
  private text: string | undefined;

  constructor(private readonly options: CapacityOptions = DEFAULT_CAPACITY_OPTIONS) {}

  /** @returns the text to publish; undefined where nothing is known about any device */
  report(devices: readonly AcceleratorState[] | undefined, now: number): string | undefined {
    if (devices === undefined || devices.length === 0) {
      return this.text;
    }
    if (this.text === undefined || this.isNews(devices) || now - this.at >= this.options.renewal) {
      this.reported = devices;
      this.at = now;
      this.text = JSON.stringify({ at: timeText(now), devices: devices.map(entryOf) });
    }
    return this.text;
  }

  private isNews(devices: readonly AcceleratorState[]): boolean {
    const { memoryStep, utilizationStep } = this.options;
    const reported = new Map(this.reported?.map((device) => [device.index, device]));
    return (
      reported.size !== devices.length ||
      devices.some((device) => {
        const before = reported.get(device.index);
        return (
          before === undefined ||
          before.held !== device.held ||
          differs(before.usedMiB, device.usedMiB, memoryStep * (device.totalMiB ?? Infinity)) ||
          differs(before.utilization, device.utilization, utilizationStep)
        );
      })
    );
  }
}

function entryOf({ index, totalMiB, usedMiB, utilization, held }: AcceleratorState): JsonObject {
  return {
    index,
    ...(totalMiB === undefined || usedMiB === undefined ? {} : { freeMemoryMiB: Math.max(0, totalMiB - usedMiB) }),
    ...(utilization === undefined ? {} : { utilization: Math.round(utilization * 100) / 100 }),
    ...(held === true ? { held } : {}),
  };
}

function differs(before: number | undefined, now: number | undefined, step: number): boolean {
  return before === undefined || now === undefined ? before !== now : Math.abs(before - now) >= step;
}

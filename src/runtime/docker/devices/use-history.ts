/**
 * How the devices were used in the last 24 hours, minute by minute.
 *
 * Memory is bounded: 14,400 bytes for each device, at most 256 devices, so at most 3.6 MB. A minute is in the place that its number gives it, and counts only
 * while its number is written there: a gap, or a clock that is set back, leaves no wrong minute behind.
 */
import { type DeviceUse } from '../../nvidia/device-use';
import { type RunnerHistory, type RunnerHistoryOfDevice } from '../../../planning/pages/runner-view';

export const MINUTES = 1440;
const MOST_DEVICES = 256;
const MINUTE = 60_000;
const UNKNOWN_PART = 255;
const UNKNOWN_MEMORY = 2 ** 32 - 1;
/** Steps in which a part is kept. */
const PARTS = 200;

/** Sums of the minute that is not over. */
interface Current {
  minute: number;
  busy: number;
  measured: number;
  held: number;
  looked: number;
}

interface Track {
  readonly minutes: Uint32Array;
  readonly busy: Uint8Array;
  readonly held: Uint8Array;
  readonly memory: Uint32Array;
  readonly current: Current;
  latest: DeviceUse | undefined;
}

export class UseHistory {
  private readonly tracks = new Map<string, Track>();

  /**
   * @param devices ids of the devices of the host; all others are forgotten
   * @param uses what was measured now
   * @param held ids of the devices that tasks hold
   */
  record(
    now: number,
    devices: readonly string[],
    uses: ReadonlyMap<string, DeviceUse>,
    held: ReadonlySet<string>,
  ): void {
    const known = new Set(devices.slice(0, MOST_DEVICES));
    [...this.tracks.keys()].filter((id) => !known.has(id)).forEach((id) => this.tracks.delete(id));
    for (const id of known) {
      const track = this.tracks.get(id) ?? newTrack();
      this.tracks.set(id, track);
      take(track, Math.floor(now / MINUTE), uses.get(id), held.has(id));
    }
  }

  /** The last measurement. */
  latest(id: string): DeviceUse | undefined {
    return this.tracks.get(id)?.latest;
  }

  /** @param minutes how far back, at most 1440 */
  since(now: number, minutes: number): RunnerHistory {
    const last = Math.floor(now / MINUTE);
    const steps = Array.from(
      { length: Math.min(minutes, MINUTES) },
      (_, index, count = Math.min(minutes, MINUTES)) => last - count + 1 + index,
    );
    return {
      until: (last + 1) * MINUTE,
      stepSeconds: MINUTE / 1000,
      devices: [...this.tracks].map(([id, track]) => ofDevice(id, track, steps)),
    };
  }
}

function newTrack(): Track {
  return {
    minutes: new Uint32Array(MINUTES),
    busy: new Uint8Array(MINUTES),
    held: new Uint8Array(MINUTES),
    memory: new Uint32Array(MINUTES),
    current: { minute: -1, busy: 0, measured: 0, held: 0, looked: 0 },
    latest: undefined,
  };
}

function take(track: Track, minute: number, use: DeviceUse | undefined, isHeld: boolean): void {
  const { current } = track;
  const place = minute % MINUTES;
  if (current.minute !== minute) {
    Object.assign(current, { minute, busy: 0, measured: 0, held: 0, looked: 0 });
    track.memory[place] = UNKNOWN_MEMORY;
  }
  current.looked++;
  current.held += isHeld ? 1 : 0;
  if (use?.busy !== undefined) {
    current.busy += use.busy;
    current.measured++;
  }
  if (use?.memoryMiB !== undefined) {
    const before = track.memory[place];
    track.memory[place] = before === UNKNOWN_MEMORY ? use.memoryMiB : Math.max(before, use.memoryMiB);
  }
  track.minutes[place] = minute;
  track.busy[place] = current.measured === 0 ? UNKNOWN_PART : Math.round((current.busy / current.measured) * PARTS);
  track.held[place] = Math.round((current.held / current.looked) * PARTS);
  track.latest = use;
}

function ofDevice(id: string, track: Track, steps: readonly number[]): RunnerHistoryOfDevice {
  const read = (values: Uint8Array | Uint32Array, unknown: number, unit: number): readonly (number | null)[] =>
    steps.map((minute) => {
      const place = minute % MINUTES;
      return track.minutes[place] !== minute || values[place] === unknown ? null : values[place] / unit;
    });
  return {
    id,
    busy: read(track.busy, UNKNOWN_PART, PARTS),
    memoryMiB: read(track.memory, UNKNOWN_MEMORY, 1),
    held: read(track.held, UNKNOWN_PART, PARTS),
  };
}

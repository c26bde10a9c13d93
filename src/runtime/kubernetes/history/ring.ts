/**
 * The ConfigMaps that hold the history. One of them is written to; when it is full, the oldest one is overwritten by the next segment.
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type JsonObject } from '../../../facts/api/schema';
import { asObject } from '../../../manifests/read';
import { type HistoryEvent, lineOf, readSegment, Replay, segmentIn } from '../../../planning/history';
import { HISTORY_KEY, historySegmentName } from '../../../planning/scheduler-settings/deployment-names';
import { messageOf } from '../../api/api-error';
import { type ApiClient } from '../../api/client';

const compressed = promisify(gzip);

/** Bytes of a compressed segment: a write is no larger than this and a third, which base64 adds. */
export const SEGMENT_BYTES = 131_072;
/** The part of a segment that gangs may take that began in earlier ones. */
const OPEN_SHARE = 0.5;

export interface RingOptions {
  readonly client: Pick<ApiClient, 'request'>;
  readonly namespace: string;
  /** Name of the scheduler. */
  readonly scheduler: string;
  readonly configMaps: number;
  /** Milliseconds. */
  readonly timeout: number;
  /** Whether this replica still leads. */
  readonly permit: () => boolean;
  /** A segment that cannot be read is overwritten. */
  readonly onUnreadable: (index: number, message: string) => void;
  /** @default SEGMENT_BYTES */
  readonly segmentBytes?: number;
}

interface Place {
  readonly index: number;
  readonly sequence: number;
  readonly lines: readonly string[];
}

export class Ring {
  /** As the API server last returned them. */
  private readonly objects: JsonObject[] = [];
  private current: Place = { index: -1, sequence: 0, lines: [] };
  /** What is in the ConfigMaps. */
  private written = new Replay();

  constructor(private readonly options: RingOptions) {}

  /**
   * Reads what is there.
   * @returns the gangs that have not ended
   * @throws ApiError where a ConfigMap cannot be read
   */
  async load(): Promise<Replay> {
    const { client, configMaps, timeout, onUnreadable } = this.options;
    this.current = { index: -1, sequence: 0, lines: [] };
    this.written = new Replay();
    for (let index = 0; index < configMaps; index++) {
      const object = await client.request('GET', this.pathOf(index), { timeout });
      this.objects[index] = object;
      try {
        this.take(index, segmentIn(object));
      } catch (error) {
        onUnreadable(index, messageOf(error));
      }
    }
    return this.written;
  }

  /**
   * @param now seconds since the epoch
   * @returns how many of the events were written, the first ones
   * @throws ApiError where they were not written
   */
  async write(events: readonly HistoryEvent[], now: number): Promise<number> {
    const lines = [...this.current.lines, ...events.map(lineOf)];
    const packed = await packedOf(lines);
    if (this.current.index >= 0 && packed.length <= this.bytes) {
      await this.put({ ...this.current, lines }, packed, events);
      return events.length;
    }
    return this.writeNext(events, now);
  }

  private get bytes(): number {
    return this.options.segmentBytes ?? SEGMENT_BYTES;
  }

  private take(index: number, text: string | undefined): void {
    if (text === undefined) {
      return;
    }
    const { events, sequence } = readSegment(text);
    if (sequence > this.current.sequence) {
      const replay = new Replay();
      events.forEach((event) => replay.apply(event));
      this.written = replay;
      this.current = { index, sequence, lines: text.split('\n').filter((line) => line !== '') };
    }
  }

  /** A new segment, in place of the oldest one. */
  private async writeNext(events: readonly HistoryEvent[], now: number): Promise<number> {
    const sequence = this.current.sequence + 1;
    const index = (this.current.index + 1) % this.options.configMaps;
    const first = lineOf({ kind: 'segment', at: now, sequence });
    const open = [...this.written.open].map(([id, { gang, progress }]) =>
      lineOf({ kind: 'open', at: now, id, gang, progress }),
    );
    // Gangs that began long ago say more than those that arrived last, which make room first.
    const kept = await this.fitting([first], open, this.bytes * OPEN_SHARE);
    const head = [first, ...open.slice(0, kept)];
    const count = await this.fitting(head, events.map(lineOf), this.bytes);
    const taken = events.slice(0, count);
    const lines = [...head, ...taken.map(lineOf)];
    const ids = new Set([...this.written.open.keys()].slice(0, kept));
    await this.put({ index, sequence, lines }, await packedOf(lines), taken, ids);
    return count;
  }

  /** How many of the lines fit behind the others, halving their number until they do. */
  private async fitting(before: readonly string[], lines: readonly string[], bytes: number): Promise<number> {
    let count = lines.length;
    while (count > 0 && (await packedOf([...before, ...lines.slice(0, count)])).length > bytes) {
      count = Math.floor(count / 2);
    }
    return count;
  }

  private async put(
    segment: Place,
    packed: Buffer,
    events: readonly HistoryEvent[],
    kept?: ReadonlySet<number>,
  ): Promise<void> {
    const { client, timeout, permit } = this.options;
    const { metadata } = this.objects[segment.index];
    const { name, namespace, labels, annotations, resourceVersion } = asObject(metadata);
    this.objects[segment.index] = await client.request('PUT', this.pathOf(segment.index), {
      timeout,
      permit,
      body: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name,
          namespace,
          // Another leader, or a user, may have written to it meanwhile.
          resourceVersion,
          ...(labels !== undefined && { labels }),
          ...(annotations !== undefined && { annotations }),
        },
        binaryData: { [HISTORY_KEY]: packed.toString('base64') },
      },
    });
    this.current = segment;
    if (kept !== undefined) {
      this.written.keepOnly(kept);
    }
    events.forEach((event) => this.written.apply(event));
  }

  private pathOf(index: number): string {
    const { namespace, scheduler } = this.options;
    return `/api/v1/namespaces/${namespace}/configmaps/${historySegmentName(scheduler, index)}`;
  }
}

async function packedOf(lines: readonly string[]): Promise<Buffer> {
  return compressed(`${lines.join('\n')}\n`);
}

/**
 * Views that are sent again when something has changed: one JSON document per line, so that a client that sends a token in a header can read them.
 *
 * A view is worked out once for all clients of a tenant, and rests ten times as long as that took, times the number of tenants that look, at least a second:
 * pages never take more than a tenth of the runner's time, however many connect. A client that does not read gets the newest view when it reads again, and none of those between.
 */
import { type ServerResponse } from 'node:http';
import { type RunnerView } from '../../../planning/pages/runner-view';
import { RunnerError } from '../runner-error';
import { type Caller } from './caller';

/** Streams of one tenant, or of administrators, at a time. */
const MOST_STREAMS = 32;
const LEAST_REST = 1000;
const REST_FACTOR = 10;
/** Milliseconds after which a view is sent again though nothing changed; shows that the connection lives, and keeps measurements fresh. */
const RENEWED = 10_000;

interface Group {
  readonly caller: Caller;
  readonly streams: Set<ServerResponse>;
  timer: NodeJS.Timeout | undefined;
  changed: boolean;
  /** The last view. */
  text: string;
  madeAt: number;
  /** Milliseconds until it may be made again. */
  rest: number;
}

export interface ViewStreamOptions {
  readonly view: (caller: Caller) => RunnerView;
  /** Milliseconds that only grow. */
  readonly monotonic: () => number;
}

export class ViewStreams {
  private readonly groups = new Map<string, Group>();

  constructor(private readonly options: ViewStreamOptions) {}

  /** Something changed that a view may show. */
  changed(): void {
    for (const group of this.groups.values()) {
      group.changed = true;
    }
  }

  /** @throws RunnerError if the caller has too many */
  follow(caller: Caller, response: ServerResponse): void {
    const key = caller.tenant ?? '';
    const group: Group = this.groups.get(key) ?? {
      caller,
      streams: new Set(),
      timer: undefined,
      changed: false,
      text: '',
      madeAt: -Infinity,
      rest: LEAST_REST,
    };
    if (group.streams.size >= MOST_STREAMS) {
      throw new RunnerError(`${MOST_STREAMS} pages are open already`, 'Close one of them.', 'conflict');
    }
    this.groups.set(key, group);
    const first = this.isResting(group) ? group.text : this.made(group);
    group.streams.add(response);
    response.writeHead(200, { 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' });
    response.write(first);
    response.once('close', () => {
      group.streams.delete(response);
      if (group.streams.size === 0) {
        // It rests for those that come back at once, too.
        clearTimeout(group.timer);
        group.timer = setTimeout(() => this.groups.delete(key), group.rest).unref();
      }
    });
    if (group.streams.size === 1) {
      clearTimeout(group.timer);
      this.later(group);
    }
  }

  private later(group: Group): void {
    group.timer = setTimeout(() => {
      if (group.changed || this.options.monotonic() - group.madeAt >= RENEWED) {
        this.renew(group);
      }
      this.later(group);
    }, group.rest);
    group.timer.unref();
  }

  private renew(group: Group): void {
    let text: string;
    try {
      text = this.made(group);
    } catch {
      // For example a store that cannot be read now: pages ask again.
      group.streams.forEach((response) => response.destroy());
      return;
    }
    for (const response of group.streams) {
      if (!response.writableNeedDrain) {
        response.write(text);
      }
    }
  }

  private isResting({ madeAt, rest }: Group): boolean {
    return this.options.monotonic() - madeAt < rest;
  }

  private made(group: Group): string {
    const begun = this.options.monotonic();
    group.changed = false;
    group.text = `${JSON.stringify(this.options.view(group.caller))}\n`;
    group.madeAt = this.options.monotonic();
    group.rest = Math.max(LEAST_REST, REST_FACTOR * this.groups.size * (group.madeAt - begun));
    return group.text;
  }
}

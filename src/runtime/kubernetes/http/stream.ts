/**
 * Server-sent events to all listeners. A slow reader misses some events; each event contains the whole state, so the next one is enough.
 *
 * Where there is nothing to see, an event `waiting` says why.
 */
import { type ServerResponse } from 'node:http';

/** Proxies close what is silent for longer, milliseconds. */
const SIGN_OF_LIFE = 20_000;

/** What there is to see, or why there is nothing. */
export type Said = { readonly view: object } | { readonly waiting: string };

export class Stream {
  private readonly listeners = new Set<ServerResponse>();
  private readonly timer = setInterval(() => this.write(': still here\n\n'), SIGN_OF_LIFE).unref();

  get size(): number {
    return this.listeners.size;
  }

  /** Begins with one value. */
  add(response: ServerResponse, said: Said): void {
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    response.on('close', () => this.listeners.delete(response));
    this.listeners.add(response);
    response.write(text(said));
  }

  send(said: Said): void {
    this.write(text(said));
  }

  close(): void {
    clearInterval(this.timer);
    this.listeners.forEach((response) => response.end());
    this.listeners.clear();
  }

  private write(data: string): void {
    for (const response of this.listeners) {
      if (!response.writableNeedDrain) {
        response.write(data);
      }
    }
  }
}

function text(said: Said): string {
  return 'waiting' in said
    ? `event: waiting\ndata: ${JSON.stringify(said.waiting)}\n\n`
    : `data: ${JSON.stringify(said.view)}\n\n`;
}

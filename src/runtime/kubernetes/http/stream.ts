/**
 * Server-sent events to whoever listens. Who reads too slowly misses some: each event tells everything, so the next one makes up for it.
 */
import { type ServerResponse } from 'node:http';

/** Proxies close what is silent for longer, milliseconds. */
const SIGN_OF_LIFE = 20_000;

export class Stream {
  private readonly listeners = new Set<ServerResponse>();
  private readonly timer = setInterval(() => this.write(': still here\n\n'), SIGN_OF_LIFE).unref();

  get size(): number {
    return this.listeners.size;
  }

  /** Begins with one value. */
  add(response: ServerResponse, value: unknown): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
    response.on('close', () => this.listeners.delete(response));
    this.listeners.add(response);
    response.write(text(value));
  }

  send(value: unknown): void {
    this.write(text(value));
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

function text(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

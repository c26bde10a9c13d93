/**
 * The answer to a watch: as much of a response stream as a reader of watches uses.
 */
import { EventEmitter } from 'node:events';

export class WatchStream extends EventEmitter {
  private ended = false;

  constructor(private readonly onEnd: () => void) {
    super();
  }

  send(event: object): void {
    if (!this.ended) {
      this.emit('data', Buffer.from(`${JSON.stringify(event)}\n`));
    }
  }

  destroy(error?: Error): this {
    if (!this.ended) {
      this.ended = true;
      this.onEnd();
      queueMicrotask(() => {
        if (error !== undefined) {
          this.emit('error', error);
        }
        this.emit('close');
      });
    }
    return this;
  }
}

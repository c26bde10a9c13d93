/**
 * Follows the events of the engine until the runner ends; after a break everything is compared again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { EngineError } from '../engine/engine-error';
import { LABELS } from './container-spec';
import { type Parts } from './parts';
import { RESYNC, type Reconciler } from './reconciler';
import { type Settler } from './settler';

/** Milliseconds between attempts to connect. */
const RECONNECT = { first: 200, most: 5000 } as const;

export class Follower {
  constructor(
    private readonly parts: Parts,
    private readonly settler: Settler,
    private readonly reconciler: Reconciler,
  ) {}

  async follow(): Promise<void> {
    const { background, link, options } = this.parts;
    const { engine, clock } = options;
    const { signal } = background;
    let pause: number = RECONNECT.first;
    let since = clock.now();
    while (!signal.aborted) {
      const resyncs = setInterval(() => background.run(this.reconciler.resync(), link.failed), RESYNC);
      try {
        const events = engine.events(since, signal);
        if (link.isLost) {
          await engine.ping();
          await this.reconciler.resync();
        }
        pause = RECONNECT.first;
        for await (const event of events) {
          since = Math.max(since, Math.floor((event.timeNano ?? 0) / 1e6));
          this.heard(event.Actor.ID, event.Actor.Attributes ?? {});
        }
        throw new EngineError(`${engine.name}: the engine ended the connection`, undefined);
      } catch (error) {
        if (!signal.aborted) {
          link.failed(error);
          await sleep(pause);
          pause = Math.min(RECONNECT.most, pause * 2);
        }
      } finally {
        clearInterval(resyncs);
      }
    }
  }

  private heard(container: string, attributes: Readonly<Record<string, string>>): void {
    const { options, background, link } = this.parts;
    if (attributes[LABELS.runner] === options.store.runner) {
      const id = attributes[LABELS.task] ?? '';
      const member = Number(attributes[LABELS.member]);
      const code = attributes.exitCode === undefined ? undefined : Number(attributes.exitCode);
      background.run(this.settler.settle(id, member, container, code), link.failed);
    }
  }
}

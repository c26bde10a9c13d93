/**
 * What an engine says about the containers of a measurement: when each started and ended, by the engine's own clock.
 */
import { request } from 'node:http';
import { LineReader } from '../../src/runtime/docker/engine/lines';
import { type EngineEvent } from '../../src/runtime/docker/engine/answers';

export class Containers {
  /** Milliseconds since the epoch, in the order of the events. */
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  private busy = 0;
  private readonly running = new Map<string, number>();
  private readonly listeners = new Set<(event: EngineEvent) => void>();

  private constructor(private readonly close: () => void) {}

  static async follow(socketPath: string): Promise<Containers> {
    const filters = JSON.stringify({ type: ['container'], event: ['start', 'die'] });
    const path = `/events?filters=${encodeURIComponent(filters)}`;
    const sent = request({ socketPath, path }).end();
    const answer = await new Promise<AsyncIterable<unknown>>((resolve, reject) =>
      sent.on('response', resolve).on('error', reject),
    );
    const containers = new Containers(() => sent.destroy());
    void containers.read(answer);
    return containers;
  }

  /** Milliseconds that containers ran, all together. */
  get busyMilliseconds(): number {
    return this.busy;
  }

  on(listener: (event: EngineEvent) => void): void {
    this.listeners.add(listener);
  }

  end(): void {
    this.close();
  }

  private async read(answer: AsyncIterable<unknown>): Promise<void> {
    try {
      for await (const line of new LineReader(answer)) {
        const event = JSON.parse(line) as EngineEvent;
        const at = (event.timeNano ?? 0) / 1e6;
        if (event.Action === 'start') {
          this.starts.push(at);
          this.running.set(event.Actor.ID, at);
        } else {
          this.ends.push(at);
          this.busy += at - (this.running.get(event.Actor.ID) ?? at);
        }
        this.listeners.forEach((listener) => listener(event));
      }
    } catch {
      // The measurement is over.
    }
  }
}

/**
 * Whether the engine answers, since when not, and which of its statements about containers are its own.
 */
import { EngineError } from '../engine/engine-error';
import { type Clock } from './clock';

export interface Outage {
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
}

export class EngineLink {
  private readonly since: number;
  private lostAt: number | undefined;
  private last: Outage | undefined;
  /** Containers that the engine started or reported as running since it was last lost. */
  private readonly witnessed = new Set<string>();
  /** Containers that ran when they were asked to stop. */
  private readonly stopped = new Set<string>();

  constructor(
    private readonly clock: Clock,
    private readonly log: (line: string) => void,
    private readonly troubled: (error: unknown) => void,
  ) {
    this.since = clock.now();
  }

  get isLost(): boolean {
    return this.lostAt !== undefined;
  }

  /**
   * When the engine was last away. `undefined` if it never was.
   *
   * @param isRestarted the engine was restarted since, perhaps while no runner ran
   */
  outage(isRestarted: boolean): Outage | undefined {
    return this.last ?? (isRestarted ? { from: 0, to: this.since } : undefined);
  }

  /** An engine that did not answer is lost; any other error is trouble. */
  readonly failed = (error: unknown): void => {
    if (!(error instanceof EngineError) || error.isAnswer) {
      this.troubled(error);
    } else if (this.lostAt === undefined) {
      this.lostAt = this.clock.now();
      this.witnessed.clear();
      this.log(`lost the connection to the engine: ${error.message}`);
    }
  };

  /** It answers again. @param margin milliseconds by which it may have been away before that was noticed */
  found(margin: number): void {
    if (this.lostAt !== undefined) {
      const now = this.clock.now();
      // The clock may have been set back in between.
      this.last = { from: Math.min(this.lostAt, now) - margin, to: Math.max(this.lostAt, now) };
    }
  }

  /** Everything was compared with what it has now. @returns whether it was lost */
  regained(): boolean {
    const wasLost = this.isLost;
    this.lostAt = undefined;
    return wasLost;
  }

  /** The engine knows that the container runs, and so will see its end. */
  witness(container: string): void {
    this.witnessed.add(container);
  }

  hasWitnessed(container: string): boolean {
    return this.witnessed.has(container);
  }

  /** It runs, and is now asked to stop. */
  stops(container: string): void {
    this.stopped.add(container);
  }

  wasStopped(container: string): boolean {
    return this.stopped.has(container);
  }

  forget(container: string): void {
    this.witnessed.delete(container);
    this.stopped.delete(container);
  }
}

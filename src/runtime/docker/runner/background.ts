/**
 * Work that goes on beside the turns of the runner and ends with it.
 */
export class Background {
  private readonly ended = new AbortController();
  private readonly work = new Set<Promise<void>>();
  private readonly keys = new Set<string>();

  constructor(private readonly onProblem: (error: unknown) => void) {}

  /** Aborted when the runner ends. */
  get signal(): AbortSignal {
    return this.ended.signal;
  }

  run(work: Promise<void>, onProblem = this.onProblem): void {
    const kept = work.catch(onProblem).finally(() => this.work.delete(kept));
    this.work.add(kept);
  }

  /** Runs the work unless work of the same key runs, or the runner has ended. */
  once(key: string, work: () => Promise<void>, onProblem = this.onProblem): void {
    if (this.keys.has(key) || this.signal.aborted) {
      return;
    }
    this.keys.add(key);
    this.run(
      work().finally(() => this.keys.delete(key)),
      onProblem,
    );
  }

  has(key: string): boolean {
    return this.keys.has(key);
  }

  /** Returns when all work has ended. */
  async end(): Promise<void> {
    this.ended.abort();
    await Promise.allSettled([...this.work]);
  }
}

/**
 * When the time limits of running tasks pass, on the monotonic clock: a wall clock that is set forward or back changes nothing of a task that runs.
 * After a restart of the runner what has passed is taken from the wall clock once.
 */
import { type Task } from '../task/task';
import { type Clock } from './clock';

export class Deadlines {
  private readonly ends = new Map<string, { readonly attempt: number; readonly at: number }>();

  constructor(private readonly clock: Clock) {}

  begin(task: Task): void {
    const { id, attempt, startedAt, spec } = task;
    if (spec.timeLimitSeconds !== undefined && this.ends.get(id)?.attempt !== attempt) {
      const limit = spec.timeLimitSeconds * 1000;
      const passed = Math.min(Math.max(0, this.clock.now() - (startedAt ?? this.clock.now())), limit);
      this.ends.set(id, { attempt, at: this.clock.monotonic() + limit - passed });
    }
  }

  end({ id }: Task): void {
    this.ends.delete(id);
  }

  isOver(task: Task): boolean {
    return this.restMilliseconds(task) <= 0;
  }

  /** Infinity for a task without a limit. */
  restMilliseconds(task: Task): number {
    if (task.spec.timeLimitSeconds === undefined) {
      return Infinity;
    }
    this.begin(task);
    return this.ends.get(task.id)!.at - this.clock.monotonic();
  }
}

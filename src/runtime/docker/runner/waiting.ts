/**
 * Which queued tasks could start now, why the others cannot, and when that changes by time.
 */
import { BACKOFF } from '../task/failure';
import { type Task } from '../task/task';
import { type Dependencies } from './dependencies';
import { type Ledger } from './ledger';

/** Tasks of a tenant that one decision considers. Those behind them wait for these. */
const CONSIDERED = 200;

export class Waiting {
  constructor(
    private readonly ledger: Ledger,
    private readonly dependencies: Dependencies,
  ) {}

  /** Tasks that wait for nothing but a place, in the order of their queues. */
  ready(now: number): readonly Task[] {
    const ready: Task[] = [];
    for (const tenant of this.ledger.queuedTenants) {
      let considered = 0;
      for (const task of this.ledger.queued(tenant)) {
        if (restSeconds(task, now) === 0 && this.dependencies.of(task) === 'met') {
          ready.push(task);
          if (++considered >= CONSIDERED) {
            break;
          }
        }
      }
    }
    return ready;
  }

  /** What a task waits for besides a place. `undefined` if there is nothing. */
  whyHeld(task: Task, now: number): string | undefined {
    const dependency = this.dependencies.of(task);
    if (dependency !== 'met') {
      return dependency === 'open'
        ? `${task.spec.after.length === 1 ? 'task' : 'tasks'} ${task.spec.after.join(', ')} must succeed first`
        : `task ${dependency.failed} did not succeed`;
    }
    const rest = restSeconds(task, now);
    return rest > 0 ? `it is retried in ${Math.ceil(rest)} s (${task.failure?.message ?? 'unknown'})` : undefined;
  }

  /** Tasks that wait for one that did not succeed can never start. */
  giveUp(at: number): void {
    for (const task of this.ledger.dependent) {
      const dependency = this.dependencies.of(task);
      if (typeof dependency === 'object') {
        const message = `task ${dependency.failed}, which it waits for, did not succeed`;
        this.ledger.commit(task.id, { kind: 'give-up', at, failure: { class: 'dependency', message } });
      }
    }
  }

  /** Milliseconds until the first wait after a failure is over; Infinity if no task waits so. */
  nextDue(now: number): number {
    let due = Infinity;
    for (const task of this.ledger.delayed) {
      const rest = restSeconds(task, now) * 1000;
      due = rest > 0 ? Math.min(due, rest) : due;
    }
    return due;
  }
}

/** Seconds of the wait after a failure. A clock that was set back does not make it longer than it can be. */
function restSeconds({ notBefore = 0 }: Task, now: number): number {
  const rest = (notBefore - now) / 1000;
  return rest > BACKOFF.most ? 0 : Math.max(0, rest);
}

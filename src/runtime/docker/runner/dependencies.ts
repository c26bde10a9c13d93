/**
 * Whether the tasks that a task waits for have succeeded.
 */
import { type TaskStore } from '../store/store';
import { type Task } from '../task/task';
import { type Ledger } from './ledger';

/** `met`, `open`, or the id of one that did not succeed. */
export type Dependency = 'met' | 'open' | { readonly failed: string };

const MOST_KNOWN = 10_000;

export class Dependencies {
  /** Ends are final, so each is looked up once. */
  private readonly ends = new Map<string, boolean>();

  constructor(
    private readonly ledger: Ledger,
    private readonly store: TaskStore,
  ) {}

  of({ spec }: Task): Dependency {
    let isOpen = false;
    for (const id of spec.after) {
      if (this.ledger.get(id) !== undefined || this.ledger.openElements(id) > 0) {
        isOpen = true;
      } else if (!this.succeeded(id)) {
        return { failed: id };
      }
    }
    return isOpen ? 'open' : 'met';
  }

  private succeeded(id: string): boolean {
    let end = this.ends.get(id);
    if (end === undefined) {
      const task = this.store.get(id);
      const all = task === undefined ? this.store.elements(id) : [task];
      end = all.length > 0 && all.every(({ state }) => state === 'succeeded');
      if (this.ends.size >= MOST_KNOWN) {
        this.ends.clear();
      }
      this.ends.set(id, end);
    }
    return end;
  }
}

/**
 * Tasks that have not ended, in memory, and the store behind them. Every change goes through here.
 *
 * `commit` is durable when it returns. `note` is for what the engine can tell again after a crash (that a container runs): it is written with the next
 * commit, or a moment later.
 */
import { next, type TaskEvent } from '../task/life';
import { isActive, isEnded, type Task } from '../task/task';
import { type TaskStore } from '../store/store';

/** Milliseconds until a note is written that nothing else carries along. */
const NOTE_AFTER = 250;

export class Ledger {
  private readonly tasks = new Map<string, Task>();
  private readonly queues = new Map<string, Task[]>();
  private readonly openOfArray = new Map<string, number>();
  private readonly dirty = new Map<string, Task>();
  private timer: NodeJS.Timeout | undefined;
  /** Ids of the tasks that hold something. */
  private readonly holding = new Set<string>();
  /** Ids of queued tasks that wait for other tasks. */
  private readonly dependentIds = new Set<string>();
  /** Ids of queued tasks that are not to start before a time. */
  private readonly delayedIds = new Set<string>();
  private readonly watchers = new Set<(task: Task) => void>();

  constructor(
    private readonly store: TaskStore,
    private readonly priorities: ReadonlyMap<string, number>,
    private readonly onProblem: (error: unknown) => void,
  ) {
    store.open().forEach((task) => this.enter(task));
  }

  get size(): number {
    return this.tasks.size;
  }

  /** A task that has not ended. */
  get(id: string): Task | undefined {
    return this.tasks.get(id);
  }

  /** Any task. */
  find(id: string): Task | undefined {
    return this.tasks.get(id) ?? this.store.get(id);
  }

  get active(): readonly Task[] {
    return this.all(this.holding);
  }

  /** Queued tasks that wait for other tasks. */
  get dependent(): readonly Task[] {
    return this.all(this.dependentIds);
  }

  /** Queued tasks that are not to start before a time. */
  get delayed(): readonly Task[] {
    return this.all(this.delayedIds);
  }

  /** Whether the container belongs to the current attempt of a task, and its end is not settled. */
  holds(id: string, member: number, container: string): boolean {
    const task = this.tasks.get(id);
    const found = task?.members[member];
    return task !== undefined && isActive(task) && found?.container === container && found.state !== 'exited';
  }

  get openTasks(): IterableIterator<Task> {
    return this.tasks.values();
  }

  /** Queued tasks of a tenant: by priority, then in the order of submission. */
  queued(tenant: string): readonly Task[] {
    return this.queues.get(tenant) ?? [];
  }

  get queuedTenants(): readonly string[] {
    return [...this.queues.keys()];
  }

  /** How many elements of the array have not ended. */
  openElements(array: string): number {
    return this.openOfArray.get(array) ?? 0;
  }

  /** New tasks, all or none. */
  add(tasks: readonly Task[]): void {
    this.write(tasks);
    tasks.forEach((task) => this.replace(undefined, task));
  }

  /** Enters a task with another state than its events give, in place of the known one. */
  restore(task: Task): void {
    this.write([task]);
    this.replace(this.tasks.get(task.id), task);
  }

  /** What happened to a task, durably. @returns the task afterwards; `undefined` if it is not open */
  commit(id: string, ...events: readonly TaskEvent[]): Task | undefined {
    return this.take(id, events, true);
  }

  /** What happened to a task, as the engine can tell it again. */
  note(id: string, ...events: readonly TaskEvent[]): Task | undefined {
    return this.take(id, events, false);
  }

  /** Called with each task that changed, after it did. @returns a function that ends this */
  watch(watcher: (task: Task) => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  /** Writes what is only noted. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.dirty.size > 0) {
      this.write([]);
    }
  }

  private take(id: string, events: readonly TaskEvent[], durable: boolean): Task | undefined {
    const before = this.tasks.get(id);
    if (before === undefined) {
      return undefined;
    }
    const after = events.reduce(next, before);
    if (after === before) {
      return before;
    }
    if (durable) {
      this.write([after]);
    } else {
      this.dirty.set(id, after);
      this.timer ??= setTimeout(() => this.flushLater(), NOTE_AFTER).unref();
    }
    this.replace(before, after);
    return after;
  }

  private flushLater(): void {
    try {
      this.flush();
    } catch (error) {
      this.timer = setTimeout(() => this.flushLater(), NOTE_AFTER * 20).unref();
      this.onProblem(error);
    }
  }

  private write(tasks: readonly Task[]): void {
    const ids = new Set(tasks.map(({ id }) => id));
    const noted = [...this.dirty.values()].filter(({ id }) => !ids.has(id));
    this.store.put([...noted, ...tasks]);
    this.dirty.clear();
  }

  private replace(before: Task | undefined, after: Task): void {
    if (before !== undefined) {
      this.leave(before);
    }
    if (!isEnded(after)) {
      this.enter(after);
    }
    this.watchers.forEach((watcher) => watcher(after));
  }

  private enter(task: Task): void {
    this.tasks.set(task.id, task);
    if (isActive(task)) {
      this.holding.add(task.id);
    }
    if (task.array !== undefined) {
      this.openOfArray.set(task.array.id, this.openElements(task.array.id) + 1);
    }
    if (task.state === 'queued') {
      if (task.spec.after.length > 0) {
        this.dependentIds.add(task.id);
      }
      if (task.notBefore !== undefined) {
        this.delayedIds.add(task.id);
      }
      const queue = this.queues.get(task.spec.tenant) ?? [];
      queue.splice(this.placeIn(queue, task), 0, task);
      this.queues.set(task.spec.tenant, queue);
    }
  }

  private leave(task: Task): void {
    this.tasks.delete(task.id);
    this.holding.delete(task.id);
    this.dependentIds.delete(task.id);
    this.delayedIds.delete(task.id);
    if (task.array !== undefined) {
      const rest = this.openElements(task.array.id) - 1;
      if (rest === 0) {
        this.openOfArray.delete(task.array.id);
      } else {
        this.openOfArray.set(task.array.id, rest);
      }
    }
    if (task.state === 'queued') {
      const queue = this.queues.get(task.spec.tenant)!;
      queue.splice(this.placeIn(queue, task), 1);
      if (queue.length === 0) {
        this.queues.delete(task.spec.tenant);
      }
    }
  }

  private all(ids: ReadonlySet<string>): readonly Task[] {
    return Array.from(ids, (id) => this.tasks.get(id)!);
  }

  /** Where the task is in the queue, or would be. */
  private placeIn(queue: readonly Task[], task: Task): number {
    const rank = this.rank(task);
    let low = 0;
    let high = queue.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.rank(queue[middle]);
      if (other > rank || (other === rank && queue[middle].sequence < task.sequence)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private rank({ spec }: Task): number {
    return this.priorities.get(spec.priority) ?? 0;
  }
}

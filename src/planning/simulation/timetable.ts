/**
 * What is due, by time; of what is due at one moment, in the order in which it was noted. O(log n) for each entry.
 */
interface Entry<T> {
  readonly at: number;
  readonly order: number;
  readonly what: T;
}

export class Timetable<T> {
  private readonly heap: Entry<T>[] = [];
  private count = 0;

  get next(): number | undefined {
    return this.heap[0]?.at;
  }

  add(at: number, what: T): void {
    const { heap } = this;
    heap.push({ at, order: this.count++, what });
    let child = heap.length - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!before(heap[child], heap[parent])) {
        break;
      }
      [heap[child], heap[parent]] = [heap[parent], heap[child]];
      child = parent;
    }
  }

  /** The first of what is due at `now`. */
  take(now: number): T | undefined {
    const { heap } = this;
    if (heap.length === 0 || heap[0].at > now) {
      return undefined;
    }
    const { what } = heap[0];
    const last = heap.pop()!;
    if (heap.length > 0) {
      heap[0] = last;
      for (let parent = 0; ;) {
        const left = 2 * parent + 1;
        if (left >= heap.length) {
          break;
        }
        const child = left + 1 < heap.length && before(heap[left + 1], heap[left]) ? left + 1 : left;
        if (!before(heap[child], heap[parent])) {
          break;
        }
        [heap[child], heap[parent]] = [heap[parent], heap[child]];
        parent = child;
      }
    }
    return what;
  }
}

function before<T>(a: Entry<T>, b: Entry<T>): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

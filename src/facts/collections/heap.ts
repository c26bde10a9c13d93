/**
 * A binary heap: the first element of a total order on top. Knows nothing of what it holds.
 *
 * The order of two elements must not change while both are inside.
 */
export class Heap<T> {
  private readonly list: T[] = [];

  /** @param compare negative when `a` comes first */
  constructor(readonly compare: (a: T, b: T) => number) {}

  /** All elements, in no order that means anything. */
  elements(): readonly T[] {
    return this.list;
  }

  top(): T | undefined {
    return this.list[0];
  }

  /** O(log size). */
  push(element: T): void {
    const { list } = this;
    let at = list.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (this.compare(element, list[above]) >= 0) {
        break;
      }
      list[at] = list[above];
      at = above;
    }
    list[at] = element;
  }

  /** Removes the first element: O(log size). */
  pop(): T | undefined {
    const { list } = this;
    const first = list[0];
    const last = list.pop();
    if (list.length > 0) {
      this.sink(last as T);
    }
    return first;
  }

  private sink(element: T): void {
    const { list } = this;
    let at = 0;
    for (let below = 1; below < list.length; below = 2 * at + 1) {
      if (below + 1 < list.length && this.compare(list[below + 1], list[below]) < 0) {
        below++;
      }
      if (this.compare(element, list[below]) <= 0) {
        break;
      }
      list[at] = list[below];
      at = below;
    }
    list[at] = element;
  }
}

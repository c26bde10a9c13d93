/**
 * Objects by the pools of devices that they name: a check of a few pools looks at the objects of these alone, and not at all of the cluster's.
 *
 * Names of objects that changed are noted, and looked at when something is asked: O(what changed).
 */

/** A pool of a driver. */
export interface Pool {
  readonly driver: string;
  readonly pool: string;
}

export function poolKey({ driver, pool }: Pool): string {
  return `${driver}\0${pool}`;
}

export class ByPool {
  private readonly byPool = new Map<string, Set<string>>();
  private readonly poolsOf = new Map<string, readonly string[]>();
  private readonly changed = new Set<string>();
  private isAllChanged = true;

  /**
   * @param names of all objects
   * @param poolsIn the pools that an object names; none where it does not exist
   */
  constructor(
    private readonly names: () => Iterable<string>,
    private readonly poolsIn: (name: string) => readonly Pool[],
  ) {}

  touch(name: string): void {
    if (!this.isAllChanged) {
      this.changed.add(name);
    }
  }

  touchAll(): void {
    this.isAllChanged = true;
    this.changed.clear();
  }

  /** Names of the objects that name one of the pools. */
  in(pools: Iterable<string>): ReadonlySet<string> {
    this.bringUp();
    const found = new Set<string>();
    for (const key of pools) {
      this.byPool.get(key)?.forEach((name) => found.add(name));
    }
    return found;
  }

  private bringUp(): void {
    if (this.isAllChanged) {
      this.isAllChanged = false;
      this.byPool.clear();
      this.poolsOf.clear();
      for (const name of this.names()) {
        this.changed.add(name);
      }
    }
    for (const name of this.changed) {
      for (const key of this.poolsOf.get(name) ?? []) {
        const names = this.byPool.get(key)!;
        names.delete(name);
        if (names.size === 0) {
          this.byPool.delete(key);
        }
      }
      this.put(name, [...new Set(this.poolsIn(name).map(poolKey))]);
    }
    this.changed.clear();
  }

  private put(name: string, keys: readonly string[]): void {
    if (keys.length === 0) {
      this.poolsOf.delete(name);
      return;
    }
    this.poolsOf.set(name, keys);
    for (const key of keys) {
      const names = this.byPool.get(key) ?? new Set<string>();
      this.byPool.set(key, names.add(name));
    }
  }
}

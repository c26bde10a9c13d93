/**
 * What gangs are called, kept up to date as they come and go: `namespace/name` wherever only one gang has that name and no other has it as
 * its key, else the key. O(gangs of one name) for each change.
 */
export interface NamedGang {
  readonly key: string;
  name: string;
}

export class GangNames<T extends NamedGang> {
  private readonly shortNames = new Map<string, string>();
  private readonly byShort = new Map<string, Map<string, T>>();
  private readonly byName = new Map<string, T>();
  private readonly keys = new Set<string>();

  /** @param onRenamed called with each gang that is called something else now */
  constructor(private readonly onRenamed: (gang: T) => void) {}

  get(name: string): T | undefined {
    return this.byName.get(name);
  }

  /** A gang comes, or people know it by another name. */
  put(gang: T, short: string): void {
    const before = this.shortNames.get(gang.key);
    if (before === short) {
      return;
    }
    if (before !== undefined) {
      this.remove(gang);
    }
    this.shortNames.set(gang.key, short);
    this.keys.add(gang.key);
    const own = this.byShort.get(short) ?? new Map<string, T>();
    this.byShort.set(short, own.set(gang.key, gang));
    this.rename(short);
    this.rename(gang.key);
  }

  remove(gang: T): void {
    const short = this.shortNames.get(gang.key);
    if (short === undefined) {
      return;
    }
    this.shortNames.delete(gang.key);
    this.keys.delete(gang.key);
    const own = this.byShort.get(short)!;
    own.delete(gang.key);
    if (own.size === 0) {
      this.byShort.delete(short);
    }
    if (this.byName.get(gang.name) === gang) {
      this.byName.delete(gang.name);
    }
    this.rename(short);
    this.rename(gang.key);
  }

  private rename(short: string): void {
    const own = this.byShort.get(short);
    for (const gang of own?.values() ?? []) {
      const name = own!.size === 1 && !this.keys.has(short) ? short : gang.key;
      if (this.byName.get(gang.name) === gang && gang.name !== name) {
        this.byName.delete(gang.name);
      }
      this.byName.set(name, gang);
      if (gang.name !== name) {
        gang.name = name;
        this.onRenamed(gang);
      }
    }
  }
}

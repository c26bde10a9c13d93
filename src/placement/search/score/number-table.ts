/**
 * Numbers by number in two flat arrays, for what is asked of every node that changes: nothing is allocated, and no key is boxed.
 */
export class NumberTable {
  private keys = new Float64Array(1024).fill(-1);
  private values = new Int32Array(1024);
  private count = 0;

  /** -1 where there is none. */
  get(key: number): number {
    const at = this.placeOf(key);
    return this.keys[at] === key ? this.values[at] : -1;
  }

  set(key: number, value: number): void {
    if (2 * ++this.count > this.keys.length) {
      this.grow();
    }
    const at = this.placeOf(key);
    this.keys[at] = key;
    this.values[at] = value;
  }

  private placeOf(key: number): number {
    const { keys } = this;
    const mask = keys.length - 1;
    let at = Math.imul(key, 0x9e3779b1) >>> 0;
    for (at = (at ^ (at >>> 15)) & mask; keys[at] !== key && keys[at] !== -1;) {
      at = (at + 1) & mask;
    }
    return at;
  }

  private grow(): void {
    const { keys, values } = this;
    this.keys = new Float64Array(2 * keys.length).fill(-1);
    this.values = new Int32Array(2 * keys.length);
    keys.forEach((key, i) => {
      if (key !== -1) {
        const at = this.placeOf(key);
        this.keys[at] = key;
        this.values[at] = values[i];
      }
    });
  }
}

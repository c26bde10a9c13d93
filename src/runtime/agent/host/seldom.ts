/**
 * What hardly ever changes on a host, looked up again with every sixth observation: after a minute, by default.
 */
const EVERY = 6;

export class Seldom<T> {
  private known: { readonly value: T } | undefined;
  private age = 0;

  constructor(private readonly look: () => T) {}

  get(): T {
    if (this.known === undefined || ++this.age >= EVERY) {
      this.age = 0;
      this.known = { value: this.look() };
    }
    return this.known.value;
  }

  /** The next `get` looks it up. */
  forget(): void {
    this.known = undefined;
  }
}

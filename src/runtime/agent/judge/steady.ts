/**
 * A judgment that does not follow every sample: it changes after several samples in a row that say otherwise.
 */
export interface SteadyOptions {
  /** Bad samples in a row after which it is bad. */
  readonly confirm: number;
  /** Good samples in a row after which it is good again. */
  readonly clear: number;
}

export class Steady {
  private bad = false;
  private against = 0;

  constructor(private readonly options: SteadyOptions) {}

  /** @returns whether it is bad now */
  add(isBad: boolean): boolean {
    this.against = isBad === this.bad ? 0 : this.against + 1;
    if (this.against >= (this.bad ? this.options.clear : this.options.confirm)) {
      this.bad = isBad;
      this.against = 0;
    }
    return this.bad;
  }

  get isBad(): boolean {
    return this.bad;
  }
}

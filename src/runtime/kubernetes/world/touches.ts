/**
 * What changed since the books were last brought up to date, by name: a cycle looks at this and at nothing else.
 */
export class Touches {
  private readonly touchedGangs = new Set<string>();
  private readonly touchedPods = new Set<string>();
  /** Nodes or topologies. */
  places = true;
  queues = true;
  private isAll = true;

  /** Everything has to be looked at: names are not noted any more. */
  get all(): boolean {
    return this.isAll;
  }

  /** Ids of gangs whose pods, group, queue, or assumptions changed. */
  get gangs(): ReadonlySet<string> {
    return this.touchedGangs;
  }

  /** Keys of pods without a gang. */
  get pods(): ReadonlySet<string> {
    return this.touchedPods;
  }

  gang(id: string): void {
    if (!this.isAll) {
      this.touchedGangs.add(id);
    }
  }

  pod(key: string): void {
    if (!this.isAll) {
      this.touchedPods.add(key);
    }
  }

  everything(): void {
    this.clear();
    this.isAll = true;
  }

  clear(): void {
    this.touchedGangs.clear();
    this.touchedPods.clear();
    this.places = this.queues = this.isAll = false;
  }
}

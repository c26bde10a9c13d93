/**
 * Priority classes: names to numbers.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asInteger, asObject, asString } from '../../../manifests/read';

/** Kinds whose objects name a priority, as `group/Kind`. */
export const PRIORITY_KINDS = ['scheduling.k8s.io/PriorityClass', 'kueue.x-k8s.io/WorkloadPriorityClass'] as const;

/** Classes that every cluster has. */
const BUILT_IN: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

/** From here on nothing is ever evicted for others. */
export const SYSTEM_PRIORITY = 2_000_000_000;

export class Priorities {
  private readonly values: ReadonlyMap<string, number>;
  /** Of pods that name no class. */
  readonly standard: number;
  private readonly never: ReadonlySet<string>;

  constructor(classes: readonly JsonObject[]) {
    const named = classes.map((object) => ({ object, name: asString(asObject(object.metadata).name) ?? '' }));
    this.values = new Map([
      ...Object.entries(BUILT_IN),
      ...named.map(({ name, object }) => [name, asInteger(object.value) ?? 0] as const),
    ]);
    this.standard = asInteger(classes.find(({ globalDefault }) => globalDefault === true)?.value) ?? 0;
    this.never = new Set(named.filter(({ object }) => object.preemptionPolicy === 'Never').map(({ name }) => name));
  }

  /** `undefined` for a class that nothing describes. */
  of(name: string | undefined): number | undefined {
    return name === undefined || name === '' ? this.standard : this.values.get(name);
  }

  /** No pod is evicted for pods of the class. */
  waits(name: string | undefined): boolean {
    return name !== undefined && this.never.has(name);
  }
}

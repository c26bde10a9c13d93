/**
 * What a pod may refer to, as the least that has to be known of it. The constructs of other folders satisfy these by their shape,
 * and so do the values of `fromName`, so that nothing here imports them.
 */

/** Name of an object, or the object itself: a construct of this library or of cdk8s-plus. */
export type NamedReference = string | { readonly name: string };

/** A PriorityClass. */
export interface PriorityClassReference {
  /** Name of the PriorityClass. */
  readonly priorityClassName: string;
}

/** A WorkloadPriorityClass of Kueue, which orders workloads in its queues. It is not the priority of pods. */
export interface WorkloadPriorityClassReference {
  /** Name of the WorkloadPriorityClass. */
  readonly workloadPriorityClassName: string;
}

export function nameOf(reference: NamedReference): string {
  return typeof reference === 'string' ? reference : reference.name;
}

/** The reference itself where it is more than a name: a workload depends on those that are constructs. */
export function referencesIn(...references: readonly (object | string | undefined)[]): readonly object[] {
  return references.filter((reference): reference is object => typeof reference === 'object');
}

/**
 * What a pod may refer to, as the least that has to be known of it. The constructs of other folders satisfy these by their shape,
 * and `fromName` style values do too, so that nothing here imports them.
 */

/** A queue of Volcano or Gantry: `Queue`, `Queue.fromName('research')`, `team.queue`. */
export interface QueueReference {
  readonly queueName: string;
}

/** A queue of Kueue in the workload's namespace. */
export interface LocalQueueReference {
  readonly localQueueName: string;
}

/** A PriorityClass. */
export interface PriorityClassReference {
  readonly priorityClassName: string;
}

/** A WorkloadPriorityClass of Kueue, which orders workloads in its queues. It is not the priority of pods. */
export interface WorkloadPriorityClassReference {
  readonly workloadPriorityClassName: string;
}

/** An object that is known by its name: a construct of cdk8s-plus (claim, config map, secret, service account), or the name itself. */
export type NamedReference = string | { readonly name: string };

export function nameOf(reference: NamedReference): string {
  return typeof reference === 'string' ? reference : reference.name;
}

/** The reference itself where it is more than a name: a workload depends on those that are constructs. */
export function referencesIn(...references: readonly (object | string | undefined)[]): readonly object[] {
  return references.filter((reference): reference is object => typeof reference === 'object');
}

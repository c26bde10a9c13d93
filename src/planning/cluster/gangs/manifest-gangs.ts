/**
 * The gangs of a set of manifests, and the queues that it defines, for work that arrives again and again.
 */
import { type ManifestSet } from '../../../manifests/manifest-set';
import { type Gang, type Queue } from '../../../placement';
import { Lookups } from '../lookups';
import { QUEUE_KINDS, queueOf } from '../objects/queue';
import { plannedGangs, PodBudget } from './planned-gangs';
import { workloadsOf } from '../workloads';

export interface ManifestGangs {
  readonly gangs: readonly Gang[];
  readonly queues: readonly Queue[];
}

/** @param mostPods pods that a role may have */
export function gangsOfManifests(set: ManifestSet, mostPods: number): ManifestGangs {
  const lookups = new Lookups(set.manifests.map(({ object }) => object));
  const budget = new PodBudget(mostPods);
  const planned = plannedGangs(workloadsOf(set).workloads, lookups, [], { since: 0, budget });
  const queues = QUEUE_KINDS.flatMap((kind) => set.ofKind(kind)).flatMap(({ object }): Queue[] => {
    const queue = queueOf(object);
    return queue === undefined ? [] : [queue];
  });
  return { gangs: planned.map(({ gang }) => gang), queues };
}

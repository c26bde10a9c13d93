/**
 * A fault in a pod that is otherwise valid and uses most fields.
 */
import { type Json, richPod } from '../valid';

/** The rule that reports it, without `core/`; what is wrong; and the change that breaks the pod. */
export type PodFault = readonly [rule: string, what: string, change: (spec: Json, pod: Json) => unknown];

export const main = (spec: Json): Json => (spec.containers as Json[])[0];
export const volume = (spec: Json, name: string): Json =>
  (spec.volumes as Json[]).find((entry) => entry.name === name) as Json;
export const added = (spec: Json, field: string, item: Json): void => {
  spec[field] = [...((spec[field] ?? []) as Json[]), item];
};

/** The pod after the change. */
export function changedPod(change: PodFault[2]): Json {
  const pod = richPod();
  change(pod.spec as Json, pod);
  return pod;
}

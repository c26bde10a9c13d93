/**
 * What the controllers of custom resources add to a pod template before they make pods of it, and so may be missing in it.
 */
import { type PodView } from '../pod-view';

/** Knative names a container that has no name. */
export function namesContainers({ group }: PodView): boolean {
  return group === 'serving.knative.dev';
}

/** A TrainJob gives the image to its runtime. */
export function bringsImages({ group }: PodView): boolean {
  return group === 'trainer.kubeflow.org';
}

/** Knative probes the port of the container where a probe names none, and waits for that port where readiness has no handler. */
export function completesProbes({ group }: PodView): boolean {
  return group === 'serving.knative.dev';
}

/** Kueue's Workload says what pods ask for; the pods themselves come from elsewhere, with their limits. */
export function onlyDescribesPods({ group, kind }: PodView): boolean {
  return group === 'kueue.x-k8s.io' && kind === 'Workload';
}

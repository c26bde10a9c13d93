/**
 * Direct binding: node and device indices in one request, which the API server carries out as a whole or not at all.
 *
 * Annotations of a Binding are copied to the pod in the same write that sets its node, so that there is no moment at which a pod has a
 * node and nobody knows its devices. The uid goes with it, so that a pod that was replaced by another of its name is not bound.
 */
import { GANTRY_DEVICES } from '../../../facts/catalog/gantry-names';
import { attempt, type AttemptOptions, placeOf } from './attempts';
import { type PlacedPod, type PlacingOutcome, podPath } from './pod-ref';

export function bind(pod: PlacedPod, options: AttemptOptions): Promise<PlacingOutcome> {
  const { namespace, name, uid, node, devices } = pod;
  const body = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: {
      namespace,
      name,
      uid,
      ...(devices.length === 0 ? {} : { annotations: { [GANTRY_DEVICES]: devices.join(',') } }),
    },
    target: { apiVersion: 'v1', kind: 'Node', name: node },
  };
  const send = async (): Promise<void> => {
    await options.client.request('POST', `${podPath(pod)}/binding`, { body, timeout: options.requestTimeout });
  };
  return attempt(pod, options, send, (now) => placeOf(now, node));
}

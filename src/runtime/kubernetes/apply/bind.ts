/**
 * Direct binding: node and device indices in one request, which the API server carries out as a whole or not at all.
 *
 * Annotations of a Binding are copied to the pod in the same write that sets its node, so that a pod never has a
 * node without known devices. The uid goes with it, so that a pod that was replaced by another of its name is not bound, and the
 * version, so that a binding that the network held back does nothing once the pod has been given up for this node.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { GANTRY_DEVICES } from '../../../facts/catalog/gantry-names';
import { asObject } from '../../../manifests/read';
import { attempt, type AttemptOptions, placeOf } from './attempts';
import { type PlacedPod, type PlacingOutcome, podPath } from './pod-ref';

/** @param known the pod as it was when its place was decided */
export function bind(pod: PlacedPod, known: JsonObject, options: AttemptOptions): Promise<PlacingOutcome> {
  const { namespace, name, uid, node, devices } = pod;
  return attempt(pod, known, options, {
    send: async ({ metadata }) => {
      const { resourceVersion } = asObject(metadata);
      const body = {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: {
          namespace,
          name,
          uid,
          ...(resourceVersion !== undefined && { resourceVersion }),
          ...(devices.length === 0 ? {} : { annotations: { [GANTRY_DEVICES]: devices.join(',') } }),
        },
        target: { apiVersion: 'v1', kind: 'Node', name: node },
      };
      await options.client.request('POST', `${podPath(pod)}/binding`, {
        body,
        timeout: options.requestTimeout,
        permit: options.leads,
      });
    },
    look: (now) => placeOf(now, node),
  });
}

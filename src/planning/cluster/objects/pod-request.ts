/**
 * What a pod asks of its node in all: its containers, those that run before and beside them, what its runtime adds.
 *
 * The rule of kube-scheduler (k8s.io/component-helpers/resource, `PodRequests`): containers and sidecars together, or the hungriest init
 * container with the sidecars that were started before it, whichever is more; then pod-level resources, where there are any, in their
 * place; then the overhead.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asArray, asObject } from '../../../manifests/read';
import { addTo, amountsOf, type AmountsDraft, raiseTo } from '../../../manifests/pods/resource-amounts';

/** The amounts that the scheduler counts for a pod of this spec. */
export function podRequest(spec: JsonObject): AmountsDraft {
  const sum: AmountsDraft = {};
  for (const container of asArray(spec.containers)) {
    addTo(sum, containerRequest(asObject(container)));
  }
  const sidecars: AmountsDraft = {};
  const start: AmountsDraft = {};
  for (const value of asArray(spec.initContainers)) {
    const container = asObject(value);
    const own = containerRequest(container);
    if (container.restartPolicy === 'Always') {
      addTo(sum, own);
      addTo(sidecars, own);
      raiseTo(start, sidecars);
    } else {
      const withSidecars = { ...sidecars };
      addTo(withSidecars, own);
      raiseTo(start, withSidecars);
    }
  }
  raiseTo(sum, start);
  Object.assign(sum, containerRequest(spec));
  addTo(sum, amountsOf(spec.overhead));
  return sum;
}

/** Requests, and limits where no request is given, which the API server fills in so. */
function containerRequest(container: JsonObject): AmountsDraft {
  const resources = asObject(container.resources);
  return { ...amountsOf(resources.limits), ...amountsOf(resources.requests) };
}

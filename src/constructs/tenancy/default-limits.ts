/**
 * Defaults for the containers of a namespace whose quota requires each of them to state CPU or memory.
 *
 * A default limit below a container's request makes the API server reject the pod, and the library's own jobs request CPU and state no
 * limit. Default limits are therefore at least as large as the largest such request of the app's workloads in the namespace.
 */
import { ApiObject } from 'cdk8s';
import { type IConstruct } from 'constructs';
import { type LimitRangeItem } from '../../facts/api/types/core/v1';
import { type JsonObject } from '../../facts/api/schema';
import { idOf } from '../../manifests/identity';
import { ManifestSet } from '../../manifests/manifest-set';
import { amountsIn, containersOf } from '../../manifests/pods/pod-amounts';
import { parseQuantity, type Quantity } from '../../manifests/values/quantity';
import { asObject } from '../../manifests/read';

const REQUESTS = { cpu: '1', memory: '2Gi' };
const LIMITS = { cpu: '4', memory: '8Gi' } as const;

/**
 * The default requests and limits, as a LimitRange writes them.
 *
 * @param team any construct of the app
 * @param namespace the namespace of the containers
 * @param keys the keys of its quota
 */
export function defaultLimitsFor(
  team: IConstruct,
  namespace: string,
  keys: readonly string[],
): Omit<LimitRangeItem, 'type'> {
  const limited = (['cpu', 'memory'] as const).filter((resource) => keys.includes(`limits.${resource}`));
  if (limited.length === 0) {
    return { defaultRequest: REQUESTS };
  }
  const pods = podSpecsIn(team, namespace);
  const limits = limited.map((resource) => [resource, largestUnlimited(pods, resource)] as const);
  return { defaultRequest: REQUESTS, default: Object.fromEntries(limits) };
}

function largestUnlimited(pods: readonly JsonObject[], resource: 'cpu' | 'memory'): string {
  let largest: Quantity | undefined = parseQuantity(LIMITS[resource]);
  for (const { container } of pods.flatMap((spec) => containersOf(spec))) {
    const { requests, limits } = asObject(container.resources);
    const request = amountsIn(limits).has(resource) ? undefined : amountsIn(requests).get(resource);
    if (request !== undefined && largest?.isLessThan(request)) {
      largest = request;
    }
  }
  return String(largest);
}

function podSpecsIn(team: IConstruct, namespace: string): readonly JsonObject[] {
  const objects = team.node.root.node.findAll().filter((construct) => ApiObject.isApiObject(construct));
  const workloads = objects.filter(
    (object) => object.metadata.namespace === namespace && !NO_WORKLOADS.has(object.kind),
  );
  const manifests = workloads.map((construct) => {
    const object = construct.toJson() as JsonObject;
    return { id: idOf(object), object, origin: { construct: construct.node.path } };
  });
  return new ManifestSet(manifests).podTemplates.map(({ spec }) => spec);
}

/** Kinds of a team that have no pods; the LimitRange itself must not be rendered while it is rendered. */
const NO_WORKLOADS: ReadonlySet<string> = new Set(['LimitRange', 'ResourceQuota', 'Role', 'RoleBinding']);

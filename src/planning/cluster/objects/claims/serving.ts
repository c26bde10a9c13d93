/**
 * Which DeviceClass serves an extended resource, so that pods that request the resource get a claim for it.
 *
 * Resources that device plugins serve are theirs on every node.
 */
import { type JsonObject } from '../../../../facts/api/schema';
import { asObject, asString } from '../../../../manifests/read';
import { type ClusterNode } from '../../../../placement';

/** The extended resource that each DeviceClass serves in any case ends with the name of the class. */
const IMPLICIT_RESOURCE = 'deviceclass.resource.kubernetes.io/';

/** Resources that nodes have without claims. Once a device plugin was removed, its node keeps 0 of its resource. */
export function pluginResources(nodes: Iterable<ClusterNode>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { allocatable, deviceResource, claimable } of nodes) {
    for (const [name, amount] of Object.entries(allocatable)) {
      if (amount > 0 && (claimable === undefined || name !== deviceResource)) {
        found.add(name);
      }
    }
  }
  return found;
}

/** The class by resource; `undefined` where the resource needs no claim. */
export function classServing(
  classes: Iterable<JsonObject>,
  ofPlugins: ReadonlySet<string>,
): (resource: string) => string | undefined {
  const serving = servingClasses(classes);
  return (resource) =>
    resource.startsWith(IMPLICIT_RESOURCE)
      ? resource.slice(IMPLICIT_RESOURCE.length)
      : ofPlugins.has(resource)
        ? undefined
        : serving.get(resource);
}

/** DeviceClasses by the extended resource that they serve; of two that serve one resource, the newer, or else the first by name. */
function servingClasses(classes: Iterable<JsonObject>): ReadonlyMap<string, string> {
  const oldestFirst = [...classes].sort(
    (a, b) => createdAt(a) - createdAt(b) || (nameOf(a) < nameOf(b) ? 1 : nameOf(a) > nameOf(b) ? -1 : 0),
  );
  return new Map(
    oldestFirst.flatMap((object) => {
      const resource = asString(asObject(object.spec).extendedResourceName);
      return resource === undefined ? [] : [[resource, nameOf(object)] as const];
    }),
  );
}

function nameOf({ metadata }: JsonObject): string {
  return asString(asObject(metadata).name) ?? '';
}

function createdAt({ metadata }: JsonObject): number {
  const time = Date.parse(asString(asObject(metadata).creationTimestamp) ?? '');
  return Number.isFinite(time) ? time : 0;
}

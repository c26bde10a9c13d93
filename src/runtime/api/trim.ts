/**
 * Leaves out what no decision looks at, so that ten thousand pods fit into little memory: who wrote which field, environments, commands,
 * probes, container states.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { asArray, asObject } from '../../manifests/read';
import { type CollectionName } from '../../planning/scheduler-settings/collections';

type Draft = Record<string, JsonValue | undefined>;

const OF_CONTAINERS = new Set(['name', 'resources', 'ports', 'restartPolicy']);
const OF_STATUS = new Set([
  'phase',
  'conditions',
  'startTime',
  'reason',
  'resourceClaimStatuses',
  'extendedResourceClaimStatus',
  'containerStatuses',
]);
const OF_CONTAINER_STATUS = new Set(['name', 'allocatedResources', 'resources']);
const OF_NODE_STATUS = new Set(['allocatable', 'capacity', 'conditions']);

/** A lighter form of the object. */
export function trimmed(collection: CollectionName, object: JsonObject): JsonObject {
  const metadata = { ...asObject(object.metadata) };
  delete metadata.managedFields;
  if (collection === 'pods') {
    return {
      ...object,
      metadata,
      spec: trimmedPodSpec(asObject(object.spec)),
      status: trimmedPodStatus(asObject(object.status)),
    };
  }
  return {
    ...object,
    metadata,
    ...(collection === 'nodes' && { status: only(asObject(object.status), OF_NODE_STATUS) }),
  };
}

function trimmedPodSpec(spec: JsonObject): JsonObject {
  const draft: Draft = { ...spec };
  for (const list of ['containers', 'initContainers'] as const) {
    if (spec[list] !== undefined) {
      draft[list] = asArray(spec[list]).map((container) => only(asObject(container), OF_CONTAINERS));
    }
  }
  draft.volumes = asArray(spec.volumes).filter((volume) =>
    ['persistentVolumeClaim', 'ephemeral'].some((kind) => kind in asObject(volume)),
  );
  if (asArray(draft.volumes).length === 0) {
    delete draft.volumes;
  }
  return draft as JsonObject;
}

function trimmedPodStatus(status: JsonObject): JsonObject {
  const draft: Draft = { ...only(status, OF_STATUS) };
  if (status.containerStatuses !== undefined) {
    draft.containerStatuses = asArray(status.containerStatuses).map((one) => only(asObject(one), OF_CONTAINER_STATUS));
  }
  return draft as JsonObject;
}

function only(object: JsonObject, keys: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => keys.has(key)));
}

/**
 * An object as a snapshot keeps it: what places and checks work, and nothing else. Both sides of a comparison are reduced alike.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { asArray, asObject, asString, isObject } from '../read';
import { type SnapshotCollection } from './collections';
import { reducedEvent } from './events';
import { KEPT_ANNOTATIONS, KEPT_VARIABLES } from './kept-keys';
import { definitionWithoutProse } from './prose';

/** Of a container the placement core reads only these. */
const OF_CONTAINERS = ['name', 'resources', 'ports', 'restartPolicy'];
const OF_PODS = [
  'nodeName',
  'schedulerName',
  'priority',
  'priorityClassName',
  'preemptionPolicy',
  'nodeSelector',
  'affinity',
  'tolerations',
  'topologySpreadConstraints',
  'overhead',
  'resources',
  'resourceClaims',
  'schedulingGates',
  'schedulingGroup',
  'workloadRef',
  'runtimeClassName',
  'hostNetwork',
];
const OF_POD_VOLUMES = ['name', 'persistentVolumeClaim', 'ephemeral'];
const OF_OWNERS = ['apiVersion', 'kind', 'name', 'controller'];
const OF_CONDITIONS = ['type', 'status', 'reason', 'message', 'lastTransitionTime'];
const OF_VOLUMES = ['accessModes', 'capacity', 'claimRef', 'nodeAffinity', 'storageClassName', 'volumeMode'];
const OF_CLAIM_REFERENCES = ['namespace', 'name'];
const OF_STORAGE_CLASSES = [
  'provisioner',
  'reclaimPolicy',
  'volumeBindingMode',
  'allowedTopologies',
  'allowVolumeExpansion',
];
/** A message is from a controller, and may be of any length. */
const LONGEST_MESSAGE = 1024;
const DEEPEST = 200;

/** The object as it is kept; `undefined` for what has ended, which takes no place any more, and for events that are not kept. */
export function reduced(object: JsonObject, collection: SnapshotCollection): JsonObject | undefined {
  if (collection.kind === 'Pod' && isOver(object)) {
    return undefined;
  }
  if (collection.keep === 'event') {
    return reducedEvent(object);
  }
  const body = collection.keep === 'names' ? {} : bodyOf(object, collection);
  const status = statusOf(asObject(object.status), collection);
  return {
    ...body,
    metadata: metadataOf(asObject(object.metadata)),
    ...(Object.keys(status).length > 0 && { status }),
  };
}

function isOver({ status }: JsonObject): boolean {
  const { phase } = asObject(status);
  return phase === 'Succeeded' || phase === 'Failed';
}

function metadataOf(metadata: JsonObject): JsonObject {
  const annotations = Object.fromEntries(
    Object.entries(asObject(metadata.annotations)).filter(([key]) => KEPT_ANNOTATIONS.has(key)),
  );
  const owners = asArray(metadata.ownerReferences)
    .filter(isObject)
    .map((owner) => only(owner, OF_OWNERS));
  const labels = asObject(metadata.labels);
  return {
    ...only(metadata, ['name', 'namespace', 'creationTimestamp', 'deletionTimestamp']),
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
    ...(owners.length > 0 && { ownerReferences: owners }),
  };
}

/** Everything beside metadata and status. */
function bodyOf(object: JsonObject, { kind }: SnapshotCollection): JsonObject {
  const spec = asObject(object.spec);
  switch (kind) {
    case 'Pod':
      return { spec: podSpec(spec) };
    case 'CustomResourceDefinition':
      return { spec: definitionWithoutProse(without(spec, ['conversion'])) };
    case 'PersistentVolume':
      return {
        spec: {
          ...only(spec, OF_VOLUMES),
          ...(isObject(spec.claimRef) && { claimRef: only(spec.claimRef, OF_CLAIM_REFERENCES) }),
        },
      };
    case 'StorageClass':
      return only(object, OF_STORAGE_CLASSES);
    case 'ValidatingWebhookConfiguration':
    case 'MutatingWebhookConfiguration':
      // The address of a webhook and its certificate are not needed.
      return {
        webhooks: asArray(object.webhooks)
          .filter(isObject)
          .map((webhook) => without(webhook, ['clientConfig'])),
      };
    default:
      return withoutValues(without(object, ['apiVersion', 'kind', 'metadata', 'status']), 0) as JsonObject;
  }
}

function podSpec(spec: JsonObject): JsonObject {
  const volumes = asArray(spec.volumes)
    .filter(isObject)
    .filter((volume) => volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined)
    .map((volume) => only(volume, OF_POD_VOLUMES));
  const containers = Object.fromEntries(
    ['containers', 'initContainers'].flatMap((list) =>
      spec[list] === undefined
        ? []
        : [[list, asArray(spec[list]).map((container) => only(asObject(container), OF_CONTAINERS))]],
    ),
  );
  return { ...only(spec, OF_PODS), ...containers, ...(volumes.length > 0 && { volumes }) };
}

/** Environments lose the values of all variables that no rule reads, wherever in the object a container is. */
function withoutValues(value: JsonValue, depth: number): JsonValue {
  if (depth > DEEPEST) {
    return null;
  }
  if (Array.isArray(value)) {
    return value.map((item) => withoutValues(item, depth + 1));
  }
  if (!isObject(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, member]): [string, JsonValue] => {
      if (key === 'env' && Array.isArray(member)) {
        return [key, member.filter(isObject).map(variable)];
      }
      if (key === 'annotations' && isObject(member)) {
        return [key, Object.fromEntries(Object.entries(member).filter(([name]) => KEPT_ANNOTATIONS.has(name)))];
      }
      return [key, withoutValues(member, depth + 1)];
    }),
  );
}

function variable(entry: JsonObject): JsonObject {
  return KEPT_VARIABLES.has(asString(entry.name) ?? '') ? only(entry, ['name', 'value']) : only(entry, ['name']);
}

function statusOf(status: JsonObject, { status: kept = [] }: SnapshotCollection): JsonObject {
  const draft = only(status, kept);
  if (Array.isArray(draft.conditions)) {
    draft.conditions = draft.conditions.filter(isObject).map((condition) => {
      const found = only(condition, OF_CONDITIONS);
      const message = asString(found.message);
      return message !== undefined && message.length > LONGEST_MESSAGE
        ? { ...found, message: message.slice(0, LONGEST_MESSAGE) }
        : found;
    });
  }
  return draft;
}

function without(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

function only(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(
    keys.flatMap((key): [string, JsonValue][] =>
      Object.hasOwn(object, key) && object[key] !== null ? [[key, object[key]]] : [],
    ),
  );
}

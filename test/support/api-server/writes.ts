/**
 * Requests that change something, with the preconditions that the API server holds them to.
 */
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { type InProcessApiServer, refusal } from './api-server';
import { applyPatch, PatchTestFailed } from './patches';
import { type ResourcePath } from './paths';

export function writeTo(
  server: InProcessApiServer,
  path: ResourcePath,
  method: string,
  body: JsonValue,
  contentType: string,
): JsonObject {
  const { store } = server;
  const { groupVersion, plural, namespace, subresource } = path;
  const key = server.keyIn(path);
  const known = store.get(groupVersion, plural, key);
  if (method === 'POST' && subresource === undefined) {
    const object = asObject(body);
    const metadata: JsonObject = {
      ...(namespace !== undefined && { namespace }),
      ...named(asObject(object.metadata), store.version),
    };
    if (store.get(groupVersion, plural, server.keyIn({ ...path, name: asString(metadata.name) })) !== undefined) {
      throw refusal(409, 'already exists');
    }
    return store.create(groupVersion, plural, { ...object, metadata });
  }
  if (known === undefined) {
    throw refusal(404);
  }
  switch (`${method} ${subresource ?? ''}`) {
    case 'POST binding':
      return bind(server, known, asObject(body));
    case 'POST eviction':
      return evict(server, known, asObject(body), key);
    case 'DELETE ':
      if (plural === 'pods') {
        remove(server, known, key);
      } else {
        erase(server, path, known, asObject(asObject(body).preconditions));
      }
      return known;
    case 'PUT ':
      demandVersion(known, asObject(body));
      return store.update(groupVersion, plural, { ...asObject(body), metadata: { ...asObject(known.metadata) } });
    default:
      return store.update(groupVersion, plural, server.kept(plural, patched(known, body, contentType)));
  }
}

/** A name that begins with `generateName`. */
function named(metadata: JsonObject, unique: number): JsonObject {
  const { name, generateName } = metadata;
  return name === undefined && generateName !== undefined
    ? { ...metadata, name: `${asString(generateName)}${unique}` }
    : metadata;
}

function patched(known: JsonObject, body: JsonValue, contentType: string): JsonObject {
  try {
    const result = applyPatch(known, body, contentType);
    if (asObject(result.metadata).uid !== asObject(known.metadata).uid) {
      throw refusal(409, 'the uid in the precondition does not match');
    }
    demandVersion(known, result);
    return result;
  } catch (error) {
    if (error instanceof PatchTestFailed) {
      throw refusal(422, error.message);
    }
    throw error;
  }
}

/** A version in what is written has to be the one that is stored. */
function demandVersion(known: JsonObject, written: JsonObject): void {
  const version = asObject(written.metadata).resourceVersion;
  if (version !== undefined && version !== asObject(known.metadata).resourceVersion) {
    throw refusal(409, 'the object has been modified; please apply your changes to the latest version and try again');
  }
}

function bind({ store }: InProcessApiServer, pod: JsonObject, binding: JsonObject): JsonObject {
  const { uid, resourceVersion, annotations } = asObject(binding.metadata);
  const metadata = asObject(pod.metadata);
  if ((uid ?? metadata.uid) !== metadata.uid) {
    throw refusal(409, 'the uid in the precondition does not match');
  }
  if ((resourceVersion ?? metadata.resourceVersion) !== metadata.resourceVersion) {
    throw refusal(409, 'the resourceVersion in the precondition does not match');
  }
  const spec = asObject(pod.spec);
  if (metadata.deletionTimestamp !== undefined) {
    throw refusal(409, 'pod is being deleted, cannot be assigned to a host');
  }
  if (spec.nodeName !== undefined) {
    throw refusal(409, `pod is already assigned to node "${asString(spec.nodeName)}"`);
  }
  if (asArray(spec.schedulingGates).length > 0) {
    throw refusal(409, 'pod has non-empty .spec.schedulingGates');
  }
  const others = asArray(asObject(pod.status).conditions).filter((one) => asObject(one).type !== 'PodScheduled');
  store.update('v1', 'pods', {
    ...pod,
    metadata: { ...metadata, annotations: { ...asObject(metadata.annotations), ...asObject(annotations) } },
    spec: { ...spec, nodeName: asObject(binding.target).name },
    status: {
      ...asObject(pod.status),
      phase: 'Running',
      startTime: new Date(Date.now()).toISOString(),
      conditions: [...others, { type: 'PodScheduled', status: 'True' }],
    },
  });
  return { kind: 'Status', status: 'Success' };
}

function evict(server: InProcessApiServer, pod: JsonObject, eviction: JsonObject, key: string): JsonObject {
  const { uid } = asObject(asObject(eviction.deleteOptions).preconditions);
  if ((uid ?? asObject(pod.metadata).uid) !== asObject(pod.metadata).uid) {
    throw refusal(409, 'the uid in the precondition does not match');
  }
  const budget = server.budget(pod);
  if (budget !== undefined) {
    throw refusal(429, budget);
  }
  if (asArray(asObject(eviction.deleteOptions).dryRun).includes('All')) {
    return { kind: 'Status', status: 'Success' };
  }
  remove(server, pod, key);
  return { kind: 'Status', status: 'Success' };
}

/** What has a finalizer goes once it has none. */
function erase(server: InProcessApiServer, path: ResourcePath, known: JsonObject, preconditions: JsonObject): void {
  const { groupVersion, plural } = path;
  const metadata = asObject(known.metadata);
  const isMet = (['uid', 'resourceVersion'] as const).every(
    (name) => (preconditions[name] ?? metadata[name]) === metadata[name],
  );
  if (!isMet) {
    throw refusal(409, 'the precondition does not match');
  }
  if (asArray(metadata.finalizers).length === 0) {
    server.store.delete(groupVersion, plural, server.keyIn(path));
  } else {
    const deletionTimestamp = new Date(Date.now()).toISOString();
    server.store.update(groupVersion, plural, { ...known, metadata: { ...metadata, deletionTimestamp } });
  }
}

/** What has a node goes after its grace period. */
function remove({ store, grace }: InProcessApiServer, object: JsonObject, key: string): void {
  const metadata = asObject(object.metadata);
  if (asObject(object.spec).nodeName === undefined) {
    store.delete('v1', 'pods', key);
    return;
  }
  if (metadata.deletionTimestamp === undefined) {
    const deletionTimestamp = new Date(Date.now()).toISOString();
    store.update('v1', 'pods', { ...object, metadata: { ...metadata, deletionTimestamp } });
    setTimeout(() => {
      if (asObject(store.get('v1', 'pods', key)?.metadata).uid === metadata.uid) {
        store.delete('v1', 'pods', key);
      }
    }, grace);
  }
}

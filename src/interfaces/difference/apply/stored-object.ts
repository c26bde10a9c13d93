/**
 * What the API server's own code makes of an object beyond the merge: fields that it only reads, fields that depend on others, and
 * tolerations that it adds.
 *
 * Source: Kubernetes 1.36, pkg/registry/core/secret/strategy.go, pkg/registry/core/service/strategy.go (dropTypeDependentFields), and
 * plugin/pkg/admission/defaulttolerationseconds/admission.go.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { idOf, kindKey } from '../../../manifests/identity';
import { asArray, asObject, stringEntries } from '../../../manifests/read';

/** The object as the server stores it in the place of the live one. */
export function asStored(object: JsonObject, live: JsonObject): JsonObject {
  switch (kindKey(idOf(object))) {
    case 'Secret':
      return storedSecret(object, live);
    case 'Service':
      return storedService(object, live);
    case 'Pod':
      return storedPod(object, live);
    default:
      return object;
  }
}

function storedSecret({ stringData, ...secret }: JsonObject, live: JsonObject): JsonObject {
  const encoded = stringEntries(stringData).map(([key, text]): [string, JsonValue] => [
    key,
    Buffer.from(text).toString('base64'),
  ]);
  const data = { ...asObject(secret.data), ...Object.fromEntries(encoded) };
  const { type = live.type } = secret;
  return {
    ...secret,
    ...(Object.keys(data).length > 0 && { data }),
    ...(type !== undefined && { type }),
  };
}

const WITH_NODE_PORTS: ReadonlySet<JsonValue | undefined> = new Set(['NodePort', 'LoadBalancer']);

/** Node ports and the policy for them end with the type that has them. */
function storedService(service: JsonObject, live: JsonObject): JsonObject {
  const spec = asObject(service.spec);
  if (!WITH_NODE_PORTS.has(asObject(live.spec).type) || WITH_NODE_PORTS.has(spec.type)) {
    return service;
  }
  const ports = asArray(spec.ports).map((port) => without(asObject(port), 'nodePort'));
  return { ...service, spec: { ...without(spec, 'externalTrafficPolicy'), ports } };
}

const NODE_TAINTS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** Tolerations are one value for a merge, and the server adds those of its nodes' taints again to the list of the manifest. */
function storedPod(pod: JsonObject, live: JsonObject): JsonObject {
  const spec = asObject(pod.spec);
  const stated = asArray(spec.tolerations).map(asObject);
  const added = NODE_TAINTS.flatMap((taint) => {
    const isTolerated = stated.some(
      ({ key = '', effect = '' }) => ['', taint].includes(key as string) && isEviction(effect),
    );
    const known = asArray(asObject(live.spec).tolerations)
      .map(asObject)
      .find(({ key, effect = '' }) => key === taint && isEviction(effect));
    // A server may be configured without the plugin, or with other seconds.
    return isTolerated || known === undefined ? [] : [known];
  });
  return added.length === 0 ? pod : { ...pod, spec: { ...spec, tolerations: [...stated, ...added] } };
}

const isEviction = (effect: JsonValue): boolean => effect === '' || effect === 'NoExecute';

function without(object: JsonObject, field: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== field));
}

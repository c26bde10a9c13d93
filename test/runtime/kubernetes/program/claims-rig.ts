/**
 * Devices by claim in the API server of a test: what drivers publish, and what the controller of resource claims does.
 */
import { type JsonObject } from '../../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../../src/manifests/read';
import { type InProcessApiServer } from '../../../support/api-server/api-server';
import { keyOf } from '../../../support/api-server/store';
import { podObject, type PodShape } from './rig';

export const GROUP = 'resource.k8s.io/v1';
const FINALIZER = 'resource.kubernetes.io/delete-protection';

/** Serves the API of devices. */
export function serveClaims(server: InProcessApiServer): void {
  server.serve(GROUP, 'resourceslices', 'deviceclasses', 'resourceclaims');
  deviceClass(server, 'gpu.example.com');
  claimController(server);
}

export function deviceClass(server: InProcessApiServer, name: string, spec: JsonObject = {}): void {
  server.put(GROUP, 'deviceclasses', {
    metadata: { name },
    spec: { selectors: [{ cel: { expression: 'device.driver == "gpu.example.com"' } }], ...spec },
  });
}

export interface SliceShape {
  readonly driver?: string;
  readonly generation?: number;
  readonly spec?: JsonObject;
}

/** One slice with the devices of a node. */
export function slice(
  server: InProcessApiServer,
  node: string,
  devices: readonly (string | JsonObject)[],
  { driver = 'gpu.example.com', generation = 1, spec = {} }: SliceShape = {},
): void {
  server.put(GROUP, 'resourceslices', {
    metadata: { name: `${node}-${driver}` },
    spec: {
      driver,
      nodeName: node,
      pool: { name: node, generation, resourceSliceCount: 1 },
      devices: devices.map((device) => (typeof device === 'string' ? { name: device } : device)),
      ...spec,
    },
  });
}

/** The spec of a claim for devices of one class. */
export function claimSpec(count = 1, exactly: JsonObject = {}): JsonObject {
  return {
    devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu.example.com', count, ...exactly } }] },
  };
}

export function putClaim(server: InProcessApiServer, name: string, spec = claimSpec(), more: JsonObject = {}): void {
  server.put(GROUP, 'resourceclaims', { metadata: { namespace: 'default', name }, spec, ...more });
}

export function putTemplate(server: InProcessApiServer, name: string, spec = claimSpec()): void {
  server.put(GROUP, 'resourceclaimtemplates', { metadata: { namespace: 'default', name }, spec: { spec } });
}

/** A pod with one claim from a template, or that names a claim. */
export function claimingPod(
  name: string,
  claim: { readonly template: string } | { readonly claim: string },
  shape: PodShape = {},
): JsonObject {
  const entry: JsonObject =
    'template' in claim
      ? { name: 'gpu', resourceClaimTemplateName: claim.template }
      : { name: 'gpu', resourceClaimName: claim.claim };
  return podObject(name, { gpus: 0, ...shape, spec: { resourceClaims: [entry], ...shape.spec } });
}

export function claimingGang(
  name: string,
  count: number,
  claim: { readonly template: string } | { readonly claim: string },
  shape: PodShape = {},
): readonly JsonObject[] {
  return Array.from({ length: count }, (_, i) =>
    claimingPod(`${name}-${i}`, claim, { gang: name, minimum: count, ...shape }),
  );
}

export function claims(server: InProcessApiServer): readonly JsonObject[] {
  return [...server.store.collection(GROUP, 'resourceclaims').values()];
}

export function claimOf(server: InProcessApiServer, name: string): JsonObject {
  return server.store.get(GROUP, 'resourceclaims', `default/${name}`) ?? {};
}

/** `POOL/DEVICE` of a claim; none where it is not allocated. */
export function devicesOf(claim: JsonObject): readonly string[] {
  return asArray(asObject(asObject(asObject(claim.status).allocation).devices).results)
    .map(asObject)
    .map(({ pool, device }) => `${asString(pool)}/${asString(device)}`);
}

export function reservedFor(claim: JsonObject): readonly string[] {
  return asArray(asObject(claim.status).reservedFor).map((one) => asString(asObject(one).name) ?? '');
}

/** What must hold at every moment: no device is held by two claims, and pods run only with claims that are theirs. */
export function claimFaults(server: InProcessApiServer): readonly string[] {
  const faults: string[] = [];
  const holders = new Map<string, string>();
  for (const claim of claims(server)) {
    const results = asArray(asObject(asObject(asObject(claim.status).allocation).devices).results).map(asObject);
    for (const { driver, pool, device, adminAccess, shareID } of results) {
      if (adminAccess === true || shareID !== undefined) {
        continue;
      }
      const key = [driver, pool, device].map(asString).join('/');
      const other = holders.get(key);
      if (other !== undefined) {
        faults.push(`${key} is held by ${other} and ${keyOf(claim)}`);
      }
      holders.set(key, keyOf(claim));
    }
  }
  for (const pod of server.pods()) {
    const { nodeName, resourceClaims } = asObject(pod.spec);
    for (const entry of nodeName === undefined ? [] : asArray(resourceClaims).map(asObject)) {
      const claim = claimOf(server, claimName(pod, entry) ?? '');
      const { nodeSelectorTerms } = asObject(asObject(asObject(claim.status).allocation).nodeSelector);
      const [term] = asArray(nodeSelectorTerms).map(asObject);
      const nodes = asArray(asObject(asArray(term?.matchFields)[0]).values);
      if (!reservedFor(claim).includes(asString(asObject(pod.metadata).name) ?? '')) {
        faults.push(`${keyOf(pod)} runs without its claim`);
      }
      if (term !== undefined && !nodes.includes(nodeName ?? '')) {
        faults.push(
          `${keyOf(pod)} runs on ${asString(nodeName)}, and its devices are on ${nodes.map(asString).join()}`,
        );
      }
    }
  }
  return faults;
}

function claimName(pod: JsonObject, entry: JsonObject): string | undefined {
  const made = asArray(asObject(pod.status).resourceClaimStatuses)
    .map(asObject)
    .find(({ name }) => name === entry.name);
  return asString(entry.resourceClaimName) ?? asString(made?.resourceClaimName);
}

/** Makes claims from templates, and takes devices back with the last pod, as kube-controller-manager does. */
export function claimController(server: InProcessApiServer, delay = 20): void {
  const { store } = server;
  const later = (work: () => void): void => void setTimeout(work, delay);
  store.listeners.push(({ plural, type, object }) => {
    if (plural !== 'pods') {
      return;
    }
    if (type === 'DELETED' || ['Succeeded', 'Failed'].includes(asString(asObject(object.status).phase) ?? '')) {
      later(() => giveUp(server, object));
      return;
    }
    later(() => makeClaims(server, keyOf(object)));
  });
}

function makeClaims({ store }: InProcessApiServer, key: string): void {
  const pod = store.get('v1', 'pods', key);
  const { namespace, name, uid } = asObject(pod?.metadata);
  const known = asArray(asObject(pod?.status).resourceClaimStatuses).map(asObject);
  const made: JsonObject[] = [];
  for (const entry of asArray(asObject(pod?.spec).resourceClaims).map(asObject)) {
    const template = store.get(GROUP, 'resourceclaimtemplates', `default/${asString(entry.resourceClaimTemplateName)}`);
    if (template === undefined || known.some((one) => one.name === entry.name)) {
      continue;
    }
    const resourceClaimName = `${asString(name)}-${asString(entry.name)}`;
    store.create(GROUP, 'resourceclaims', {
      metadata: {
        namespace,
        name: resourceClaimName,
        annotations: { 'resource.kubernetes.io/pod-claim-name': entry.name },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true }],
      },
      spec: asObject(template.spec).spec,
    });
    made.push({ name: entry.name, resourceClaimName });
  }
  if (pod !== undefined && made.length > 0) {
    store.update('v1', 'pods', {
      ...pod,
      status: { ...asObject(pod.status), resourceClaimStatuses: [...known, ...made] },
    });
  }
}

function giveUp(server: InProcessApiServer, pod: JsonObject): void {
  const { store } = server;
  const { uid } = asObject(pod.metadata);
  for (const claim of claims(server)) {
    const reserved = asArray(asObject(claim.status).reservedFor).map(asObject);
    const rest = reserved.filter((one) => one.uid !== uid);
    if (asArray(asObject(claim.metadata).ownerReferences).some((owner) => asObject(owner).uid === uid)) {
      store.delete(GROUP, 'resourceclaims', keyOf(claim));
    } else if (rest.length < reserved.length) {
      const { finalizers, ...metadata } = asObject(claim.metadata);
      const left = asArray(finalizers).filter((one) => one !== FINALIZER);
      store.update(
        GROUP,
        'resourceclaims',
        rest.length > 0
          ? { ...claim, status: { ...asObject(claim.status), reservedFor: rest } }
          : { ...claim, metadata: { ...metadata, ...(left.length > 0 && { finalizers: left }) }, status: {} },
      );
    }
  }
}

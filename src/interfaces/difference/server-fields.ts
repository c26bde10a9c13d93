/**
 * What a cluster adds to an object after it was applied: fields that the API server, a controller, or the scheduler writes. They are left
 * out of a stack, and reported.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { kindKey } from '../../manifests/identity';
import { type Manifest } from '../../manifests/manifest';
import { pointer } from '../../manifests/pointer';
import { podTemplatesOf } from '../../manifests/pods/pod-templates';
import { asArray, asObject, asString, isObject } from '../../manifests/read';

/** An object without what a cluster added to it. */
export interface Authored {
  readonly object: JsonObject;
  /** JSON pointers of what was left out. */
  readonly dropped: readonly string[];
}

/** Metadata that only the API server writes, and that it ignores in a manifest. */
export const SERVER_METADATA: readonly string[] = [
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
];

const ANNOTATIONS = [
  'autoscaling.alpha.kubernetes.io/conditions',
  'autoscaling.alpha.kubernetes.io/current-metrics',
  'batch.kubernetes.io/job-tracking',
  'control-plane.alpha.kubernetes.io/leader',
  'deployment.kubernetes.io/revision',
  'deprecated.daemonset.template.generation',
  'kubectl.kubernetes.io/last-applied-configuration',
  'pv.kubernetes.io/bind-completed',
  'pv.kubernetes.io/bound-by-controller',
  'volume.beta.kubernetes.io/storage-provisioner',
  'volume.kubernetes.io/selected-node',
  'volume.kubernetes.io/storage-provisioner',
];

/** Labels of the pods of a Job, and its selector, which its controller makes of its UID. */
const JOB_LABELS = ['batch.kubernetes.io/controller-uid', 'batch.kubernetes.io/job-name', 'controller-uid', 'job-name'];

/** Paths of an object that was read from a cluster, by kind. */
const LIVE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Namespace: ['/spec/finalizers', '/spec', '/metadata/labels/kubernetes.io~1metadata.name'],
  PersistentVolumeClaim: ['/spec/volumeName'],
  PersistentVolume: ['/spec/claimRef/resourceVersion', '/spec/claimRef/uid'],
  Pod: ['/spec/nodeName', '/spec/preemptionPolicy', '/spec/priority'],
  Service: ['/spec/clusterIPs', '/spec/ipFamilies', '/spec/healthCheckNodePort'],
  ServiceAccount: ['/secrets'],
  'batch/Job': [
    '/spec/selector',
    ...JOB_LABELS.flatMap((label) => [
      pointer('/spec/template/metadata/labels', label),
      pointer('/metadata/labels', label),
    ]),
  ],
  'scheduling.volcano.sh/PodGroup': [],
};

const SERVICE_ACCOUNT_VOLUME = /^kube-api-access-[a-z0-9]{5}$/;

/** Whether an object was read from a cluster: it has what only the API server writes. */
export function isLive({ object }: Manifest): boolean {
  const { uid, resourceVersion, managedFields } = asObject(object.metadata);
  return [uid, resourceVersion, managedFields].some((value) => value !== undefined && value !== null);
}

/** The controller that made an object, and makes it again: `Job/train`. */
export function controllerOf({ object }: Manifest): string | undefined {
  const owner = asArray(asObject(object.metadata).ownerReferences)
    .filter(isObject)
    .find(({ controller }) => controller === true);
  return owner === undefined ? undefined : `${asString(owner.kind) ?? ''}/${asString(owner.name) ?? ''}`;
}

/** Leaves out what a cluster added. An object that was never in a cluster keeps all but `status` and empty server fields. */
export function authored(manifest: Manifest): Authored {
  const object = structuredClone(manifest.object);
  const dropped: string[] = [];
  const drop = (path: string): void => {
    if (removed(object, path)) {
      dropped.push(path);
    }
  };
  drop('/status');
  SERVER_METADATA.forEach((name) => drop(pointer('/metadata', name)));
  ANNOTATIONS.forEach((name) => drop(pointer('/metadata/annotations', name)));
  for (const { path } of podTemplatesOf(manifest)) {
    if (path !== '') {
      drop(`${path}/metadata/creationTimestamp`);
    }
  }
  if (isLive(manifest)) {
    const kind = kindKey(manifest.id);
    const ownSelector = kind === 'batch/Job' && asObject(object.spec).manualSelector === true;
    (ownSelector ? [] : (LIVE_FIELDS[kind] ?? [])).forEach(drop);
    if (kind === 'Service' && asObject(object.spec).clusterIP !== 'None') {
      drop('/spec/clusterIP');
    }
    if (kind === 'Pod') {
      dropTokenVolume(object, dropped);
    }
    for (const { path } of podTemplatesOf(manifest)) {
      dropAlias(object, `${path}/spec`, drop);
    }
  }
  return { object, dropped };
}

/** `serviceAccount` is the old name of `serviceAccountName`, which the API server writes beside it. */
function dropAlias(object: JsonObject, path: string, drop: (path: string) => void): void {
  const spec = asObject(parentOf(object, `${path}/x`)?.parent);
  if (spec.serviceAccount !== undefined && spec.serviceAccount === spec.serviceAccountName) {
    drop(`${path}/serviceAccount`);
  }
}

/** The volume with the token of the service account, which admission adds to each pod. */
function dropTokenVolume(object: JsonObject, dropped: string[]): void {
  const spec = asObject(object.spec);
  const isToken = (volume: JsonValue): boolean =>
    SERVICE_ACCOUNT_VOLUME.test(asString(isObject(volume) ? volume.name : undefined) ?? '');
  const without = (list: JsonValue | undefined): JsonValue[] => asArray(list).filter((item) => !isToken(item));
  if (!asArray(spec.volumes).some(isToken)) {
    return;
  }
  spec.volumes = without(spec.volumes);
  dropped.push('/spec/volumes');
  for (const name of ['containers', 'initContainers']) {
    for (const container of asArray(spec[name]).filter(isObject)) {
      container.volumeMounts = without(container.volumeMounts);
    }
  }
}

function removed(object: JsonObject, path: string): boolean {
  const place = parentOf(object, path);
  if (place === undefined || !Object.hasOwn(place.parent, place.last)) {
    return false;
  }
  const value = place.parent[place.last];
  // A spec whose last field was left out goes too; one with other fields stays.
  if (path === '/spec' && isObject(value) && Object.keys(value).length > 0) {
    return false;
  }
  delete place.parent[place.last];
  return true;
}

function parentOf(
  object: JsonObject,
  path: string,
): { readonly parent: JsonObject; readonly last: string } | undefined {
  const tokens = path
    .slice(1)
    .split('/')
    .map((token) => token.replace(/~1/g, '/').replace(/~0/g, '~'));
  const last = tokens.pop() ?? '';
  let value: JsonValue | undefined = object;
  for (const token of tokens) {
    value = Array.isArray(value) ? value[Number(token)] : isObject(value) ? value[token] : undefined;
  }
  return isObject(value) ? { parent: value, last } : undefined;
}

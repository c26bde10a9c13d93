/**
 * Pods and pod templates of Kubernetes in the terms of the placement core. One object at a time, so that a scheduler can follow a watch.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { GANTRY_DEVICES } from '../../../facts/catalog';
import { asArray, asObject, asString, stringEntries } from '../../../manifests/read';
import { type NodeTerm, type Pod, type PodTemplate } from '../../../placement';
import { takeAcceleratorRequest } from './accelerator-request';
import { addTo, type AmountsDraft } from '../../../manifests/pods/resource-amounts';
import { podRequest } from './pod-request';
import { claimKey, isSharedClaim, type ClassRequest, extendedClaimKey } from './claim-key';
import {
  hostPortsOf,
  type NamespaceChooser,
  nodeTermsOf,
  type OwnPod,
  podAffinityTermsOf,
  preferredNodeTermsOf,
  preferredPodAffinityTermsOf,
  tolerationsOf,
  topologySpreadOf,
} from './selectors';

/** A claim of a pod. */
export interface PodClaim {
  /** Its key, where its devices are chosen, or it does not exist. @default - it is counted alone */
  readonly key?: string;
  /** Devices by device resource. */
  readonly devices: AmountsDraft;
}

/** What has to be known beside the pod. */
export interface TemplateOptions {
  /**
   * Node terms of the volume that a claim of the pod's namespace is bound to.
   * @default - claims do not restrict nodes
   */
  readonly claimTerms?: (claim: string, namespace: string) => readonly NodeTerm[] | undefined;
  /**
   * What a resource claim (or a template of claims) means for the pod.
   * @default - resource claims request no devices
   */
  readonly claimOf?: (
    claim: { readonly name: string; readonly template: boolean },
    namespace: string,
  ) => PodClaim | undefined;
  /**
   * The claims of the pod, where they are known already.
   * @default - `claimOf` for each claim that the pod names
   */
  readonly podClaims?: readonly PodClaim[];
  /**
   * The DeviceClass whose devices pods get that request an extended resource.
   * @default - nodes have the devices of every resource
   */
  readonly classOf?: (resource: string) => string | undefined;
  /**
   * Whether annotations by which a pod asks for a part of a device count; any user that may create pods may write them.
   * @default true
   */
  readonly sharing?: boolean;
  /**
   * Namespaces by a selector on their labels, for affinity between pods.
   * @default - none is known
   */
  readonly namespaces?: NamespaceChooser;
}

/** The pod template of a workload; also a Pod, whose `metadata` and `spec` are read. */
export interface TemplateSource {
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
  readonly namespace: string;
}

export function templateOf({ metadata, spec, namespace }: TemplateSource, options: TemplateOptions = {}): PodTemplate {
  const labels = Object.fromEntries(stringEntries(metadata.labels));
  const own: OwnPod = { labels, ...(options.namespaces !== undefined && { namespaces: options.namespaces }) };
  const request = podRequest(spec);
  const claims = options.podClaims ?? claimsOf(spec, namespace, options);
  const { charged, sharedCharges } = takeCharges(claims, request);
  const found = takeAcceleratorRequest(
    request,
    Object.fromEntries(stringEntries(metadata.annotations)),
    options.sharing ?? true,
  );
  const keys = [...claims.flatMap(({ key }) => key ?? []), ...takeClassRequests(request, charged, options)];
  const accelerator = found?.kind === 'mig' && isOfKai(spec, labels) ? { ...found, countedInSlices: true } : found;
  const affinity = asObject(spec.affinity);
  const node = asObject(affinity.nodeAffinity);
  const near = asObject(affinity.podAffinity);
  const apart = asObject(affinity.podAntiAffinity);
  const nodeSelector = Object.fromEntries(stringEntries(spec.nodeSelector));
  const required = node.requiredDuringSchedulingIgnoredDuringExecution;
  const lists = {
    preferredNodeTerms: preferredNodeTermsOf(node.preferredDuringSchedulingIgnoredDuringExecution),
    volumeNodeTerms: volumeTerms(spec, namespace, options),
    tolerations: tolerationsOf(spec.tolerations),
    hostPorts: hostPortsOf(spec),
    podAffinity: podAffinityTermsOf(near.requiredDuringSchedulingIgnoredDuringExecution, own),
    podAntiAffinity: podAffinityTermsOf(apart.requiredDuringSchedulingIgnoredDuringExecution, own),
    preferredPodAffinity: preferredPodAffinityTermsOf(near.preferredDuringSchedulingIgnoredDuringExecution, own),
    preferredPodAntiAffinity: preferredPodAffinityTermsOf(apart.preferredDuringSchedulingIgnoredDuringExecution, own),
    topologySpread: topologySpreadOf(spec.topologySpreadConstraints, own),
  };
  return {
    request,
    ...(accelerator !== undefined && { accelerator }),
    ...(keys.length > 0 && { claims: keys }),
    ...(Object.keys(charged).length > 0 && { charged }),
    ...(sharedCharges.size > 0 && { sharedCharges: Object.fromEntries(sharedCharges) }),
    namespace: namespace === '' ? 'default' : namespace,
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(Object.keys(nodeSelector).length > 0 && { nodeSelector }),
    ...(required !== undefined && required !== null && { nodeTerms: nodeTermsOf(required) }),
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
  };
}

interface Charges {
  readonly charged: AmountsDraft;
  /** What of it is for claims that other pods may use too, by their keys. */
  readonly sharedCharges: ReadonlyMap<string, PodClaim['devices']>;
}

/** What queues are charged for claims; devices of claims that are counted alone are added to the request. */
function takeCharges(claims: readonly PodClaim[], request: AmountsDraft): Charges {
  const charged: AmountsDraft = {};
  const sharedCharges = new Map<string, PodClaim['devices']>();
  for (const { key, devices } of claims) {
    if (key === undefined) {
      addTo(request, devices);
    } else if (!isSharedClaim(key)) {
      addTo(charged, devices);
    } else if (!sharedCharges.has(key) && Object.keys(devices).length > 0) {
      // Two entries of a pod may name one claim.
      addTo(charged, devices);
      sharedCharges.set(key, devices);
    }
  }
  return { charged, sharedCharges };
}

/** KAI's queues count a MIG instance as its number of compute slices. */
function isOfKai({ schedulerName }: JsonObject, labels: Readonly<Record<string, string>>): boolean {
  return schedulerName === 'kai-scheduler' || labels['kai.scheduler/queue'] !== undefined;
}

function claimsOf(spec: JsonObject, namespace: string, { claimOf }: TemplateOptions): readonly PodClaim[] {
  return asArray(spec.resourceClaims)
    .map(asObject)
    .flatMap((claim) => {
      const byTemplate = asString(claim.resourceClaimTemplateName);
      const name = byTemplate ?? asString(claim.resourceClaimName);
      return name === undefined ? [] : (claimOf?.({ name, template: byTemplate !== undefined }, namespace) ?? []);
    });
}

/** Takes what DeviceClasses serve out of the request: the cluster makes a claim for it. Queues are charged for it as before. */
function takeClassRequests(
  request: AmountsDraft,
  charged: AmountsDraft,
  { classOf }: TemplateOptions,
): readonly string[] {
  const wanted: ClassRequest[] = [];
  for (const resource of classOf === undefined ? [] : Object.keys(request).sort()) {
    const deviceClass = classOf?.(resource);
    const count = request[resource];
    if (deviceClass !== undefined && count > 0) {
      wanted.push({ resource, deviceClass, count });
      addTo(charged, { [resource]: count });
      delete request[resource];
    }
  }
  return wanted.length === 0 ? [] : [extendedClaimKey(wanted)];
}

/** Keys of the claims of a pod that runs; `undefined` where one of them is not known. */
function ownClaims(spec: JsonObject, status: JsonObject, namespace: string): readonly string[] | undefined {
  const made = new Map(
    asArray(status.resourceClaimStatuses)
      .map(asObject)
      .map((one) => [asString(one.name), asString(one.resourceClaimName)]),
  );
  const names = asArray(spec.resourceClaims)
    .map(asObject)
    .map((claim) => asString(claim.resourceClaimName) ?? made.get(asString(claim.name)));
  const extended = asString(asObject(status.extendedResourceClaimStatus).resourceClaimName);
  if (extended !== undefined) {
    names.push(extended);
  }
  return names.length === 0 || names.includes(undefined)
    ? undefined
    : names.flatMap((name) => (name === undefined ? [] : [claimKey('claim', namespace, name)]));
}

function volumeTerms(
  spec: JsonObject,
  namespace: string,
  { claimTerms }: TemplateOptions,
): readonly (readonly NodeTerm[])[] {
  if (claimTerms === undefined) {
    return [];
  }
  return asArray(spec.volumes)
    .map(asObject)
    .flatMap((volume) => {
      const claim = asString(asObject(volume.persistentVolumeClaim).claimName);
      const terms = claim === undefined ? undefined : claimTerms(claim, namespace);
      return terms === undefined ? [] : [terms];
    });
}

/** What a pod of the cluster is and where; which gang it belongs to is said by `gangIdentityOf`. */
export type PodFacts = Pick<Pod, 'state' | 'node' | 'claims' | 'devices' | 'startedAt' | 'releasedBy'> & {
  readonly namespace: string;
  readonly name: string;
};

/** The pod; `undefined` once it has ended, when it takes no room any more. */
export function podOf(pod: JsonObject): PodFacts | undefined {
  const metadata = asObject(pod.metadata);
  const spec = asObject(pod.spec);
  const status = asObject(pod.status);
  if (status.phase === 'Succeeded' || status.phase === 'Failed') {
    return undefined;
  }
  const node = asString(spec.nodeName);
  const started = Date.parse(asString(status.startTime) ?? '');
  const deletion = Date.parse(asString(metadata.deletionTimestamp) ?? '');
  const devices = deviceIndices(asString(asObject(metadata.annotations)[GANTRY_DEVICES]));
  const state =
    node === undefined || node === '' ? 'pending' : metadata.deletionTimestamp === undefined ? 'running' : 'releasing';
  const namespace = asString(metadata.namespace) ?? 'default';
  const claims = state === 'pending' ? undefined : ownClaims(spec, status, namespace);
  return {
    namespace,
    name: asString(metadata.name) ?? '',
    state,
    ...(state !== 'pending' && { node }),
    ...(claims !== undefined && { claims }),
    ...(devices !== undefined && state !== 'pending' && { devices }),
    ...(Number.isFinite(started) && { startedAt: started }),
    ...(state === 'releasing' && Number.isFinite(deletion) && { releasedBy: deletion }),
  };
}

/** `0,1,4` as indices; `undefined` where it is absent or makes no sense. */
export function deviceIndices(text: string | undefined): readonly number[] | undefined {
  if (text === undefined || !/^\s*\d+\s*(,\s*\d+\s*)*$/.test(text)) {
    return undefined;
  }
  return text.split(',').map(Number);
}

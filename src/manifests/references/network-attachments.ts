/**
 * The networks of a set that pods can attach to: NetworkAttachmentDefinitions, and those that an operator makes of its own networks.
 */
import { asObject, asString } from '../read';
import { type Manifest } from '../manifest';
import { type ManifestSet } from '../manifest-set';
import { NETWORK_ATTACHMENT } from './reference-places';

export interface NetworkAttachment {
  /** The definition, or the operator's network from which it follows. */
  readonly manifest: Manifest;
  readonly name: string;
  readonly namespace: string;
  /** The resource tied to it; without its prefix where that is a setting of the operator. Empty where there is none. */
  readonly resource: string;
}

/** Annotation of a NetworkAttachmentDefinition that names its resource. */
const RESOURCE_ANNOTATION = 'k8s.v1.cni.cncf.io/resourceName';
const SRIOV_KINDS = ['SriovNetwork', 'SriovIBNetwork', 'OVSNetwork'].map((kind) => `sriovnetwork.openshift.io/${kind}`);
const NVIDIA_KINDS = ['HostDeviceNetwork', 'MacvlanNetwork', 'IPoIBNetwork'].map((kind) => `mellanox.com/${kind}`);

const bySet = new WeakMap<ManifestSet, readonly NetworkAttachment[]>();

export function networkAttachmentsOf(set: ManifestSet): readonly NetworkAttachment[] {
  let attachments = bySet.get(set);
  if (attachments === undefined) {
    bySet.set(set, (attachments = readAttachments(set)));
  }
  return attachments;
}

function readAttachments(set: ManifestSet): readonly NetworkAttachment[] {
  const definitions = set.ofKind(NETWORK_ATTACHMENT).map((manifest): NetworkAttachment => ({
    manifest,
    name: manifest.id.name,
    namespace: manifest.id.namespace,
    resource: asString(asObject(asObject(manifest.object.metadata).annotations)[RESOURCE_ANNOTATION]) ?? '',
  }));
  const sriov = SRIOV_KINDS.flatMap((kind) => set.ofKind(kind)).map((manifest): NetworkAttachment => {
    const spec = asObject(manifest.object.spec);
    return {
      manifest,
      name: manifest.id.name,
      namespace: nonEmptyText(spec.networkNamespace) ?? manifest.id.namespace,
      resource: asString(spec.resourceName) ?? '',
    };
  });
  const nvidia = NVIDIA_KINDS.flatMap((kind) => set.ofKind(kind)).map((manifest): NetworkAttachment => {
    const spec = asObject(manifest.object.spec);
    const resource = nonEmptyText(spec.resourceName);
    return {
      manifest,
      name: manifest.id.name,
      namespace: nonEmptyText(spec.networkNamespace) ?? 'default',
      resource: resource === undefined ? '' : `nvidia.com/${resource}`,
    };
  });
  return [...definitions, ...sriov, ...nvidia];
}

const tiedBySet = new WeakMap<ManifestSet, Map<string, readonly NetworkAttachment[]>>();

/** The networks to which a resource is tied that a container asks for. */
export function networksOfResource(set: ManifestSet, name: string): readonly NetworkAttachment[] {
  const byName = tiedBySet.get(set) ?? new Map<string, readonly NetworkAttachment[]>();
  tiedBySet.set(set, byName);
  let tied = byName.get(name);
  if (tied === undefined) {
    tied = networkAttachmentsOf(set).filter((attachment) => isTiedResource(attachment, name));
    byName.set(name, tied);
  }
  return tied;
}

/** Whether a resource that a container asks for is the one tied to an attachment. */
export function isTiedResource(attachment: NetworkAttachment, name: string): boolean {
  const { resource } = attachment;
  if (resource === '') {
    return false;
  }
  return resource.includes('/') ? name === resource : name.endsWith(`/${resource}`);
}

function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

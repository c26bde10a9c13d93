/**
 * Which names the API server allows to objects of a kind. Most kinds, and all custom resources, take a DNS subdomain.
 */
import { isIP } from 'node:net';
import { allOf } from '../../facts/words';
import { type JsonObject, type JsonValue, type KindInfo } from '../../facts/api/schema';
import { asObject, asString } from '../../manifests/read';
import { configMapKey, dns1035Label, dnsLabel, dnsSubdomain, pathSegment } from '../../manifests/values/name-syntax';

export const CRD_GROUP = 'apiextensions.k8s.io';

/** Answers what a name would have to be, ready to follow "must"; `undefined` for a good one. */
type NameRule = (name: string, object: JsonObject, minor: number) => string | undefined;

/** `group/Kind`, or `Kind` alone for the core group. */
const NAME_RULES: Readonly<Record<string, NameRule>> = {
  Event: pathSegment,
  Namespace: dnsLabel,
  // Before 1.36 a service's name was held to the older and narrower rule.
  Service: (name, _object, minor) => (minor >= 36 ? dnsLabel(name) : dns1035Label(name)),
  'apiregistration.k8s.io/APIService': apiServiceName,
  'apiextensions.k8s.io/CustomResourceDefinition': crdName,
  'apps/StatefulSet': dnsLabel,
  'certificates.k8s.io/CertificateSigningRequest': pathSegment,
  'certificates.k8s.io/ClusterTrustBundle': trustBundleName,
  'coordination.k8s.io/LeaseCandidate': configMapKey,
  'internal.apiserver.k8s.io/StorageVersion': storageVersionName,
  'networking.k8s.io/IPAddress': (name) =>
    isIP(name) === 0 ? 'be an IP address in canonical form, such as 10.0.0.1 or fd00::1' : undefined,
  'policy/PodDisruptionBudget': pathSegment,
  'rbac.authorization.k8s.io/ClusterRole': pathSegment,
  'rbac.authorization.k8s.io/ClusterRoleBinding': pathSegment,
  'rbac.authorization.k8s.io/Role': pathSegment,
  'rbac.authorization.k8s.io/RoleBinding': pathSegment,
};

/** Kinds whose validation does not look for a domain in front of finalizers. */
const FREE_FINALIZERS: ReadonlySet<string> = new Set([
  'Event',
  'admissionregistration.k8s.io/MutatingAdmissionPolicy',
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding',
  'admissionregistration.k8s.io/MutatingWebhookConfiguration',
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy',
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding',
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration',
  'apiextensions.k8s.io/CustomResourceDefinition',
  'apiregistration.k8s.io/APIService',
  'coordination.k8s.io/Lease',
  'coordination.k8s.io/LeaseCandidate',
  'node.k8s.io/RuntimeClass',
  'policy/PodDisruptionBudget',
]);

/** Kinds that keep the generation a manifest names, and judge it; all others begin at 1 whatever it says. */
const KEEP_GENERATION: ReadonlySet<string> = new Set([
  'ConfigMap',
  'Endpoints',
  'Event',
  'LimitRange',
  'Namespace',
  'Node',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'ResourceQuota',
  'Secret',
  'Service',
  'ServiceAccount',
  'apiregistration.k8s.io/APIService',
  'apps/ControllerRevision',
  'autoscaling/HorizontalPodAutoscaler',
  'certificates.k8s.io/CertificateSigningRequest',
  'coordination.k8s.io/Lease',
  'coordination.k8s.io/LeaseCandidate',
  'events.k8s.io/Event',
  'networking.k8s.io/IPAddress',
  'networking.k8s.io/ServiceCIDR',
  'node.k8s.io/RuntimeClass',
  'rbac.authorization.k8s.io/ClusterRole',
  'rbac.authorization.k8s.io/ClusterRoleBinding',
  'rbac.authorization.k8s.io/Role',
  'rbac.authorization.k8s.io/RoleBinding',
  'resource.k8s.io/ResourceClaim',
  'resource.k8s.io/ResourceClaimTemplate',
  'scheduling.k8s.io/PodGroup',
  'scheduling.k8s.io/Workload',
  'storage.k8s.io/CSIDriver',
  'storage.k8s.io/CSINode',
  'storage.k8s.io/CSIStorageCapacity',
  'storage.k8s.io/StorageClass',
  'storage.k8s.io/VolumeAttachment',
  'storage.k8s.io/VolumeAttributesClass',
]);

/** What a kind's rule for names depends on. */
type NamedKind = Pick<KindInfo, 'group' | 'kind' | 'builtIn'>;

function key(info: NamedKind): string {
  return info.group === '' ? info.kind : `${info.group}/${info.kind}`;
}

export function nameComplaint(name: string, object: JsonObject, info: NamedKind, minor: number): string | undefined {
  const rule = info.builtIn ? NAME_RULES[key(info)] : undefined;
  // In addition to the kind's own rule: a name is part of a URL path.
  return rule === undefined ? dnsSubdomain(name) : (rule(name, object, minor) ?? pathSegment(name));
}

/** Kinds that judge the generated name alone, and let generateName be. */
const FREE_PREFIX: ReadonlySet<string> = new Set(['ReplicationController', 'resource.k8s.io/DeviceClass']);
/** Kinds whose names are path segments: of a generateName only the characters count. */
const PATH_PREFIX: ReadonlySet<string> = new Set([
  'Event',
  'certificates.k8s.io/CertificateSigningRequest',
  'policy/PodDisruptionBudget',
]);

/** What a generateName would have to be; a minus sign at its end represents what is added. */
export function prefixComplaint(prefix: string, object: JsonObject, info: KindInfo, minor: number): string | undefined {
  const kind = info.builtIn ? key(info) : '';
  if (FREE_PREFIX.has(kind) || PATH_PREFIX.has(kind)) {
    return /[/%]/.test(prefix) ? 'not contain "/" or "%"' : undefined;
  }
  const masked = prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix;
  return ofPrefix(nameComplaint(masked, object, info, minor));
}

/** What a prefix must do where a name must not end with a minus sign. */
const ofPrefix = (complaint: string | undefined): string | undefined =>
  complaint
    ?.replace('start with a letter, and not end with "-"', 'and start with a letter')
    .replace(/ and start and end with a letter or digit(?: \(a DNS label\))?$/, (end) =>
      end.includes('DNS label')
        ? ' and start with a letter or digit'
        : ' start with a letter or digit, and not end with "."',
    );

/** A LimitRange without a name is given one; a review is a question, and needs none. */
export function isNamedByServer(info: KindInfo): boolean {
  return (
    info.builtIn &&
    (key(info) === 'LimitRange' || info.group === 'authentication.k8s.io' || info.group === 'authorization.k8s.io')
  );
}

export function wantsQualifiedFinalizers(info: KindInfo): boolean {
  return info.builtIn && !FREE_FINALIZERS.has(key(info));
}

export function keepsGeneration(info: KindInfo): boolean {
  return info.builtIn && KEEP_GENERATION.has(key(info));
}

function apiServiceName(name: string, object: JsonObject): string | undefined {
  const { version, group } = asObject(object.spec);
  return composedName(name, { 'spec.version': version, 'spec.group': group });
}

function crdName(name: string, object: JsonObject): string | undefined {
  const { names, group } = asObject(object.spec);
  return composedName(name, { 'spec.names.plural': asObject(names).plural, 'spec.group': group });
}

/**
 * The plural at the beginning of the name of a CRD, where it is valid and the plural that is set is not.
 *
 * @returns undefined where the name says nothing about the plural
 */
export function pluralInName(crd: JsonObject): string | undefined {
  const { names, group } = asObject(crd.spec);
  const name = asString(asObject(crd.metadata).name) ?? '';
  const end = `.${asString(group) ?? ''}`;
  const plural = asString(asObject(names).plural) ?? '';
  const inName = end.length > 1 && name.endsWith(end) ? name.slice(0, -end.length) : '';
  const isBetter = inName !== '' && dns1035Label(inName) === undefined && dns1035Label(plural) !== undefined;
  return isBetter ? inName : undefined;
}

/** A name that two fields of the spec decide. */
function composedName(name: string, parts: Readonly<Record<string, JsonValue | undefined>>): string | undefined {
  const fields = Object.keys(parts);
  const wanted = fields.map((field) => asString(parts[field]) ?? '').join('.');
  if (name === wanted) {
    return undefined;
  }
  const form = `have the form ${fields.map((field) => `<${field}>`).join('.')}`;
  const unset = fields.filter((field) => (asString(parts[field]) ?? '') === '');
  if (unset.length === 0 && dnsSubdomain(wanted) !== undefined) {
    return form;
  }
  return unset.length > 0
    ? `${form}, but ${allOf(unset)} ${unset.length === 1 ? 'is' : 'are'} unset`
    : `${form} (${wanted})`;
}

function trustBundleName(name: string, object: JsonObject): string | undefined {
  const signer = asString(asObject(object.spec).signerName) ?? '';
  if (signer === '') {
    return name.includes(':') ? 'not contain ":" if signerName is unset' : dnsSubdomain(name);
  }
  const prefix = `${signer.replaceAll('/', ':')}:`;
  return name.startsWith(prefix) ? dnsSubdomain(name.slice(prefix.length)) : `begin with ${prefix}`;
}

function storageVersionName(name: string): string | undefined {
  const dot = name.lastIndexOf('.');
  if (dot < 0) {
    return 'be of the form <group>.<resource>';
  }
  return dnsSubdomain(name.slice(0, dot)) ?? dns1035Label(name.slice(dot + 1));
}

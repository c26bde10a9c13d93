/**
 * What the shape of a schema alone cannot say: reviewed places where a field is a Kubernetes type although its schema is open or is an
 * older copy that differs.
 */
import { type Schema } from '../../src/facts/api/schema';
import { type CrdVersion } from './crd';

/** A place in a custom resource. */
export interface Field {
  readonly version: CrdVersion;
  /** `spec.tasks[].template` */
  readonly path: string;
  readonly schema: Schema;
}

const CORE = 'io.k8s.api.core.v1';
const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** Fields of Knative's revision template whose schema is open (Knative's own webhook checks them) or lists what it lets through. */
const KNATIVE_REVISION: Readonly<Record<string, string>> = {
  affinity: 'Affinity',
  dnsConfig: 'PodDNSConfig',
  'hostAliases[]': 'HostAlias',
  'initContainers[]': 'Container',
  securityContext: 'PodSecurityContext',
  'tolerations[]': 'Toleration',
  'topologySpreadConstraints[]': 'TopologySpreadConstraint',
  'volumes[]': 'Volume',
};

/** Flux and Argo CD write labels and annotations to objects of theirs from a `metadata` that has no other member. */
const LABELS_AND_ANNOTATIONS_ONLY = /(^|\.)(fluxcd\.io|argoproj\.io)$/;

/** The definition that a field is a copy of, where that has been looked up; undefined to go by its shape. */
export function knownDefinition(field: Field): string | undefined {
  const { group, kind } = field.version;
  if (isEmbeddedMetadata(field) && !LABELS_AND_ANNOTATIONS_ONLY.test(group)) {
    return OBJECT_META;
  }
  if (group === 'serving.knative.dev') {
    const revisionField = /^(?:spec\.template\.)?spec\.([^.]+)$/.exec(field.path)?.[1] ?? '';
    const name = KNATIVE_REVISION[revisionField];
    return name === undefined ? undefined : `${CORE}.${name}`;
  }
  // Built with Kubernetes 1.18: `volumes[].ephemeral.readOnly` is gone since, and a host alias needs its address.
  if (kind === 'AscendJob' && field.path === 'spec.replicaSpecs{}.template') {
    return `${CORE}.PodTemplateSpec`;
  }
  return undefined;
}

/** Metadata of a template: generators and projects copy the members that make sense there. */
function isEmbeddedMetadata({ path, schema }: Field): boolean {
  const members = Object.keys(schema.properties ?? {});
  return (
    /(^m|\.m|M)etadata$/.test(path) &&
    members.includes('labels') &&
    members.every((member) => ['annotations', 'finalizers', 'labels', 'name', 'namespace'].includes(member))
  );
}

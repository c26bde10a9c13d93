/**
 * Finds out where a custom resource embeds a Kubernetes type: a CRD generator copies PodSpec and the rest into the schema, member by
 * member, from whatever Kubernetes version the project was built with.
 *
 * A node is taken for a Kubernetes type when every member it has is a member of that type (in any minor), of the same shape all the way
 * down, and it has most of them. Types of few members are too easily met by chance and are taken only when all members agree.
 */
import { type Schema } from '../../src/facts/api/schema';
import { type KubernetesApi } from './openapi';
import { SCALARS } from './kubernetes-types';
import { singular } from './type-names';

/** Share of a type's members that a copy has to have: old copies lack the newest ones, generators cut some. */
const MIN_COVERAGE = 0.6;
/** Types with fewer members need all of them. */
const SMALL = 4;

/**
 * The types that custom resources are known to embed; others that happen to have the same members are chance. Earlier ones win a draw.
 */
const EMBEDDED: Readonly<Record<string, readonly string[]>> = {
  'io.k8s.apimachinery.pkg.apis.meta.v1': [
    'ObjectMeta',
    'LabelSelector',
    'LabelSelectorRequirement',
    'Condition',
    'OwnerReference',
  ],
  'io.k8s.api.core.v1': [
    'PodTemplateSpec',
    'PodSpec',
    'Container',
    'EphemeralContainer',
    'EnvVar',
    'EnvVarSource',
    'EnvFromSource',
    'Volume',
    'VolumeMount',
    'VolumeDevice',
    'ResourceRequirements',
    'SecurityContext',
    'PodSecurityContext',
    'Affinity',
    'NodeAffinity',
    'PodAffinity',
    'PodAntiAffinity',
    'NodeSelector',
    'NodeSelectorTerm',
    'NodeSelectorRequirement',
    'Toleration',
    'Taint',
    'TopologySpreadConstraint',
    'Probe',
    'Lifecycle',
    'PersistentVolumeClaim',
    'PersistentVolumeClaimTemplate',
    'PersistentVolumeClaimSpec',
    'PersistentVolumeClaimStatus',
    'PersistentVolumeClaimVolumeSource',
    'EmptyDirVolumeSource',
    'EphemeralVolumeSource',
    'ConfigMapVolumeSource',
    'SecretVolumeSource',
    'ProjectedVolumeSource',
    'CSIVolumeSource',
    'HostPathVolumeSource',
    'NFSVolumeSource',
    'Service',
    'ServiceSpec',
    'ServicePort',
    'ServiceStatus',
    'ObjectReference',
    'LocalObjectReference',
    'SecretKeySelector',
    'ConfigMapKeySelector',
    'SecretReference',
    'TypedLocalObjectReference',
    'PodDNSConfig',
    'HostAlias',
    'PodReadinessGate',
    'PodResourceClaim',
  ],
  'io.k8s.api.batch.v1': ['JobTemplateSpec', 'JobSpec'],
  'io.k8s.api.autoscaling.v2': ['MetricSpec', 'HorizontalPodAutoscalerBehavior'],
  'io.k8s.api.rbac.v1': ['PolicyRule'],
  'io.k8s.api.apps.v1': ['StatefulSetPersistentVolumeClaimRetentionPolicy'],
  'io.k8s.api.networking.v1': ['NetworkPolicyIngressRule', 'NetworkPolicyEgressRule'],
};

/** Types of so few members that the field has to say what it means. */
const BY_FIELD: Readonly<Record<string, RegExp>> = {
  EnvVar: /^env(Var)?s?$/i,
  LocalObjectReference: /(secrets?|configMap|ref|reference)$/i,
  SecretReference: /(secret|ref|reference)$/i,
  ConfigMapKeySelector: /configMap(KeyRef)?$/i,
  SecretKeySelector: /^(?!configMap)/,
  VolumeDevice: /device/i,
  PodReadinessGate: /gate/i,
  NodeSelectorRequirement: /expressions|fields|requirements/i,
};

interface Candidate {
  readonly name: string;
  /** The definition in each minor, oldest first; the newest is the last. */
  readonly schemas: readonly Schema[];
  readonly members: ReadonlySet<string>;
}

export class KubernetesMatch {
  private readonly candidates = new Map<string, Candidate>();
  private readonly nameOf = new Map<Schema, string>();
  private readonly verdicts = new Map<Schema, Map<string, boolean>>();

  constructor(apis: readonly KubernetesApi[]) {
    for (const api of apis) {
      for (const [schema, name] of api.nameOf) {
        this.nameOf.set(schema, name);
      }
    }
    for (const name of new Set(apis.flatMap((api) => [...api.definitions.keys()]))) {
      const schemas = apis.flatMap((api) => api.definitions.get(name)?.schema ?? []);
      const members = new Set(schemas.flatMap((schema) => Object.keys(schema.properties ?? {})));
      if (members.size > 0) {
        this.candidates.set(name, { name, schemas, members });
      }
    }
  }

  /**
   * The definition that a node of a CRD is a copy of.
   *
   * @param field name of the field that holds it: it decides between types of equal shape
   */
  find(node: Schema, field: string): string | undefined {
    const names = Object.keys(node.properties ?? {});
    if (names.length === 0) {
      return undefined;
    }
    let best: { name: string; score: number } | undefined;
    for (const candidate of this.candidates.values()) {
      if (!ORDERED.has(candidate.name) || BY_FIELD[lastPart(candidate.name)]?.test(field) === false) {
        continue;
      }
      const coverage =
        names.length / Math.max(...candidate.schemas.map((schema) => Object.keys(schema.properties ?? {}).length));
      const all = candidate.schemas.some((schema) => Object.keys(schema.properties ?? {}).length === names.length);
      if (!all && (names.length < SMALL || coverage < MIN_COVERAGE)) {
        continue;
      }
      if (candidate.members.size < SMALL && asksFor(node).size !== (candidate.schemas.at(-1)!.required ?? []).length) {
        continue;
      }
      if (!this.isCopy(node, candidate)) {
        continue;
      }
      const score = coverage + nameLikeness(field, candidate.name);
      if (!best || score > best.score) {
        best = { name: candidate.name, score };
      }
    }
    return best?.name;
  }

  private isCopy(node: Schema, candidate: Candidate): boolean {
    const verdicts = this.verdicts.get(node) ?? new Map<string, boolean>();
    this.verdicts.set(node, verdicts);
    const known = verdicts.get(candidate.name);
    if (known !== undefined) {
      return known;
    }
    verdicts.set(candidate.name, true);
    const verdict =
      asksForAllThatTheTypeDoes(node, candidate) &&
      Object.entries(node.properties!).every(([name, child]) =>
        candidate.schemas.some(
          ({ properties }) => properties?.[name] !== undefined && this.isLike(child, properties[name]),
        ),
      );
    verdicts.set(candidate.name, verdict);
    return verdict;
  }

  /** Whether a node of a CRD could be a copy of this place of a Kubernetes type. */
  private isLike(node: Schema, kubernetes: Schema): boolean {
    const name = this.nameOf.get(kubernetes);
    if (name !== undefined && SCALARS[name] !== undefined) {
      return scalarShape(node) === SCALARS[name] || isOpen(node);
    }
    if (isOpen(node)) {
      return kubernetes.type === 'object' || kubernetes.type === undefined;
    }
    if (node.type !== kubernetes.type || node['x-kubernetes-int-or-string'] === true) {
      return false;
    }
    if (node.type === 'array') {
      return this.isLike(node.items ?? {}, kubernetes.items!);
    }
    if (node.type !== 'object') {
      return true;
    }
    if (typeof node.additionalProperties === 'object') {
      return (
        typeof kubernetes.additionalProperties === 'object' &&
        this.isLike(node.additionalProperties, kubernetes.additionalProperties)
      );
    }
    if (!node.properties) {
      return true;
    }
    const candidate = name === undefined ? undefined : this.candidates.get(name);
    return candidate !== undefined && this.isCopy(node, candidate);
  }
}

/** Members that the user of the resource has to write. */
function asksFor(node: Schema): ReadonlySet<string> {
  return new Set((node.required ?? []).filter((name) => node.properties![name]?.default === undefined));
}

/** A type may not ask for a member that the resource lets its user leave out (Knative's containers need no name). */
function asksForAllThatTheTypeDoes(node: Schema, candidate: Candidate): boolean {
  const asked = asksFor(node);
  return (candidate.schemas.at(-1)!.required ?? []).every((name) => asked.has(name));
}

/** An object that says nothing of its members: a cut copy. */
function isOpen(node: Schema): boolean {
  return (
    !node.properties &&
    node.additionalProperties === undefined &&
    (node['x-kubernetes-preserve-unknown-fields'] === true || node.type === 'object')
  );
}

function scalarShape(node: Schema): string {
  if (node['x-kubernetes-int-or-string']) {
    return node.pattern?.includes('KMGTPE') ? 'Quantity' : 'IntOrString';
  }
  if (node.type === 'string' && node.format === 'date-time') {
    return 'DateTime';
  }
  if (node.type === 'string') {
    return 'Quantity';
  }
  return 'AnyObject';
}

/** Types of equal shape: the one that is named like the field, then the one that is first in `EMBEDDED`. */
function nameLikeness(field: string, definition: string): number {
  const name = lastPart(definition).toLowerCase();
  const wanted = singular(field).toLowerCase();
  const early = 1 - ORDERED.get(definition)! / ORDERED.size;
  if (wanted === name) {
    return 3 + early;
  }
  return (name.startsWith(wanted) || name.endsWith(wanted) || wanted.endsWith(name) ? 2 : 0) + early;
}

function lastPart(definition: string): string {
  return definition.slice(definition.lastIndexOf('.') + 1);
}

const ORDERED: ReadonlyMap<string, number> = new Map(
  Object.entries(EMBEDDED)
    .flatMap(([prefix, names]) => names.map((name) => `${prefix}.${name}`))
    .map((name, i) => [name, i]),
);

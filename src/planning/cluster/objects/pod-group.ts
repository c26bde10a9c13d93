/**
 * Pod groups of Volcano, scheduler-plugins, KAI and Kubernetes itself: what they ask for the pods that name them.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asArray, asInteger, asObject, asString } from '../../../manifests/read';
import { type Amounts, type Subgroup, type TopologyConstraint } from '../../../placement';
import { amountsOf } from '../../../manifests/pods/resource-amounts';
import { gangKey } from './gang-identity';
import { type GangHints, gangHintsOf, mergedHints } from './gang-hints';
import { networkTopology, type TierResolver } from './topologies';

export interface PodGroupFacts {
  /** As `GangIdentity.key` of its pods. */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly group: string;
  readonly hints: GangHints;
  /** Pods of each role that must run. */
  readonly roleMinimum: Readonly<Record<string, number>>;
  /** Parts with a minimum or a topology of their own; pods of the role of that name belong to them. */
  readonly subgroups: readonly Subgroup[];
  /** What has to be free before any of its pods is made. */
  readonly minResources?: Amounts;
  /** Milliseconds since the epoch. */
  readonly createdAt?: number;
  /** The object that its pods belong to: a Volcano Job makes a group of its own. */
  readonly owner?: { readonly kind: string; readonly name: string };
}

/** Kinds that `podGroupOf` reads, as `group/Kind`. */
export const POD_GROUP_KINDS = [
  'scheduling.volcano.sh/PodGroup',
  'scheduling.x-k8s.io/PodGroup',
  'scheduling.run.ai/PodGroup',
  'scheduling.k8s.io/PodGroup',
] as const;

export function podGroupOf(object: JsonObject, tiers?: TierResolver): PodGroupFacts {
  const metadata = asObject(object.metadata);
  const spec = asObject(object.spec);
  const namespace = asString(metadata.namespace) ?? 'default';
  const name = asString(metadata.name) ?? '';
  const group = (asString(object.apiVersion) ?? '').split('/')[0];
  const created = Date.parse(asString(metadata.creationTimestamp) ?? '');
  const owner = asArray(metadata.ownerReferences)
    .map(asObject)
    .find(({ controller }) => controller === true);
  const minResources = amountsOf(spec.minResources);
  return {
    key: gangKey(namespace, 'PodGroup', name),
    namespace,
    name,
    group,
    hints: mergedHints(said(group, spec, tiers), gangHintsOf(metadata, {}, namespace)),
    roleMinimum: roleMinimum(spec),
    subgroups: subgroupsOf(group, spec),
    ...(Object.keys(minResources).length > 0 && { minResources }),
    ...(Number.isFinite(created) && { createdAt: created }),
    ...(typeof owner?.kind === 'string' &&
      typeof owner.name === 'string' && { owner: { kind: owner.kind, name: owner.name } }),
  };
}

/** Volcano's queue is `default` where none is written; that of others is said elsewhere. */
function said(group: string, spec: JsonObject, tiers: TierResolver | undefined): GangHints {
  const queue = asString(spec.queue) ?? (group === 'scheduling.volcano.sh' ? 'default' : undefined);
  const minimum = asInteger(spec.minMember) ?? asInteger(asObject(asObject(spec.schedulingPolicy).gang).minCount);
  const topology =
    networkTopology(asObject(spec.networkTopology), tiers) ??
    kaiTopology(asObject(spec.topologyConstraint)) ??
    nativeTopology(spec);
  const priorityClassName = asString(spec.priorityClassName);
  const basic = spec.schedulingPolicy !== undefined && asObject(spec.schedulingPolicy).gang === undefined;
  return {
    ...(queue !== undefined && queue !== '' && { queue: { kind: 'queue' as const, name: queue } }),
    ...(minimum !== undefined ? { minimum } : basic ? { minimum: 1 } : {}),
    ...(topology !== undefined && { topology }),
    ...(priorityClassName !== undefined && priorityClassName !== '' && { priorityClassName }),
    ...(asInteger(spec.priority) !== undefined && { priority: asInteger(spec.priority) }),
    ...(spec.preemptibility === 'non-preemptible' && { preemptible: false }),
  };
}

function kaiTopology({
  topology,
  requiredTopologyLevel,
  preferredTopologyLevel,
}: JsonObject): TopologyConstraint | undefined {
  const required = asString(requiredTopologyLevel);
  const preferred = asString(preferredTopologyLevel);
  const name = asString(topology);
  if (required === undefined && preferred === undefined) {
    return undefined;
  }
  return {
    ...(name !== undefined && { topology: name }),
    ...(required !== undefined && { required }),
    ...(preferred !== undefined && { preferred }),
  };
}

/** Kubernetes 1.36: `schedulingConstraints.topology`, whose first entry is read. */
function nativeTopology(spec: JsonObject): TopologyConstraint | undefined {
  const key = asString(asObject(asArray(asObject(spec.schedulingConstraints).topology)[0]).key);
  return key === undefined ? undefined : { required: key };
}

function roleMinimum(spec: JsonObject): Readonly<Record<string, number>> {
  const entries = Object.entries(asObject(spec.minTaskMember));
  return Object.fromEntries(entries.flatMap(([role, count]) => (typeof count === 'number' ? [[role, count]] : [])));
}

/** KAI's subgroups are named by pods; Volcano's are chosen by labels, and their sizes represent slices of the whole. */
function subgroupsOf(group: string, spec: JsonObject): readonly Subgroup[] {
  if (group !== 'scheduling.run.ai') {
    return [];
  }
  return asArray(spec.subGroups)
    .map(asObject)
    .flatMap((subgroup): Subgroup[] => {
      const name = asString(subgroup.name);
      const parent = asString(subgroup.parent);
      const minimum = asInteger(subgroup.minMember);
      const topology = kaiTopology(asObject(subgroup.topologyConstraint));
      if (name === undefined) {
        return [];
      }
      return [
        {
          name,
          ...(parent !== undefined && parent !== '' && { parent }),
          ...(minimum !== undefined && { minimum }),
          ...(topology !== undefined && { topology }),
        },
      ];
    });
}

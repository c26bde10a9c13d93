/**
 * What a manifest asks the cluster for: gangs of pods that do not exist yet.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type Manifest } from '../../../manifests/manifest';
import { type PodTemplate } from '../../../manifests/pods/pod-template';
import { type Subgroup, type TopologyConstraint } from '../../../placement';
import { type GangHints, gangHintsOf, mergedHints } from '../objects/gang-hints';

export interface WorkloadRole {
  readonly name: string;
  readonly count: number;
  /** @default - all of them, or none where the workload states a minimum */
  readonly minimum?: number;
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
  readonly subgroup?: string;
  readonly topology?: TopologyConstraint;
  readonly leader?: boolean;
}

/** One gang of a manifest. */
export interface Workload {
  readonly manifest: Manifest;
  /** Behind the manifest's name, where it makes several gangs. */
  readonly suffix?: string;
  readonly roles: readonly WorkloadRole[];
  /** Its pods start together or not at all; of others each pod is of use by itself. */
  readonly together: boolean;
  /** What the workload says beyond its templates; counts before what they say. */
  readonly hints: GangHints;
  readonly subgroups?: readonly Subgroup[];
}

/** Maximum number of parts that are read from one manifest; no cluster holds more. */
export const MOST_GANGS = 100_000;

/** A manifest that asks for nothing now, and why. */
export interface NotPlaced {
  readonly manifest: Manifest;
  readonly why: string;
}

export type WorkloadsOf = readonly (Workload | NotPlaced)[];

/** Roles as the table of pod templates has them; those without a pod are left out. */
export function rolesOf(templates: readonly PodTemplate[]): readonly WorkloadRole[] {
  return templates.flatMap((template): WorkloadRole[] => {
    const count = template.count ?? 0;
    return count > 0 ? [roleOf(template, count)] : [];
  });
}

export function roleOf({ role, metadata, spec }: PodTemplate, count: number): WorkloadRole {
  return { name: role, count, metadata, spec };
}

/** What the labels and annotations of the manifest itself say. */
export function metadataHints({ object, id }: Manifest): GangHints {
  const metadata = object.metadata;
  return typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata)
    ? gangHintsOf(metadata, {}, namespaceOf(id))
    : {};
}

export function namespaceOf({ namespace }: { readonly namespace: string }): string {
  return namespace === '' ? 'default' : namespace;
}

/** The hints of a workload: its own, then those of its roles in their order. */
export function hintsOf({ manifest, hints, roles }: Workload): GangHints {
  const namespace = namespaceOf(manifest.id);
  return mergedHints(
    hints,
    metadataHints(manifest),
    ...roles.map(({ metadata, spec }) => gangHintsOf(metadata, spec, namespace)),
  );
}

/** Kueue holds a workload back until all of it has its place. */
export function isAdmittedAsAWhole(manifest: Manifest): boolean {
  return metadataHints(manifest).queue?.kind === 'local-queue';
}

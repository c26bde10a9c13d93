/**
 * What Kueue adds to the pods that it admits: the labels and the tolerations of the flavor that their quota comes from. Where a queue has
 * several flavors, the pods may go to the nodes of any.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asArray, asObject, asString, stringsIn } from '../../../manifests/read';
import { type NodeTerm, type PodTemplate, type Requirement, type Toleration } from '../../../placement';
import { tolerationsOf } from './selectors';

/** The flavors of one resource group of a ClusterQueue. */
export interface FlavorGroup {
  readonly resources: readonly string[];
  /** A term for each flavor. */
  readonly terms: readonly NodeTerm[];
  readonly tolerations: readonly Toleration[];
}

/**
 * @param clusterQueue spec of a ClusterQueue
 * @param flavorOf spec of the ResourceFlavor of a name; `undefined` where nothing describes it
 */
export function flavorGroupsOf(
  clusterQueue: JsonObject,
  flavorOf: (name: string) => JsonObject | undefined,
): readonly FlavorGroup[] {
  return asArray(clusterQueue.resourceGroups)
    .map(asObject)
    .map((group) => {
      const flavors = asArray(group.flavors).map((flavor) => flavorOf(asString(asObject(flavor).name) ?? ''));
      return {
        resources: stringsIn(group.coveredResources),
        // A flavor without a ResourceFlavor object can be any nodes.
        terms: flavors.map((flavor) => termOf(asObject(flavor?.nodeLabels))),
        tolerations: flavors.flatMap((flavor) => tolerationsOf(flavor?.tolerations)),
      };
    });
}

function termOf(labels: JsonObject): NodeTerm {
  const requirements = Object.entries(labels).flatMap(([key, value]): Requirement[] =>
    typeof value === 'string' ? [{ key, operator: 'In', values: [value] }] : [],
  );
  return requirements.length === 0 ? {} : { labels: requirements };
}

/** The template as it is once it is admitted through these flavors. */
export function admitted(template: PodTemplate, groups: readonly FlavorGroup[]): PodTemplate {
  const asksFor = (resource: string): boolean =>
    (template.request[resource] ?? 0) > 0 || isAccelerator(template, resource);
  const asked = groups.filter(({ resources }) => resources.some(asksFor));
  const bound = asked.filter(({ terms }) => terms.length > 0 && terms.every(({ labels }) => labels !== undefined));
  const tolerations = asked.flatMap((group) => group.tolerations);
  if (bound.length === 0 && tolerations.length === 0) {
    return template;
  }
  const own: readonly NodeTerm[] = template.nodeTerms ?? [{}];
  const nodeTerms = bound.reduce(
    (terms, group) => terms.flatMap((one) => group.terms.map((other) => both(one, other))),
    own,
  );
  return {
    ...template,
    ...(bound.length > 0 && { nodeTerms }),
    ...(tolerations.length > 0 && { tolerations: [...(template.tolerations ?? []), ...tolerations] }),
  };
}

function isAccelerator({ accelerator }: PodTemplate, resource: string): boolean {
  return accelerator !== undefined && !['cpu', 'memory', 'ephemeral-storage', 'pods'].includes(resource);
}

function both(one: NodeTerm, other: NodeTerm): NodeTerm {
  const labels = [...(one.labels ?? []), ...(other.labels ?? [])];
  const fields = [...(one.fields ?? []), ...(other.fields ?? [])];
  return { ...(labels.length > 0 && { labels }), ...(fields.length > 0 && { fields }) };
}

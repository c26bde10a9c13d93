/**
 * What a cluster has that decides about new objects: the input of everything in this folder.
 *
 * It does not say where the objects come from. Rules take those of the manifests that are checked together; a snapshot of a cluster can
 * are beside them, and then what is not listed does not exist.
 */
import { dirname } from 'node:path';
import { groupBy } from '../../../facts/collections';
import { kindKey } from '../../../manifests/identity';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';

export interface ClusterContents {
  readonly namespaces: ReadonlyMap<string, Manifest>;
  /** By namespace. */
  readonly limitRanges: ReadonlyMap<string, readonly Manifest[]>;
  /** By namespace. */
  readonly quotas: ReadonlyMap<string, readonly Manifest[]>;
  readonly priorityClasses: ReadonlyMap<string, Manifest>;
  readonly runtimeClasses: ReadonlyMap<string, Manifest>;
  /** Namespaces whose objects are all listed, `''` for objects in none: what is not listed does not exist. */
  readonly complete: ReadonlySet<string>;
}

const ADMISSION_KINDS = {
  Namespace: 'namespaces',
  LimitRange: 'limitRanges',
  ResourceQuota: 'quotas',
  'scheduling.k8s.io/PriorityClass': 'priorityClasses',
  'node.k8s.io/RuntimeClass': 'runtimeClasses',
} as const;

/**
 * The contents that these manifests describe; of two with one name the last counts.
 *
 * @param complete namespaces whose objects are all among the manifests, `''` for objects in none
 */
export function contentsOf(manifests: Iterable<Manifest>, complete: ReadonlySet<string>): ClusterContents {
  const named = {
    namespaces: new Map<string, Manifest>(),
    priorityClasses: new Map<string, Manifest>(),
    runtimeClasses: new Map<string, Manifest>(),
  };
  const inNamespace = { limitRanges: new Map<string, Manifest[]>(), quotas: new Map<string, Manifest[]>() };
  for (const manifest of manifests) {
    const { name, namespace } = manifest.id;
    const key = kindKey(manifest.id);
    const list = Object.hasOwn(ADMISSION_KINDS, key) ? ADMISSION_KINDS[key as keyof typeof ADMISSION_KINDS] : undefined;
    if (list === 'limitRanges' || list === 'quotas') {
      const others = (inNamespace[list].get(namespace) ?? []).filter(({ id }) => id.name !== name || name === '');
      inNamespace[list].set(namespace, [...others, manifest]);
    } else if (list !== undefined) {
      named[list].set(name, manifest);
    }
  }
  return { ...named, ...inNamespace, complete };
}

const ofSet = new WeakMap<ManifestSet, ClusterContents>();

/** What a set describes. It is all that there is in the namespaces that the set makes. */
export function contentsOfSet(set: ManifestSet): ClusterContents {
  let contents = ofSet.get(set);
  if (contents === undefined) {
    const manifests = Object.keys(ADMISSION_KINDS).flatMap((kind) => set.ofKind(kind));
    contents = contentsOf(manifests, new Set(set.ofKind('Namespace').map(({ id }) => id.name)));
    ofSet.set(set, contents);
  }
  return contents;
}

/** Kinds that decide about other objects of their namespace. */
const POLICY_KINDS = ['LimitRange', 'ResourceQuota'];

/**
 * The manifests of limit ranges and quotas that several folders define, by namespace: the folders are alternatives (environments, overlays,
 * tests), and which of them a cluster has is not known.
 */
type Alternatives = ReadonlyMap<string, readonly Manifest[]>;

const alternativesOf = new WeakMap<ManifestSet, Alternatives>();

function alternativesIn(set: ManifestSet): Alternatives {
  let alternatives = alternativesOf.get(set);
  if (alternatives === undefined) {
    const policies = POLICY_KINDS.flatMap((kind) => set.ofKind(kind)).filter(({ id }) => id.name !== '');
    const all = policies.filter(({ id }) => {
      const definitions = set.definitionsOf(id.kind, id.name, id.namespace);
      return new Set(definitions.map(folderOf).filter((folder) => folder !== undefined)).size > 1;
    });
    alternativesOf.set(set, (alternatives = groupBy(all, ({ id }) => id.namespace)));
  }
  return alternatives;
}

/** `undefined` for what is in no file. */
function folderOf({ origin: { file } }: Manifest): string | undefined {
  return file === undefined ? undefined : dirname(file);
}

/**
 * The namespace of a manifest, with its folder if folders have alternative limit ranges or quotas for the namespace. What these decide is
 * the same for all manifests of a neighborhood.
 */
export function neighborhoodOf(set: ManifestSet, manifest: Manifest): string {
  const { namespace } = manifest.id;
  return alternativesIn(set).has(namespace) ? `${namespace}\n${folderOf(manifest) ?? ''}` : namespace;
}

/**
 * Whether a limit range or a quota holds for a manifest of its namespace. One that several folders define holds for what is in or below its
 * folder, and for what is above if no other folder there defines it.
 */
export function holdsFor(set: ManifestSet, policy: Manifest, manifest: Manifest): boolean {
  const alternatives = alternativesIn(set).get(policy.id.namespace) ?? [];
  const [own, place] = [folderOf(policy), folderOf(manifest)];
  if (own === undefined || place === undefined || !alternatives.includes(policy)) {
    return true;
  }
  const below = alternatives.filter(
    (other) => other.id.kind === policy.id.kind && other.id.name === policy.id.name && isIn(folderOf(other), place),
  );
  return isIn(place, own) || (isIn(own, place) && new Set(below.map(folderOf)).size === 1);
}

function isIn(folder: string | undefined, above: string): boolean {
  return folder !== undefined && (above === '.' || folder === above || folder.startsWith(`${above}/`));
}

const ofNeighborhoods = new WeakMap<ManifestSet, Map<string, ClusterContents>>();

/** What the set describes for a manifest, whose folder decides between alternatives. */
export function contentsFor(set: ManifestSet, manifest: Manifest): ClusterContents {
  const neighborhood = neighborhoodOf(set, manifest);
  const all = contentsOfSet(set);
  if (neighborhood === manifest.id.namespace) {
    return all;
  }
  const known = ofNeighborhoods.get(set) ?? new Map<string, ClusterContents>();
  ofNeighborhoods.set(set, known);
  let contents = known.get(neighborhood);
  if (contents === undefined) {
    const holding = POLICY_KINDS.flatMap((kind) => set.ofKind(kind)).filter((policy) =>
      holdsFor(set, policy, manifest),
    );
    const { limitRanges, quotas } = contentsOf(holding, all.complete);
    known.set(neighborhood, (contents = { ...all, limitRanges, quotas }));
  }
  return contents;
}

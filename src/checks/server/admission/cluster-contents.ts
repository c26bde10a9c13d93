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

/** What holds in a neighborhood: the objects that decide about others, and all contents with them alone. */
interface Neighborhood {
  readonly policies: ReadonlySet<Manifest>;
  readonly contents: ClusterContents;
}

interface Neighborhoods {
  /** Namespaces in which the folder of an object decides what holds for it. */
  readonly divided: ReadonlySet<string>;
  readonly known: Map<string, Neighborhood>;
}

const neighborhoodsOf = new WeakMap<ManifestSet, Neighborhoods>();

function neighborhoodsIn(set: ManifestSet): Neighborhoods {
  let neighborhoods = neighborhoodsOf.get(set);
  if (neighborhoods === undefined) {
    const policies = POLICY_KINDS.flatMap((kind) => set.ofKind(kind));
    const byIdentity = groupBy(policies, ({ id }) => `${id.kind}\n${id.namespace}\n${id.name}`);
    const divided = [...byIdentity.values()].filter(dependOnFolder).map(([{ id }]) => id.namespace);
    neighborhoodsOf.set(set, (neighborhoods = { divided: new Set(divided), known: new Map() }));
  }
  return neighborhoods;
}

function dependOnFolder(definitions: readonly Manifest[]): boolean {
  return areAlternatives(definitions) || (isWithoutNamespace(definitions) && foldersOf(definitions).size > 0);
}

/** What is applied to a namespace that the file does not name. Two folders may be applied to two. */
function isWithoutNamespace([definition]: readonly Manifest[]): boolean {
  return definition?.id.namespace === '';
}

/** Folders that define one object are alternatives (environments, overlays, tests): which of them a cluster has is not known. */
function areAlternatives(definitions: readonly Manifest[]): boolean {
  return definitions[0]?.id.name !== '' && foldersOf(definitions).size > 1;
}

function foldersOf(manifests: readonly Manifest[]): ReadonlySet<string> {
  return new Set(manifests.map(folderOf).filter((folder) => folder !== undefined));
}

/** `undefined` for what is in no file. */
function folderOf({ origin: { file } }: Manifest): string | undefined {
  return file === undefined ? undefined : dirname(file);
}

/**
 * The namespace of a manifest, with its folder if that decides which limit ranges and quotas of the namespace hold. What these decide is
 * the same for all manifests of a neighborhood.
 */
export function neighborhoodOf(set: ManifestSet, manifest: Manifest): string {
  const { namespace } = manifest.id;
  return neighborhoodsIn(set).divided.has(namespace) ? `${namespace}\n${folderOf(manifest) ?? ''}` : namespace;
}

/** Whether folders have alternative limit ranges or quotas for a namespace. Where they have none, all of these hold for all of its objects. */
export function hasAlternatives(set: ManifestSet, namespace: string): boolean {
  return neighborhoodsIn(set).divided.has(namespace);
}

/** Whether a limit range or a quota holds for a manifest of its namespace. */
export function holdsFor(set: ManifestSet, policy: Manifest, manifest: Manifest): boolean {
  return !neighborhoodsIn(set).divided.has(manifest.id.namespace) || neighborsOf(set, manifest).policies.has(policy);
}

/** What the set describes for a manifest, whose folder decides between alternatives. */
export function contentsFor(set: ManifestSet, manifest: Manifest): ClusterContents {
  return neighborhoodsIn(set).divided.has(manifest.id.namespace)
    ? neighborsOf(set, manifest).contents
    : contentsOfSet(set);
}

function neighborsOf(set: ManifestSet, manifest: Manifest): Neighborhood {
  const { known } = neighborhoodsIn(set);
  const key = neighborhoodOf(set, manifest);
  let neighborhood = known.get(key);
  if (neighborhood === undefined) {
    const all = contentsOfSet(set);
    const policies = POLICY_KINDS.flatMap((kind) => {
      const byName = groupBy(set.ofKind(kind, manifest.id.namespace), ({ id }) => id.name);
      return [...byName.values()].flatMap((definitions) => holding(definitions, folderOf(manifest)));
    });
    const { limitRanges, quotas } = contentsOf(policies, all.complete);
    known.set(key, (neighborhood = { policies: new Set(policies), contents: { ...all, limitRanges, quotas } }));
  }
  return neighborhood;
}

/**
 * Of the definitions of one object, those that hold in a folder: without a namespace, what is near; and of alternatives, what is in the folder
 * or in one above it, and what is in folders below if that is a single one.
 */
function holding(all: readonly Manifest[], place: string | undefined): readonly Manifest[] {
  const definitions =
    place !== undefined && isWithoutNamespace(all) ? all.filter((one) => isNear(folderOf(one), place)) : all;
  if (place === undefined || !areAlternatives(definitions)) {
    return definitions;
  }
  const isBelow = (manifest: Manifest): boolean => isIn(folderOf(manifest), place);
  const single = foldersOf(definitions.filter(isBelow)).size === 1;
  return definitions.filter((manifest) => {
    const folder = folderOf(manifest);
    return folder === undefined || isIn(place, folder) || (single && isBelow(manifest));
  });
}

/** The same folder, one above or below it, or one beside these. */
function isNear(folder: string | undefined, place: string): boolean {
  return folder === undefined || isIn(place, dirname(folder)) || isIn(folder, place);
}

function isIn(folder: string | undefined, above: string): boolean {
  return (
    folder !== undefined &&
    (above === '.' || folder === above || (folder.startsWith(above) && /^[/\\]/.test(folder.slice(above.length))))
  );
}

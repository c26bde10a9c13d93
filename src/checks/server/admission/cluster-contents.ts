/**
 * What a cluster has that decides about new objects: the input of everything in this folder.
 *
 * It does not say where the objects come from. Rules take those of the manifests that are checked together; a snapshot of a cluster can
 * are beside them, and then what is not listed does not exist.
 */
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

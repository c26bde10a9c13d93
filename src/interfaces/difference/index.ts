/**
 * What differs between two sets of manifests, and what applying the second does to a cluster that has the first.
 */
import { DEFAULT_MINOR } from '../../facts/api/kinds';
import { type KubernetesMinor } from '../../facts/api/schema';
import { type TargetCluster } from '../../checks/cluster/target-cluster';
import { ShapeChecker } from '../../checks/schema/check-shape';
import { kindKey } from '../../manifests/identity';
import { type Manifest } from '../../manifests/manifest';
import { type ManifestSet } from '../../manifests/manifest-set';
import { unguarded } from '../../manifests/values/unknown';
import { changesBetween, type ComparisonOptions, type ObjectChange } from './changes';
import { type Consequence, consequencesOf } from './updates/consequences';

export type { ObjectChange } from './changes';
export type { FieldChange } from './fields';
export type { Consequence } from './updates/consequences';

/** One object that differs, and what happens when that is applied. */
export interface ObjectDifference {
  readonly object: ObjectChange;
  readonly consequences: readonly Consequence[];
}

/** What differs between two sets. */
export interface SetDifference {
  readonly differences: readonly ObjectDifference[];
  /** Number of objects that mean the same in both. */
  readonly unchanged: number;
}

export interface DifferenceOptions extends Pick<ComparisonOptions, 'schemaOf'> {
  /** @default '1.35' */
  readonly kubernetes?: KubernetesMinor;
  /** The cluster that the old set is of. @default - none */
  readonly cluster?: TargetCluster;
  /** What applying an object of the new set does beside what follows from its fields. @default - nothing */
  readonly further?: ReadonlyMap<Manifest, readonly Consequence[]>;
}

const DEFINITION = 'apiextensions.k8s.io/CustomResourceDefinition';

/** Compares two sets. A pure function: equal sets give an equal answer. */
export function differenceOf(
  old: ManifestSet,
  now: ManifestSet,
  { kubernetes = DEFAULT_MINOR, cluster, schemaOf, further }: DifferenceOptions = {},
): SetDifference {
  const written = now.manifests.filter(({ id }) => kindKey(id) === DEFINITION).map(({ object }) => unguarded(object));
  const definitions = [...(cluster?.itemsOf('CustomResourceDefinition') ?? []), ...written];
  const checker = new ShapeChecker({ kubernetes, definitions, ...(cluster !== undefined && { cluster }) });
  const { changes, unchanged } = changesBetween(old, now, {
    schemaOf,
    isShown: (after) => (further?.get(after) ?? []).length > 0,
  });
  return {
    differences: changes.map((object) => ({
      object,
      consequences: [
        ...consequencesOf(object, { old, now, checker }),
        ...(object.change === 'removed' ? [] : (further?.get(object.after) ?? [])),
      ],
    })),
    unchanged,
  };
}

/**
 * What differs between two sets of manifests, and what applying the second does to a cluster that has the first.
 */
import { DEFAULT_MINOR } from '../../facts/api/kinds';
import { type KubernetesMinor } from '../../facts/api/schema';
import { ShapeChecker } from '../../checks/schema/check-shape';
import { kindKey } from '../../manifests/identity';
import { type ManifestSet } from '../../manifests/manifest-set';
import { unguarded } from '../../manifests/unknown';
import { changesBetween, type ObjectChange } from './changes';
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

export interface DifferenceOptions {
  /** @default '1.35' */
  readonly kubernetes?: KubernetesMinor;
}

const DEFINITION = 'apiextensions.k8s.io/CustomResourceDefinition';

/** Compares two sets. A pure function: equal sets give an equal answer. */
export function differenceOf(
  old: ManifestSet,
  now: ManifestSet,
  { kubernetes = DEFAULT_MINOR }: DifferenceOptions = {},
): SetDifference {
  const definitions = now.manifests
    .filter(({ id }) => kindKey(id) === DEFINITION)
    .map(({ object }) => unguarded(object));
  const checker = new ShapeChecker({ kubernetes, definitions });
  const { changes, unchanged } = changesBetween(old, now);
  return {
    differences: changes.map((object) => ({ object, consequences: consequencesOf(object, { old, now, checker }) })),
    unchanged,
  };
}

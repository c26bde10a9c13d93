/**
 * Names of objects that a set lacks.
 */
import { type Violation } from '../../../checks/rules/rule';
import { nearObject } from '../../../checks/server/near-object';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { fieldOf } from '../../../manifests/pointer';
import { namesOfKind } from '../../../manifests/references/placed-names';

/**
 * A name that is not among those of the set. Where the set has none of the kind, all of them live elsewhere.
 *
 * @param taken names that the list at the path has already, which may not be written a second time
 */
export function unknownName(
  set: ManifestSet,
  kind: string,
  name: string,
  path: string,
  taken: readonly string[] = [],
): readonly Violation[] {
  const names = namesOfKind(set, kind).all;
  if (name === '' || names.size === 0 || names.has(name)) {
    return [];
  }
  const nearest = names.nearest(name);
  const near =
    nearest === undefined || taken.includes(nearest)
      ? undefined
      : nearObject(set, { kind, name, path, value: name }, nearest);
  const others = names.listed;
  const what = kind.split('/')[1] ?? kind;
  return [
    {
      path,
      message: `${what} "${name}" not found in these manifests${others === '' ? '' : `, which define ${others}`}`,
      found: name,
      ...(near ?? {
        fix: `Add the ${what} "${name}" to the manifests, or set ${fieldOf(path)} to the name of an existing ${what}.`,
      }),
    },
  ];
}

/**
 * What to write for a reference to an object that is not in the manifests, where an object has nearly the same name.
 */
import { type JsonValue } from '../../facts/api/schema';
import { type ManifestSet } from '../../manifests/manifest-set';
import { fieldOf } from '../../manifests/pointer';
import { type Violation } from '../rules/rule';
import { nameComplaint } from './metadata-names';

export interface UnknownObject {
  /** `group/Kind`, or `Kind` alone for the core group. */
  readonly kind: string;
  /** The name that no object has. */
  readonly name: string;
  /** The pointer of the reference, and the value there, which may be longer than the name. */
  readonly path: string;
  readonly value: JsonValue | undefined;
}

/** A warning that proposes the near name, or to rename the object that has it if its name is invalid. `undefined` if both names are invalid. */
export function nearObject(
  set: ManifestSet,
  { kind, name, path, value }: UnknownObject,
  near: string,
): Pick<Violation, 'severity' | 'expected' | 'fix'> | undefined {
  const short = kind.split('/').at(-1) ?? kind;
  if (isNameOf(set, kind, near)) {
    const field = fieldOf(path);
    const fix = value === name ? `Set ${field} to "${near}".` : `Replace "${name}" with "${near}" in ${field}.`;
    const canAdd = isNameOf(set, kind, name);
    const orAdd = `, or add the ${short} "${name}" to the manifests.`;
    return { severity: 'warning', expected: near, fix: canAdd ? fix.replace(/\.$/, orAdd) : fix };
  }
  return isNameOf(set, kind, name, near)
    ? {
        severity: 'warning',
        expected: `a ${short} with the name "${name}"`,
        fix: `Rename the ${short} "${near}" to "${name}".`,
      }
    : undefined;
}

/** Whether the API server accepts the name for objects of the kind; some kinds require a name that agrees with the object. */
function isNameOf(set: ManifestSet, kind: string, name: string, nameOfObject = name): boolean {
  const object = set.ofKind(kind).find(({ id }) => id.name === nameOfObject)?.object ?? {};
  const [group, short] = kind.includes('/') ? (kind.split('/', 2) as [string, string]) : ['', kind];
  return nameComplaint(name, object, { group, kind: short, builtIn: true }, 36) === undefined;
}

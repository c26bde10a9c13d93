/**
 * Which objects of two sets are added, removed, and changed. Objects are the same by group, kind, namespace, and name, in any version.
 */
import { type JsonObject, type Schema } from '../../facts/api/schema';
import { kindKey } from '../../manifests/identity';
import { type Manifest } from '../../manifests/manifest';
import { type ManifestSet } from '../../manifests/manifest-set';
import { asObject, asString } from '../../manifests/read';
import { type FieldChange, fieldChanges } from './fields';

/** One object that is not the same in both sets. */
export type ObjectChange =
  | { readonly change: 'added'; readonly after: Manifest }
  | { readonly change: 'removed'; readonly before: Manifest }
  | {
      readonly change: 'changed';
      readonly before: Manifest;
      readonly after: Manifest;
      readonly fields: readonly FieldChange[];
      /** The object has another name: a generator names it after its content. Absent otherwise. */
      readonly renamed?: true;
    };

/** What differs between two sets. */
export interface ObjectChanges {
  readonly changes: readonly ObjectChange[];
  /** Number of objects that mean the same in both sets. */
  readonly unchanged: number;
}

export interface ComparisonOptions {
  /** Schemas that count before the bundled ones. @default - the bundled ones */
  readonly schemaOf?: (object: JsonObject) => Schema | undefined;
  /** Objects of the second set that are listed even if no field differs. @default - none */
  readonly isShown?: (after: Manifest) => boolean;
}

/** Compares two sets object by object. Of several manifests of one object the last counts, as when they are applied one after the other. */
export function changesBetween(
  before: ManifestSet,
  after: ManifestSet,
  { schemaOf, isShown }: ComparisonOptions = {},
): ObjectChanges {
  const [old, now] = [byIdentity(before), byIdentity(after)];
  const renamed = renamedTo(old, now);
  const changes: ObjectChange[] = [];
  let unchanged = 0;
  for (const [key, manifest] of now) {
    const former = old.get(key) ?? renamed.get(manifest);
    if (former === undefined) {
      changes.push({ change: 'added', after: manifest });
      continue;
    }
    const fields = fieldChanges(former, manifest, schemaOf?.(manifest.object));
    if (fields.length === 0 && isShown?.(manifest) !== true) {
      unchanged += 1;
    } else {
      changes.push({
        change: 'changed',
        before: former,
        after: manifest,
        fields,
        ...(!old.has(key) && { renamed: true as const }),
      });
    }
  }
  const kept = new Set(renamed.values());
  for (const [key, manifest] of old) {
    if (!now.has(key) && !kept.has(manifest)) {
      changes.push({ change: 'removed', before: manifest });
    }
  }
  return { changes, unchanged };
}

/** Objects that the server names are new on every apply; they are the same where they say the same. */
function byIdentity(set: ManifestSet): ReadonlyMap<string, Manifest> {
  const found = new Map<string, Manifest>();
  for (const manifest of set.manifests) {
    const { namespace, name } = manifest.id;
    const generated = asString(asObject(manifest.object.metadata).generateName) ?? '';
    const key = JSON.stringify([kindKey(manifest.id), namespace, name, ...(name === '' ? [generated] : [])]);
    let free = key;
    for (let copy = 1; name === '' && found.has(free); copy++) {
      free = `${key}#${copy}`;
    }
    found.set(free, manifest);
  }
  return found;
}

/** What kustomize and others append to the name of a ConfigMap or Secret: a hash of its content. */
const HASH = /^(.+)-[a-z0-9]{8,12}$/;
const HASHED: ReadonlySet<string> = new Set(['ConfigMap', 'Secret']);

/** For each new object that differs from an old one in the hash in its name: the old one. */
function renamedTo(
  old: ReadonlyMap<string, Manifest>,
  now: ReadonlyMap<string, Manifest>,
): ReadonlyMap<Manifest, Manifest> {
  const gone = new Map<string, Manifest | undefined>();
  for (const [key, manifest] of old) {
    const stem = stemOf(manifest);
    if (stem !== undefined && !now.has(key)) {
      // With several of one stem it is not known which became which.
      gone.set(stem, gone.has(stem) ? undefined : manifest);
    }
  }
  const found = new Map<Manifest, Manifest>();
  const taken = new Set<Manifest>();
  for (const [key, manifest] of now) {
    const former = gone.get(stemOf(manifest) ?? '');
    if (former !== undefined && !old.has(key) && !taken.has(former)) {
      found.set(manifest, former);
      taken.add(former);
    }
  }
  return found;
}

function stemOf({ id }: Manifest): string | undefined {
  const stem = HASHED.has(kindKey(id)) ? HASH.exec(id.name)?.[1] : undefined;
  return stem === undefined ? undefined : `${id.kind}/${id.namespace}/${stem}`;
}

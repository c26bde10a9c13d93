/**
 * The fields of an object that a newer version of its kind does not have: those that have another name there (the older version alone has the
 * one name, the newer alone the other, which is related and takes the value), those that are elsewhere, and those that are gone.
 */
import { type JsonObject, type JsonValue, type Schema } from '../../facts/api/schema';
import { allOf } from '../../facts/words';
import { fieldBelow } from '../../manifests/pointer';
import { isObject } from '../../manifests/read';
import { nodeOf, type SchemaNode } from './schema-node';
import { relatedField } from './unknown-field';

/** A field of the older version. */
interface ChangedField {
  /** What contains it, as messages name it, without the numbers of items: `spec.devices[]`. */
  readonly parent: string;
  readonly name: string;
}

/** A field, and the name that it has in the newer version. */
export interface RenamedField extends ChangedField {
  readonly now: string;
}

/** What a newer version changes for an object, each field once, in the order of the object. */
export interface VersionChanges {
  readonly renamed: readonly RenamedField[];
  /** Objects whose fields are those of their parent in the newer version. */
  readonly lifted: readonly ChangedField[];
  /** Fields that are in a new object beside them: its name is `now`. */
  readonly moved: readonly RenamedField[];
  /** Fields for which the newer version has nothing. */
  readonly dropped: readonly ChangedField[];
}

/** What of the fields that the object sets is otherwise in the newer version. */
export function versionChanges(object: JsonObject, older: Schema, newer: Schema): VersionChanges {
  const changes = { renamed: [], lifted: [], moved: [], dropped: [] } as {
    [Kind in keyof VersionChanges]: VersionChanges[Kind][number][];
  };
  const seen = new Set<string>();
  const note = (holder: JsonObject, field: ChangedField, old: SchemaNode, now: SchemaNode): void => {
    const value = holder[field.name] ?? null;
    const added = Object.keys(now.schema.properties ?? {}).filter((name) => old.child(name) === undefined);
    const renamed = relatedField(field.name, value, now, added);
    const around = added.find((name) => now.child(name)?.child(field.name) !== undefined);
    if (renamed !== undefined && !Object.hasOwn(holder, renamed)) {
      changes.renamed.push({ ...field, now: renamed });
    } else if (around !== undefined) {
      changes.moved.push({ ...field, now: around });
    } else if (isObject(value) && Object.keys(value).every((name) => now.child(name) !== undefined)) {
      changes.lifted.push(field);
    } else {
      changes.dropped.push(field);
    }
  };
  const visit = (value: JsonValue, old: SchemaNode | undefined, now: SchemaNode | undefined, path: string): void => {
    if (old === undefined || now === undefined) {
      return;
    }
    if (Array.isArray(value)) {
      value.forEach((item) => visit(item, old.items, now.items, `${path}[]`));
    } else if (isObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        const at = fieldBelow(path, name);
        const [before, after] = [old.child(name), now.child(name)];
        if (after !== undefined) {
          visit(member, before, after, at);
        } else if (before !== undefined && !now.preservesUnknown && now.types !== 0 && !seen.has(at)) {
          seen.add(at);
          note(value, { parent: path, name }, old, now);
        }
      }
    }
  };
  visit(object, nodeOf(older), nodeOf(newer), '');
  return changes;
}

/** How many fields a fix names of each kind. */
const MOST_NAMED = 4;

/** `rename spec.a to b, and move the fields of spec.devices[].basic up into spec.devices[]`; empty where the fields are the same. */
export function changesInWords({ renamed, lifted, moved, dropped }: VersionChanges, apiVersion: string): string {
  const parts = [
    renamed.length === 0
      ? ''
      : `rename ${allOf(renamed.slice(0, MOST_NAMED).map((field) => `${pathOf(field)} to ${field.now}`))}`,
    ...lifted.slice(0, MOST_NAMED).map((field) => `move the fields of ${pathOf(field)} up into ${field.parent}`),
    ...movedTogether(moved).map(
      ([{ parent, now }, names]) => `move ${allOf(names)} of ${parent} into ${fieldBelow(parent, now)}`,
    ),
    dropped.length === 0
      ? ''
      : `replace or remove ${allOf(dropped.slice(0, MOST_NAMED).map(pathOf))}, which ${apiVersion} does not have`,
  ].filter((part) => part !== '');
  return parts.join(', and ');
}

const pathOf = ({ parent, name }: ChangedField): string => fieldBelow(parent, name);

/** Fields that move from one object into another one. */
function movedTogether(moved: readonly RenamedField[]): readonly (readonly [RenamedField, readonly string[]])[] {
  const together = new Map<string, [RenamedField, string[]]>();
  for (const field of moved) {
    const key = `${field.parent} ${field.now}`;
    const known = together.get(key) ?? [field, []];
    known[1].push(field.name);
    together.set(key, known);
  }
  return [...together.values()].slice(0, MOST_NAMED);
}

/** `Set apiVersion: v1, and rename spec.a to b.`, without the full stop. */
export function toVersion(apiVersion: string, object: JsonObject, older: Schema, newer: Schema): string {
  const changes = changesInWords(versionChanges(object, older, newer), apiVersion);
  return `Set apiVersion: ${apiVersion}${changes === '' ? '' : `, and ${changes}`}`;
}

/**
 * The fields of an object that have another name in a newer version of its kind: the older version alone has the one name, the newer alone the
 * other, which is related and takes the value.
 */
import { type JsonObject, type JsonValue, type Schema } from '../../facts/api/schema';
import { fieldPathOf, pointer } from '../../manifests/pointer';
import { isObject } from '../../manifests/read';
import { nodeOf, type SchemaNode } from './schema-node';
import { relatedField } from './unknown-field';

/** A field, and the name that it has in the newer version. */
export interface RenamedField {
  /** As messages name it, without the indexes of lists. */
  readonly field: string;
  readonly name: string;
}

/** The fields that the object sets and the newer version calls otherwise, each once, in the order of the object. */
export function renamedFields(object: JsonObject, older: Schema, newer: Schema): readonly RenamedField[] {
  const found = new Map<string, RenamedField>();
  const visit = (value: JsonValue, old: SchemaNode | undefined, now: SchemaNode | undefined, path: string): void => {
    if (old === undefined || now === undefined) {
      return;
    }
    if (Array.isArray(value)) {
      value.forEach((item) => visit(item, old.items, now.items, path));
    } else if (isObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        const at = pointer(path, name);
        const [before, after] = [old.child(name), now.child(name)];
        if (after !== undefined) {
          visit(member, before, after, at);
        } else if (before !== undefined && !now.preservesUnknown) {
          const renamed = newName(name, member, old, now);
          if (renamed !== undefined && !Object.hasOwn(value, renamed)) {
            found.set(at, { field: fieldPathOf(at), name: renamed });
          }
        }
      }
    }
  };
  visit(object, nodeOf(older), nodeOf(newer), '');
  return [...found.values()];
}

function newName(name: string, value: JsonValue, old: SchemaNode, now: SchemaNode): string | undefined {
  const added = Object.keys(now.schema.properties ?? {}).filter((field) => old.child(field) === undefined);
  return relatedField(name, value, now, added);
}

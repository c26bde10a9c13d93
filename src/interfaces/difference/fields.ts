/**
 * What differs between two objects, field by field, in words that a person follows: items of lists by their names, not by their places.
 */
import { type JsonObject, type JsonValue, type Schema } from '../../facts/api/schema';
import { kindKey } from '../../manifests/identity';
import { type Manifest } from '../../manifests/manifest';
import { pointer } from '../../manifests/pointer';
import { isObject } from '../../manifests/read';
import { type Difference, differences } from './compare';
import { authored } from './server-fields';

/** One field that differs. */
export interface FieldChange {
  /** JSON pointer in the new object; in the old one for a field that is removed. */
  readonly path: string;
  /** The place with items by their names: `spec.template.spec.containers[server].image`. */
  readonly field: string;
  /** Absent where the old object does not set the field, and where the value is secret. */
  readonly before?: JsonValue;
  /** Absent where the new object does not set the field, and where the value is secret. */
  readonly after?: JsonValue;
  /** What happens to the field. */
  readonly change: 'added' | 'removed' | 'changed';
}

/** The fields that differ, without what a cluster adds by itself. */
export function fieldChanges(before: Manifest, after: Manifest, schema?: Schema): readonly FieldChange[] {
  const [old, now] = [authored(before).object, authored(after).object];
  const isSecret = kindKey(after.id) === 'Secret';
  return differences(old, now, 'by-item', schema).map((difference) => {
    const change = fieldChange(difference, old, now);
    return isSecret && /^\/(data|stringData)\//.test(`${change.path}/`) ? withoutValues(change) : change;
  });
}

function fieldChange({ path, beforePath, before, after }: Difference, old: JsonObject, now: JsonObject): FieldChange {
  const [root, place] = after === undefined ? [old, beforePath] : [now, path];
  return {
    path: pointer('', ...place),
    field: fieldName(root, place),
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    change: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
  };
}

function withoutValues({ path, field, change }: FieldChange): FieldChange {
  return { path, field, change };
}

/** What names an item of a list, in this order. */
const NAMING = ['name', 'key', 'containerPort', 'port', 'mountPath', 'topologyKey', 'type'];

/** `spec.template.spec.containers[server].image` */
export function fieldName(root: JsonObject, path: readonly string[]): string {
  let value: JsonValue | undefined = root;
  let text = '';
  for (const token of path) {
    if (Array.isArray(value)) {
      const item: JsonValue | undefined = value[Number(token)];
      text += `[${itemName(item) ?? token}]`;
      value = item;
    } else {
      text += /^[A-Za-z_][\w-]*$/.test(token) ? `${text === '' ? '' : '.'}${token}` : `[${JSON.stringify(token)}]`;
      value = isObject(value) && Object.hasOwn(value, token) ? value[token] : undefined;
    }
  }
  return text;
}

function itemName(item: JsonValue | undefined): string | undefined {
  if (!isObject(item)) {
    return undefined;
  }
  for (const name of NAMING) {
    const value = item[name];
    if (typeof value === 'string' || typeof value === 'number') {
      return name === 'name' ? String(value) : `${name}=${value}`;
    }
  }
  return undefined;
}

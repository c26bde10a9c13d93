/**
 * Says that a field is not known, and which one was probably meant: a field of a similar name that is unset and takes the value, a field of
 * the same name one level below, or a field whose name has one more word.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { nearestName, relatedName } from '../../facts/spelling';
import { allOf, oneOf } from '../../facts/words';
import { fieldOf } from '../../manifests/pointer';
import { isObject } from '../../manifests/read';
import { TYPE_BIT, type SchemaNode } from './schema-node';
import { shapeRules } from './shape-rules';
import { typeName } from './value-checks';
import { type ViolationList } from './violation-list';

/** Of more fields, the first few are listed. */
const MOST_LISTED = 8;
const LISTED_OF_MORE = 6;

/** @param around the object that sets the field */
export function reportUnknownField(name: string, around: JsonObject, node: SchemaNode, list: ViolationList): void {
  const known = Object.keys(node.schema.properties ?? {});
  const value = around[name] ?? null;
  const meant = list.lists(shapeRules.unknownField) ? meantBy(name, around, node) : undefined;
  list.add(
    shapeRules.unknownField,
    {
      message: `unknown field "${name}"`,
      found: value,
      expected: meant?.expected ?? (known.length === 0 ? 'no fields' : listed(known)),
      fix: meant === undefined ? `Remove the field "${name}".` : fixOf(name, meant, list.path),
    },
    name,
  );
}

/** What the field was probably meant to be. */
interface Meant {
  readonly expected: string;
  /** The field that has the right name. */
  readonly renamed?: string;
  /** The fields below which it belongs. */
  readonly below?: readonly string[];
}

function meantBy(name: string, around: JsonObject, node: SchemaNode): Meant | undefined {
  const value = around[name] ?? null;
  const known = Object.keys(node.schema.properties ?? {});
  const free = known.filter((field) => (around[field] ?? null) === null && takes(node.child(field), value));
  const renamed = nearestName(name, free);
  if (renamed !== undefined) {
    return { expected: `"${renamed}"`, renamed };
  }
  const places = [...known.map((field) => [field]), ['template', 'spec']].filter((steps) =>
    isFreeBelow(steps, name, around, node),
  );
  const [place, ...others] = places;
  if (place !== undefined && others.length === 0) {
    return { expected: `${place.join('.')}.${name}`, below: place };
  }
  const related = relatedField(
    name,
    value,
    node,
    known.filter((field) => (around[field] ?? null) === null),
  );
  if (related !== undefined) {
    return { expected: `"${related}"`, renamed: related };
  }
  // Where labels are selected, a map of them is often written in place of the selector.
  return typeof value === 'string' && known.includes('matchLabels')
    ? { expected: 'matchExpressions or matchLabels', below: ['matchLabels'] }
    : undefined;
}

/** The one of these fields of a node that has the name with one more word, or in another number, and takes the value. */
export function relatedField(
  name: string,
  value: JsonValue,
  node: SchemaNode,
  fields: readonly string[],
): string | undefined {
  return relatedName(
    name,
    fields.filter((field) => takes(node.child(field), value, false)),
  );
}

/** Whether a field of this name below the steps takes the value, and is unset. */
function isFreeBelow(steps: readonly string[], name: string, around: JsonObject, node: SchemaNode): boolean {
  let child: SchemaNode | undefined = node;
  let object: JsonValue = around;
  for (const step of steps) {
    child = child?.child(step);
    object = isObject(object) ? (object[step] ?? null) : null;
  }
  return (
    takes(child?.child(name), around[name] ?? null, false) && (!isObject(object) || (object[name] ?? null) === null)
  );
}

function fixOf(name: string, { renamed, below = [] }: Meant, path: string): string {
  if (renamed !== undefined) {
    return `Rename the field "${name}" to "${renamed}", or remove it.`;
  }
  const parent = path === '' ? '' : `${fieldOf(path)}.`;
  return `Move the field "${name}" to ${parent}${below.join('.')}, or remove it.`;
}

/**
 * Whether a field takes a value of this type.
 *
 * @param unknown whether a field that is absent or takes any type does
 */
function takes(node: SchemaNode | undefined, value: JsonValue, unknown = true): boolean {
  const types = node?.types ?? 0;
  if (node === undefined || types === 0 || value === null) {
    return node !== undefined && unknown;
  }
  const type = typeName(value);
  const bits = type === 'integer' ? TYPE_BIT.integer | TYPE_BIT.number : TYPE_BIT[type as keyof typeof TYPE_BIT];
  return (types & bits) !== 0 || (type === 'integer' && node.schema.format === 'quantity');
}

/** `a, b, or c`, or `a, b, and 7 others`. */
function listed(known: readonly string[]): string {
  return known.length > MOST_LISTED
    ? allOf([...known.slice(0, LISTED_OF_MORE), `${known.length - LISTED_OF_MORE} others`])
    : oneOf(known);
}

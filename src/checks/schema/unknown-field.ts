/**
 * Says that a field is not known, and which one was probably meant.
 */
import { type JsonValue } from '../../facts/api/schema';
import { nearestName } from '../../facts/spelling';
import { allOf, oneOf } from '../../facts/words';
import { TYPE_BIT, type SchemaNode } from './schema-node';
import { shapeRules } from './shape-rules';
import { type ViolationList } from './violation-list';

/** Of more fields, the first few are listed. */
const MOST_LISTED = 8;
const LISTED_OF_MORE = 6;

export function reportUnknownField(name: string, value: JsonValue, node: SchemaNode, list: ViolationList): void {
  const known = Object.keys(node.schema.properties ?? {});
  const meant = list.lists(shapeRules.unknownField)
    ? nearestName(
        name,
        known.filter((field) => mayHold(node.child(field), value)),
      )
    : undefined;
  list.add(
    shapeRules.unknownField,
    {
      message: `unknown field "${name}"`,
      found: value,
      expected: meant !== undefined ? `"${meant}"` : known.length === 0 ? 'no fields' : listed(known),
      fix:
        meant !== undefined
          ? `Write "${meant}" instead of "${name}", or remove the field.`
          : known.length === 0
            ? `Remove the field "${name}".`
            : `Remove the field "${name}", or rename it to ${known.length > MOST_LISTED ? 'one of the expected fields' : oneOf(known)}.`,
    },
    name,
  );
}

/** Whether a field may have a value of this shape: a list, an object, or a scalar. */
function mayHold(node: SchemaNode | undefined, value: JsonValue): boolean {
  const { array, object } = TYPE_BIT;
  const types = node?.types ?? 0;
  if (types === 0 || value === null) {
    return true;
  }
  return (types & (Array.isArray(value) ? array : typeof value === 'object' ? object : ~(array | object))) !== 0;
}

/** `a, b, or c`, or `a, b, and 7 others`. */
function listed(known: readonly string[]): string {
  return known.length > MOST_LISTED
    ? allOf([...known.slice(0, LISTED_OF_MORE), `${known.length - LISTED_OF_MORE} others`])
    : oneOf(known);
}

/**
 * Says that a field is not known, and which one was probably meant.
 */
import { type JsonValue } from '../../facts/api/schema';
import { nearestName } from '../../facts/spelling';
import { allOf, oneOf } from '../../facts/words';
import { shapeRules } from './shape-rules';
import { type ViolationList } from './violation-list';

/** Of more fields, the first few are listed. */
const MOST_LISTED = 8;
const LISTED_OF_MORE = 6;

export function reportUnknownField(
  name: string,
  value: JsonValue,
  known: readonly string[],
  list: ViolationList,
): void {
  const meant = list.lists(shapeRules.unknownField) ? nearestName(name, known) : undefined;
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
            : `Remove the field "${name}", or rename it to one of the expected fields.`,
    },
    name,
  );
}

/** `a, b, or c`, or `a, b, and 7 others`. */
function listed(known: readonly string[]): string {
  return known.length > MOST_LISTED
    ? allOf([...known.slice(0, LISTED_OF_MORE), `${known.length - LISTED_OF_MORE} others`])
    : oneOf(known);
}

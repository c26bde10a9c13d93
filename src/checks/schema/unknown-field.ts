/**
 * Says that a field is not known, and which one was probably meant.
 */
import { type JsonValue } from '../../facts/api/schema';
import { nearestName } from '../../facts/spelling';
import { shapeRules } from './shape-rules';
import { type ViolationList } from './violation-list';

const MOST_LISTED = 12;

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
      expected:
        meant !== undefined
          ? `"${meant}"`
          : known.length === 0
            ? 'no fields'
            : `one of ${known.slice(0, MOST_LISTED).join(', ')}${known.length > MOST_LISTED ? ', …' : ''}`,
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

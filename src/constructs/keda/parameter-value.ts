/**
 * How KEDA reads the text of one parameter, and what it cannot read.
 *
 * Source: keda, pkg/scalers/scalersconfig/typed_config.go.
 */
import { type KedaScalerParameter } from '../../facts/api/keda-scalers';
import { allOf, oneOf } from '../../facts/words';
import { isGoDuration } from '../../manifests/values/formats';
import { parseGoBool } from '../../manifests/values/go-boolean';

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const JSON_INTEGER = /^-?(?:0|[1-9]\d*)$/;

/**
 * What the text would have to be; `undefined` for one that KEDA reads. Blanks around it do not matter; an empty text is as good as none.
 */
export function parameterComplaint(parameter: KedaScalerParameter, text: string): string | undefined {
  const value = text.trim();
  if (value === '') {
    return undefined;
  }
  return choiceComplaint(parameter, value) ?? shapeComplaint(parameter, value);
}

function choiceComplaint(
  { allowedValues, exclusiveValues, separator = ',' }: KedaScalerParameter,
  value: string,
): string | undefined {
  const items = value.split(separator).map((item) => item.trim());
  if (allowedValues !== undefined && items.some((item) => !allowedValues.includes(item))) {
    return oneOf(allowedValues);
  }
  if (exclusiveValues !== undefined && items.filter((item) => exclusiveValues.includes(item)).length > 1) {
    return `only one of ${allOf(exclusiveValues)}`;
  }
  return undefined;
}

function shapeComplaint(
  { value: shape, separator = ',', rangeSeparator }: KedaScalerParameter,
  value: string,
): string | undefined {
  const items = value.split(separator).map((item) => item.trim());
  switch (shape) {
    case 'integer':
      return JSON_INTEGER.test(value) ? sizeComplaint(value) : 'a whole number';
    case 'number':
      return JSON_NUMBER.test(value) ? undefined : 'a number';
    case 'boolean':
      return parseGoBool(value) === undefined ? 'true or false' : undefined;
    case 'duration':
      if (isGoDuration(value)) {
        return value.startsWith('-') ? 'a duration that is not negative' : undefined;
      }
      return /^\+?\d+$/.test(value) ? undefined : 'a duration such as 30s or 5m, or a number of milliseconds';
    case 'integers':
      return items.every(
        (item) => JSON_INTEGER.test(item) || (rangeSeparator !== undefined && isRange(item, rangeSeparator)),
      )
        ? undefined
        : 'whole numbers';
    case 'map':
      return items.every((item) => item.split('=').length === 2)
        ? undefined
        : `pairs such as key=value, with "${separator}" between them`;
    case 'text':
    case 'texts':
    case 'query':
      return undefined;
  }
}

/** A text of more than 20 characters is not converted: it is too large in any case. */
function sizeComplaint(integer: string): string | undefined {
  const fits = integer.length <= 20 && BigInt.asIntN(64, BigInt(integer)) === BigInt(integer);
  return fits ? undefined : 'a whole number of at most 64 bits';
}

function isRange(item: string, separator: string): boolean {
  const ends = item.split(separator);
  return ends.length === 2 && ends.every((end) => JSON_INTEGER.test(end));
}

/**
 * Default values in the schema of a CustomResourceDefinition: the server holds each against the schema that it stands in.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { pointer } from '../../../manifests/pointer';
import { asObject, isObject } from '../../../manifests/read';
import { matchByRe2, patternOf } from '../../schema/patterns';
import { type Say } from '../server-rule';
import { given, text, textsOf } from '../values';

export function checkDefault(schema: JsonObject, value: JsonValue, path: string, say: Say): void {
  const wanted = schema['x-kubernetes-int-or-string'] === true ? 'integer or string' : text(schema.type);
  if (value === null) {
    if (schema.nullable !== true && wanted !== '') {
      say(path, 'the default is null, and null is not allowed here', { expected: wanted });
    }
    return;
  }
  if (!isOfType(value, wanted)) {
    say(path, `the default is no ${wanted}`, { expected: wanted });
    return;
  }
  const complaint = boundComplaint(schema, value);
  if (complaint !== undefined) {
    say(path, `the default ${complaint}`);
  }
  if (Array.isArray(value)) {
    value.forEach((item, index) => checkDefault(asObject(schema.items), item, pointer(path, index), say));
  }
  if (isObject(value)) {
    checkObject(schema, value, path, say);
  }
}

function checkObject(schema: JsonObject, value: JsonObject, path: string, say: Say): void {
  const properties = asObject(schema.properties);
  for (const { value: name } of textsOf(schema.required, '')) {
    if (!(name in value) && !given(asObject(properties[name]).default)) {
      say(path, `the default lacks "${name}"`);
    }
  }
  const open =
    given(schema.additionalProperties) ||
    schema['x-kubernetes-preserve-unknown-fields'] === true ||
    schema['x-kubernetes-embedded-resource'] === true;
  for (const [name, part] of Object.entries(value)) {
    const field = properties[name] ?? schema.additionalProperties;
    if (isObject(field)) {
      checkDefault(field, part, pointer(path, name), say);
    } else if (!(name in properties) && !open) {
      say(pointer(path, name), `the schema has no field "${name}"`);
    }
  }
}

function isOfType(value: JsonValue, wanted: string): boolean {
  switch (wanted) {
    case 'integer or string':
      return typeof value === 'string' || isInteger(value);
    case 'integer':
      return isInteger(value);
    case 'number':
    case 'string':
    case 'boolean':
      return typeof value === wanted;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    default:
      return true;
  }
}

/** An integer of 64 bits. */
function isInteger(value: JsonValue): boolean {
  return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

function boundComplaint(schema: JsonObject, value: JsonValue): string | undefined {
  const { minimum, maximum, minLength, maxLength } = schema;
  if (
    Array.isArray(schema.enum) &&
    schema.enum.length > 0 &&
    !schema.enum.some((item) => JSON.stringify(item) === JSON.stringify(value))
  ) {
    return 'is none of the values that are allowed';
  }
  if (typeof value === 'number') {
    if (
      schema.type === 'integer' &&
      [minimum, maximum].some((bound) => typeof bound === 'number' && !isInteger(bound))
    ) {
      return 'is an integer, its bound is none';
    }
    if (typeof minimum === 'number' && (value < minimum || (value === minimum && schema.exclusiveMinimum === true))) {
      return 'is below the minimum';
    }
    if (typeof maximum === 'number' && (value > maximum || (value === maximum && schema.exclusiveMaximum === true))) {
      return 'is above the maximum';
    }
  }
  if (typeof value === 'string') {
    const { length } = [...value];
    if (typeof minLength === 'number' && length < minLength) {
      return 'is too short';
    }
    if (typeof maxLength === 'number' && length > maxLength) {
      return 'is too long';
    }
    const pattern = text(schema.pattern);
    matchByRe2(pattern);
    if (pattern !== '' && patternOf(pattern)?.test(value) === false) {
      return 'does not meet the pattern';
    }
  }
  return undefined;
}

/**
 * Default values in the schema of a CustomResourceDefinition: the server validates each against its own schema.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { asObject, isObject } from '../../../manifests/read';
import { givenPatternOf } from '../../../manifests/values/patterns';
import { type Say } from '../server-rule';
import { given, text, textsOf } from '../values';
import { counted } from '../../../facts/words';

export function checkDefault(schema: JsonObject, value: JsonValue, path: string, say: Say): void {
  const wanted = schema['x-kubernetes-int-or-string'] === true ? 'integer or string' : text(schema.type);
  if (value === null) {
    if (schema.nullable !== true && wanted !== '') {
      say(path, 'the default must not be null', { expected: wanted });
    }
    return;
  }
  if (!isOfType(value, wanted)) {
    say(path, `the default must be of type ${wanted}`, { expected: wanted });
    return;
  }
  const complaint = boundComplaint(schema, value);
  if (complaint !== undefined) {
    const isOfBound = complaint.startsWith('cannot be compared ');
    const parent = fieldOf(path.slice(0, path.lastIndexOf('/')));
    say(
      path,
      `the default ${complaint}`,
      isOfBound ? { fix: `Set minimum and maximum in ${parent} to integers.` } : {},
    );
  }
  if (Array.isArray(value)) {
    value.forEach((item, index) => checkDefault(asObject(schema.items), item, pointer(path, index), say));
  }
  if (isObject(value)) {
    checkObject(schema, value, path, say);
  }
}

/** Fields that an embedded resource has without a schema. */
const OF_EVERY_RESOURCE: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

function checkObject(schema: JsonObject, value: JsonObject, path: string, say: Say): void {
  const properties = asObject(schema.properties);
  for (const { value: name } of textsOf(schema.required, '')) {
    if (!(name in value) && !given(asObject(properties[name]).default)) {
      say(path, `the default must contain "${name}"`);
    }
  }
  const open = given(schema.additionalProperties) || schema['x-kubernetes-preserve-unknown-fields'] === true;
  const isResource = schema['x-kubernetes-embedded-resource'] === true;
  for (const [name, part] of Object.entries(value)) {
    const field = properties[name] ?? schema.additionalProperties;
    if (isObject(field)) {
      checkDefault(field, part, pointer(path, name), say);
    } else if (!(name in properties) && !open && !(isResource && OF_EVERY_RESOURCE.has(name))) {
      say(pointer(path, name), `unknown field "${name}" in the default`);
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
  if (
    Array.isArray(schema.enum) &&
    schema.enum.length > 0 &&
    !schema.enum.some((item) => JSON.stringify(item) === JSON.stringify(value))
  ) {
    return 'must be one of the values of enum';
  }
  if (typeof value === 'number') {
    return numberComplaint(schema, value);
  }
  return typeof value === 'string' ? textComplaint(schema, value) : undefined;
}

function numberComplaint(schema: JsonObject, value: number): string | undefined {
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (type === 'integer' && [minimum, maximum].some((bound) => typeof bound === 'number' && !isInteger(bound))) {
    return 'cannot be compared with a bound that is not an integer';
  }
  if (typeof minimum === 'number' && (value < minimum || (value === minimum && exclusiveMinimum === true))) {
    return `must be greater than ${exclusiveMinimum === true ? '' : 'or equal to '}${minimum}`;
  }
  if (typeof maximum === 'number' && (value > maximum || (value === maximum && exclusiveMaximum === true))) {
    return `must be less than ${exclusiveMaximum === true ? '' : 'or equal to '}${maximum}`;
  }
  if (typeof multipleOf === 'number' && multipleOf > 0 && !Number.isInteger(value / multipleOf)) {
    return `must be a multiple of ${multipleOf}`;
  }
  return undefined;
}

function textComplaint({ minLength, maxLength, pattern }: JsonObject, value: string): string | undefined {
  const { length } = [...value];
  if (typeof minLength === 'number' && length < minLength) {
    return `must have at least ${counted(minLength, 'character')}`;
  }
  if (typeof maxLength === 'number' && length > maxLength) {
    return `must have no more than ${counted(maxLength, 'character')}`;
  }
  const expression = text(pattern);
  return expression !== '' && givenPatternOf(expression)?.test(value) === false
    ? `must match the pattern ${JSON.stringify(expression)}`
    : undefined;
}

/**
 * Reads the schema of a CustomResourceDefinition that somebody wrote: keeps the keywords that the check knows, where they have the shape
 * that they should have, and drops the rest. What is wrong with the definition itself is found when it is checked as an object.
 */
import { type CelRule, type JsonObject, type JsonValue, type Schema } from '../../facts/api/schema';
import { isObject, stringsIn } from '../../manifests/read';
import { matchInLinearTime } from '../../manifests/values/patterns';

type Test = (value: JsonValue) => boolean;

const isText: Test = (value) => typeof value === 'string';
const isNumber: Test = (value) => typeof value === 'number';
const isTrue: Test = (value) => value === true;
const TYPES: ReadonlySet<JsonValue> = new Set(['object', 'array', 'string', 'integer', 'number', 'boolean']);
const isType: Test = (value) => TYPES.has(value);
const isMapType: Test = (value) => value === 'atomic' || value === 'granular';
const isListType: Test = (value) => value === 'atomic' || value === 'set' || value === 'map';

const KEYWORDS: Readonly<Record<string, Test>> = {
  type: isType,
  format: isText,
  pattern: isText,
  nullable: isTrue,
  uniqueItems: isTrue,
  exclusiveMinimum: isTrue,
  exclusiveMaximum: isTrue,
  minLength: isNumber,
  maxLength: isNumber,
  minimum: isNumber,
  maximum: isNumber,
  multipleOf: isNumber,
  minItems: isNumber,
  maxItems: isNumber,
  minProperties: isNumber,
  maxProperties: isNumber,
  enum: Array.isArray,
  // A null default is none.
  default: (value) => value !== null,
  'x-kubernetes-int-or-string': isTrue,
  'x-kubernetes-preserve-unknown-fields': isTrue,
  'x-kubernetes-embedded-resource': isTrue,
  'x-kubernetes-list-type': isListType,
  'x-kubernetes-map-type': isMapType,
};

/** The schema; one without any constraint if the value is not an object. */
export function readSchema(value: JsonValue | undefined): Schema {
  const schema: Record<string, unknown> = {};
  if (!isObject(value)) {
    return schema;
  }
  for (const [keyword, test] of Object.entries(KEYWORDS)) {
    const found = value[keyword];
    if (found !== undefined && test(found)) {
      schema[keyword] = found;
    }
  }
  if (typeof value.pattern === 'string') {
    matchInLinearTime(value.pattern);
  }
  for (const keyword of ['required', 'x-kubernetes-list-map-keys']) {
    if (Array.isArray(value[keyword])) {
      schema[keyword] = stringsIn(value[keyword]);
    }
  }
  if (isObject(value.properties)) {
    schema.properties = Object.fromEntries(
      Object.entries(value.properties).map(([name, child]) => [name, readSchema(child)]),
    );
  }
  if (isObject(value.items)) {
    schema.items = readSchema(value.items);
  }
  if (isObject(value.not)) {
    schema.not = readSchema(value.not);
  }
  const values = value.additionalProperties;
  if (isObject(values)) {
    schema.additionalProperties = readSchema(values);
  } else if (values === true) {
    schema.additionalProperties = true;
  }
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
    const branches = value[keyword];
    if (Array.isArray(branches) && branches.length > 0) {
      schema[keyword] = branches.map(readSchema);
    }
  }
  const rules = value['x-kubernetes-validations'];
  if (Array.isArray(rules)) {
    schema['x-kubernetes-validations'] = rules.filter(isObject).flatMap(readRule);
  }
  return schema;
}

function readRule(value: JsonObject): readonly CelRule[] {
  const { rule, messageExpression, message, fieldPath, optionalOldSelf } = value;
  if (typeof rule !== 'string' || rule === '') {
    return [];
  }
  // Of a definition that the user has at hand the message is the user's, and says more than the rule does.
  const fixed = typeof message === 'string' && message !== '' ? JSON.stringify(message) : undefined;
  const said = typeof messageExpression === 'string' ? messageExpression : fixed;
  return [
    {
      rule,
      ...(said === undefined ? {} : { messageExpression: said }),
      ...(typeof fieldPath === 'string' ? { fieldPath } : {}),
      ...(optionalOldSelf === true ? { optionalOldSelf } : {}),
    },
  ];
}

/**
 * The schema in a CustomResourceDefinition: "structural" means that the type of every value is plain from the schema's main tree, so that
 * the server knows what to prune and what to default; `allOf`, `anyOf`, `oneOf` and `not` only narrow down what stands there already.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { pointer } from '../../../manifests/pointer';
import { asObject, isObject } from '../../../manifests/read';
import { patternOf } from '../../schema/patterns';
import { expressionComplaint } from '../expressions';
import { type Say } from '../server-rule';
import { given, itemsOf, oneOf, size, text, textsOf } from '../values';
import { checkDefault } from './schema-default';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const TYPES: ReadonlySet<string> = new Set(['array', 'boolean', 'integer', 'number', 'object', 'string']);
const NEVER = ['$ref', 'dependencies', 'additionalItems'];
const NEVER_FILLED = ['definitions', 'patternProperties', 'id', '$schema'];
/** Belongs to the main tree, and so to no branch. */
const NOT_IN_BRANCHES = [
  'type',
  'default',
  'nullable',
  'additionalProperties',
  'description',
  'title',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
];
/** What may stand at the root beside a status subresource. */
const AT_ROOT_WITH_STATUS: ReadonlySet<string> = new Set([
  'description',
  'type',
  'format',
  'title',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'required',
  'items',
  'properties',
  'externalDocs',
  'example',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
]);
const BRANCHES = ['allOf', 'anyOf', 'oneOf'] as const;
const PRESERVE = 'x-kubernetes-preserve-unknown-fields';
const EMBEDDED = 'x-kubernetes-embedded-resource';
const INT_OR_STRING = 'x-kubernetes-int-or-string';

export function checkStructuralSchema(root: JsonObject, path: string, hasStatus: boolean, say: Say): void {
  const type = text(root.type);
  if (type !== '' && type !== 'object') {
    say(`${path}/type`, 'the root of the schema is an object', { expected: 'object' });
  }
  if (root.nullable === true) {
    say(`${path}/nullable`, 'the root of the schema cannot be null');
  }
  if (given(root.additionalProperties)) {
    say(`${path}/additionalProperties`, 'the root of the schema is no map');
  }
  if (hasStatus) {
    const other = Object.entries(root).find(
      ([field, value]) => !AT_ROOT_WITH_STATUS.has(field) && given(value) && value !== '' && value !== false,
    );
    if (other !== undefined) {
      say(pointer(path, other[0]), `${other[0]} cannot stand at the root where the status is a subresource`);
    }
  }
  checkTypeMeta(root, path, say);
  checkRootMetadata(asObject(root.properties).metadata, `${path}/properties/metadata`, say);
  checkMainTree(root, path, say);
}

/** What every object begins with. */
function checkTypeMeta(schema: JsonObject, path: string, say: Say): void {
  for (const [field, wanted] of [
    ['apiVersion', 'string'],
    ['kind', 'string'],
    ['metadata', 'object'],
  ] as const) {
    const part = asObject(schema.properties)[field];
    if (isObject(part) && part.type !== wanted) {
      say(`${path}/properties/${field}/type`, `${field} of an object is no ${text(part.type)}`, { expected: wanted });
    }
  }
}

/** The server knows metadata; a schema may only narrow down names. */
function checkRootMetadata(metadata: JsonValue | undefined, path: string, say: Say): void {
  if (!isObject(metadata)) {
    return;
  }
  const other =
    Object.entries(metadata).find(
      ([field, value]) => !['type', 'properties'].includes(field) && isFilled(value),
    )?.[0] ?? Object.keys(asObject(metadata.properties)).find((name) => name !== 'name' && name !== 'generateName');
  if (other !== undefined) {
    say(path, `a schema of metadata speaks of name and generateName only, not of ${other}`);
  }
}

function checkMainTree(schema: JsonObject, path: string, say: Say): void {
  const type = text(schema.type);
  const intOrString = schema[INT_OR_STRING] === true;
  const preserve = schema[PRESERVE] === true;
  const embedded = schema[EMBEDDED] === true;
  if (type === '' && !intOrString && !preserve && !embedded) {
    say(`${path}/type`, 'this part of the schema has no type', { expected: 'a type' });
  }
  if (intOrString && preserve) {
    say(`${path}/${INT_OR_STRING}`, 'an int-or-string keeps no unknown fields');
  }
  if (embedded) {
    checkEmbedded(schema, path, say);
  }
  if (type === 'array' && !isObject(schema.items)) {
    say(`${path}/items`, 'the list has no schema of its items');
  }
  checkList(schema, path, say);
  checkEverywhere(schema, path, say);
  if (given(schema.default)) {
    checkDefault(schema, schema.default, `${path}/default`, say);
  }
  itemsOf(schema['x-kubernetes-validations'], `${path}/x-kubernetes-validations`).forEach((rule) =>
    checkValidation(rule.value, rule.path, schema, say),
  );
  for (const [name, part] of Object.entries(asObject(schema.properties))) {
    if (isObject(part) || part === null) {
      checkMainTree(asObject(part), pointer(path, 'properties', name), say);
    }
  }
  for (const field of ['items', 'additionalProperties']) {
    if (isObject(schema[field])) {
      checkMainTree(schema[field], `${path}/${field}`, say);
    }
  }
  checkBranches(schema, schema, path, say);
}

function checkEmbedded(schema: JsonObject, path: string, say: Say): void {
  checkTypeMeta(schema, path, say);
  if (schema.type !== 'object') {
    say(`${path}/type`, 'an embedded resource is an object', { expected: 'object' });
  }
  if (schema[INT_OR_STRING] === true) {
    say(`${path}/${EMBEDDED}`, 'an int-or-string is no resource');
  }
  if (given(schema.additionalProperties)) {
    say(`${path}/additionalProperties`, 'an embedded resource is no map');
  }
  if (schema[PRESERVE] !== true && size(schema.properties) === 0) {
    say(`${path}/properties`, `an embedded resource has properties, or ${PRESERVE}`);
  }
}

/** What holds in the main tree and in branches. */
function checkEverywhere(schema: JsonObject, path: string, say: Say): void {
  const type = text(schema.type);
  if (type !== '' && !TYPES.has(type)) {
    say(`${path}/type`, `the type "${type}" does not exist`, { expected: oneOf([...TYPES]) });
  }
  for (const field of NEVER) {
    if (given(schema[field])) {
      say(pointer(path, field), `${field} cannot stand in a structural schema`);
    }
  }
  for (const field of NEVER_FILLED) {
    if (isFilled(schema[field])) {
      say(pointer(path, field), `${field} cannot stand in a structural schema`);
    }
  }
  if (schema.uniqueItems === true) {
    say(`${path}/uniqueItems`, 'uniqueItems costs too much', { fix: 'Use x-kubernetes-list-type: set.' });
  }
  const { additionalProperties } = schema;
  if (given(additionalProperties) && additionalProperties !== true && size(schema.properties) > 0) {
    say(`${path}/additionalProperties`, 'additionalProperties and properties exclude each other');
  }
  if (additionalProperties === false) {
    say(`${path}/additionalProperties`, 'additionalProperties false cannot stand in a structural schema');
  }
  if (Array.isArray(schema.items)) {
    say(`${path}/items`, 'the items of a list have one schema');
  }
  if (schema[PRESERVE] === false) {
    say(`${path}/${PRESERVE}`, 'the field is true or absent');
  }
  const mapType = schema['x-kubernetes-map-type'];
  if (given(mapType) && (type !== 'object' || (mapType !== 'atomic' && mapType !== 'granular'))) {
    say(`${path}/x-kubernetes-map-type`, 'the map type of an object is atomic or granular');
  }
  const pattern = text(schema.pattern);
  if (pattern !== '' && patternOf(pattern) === undefined) {
    say(`${path}/pattern`, 'the pattern is no regular expression of RE2');
  }
}

/** `tree` is the part of the main tree that the branches narrow down; absent where there is none, which has been said. */
function checkBranches(schema: JsonObject, tree: JsonObject | undefined, path: string, say: Say): void {
  for (const field of BRANCHES) {
    // Of an int-or-string, the two types may be named.
    if (field === 'anyOf' && isIntOrString(schema.anyOf)) {
      continue;
    }
    for (const [index, branch] of itemsOf(schema[field], `${path}/${field}`).entries()) {
      const named = field === 'allOf' && index === 0 && isIntOrString(branch.value.anyOf);
      checkBranch(named ? { ...branch.value, anyOf: [] } : branch.value, tree, branch.path, say);
    }
  }
  if (isObject(schema.not)) {
    checkBranch(schema.not, tree, `${path}/not`, say);
  }
}

function checkBranch(branch: JsonObject, tree: JsonObject | undefined, path: string, say: Say): void {
  checkEverywhere(branch, path, say);
  for (const field of NOT_IN_BRANCHES) {
    const value = branch[field];
    const zero =
      value === '' ||
      (value === false && field !== 'additionalProperties') ||
      (Array.isArray(value) && value.length === 0);
    if (given(value) && !zero) {
      say(pointer(path, field), `${field} stands outside of allOf, anyOf, oneOf and not`);
    }
  }
  for (const [name, part] of Object.entries(asObject(branch.properties))) {
    const at = pointer(path, 'properties', name);
    const there = asObject(tree?.properties)[name];
    if (name === 'metadata') {
      say(at, 'metadata stands outside of allOf, anyOf, oneOf and not');
    } else if (tree !== undefined && !isObject(there) && there !== null) {
      say(at, `"${name}" is not defined outside of allOf, anyOf, oneOf and not`);
    }
    checkBranch(asObject(part), isObject(there) ? there : undefined, at, say);
  }
  if (isObject(branch.items)) {
    if (tree !== undefined && !isObject(tree.items)) {
      say(`${path}/items`, 'items are not defined outside of allOf, anyOf, oneOf and not');
    }
    checkBranch(branch.items, isObject(tree?.items) ? tree.items : undefined, `${path}/items`, say);
  }
  checkBranches(branch, tree, path, say);
}

/** The one union whose branches may have types: exactly these two, and nothing said beside them. */
function isIntOrString(union: JsonValue | undefined): boolean {
  const says = (field: string, value: JsonValue): boolean =>
    (Array.isArray(value) || isObject(value)) && NOT_IN_BRANCHES.includes(field);
  const types = itemsOf(union, '').map(({ value }) => {
    const more = Object.entries(value).some(
      ([field, said]) => field !== 'type' && (isFilled(said) || says(field, said)),
    );
    return more ? '' : text(value.type);
  });
  return types.length === 2 && types[0] === 'integer' && types[1] === 'string';
}

function isFilled(value: JsonValue | undefined): boolean {
  return given(value) && value !== '' && value !== false && !(typeof value === 'object' && size(value) === 0);
}

function checkList(schema: JsonObject, path: string, say: Say): void {
  const kind = schema['x-kubernetes-list-type'];
  const keysPath = `${path}/x-kubernetes-list-map-keys`;
  const keys = textsOf(schema['x-kubernetes-list-map-keys'], keysPath);
  if (!given(kind)) {
    if (keys.length > 0) {
      say(keysPath, 'list keys need x-kubernetes-list-type: map');
    }
    return;
  }
  const item = asObject(schema.items);
  if (schema.type !== 'array') {
    say(`${path}/x-kubernetes-list-type`, 'only a list has a list type');
  }
  if (!['atomic', 'set', 'map'].includes(text(kind))) {
    say(`${path}/x-kubernetes-list-type`, `the list type "${text(kind)}" does not exist`, {
      expected: 'atomic, set or map',
    });
  }
  if ((kind === 'set' || kind === 'map') && item.nullable === true) {
    say(`${path}/items/nullable`, `the items of a ${kind} cannot be null`);
  }
  if (kind === 'set') {
    if (item.type === 'object' && item['x-kubernetes-map-type'] !== 'atomic') {
      say(`${path}/items/x-kubernetes-map-type`, 'objects in a set are atomic', { expected: 'atomic' });
    }
    const inner = item['x-kubernetes-list-type'];
    if (item.type === 'array' && given(inner) && inner !== 'atomic') {
      say(`${path}/items/x-kubernetes-list-type`, 'lists in a set are atomic', { expected: 'atomic' });
    }
  }
  if (kind !== 'map') {
    if (keys.length > 0) {
      say(keysPath, 'only a list of type map has keys');
    }
    return;
  }
  if (keys.length === 0) {
    say(keysPath, 'a list of type map has keys');
  }
  if (text(item.type) !== 'object') {
    say(`${path}/items/type`, 'the items of a list of type map are objects', { expected: 'object' });
  }
  if (new Set(keys.map(({ value }) => value)).size < keys.length) {
    say(keysPath, 'a key stands there twice');
  }
  for (const key of keys) {
    const field = asObject(item.properties)[key.value];
    if (!isObject(field)) {
      say(key.path, `the items have no field "${key.value}"`);
      continue;
    }
    const at = pointer(`${path}/items/properties`, key.value);
    if (field.type === 'array' || field.type === 'object') {
      say(`${at}/type`, 'a key is a single value');
    }
    if (field.nullable === true) {
      say(`${at}/nullable`, 'a key cannot be null');
    }
    if (!given(field.default) && !textsOf(item.required, '').some(({ value }) => value === key.value)) {
      say(key.path, `the key "${key.value}" is neither required nor defaulted`);
    }
  }
}

function checkValidation(rule: JsonObject, path: string, schema: JsonObject, say: Say): void {
  const source = text(rule.rule).trim();
  const message = text(rule.message);
  const reason = text(rule.reason);
  if (source === '') {
    say(`${path}/rule`, 'the rule is empty');
  } else if (message !== '' && message.trim() === '') {
    say(`${path}/message`, 'the message is empty');
  } else if (/[\n\r]/.test(message.trim())) {
    say(`${path}/message`, 'a message is one line');
  } else if (/[\n\r]/.test(source) && message.trim() === '') {
    say(`${path}/message`, 'a rule of several lines needs a message');
  }
  if (given(rule.reason) && !REASONS.includes(reason)) {
    say(`${path}/reason`, `the reason "${reason}" does not exist`, { expected: oneOf(REASONS) });
  }
  const complaint =
    source === '' ? undefined : expressionComplaint(source, { variables: ['self', 'oldSelf'], result: ['bool'] });
  if (complaint !== undefined) {
    say(`${path}/rule`, `the rule ${complaint}`);
  }
  const dynamic = text(rule.messageExpression);
  const badMessage =
    dynamic.trim() === ''
      ? undefined
      : expressionComplaint(dynamic, { variables: ['self', 'oldSelf'], result: ['string'] });
  if (dynamic !== '' && dynamic.trim() === '') {
    say(`${path}/messageExpression`, 'the expression is empty');
  }
  if (badMessage !== undefined) {
    say(`${path}/messageExpression`, `the expression ${badMessage}`);
  }
  if (given(rule.optionalOldSelf) && !/\boldSelf\b/.test(source)) {
    say(`${path}/optionalOldSelf`, 'the rule does not speak of oldSelf');
  }
  const field = text(rule.fieldPath);
  if (field !== '' && schemaAt(schema, field) === undefined) {
    say(`${path}/fieldPath`, `"${field}" leads to no field of the schema`);
  }
}

/** Fields by which custom resources can be selected: at most eight, each a single value, none of metadata. */
export function checkSelectableFields(fields: JsonValue | undefined, schema: JsonObject, path: string, say: Say): void {
  const placed = itemsOf(fields, path);
  if (new Set(placed.map(({ value }) => text(value.jsonPath))).size > 8) {
    say(path, 'at most eight fields can be selected by');
  }
  for (const [index, { value, path: at }] of placed.entries()) {
    const jsonPath = text(value.jsonPath);
    const target = jsonPath === '' || jsonPath.includes('[') ? undefined : schemaAt(schema, jsonPath);
    if (target === undefined) {
      say(`${at}/jsonPath`, `"${jsonPath}" leads to no field of the schema`, { expected: 'such as .spec.field' });
    } else if (jsonPath.startsWith('.metadata')) {
      say(`${at}/jsonPath`, 'metadata cannot be selected by');
    } else if (!['string', 'boolean', 'integer'].includes(text(target.type))) {
      say(`${at}/jsonPath`, 'only a string, a boolean or an integer can be selected by');
    }
    if (placed.findIndex((other) => other.value.jsonPath === jsonPath) < index) {
      say(`${at}/jsonPath`, `"${jsonPath}" stands here already`);
    }
  }
}

/** The schema of the field to which a path of `.name` and `['name']` leads. */
function schemaAt(schema: JsonObject, path: string): JsonObject | undefined {
  let here: JsonObject | undefined = schema;
  let rest = path;
  while (rest !== '') {
    const step = /^\.([^.[\]]+)|^\['((?:[^'\\]|\\.)*)'\]/.exec(rest);
    if (step === null || here === undefined) {
      return undefined;
    }
    const name = step[1] ?? (step[2] ?? '').replace(/\\(.)/g, '$1');
    const next: JsonValue | undefined = given(here.properties)
      ? asObject(here.properties)[name]
      : here.additionalProperties;
    here = isObject(next) ? next : undefined;
    rest = rest.slice(step[0].length);
  }
  return here;
}

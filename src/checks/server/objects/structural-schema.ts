/**
 * The schema in a CustomResourceDefinition: "structural" means that the schema's main tree defines the type of every value, so that
 * the server knows what to prune and what to default; `allOf`, `anyOf`, `oneOf`, and `not` only narrow these types down.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { asObject, isObject } from '../../../manifests/read';
import { givenPatternOf } from '../../../manifests/values/patterns';
import { occurrencesBelow, SchemaSizes } from '../../../cel/estimate/schema-sizes';
import { SchemaTypes } from '../../../cel/typing/schema-types';
import { MOST_EXPRESSIONS } from '../expressions';
import { type Say } from '../server-rule';
import { given, itemsOf, size, text, textsOf } from '../values';
import { RuleCosts } from './rule-costs';
import { checkSchemaRule, schemaAt, type SchemaPlace } from './schema-rules';
import { checkDefault } from './schema-default';
import { oneOf, withArticle } from '../../../facts/words';

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
/** Keys that are allowed at the root together with a status subresource. */
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

/** `Remove spec.nullable.` */
const removing = (path: string): string => `Remove ${fieldOf(path)}.`;

export interface Definition {
  readonly hasStatus: boolean;
  /** Minor of the Kubernetes version that is checked for. */
  readonly minor: number;
}

export function checkStructuralSchema(
  root: JsonObject,
  path: string,
  { hasStatus, minor }: Definition,
  say: Say,
): void {
  const type = text(root.type);
  if (type !== '' && type !== 'object') {
    say(`${path}/type`, 'the type of the root must be object', { expected: 'object' });
  }
  if (root.nullable === true) {
    say(`${path}/nullable`, 'nullable must not be true at the root', { fix: removing(`${path}/nullable`) });
  }
  if (given(root.additionalProperties)) {
    say(`${path}/additionalProperties`, 'additionalProperties must not be set at the root');
  }
  if (hasStatus) {
    const other = Object.entries(root).find(
      ([field, value]) => !AT_ROOT_WITH_STATUS.has(field) && given(value) && value !== '' && value !== false,
    );
    if (other !== undefined) {
      say(pointer(path, other[0]), `${other[0]} must not be set at the root when the status subresource is enabled`);
    }
  }
  checkTypeMeta(root, path, say);
  checkRootMetadata(asObject(root.properties).metadata, `${path}/properties/metadata`, say);
  const costs = new RuleCosts();
  const definition = { types: new SchemaTypes(root, minor), sizes: new SchemaSizes(root), costs };
  checkMainTree(root, path, { ...definition, occurrences: 1 }, say);
  costs.checkTotal(path, say);
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
      say(`${path}/properties/${field}/type`, `${field} of an object must not have the type ${text(part.type)}`, {
        expected: wanted,
        fix: `Set ${fieldOf(`${path}/properties/${field}/type`)} to ${wanted}.`,
      });
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
    say(path, `a schema of metadata must restrict only name and generateName, not ${other}`, {
      fix: `Remove ${other} from ${fieldOf(path)}${Object.hasOwn(metadata, other) ? '' : '.properties'}.`,
    });
  }
}

function checkMainTree(schema: JsonObject, path: string, place: SchemaPlace, say: Say): void {
  const type = text(schema.type);
  const intOrString = schema[INT_OR_STRING] === true;
  const preserve = schema[PRESERVE] === true;
  const embedded = schema[EMBEDDED] === true;
  if (type === '' && !intOrString && !preserve && !embedded) {
    say(`${path}/type`, 'type must be set', {
      expected: 'array, boolean, integer, number, object, or string',
    });
  }
  if (intOrString && preserve) {
    say(`${path}/${INT_OR_STRING}`, `${INT_OR_STRING} must not be set when ${PRESERVE} is true`);
  }
  if (embedded) {
    checkEmbedded(schema, path, say);
  }
  if (type === 'array' && !isObject(schema.items)) {
    say(`${path}/items`, 'items must be set for a list', {
      fix: `Set ${fieldOf(`${path}/items`)} to the schema of an item, such as { type: string }.`,
    });
  }
  checkList(schema, path, say);
  checkEverywhere(schema, path, say);
  if (given(schema.default)) {
    checkDefault(schema, schema.default, `${path}/default`, say);
  }
  const rules = itemsOf(schema['x-kubernetes-validations'], `${path}/x-kubernetes-validations`);
  rules.slice(0, MOST_EXPRESSIONS).forEach((rule) => checkSchemaRule(rule, schema, place, say));
  const below = { ...place, occurrences: occurrencesBelow(schema, place.occurrences) };
  for (const [name, part] of Object.entries(asObject(schema.properties))) {
    if (isObject(part) || part === null) {
      checkMainTree(asObject(part), pointer(path, 'properties', name), below, say);
    }
  }
  for (const field of ['items', 'additionalProperties']) {
    if (isObject(schema[field])) {
      checkMainTree(schema[field], `${path}/${field}`, below, say);
    }
  }
  checkBranches(schema, schema, path, say);
}

function checkEmbedded(schema: JsonObject, path: string, say: Say): void {
  checkTypeMeta(schema, path, say);
  if (schema.type !== 'object') {
    say(`${path}/type`, 'the type of an embedded resource must be object', { expected: 'object' });
  }
  if (schema[INT_OR_STRING] === true) {
    say(`${path}/${EMBEDDED}`, 'int-or-string must not be set for an embedded resource');
  }
  if (given(schema.additionalProperties)) {
    say(`${path}/additionalProperties`, 'additionalProperties must not be set for an embedded resource');
  }
  if (schema[PRESERVE] !== true && size(schema.properties) === 0) {
    say(`${path}/properties`, `properties or ${PRESERVE} must be set for an embedded resource`, {
      fix: `Set properties in ${fieldOf(path)}, or ${PRESERVE}: true.`,
    });
  }
}

/** What holds in the main tree and in branches. */
function checkEverywhere(schema: JsonObject, path: string, say: Say): void {
  const type = text(schema.type);
  if (type !== '' && !TYPES.has(type)) {
    say(`${path}/type`, `unsupported type "${type}"`, { expected: oneOf([...TYPES]) });
  }
  for (const field of NEVER) {
    if (given(schema[field])) {
      say(pointer(path, field), `${field} must not be set in the schema of a CRD`);
    }
  }
  for (const field of NEVER_FILLED) {
    if (isFilled(schema[field])) {
      say(pointer(path, field), `${field} must not be set in the schema of a CRD`);
    }
  }
  if (schema.uniqueItems === true) {
    say(`${path}/uniqueItems`, 'uniqueItems must not be true, because it is too expensive', {
      fix: 'Replace uniqueItems with x-kubernetes-list-type: set.',
    });
  }
  const { additionalProperties } = schema;
  if (given(additionalProperties) && additionalProperties !== true && size(schema.properties) > 0) {
    say(`${path}/additionalProperties`, 'additionalProperties must not be set when properties is set');
  }
  if (additionalProperties === false) {
    say(`${path}/additionalProperties`, 'additionalProperties must not be false in a structural schema', {
      fix: removing(`${path}/additionalProperties`),
    });
  }
  if (Array.isArray(schema.items)) {
    say(`${path}/items`, 'items must be a single schema', {
      fix: `Replace the list in ${fieldOf(`${path}/items`)} with one schema, such as { type: string }.`,
    });
  }
  if (schema[PRESERVE] === false) {
    say(`${path}/${PRESERVE}`, `${PRESERVE} must be true or unset`);
  }
  const mapType = schema['x-kubernetes-map-type'];
  if (given(mapType) && (type !== 'object' || (mapType !== 'atomic' && mapType !== 'granular'))) {
    say(`${path}/x-kubernetes-map-type`, 'the map type must be atomic or granular');
  }
  const pattern = text(schema.pattern);
  if (pattern !== '' && givenPatternOf(pattern) === undefined) {
    say(`${path}/pattern`, 'the pattern must be a valid RE2 regular expression');
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
      (value === '' && field !== 'default' && field !== 'x-kubernetes-list-type') ||
      (value === false && field !== 'additionalProperties' && field !== 'default') ||
      (Array.isArray(value) && value.length === 0 && field !== 'default');
    if (given(value) && !zero) {
      say(pointer(path, field), `${field} must not be set inside allOf, anyOf, oneOf, or not`);
    }
  }
  for (const [name, part] of Object.entries(asObject(branch.properties))) {
    const at = pointer(path, 'properties', name);
    const there = asObject(tree?.properties)[name];
    if (name === 'metadata') {
      say(at, 'metadata must not be set inside allOf, anyOf, oneOf, or not');
    }
    checkBranch(asObject(part), isObject(there) ? there : undefined, at, say);
  }
  if (isObject(branch.items)) {
    checkBranch(branch.items, isObject(tree?.items) ? tree.items : undefined, `${path}/items`, say);
  }
  checkBranches(branch, tree, path, say);
}

/** The one union whose branches may have types: exactly these two, and nothing said beside them. */
function isIntOrString(union: JsonValue | undefined): boolean {
  const says = (field: string, value: JsonValue): boolean =>
    given(value) &&
    ((SAYS_BY_BEING.has(field) && (field !== 'items' || isCollection(value))) ||
      (isCollection(value) && NOT_IN_BRANCHES.includes(field)));
  const types = itemsOf(union, '').map(({ value }) => {
    const more = Object.entries(value).some(
      ([field, said]) => field !== 'type' && (isFilled(said) || says(field, said)),
    );
    return more ? '' : text(value.type);
  });
  return types.length === 2 && types[0] === 'integer' && types[1] === 'string';
}

/** Fields whose zero is not the same as their absence. */
const SAYS_BY_BEING: ReadonlySet<string> = new Set([
  ...['$ref', 'default', 'example', 'externalDocs', 'items', 'required', 'dependencies', 'properties', 'not'],
  ...['x-kubernetes-list-type', 'x-kubernetes-map-type', 'x-kubernetes-preserve-unknown-fields'],
]);

function isCollection(value: JsonValue): boolean {
  return Array.isArray(value) || isObject(value);
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
      say(keysPath, 'x-kubernetes-list-map-keys requires x-kubernetes-list-type: map');
    }
    return;
  }
  const item = asObject(schema.items);
  if (schema.type !== 'array') {
    say(`${path}/x-kubernetes-list-type`, 'x-kubernetes-list-type must be set only for lists');
  }
  if (!['atomic', 'set', 'map'].includes(text(kind))) {
    say(`${path}/x-kubernetes-list-type`, `unsupported list type "${text(kind)}"`, {
      expected: 'atomic, set, or map',
    });
  }
  if ((kind === 'set' || kind === 'map') && item.nullable === true) {
    say(`${path}/items/nullable`, `the items of ${withArticle(kind)} must not be nullable`, {
      fix: removing(`${path}/items/nullable`),
    });
  }
  if (kind === 'set') {
    checkSetItems(item, path, say);
  }
  if (kind !== 'map') {
    if (keys.length > 0) {
      say(keysPath, 'x-kubernetes-list-map-keys must be set only for a list of type map');
    }
    return;
  }
  if (keys.length === 0) {
    say(keysPath, 'x-kubernetes-list-map-keys must be set for a list of type map', {
      expected: 'a list of fields of the items, such as [name]',
    });
  }
  if (text(item.type) !== 'object') {
    say(`${path}/items/type`, 'the items of a list of type map must be objects', { expected: 'object' });
  }
  if (new Set(keys.map(({ value }) => value)).size < keys.length) {
    say(keysPath, 'duplicate key');
  }
  for (const key of keys) {
    checkListKey(key, item, `${path}/items/properties`, say);
  }
}

function checkSetItems(item: JsonObject, path: string, say: Say): void {
  if (item.type === 'object' && item['x-kubernetes-map-type'] !== 'atomic') {
    say(`${path}/items/x-kubernetes-map-type`, 'objects in a set must be atomic', { expected: 'atomic' });
  }
  const inner = item['x-kubernetes-list-type'];
  if (item.type === 'array' && given(inner) && inner !== 'atomic') {
    say(`${path}/items/x-kubernetes-list-type`, 'lists in a set must be atomic', { expected: 'atomic' });
  }
}

/** @param path of the properties of the items */
function checkListKey(key: ReturnType<typeof textsOf>[number], item: JsonObject, path: string, say: Say): void {
  const field = asObject(item.properties)[key.value];
  if (!isObject(field)) {
    say(key.path, `the items have no field "${key.value}"`, {
      fix: `Add ${key.value} to ${fieldOf(path)}, or remove it from x-kubernetes-list-map-keys.`,
    });
    return;
  }
  const at = pointer(path, key.value);
  if (field.type === 'array' || field.type === 'object') {
    say(`${at}/type`, 'a key must be a scalar', {
      expected: 'string, integer, number, or boolean',
      fix: `Set ${fieldOf(`${at}/type`)} to string, integer, number, or boolean, or remove ${key.value} from x-kubernetes-list-map-keys.`,
    });
  }
  if (field.nullable === true) {
    say(`${at}/nullable`, 'a key must not be nullable', { fix: removing(`${at}/nullable`) });
  }
  if (!given(field.default) && !textsOf(item.required, '').some(({ value }) => value === key.value)) {
    say(key.path, `the key "${key.value}" must be required or have a default`, {
      fix: `Add ${key.value} to required of the items, or set a default for it.`,
    });
  }
}

/** Fields by which custom resources can be selected: at most eight, each a single value, none of metadata. */
export function checkSelectableFields(fields: JsonValue | undefined, schema: JsonObject, path: string, say: Say): void {
  const placed = itemsOf(fields, path);
  if (new Set(placed.map(({ value }) => text(value.jsonPath))).size > 8) {
    say(path, 'the version must not have more than 8 selectable fields');
  }
  for (const [index, { value, path: at }] of placed.entries()) {
    const jsonPath = text(value.jsonPath);
    const target = jsonPath === '' || jsonPath.includes('[') ? undefined : schemaAt(schema, jsonPath);
    if (target === undefined) {
      say(`${at}/jsonPath`, `"${jsonPath}" must be the path of a field in the schema`, {
        expected: 'the path of a field in the schema, such as .spec.field',
      });
    } else if (jsonPath.startsWith('.metadata')) {
      say(`${at}/jsonPath`, 'metadata must not be a selectable field', {
        fix: `Remove ${fieldOf(at)}: metadata.name and metadata.namespace are always selectable.`,
      });
    } else if (!['string', 'boolean', 'integer'].includes(text(target.type))) {
      say(`${at}/jsonPath`, 'a selectable field must be a string, a boolean, or an integer', {
        fix: `Set ${fieldOf(`${at}/jsonPath`)} to the path of a string, a boolean, or an integer.`,
      });
    }
    if (placed.findIndex((other) => other.value.jsonPath === jsonPath) < index) {
      say(`${at}/jsonPath`, `duplicate value "${jsonPath}"`);
    }
  }
}

/**
 * What to write as the value of a field, in words: by its schema, and by its name where that says more.
 */
import { type JsonValue, type Schema } from '../../facts/api/schema';
import { allOf, oneOf } from '../../facts/words';
import { shortened } from '../../manifests/values/shown-values';
import { fieldOf, tokensOf } from '../../manifests/pointer';
import { contentOf } from '../rules/field-content';
import { A_QUANTITY, boundWords, written } from './exact-words';
import { integerWords, listOfStringsWords, stringWords, timeExample } from './field-words';
import { patternWords } from './pattern-words';
import { rulesOf, type SchemaNode } from './schema-node';
import { THE_FIELD } from './violation-list';

/** How many values a fix lists. */
export const MOST_CHOICES = 8;
/** How many values a fix lists where the manifest has none to compare with. */
const MOST_REQUIRED_CHOICES = 16;
/** Fields of an object that a fix lists. */
const FEW_FIELDS = 3;

const WITH_ARTICLE: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'an integer',
  number: 'a number',
  object: 'an object',
  quantity: A_QUANTITY,
  string: 'a string',
};

/** Types in words, `integer or string` as `an integer or a string`. */
function typeWords(types: string | undefined): string {
  if (types === undefined) {
    return 'a value';
  }
  const words = types.split(' or ').map((type) => (Object.hasOwn(WITH_ARTICLE, type) ? WITH_ARTICLE[type] : type));
  return oneOf(words.flatMap((word) => word.split(' or ')));
}

/** What a field takes: `TCP, UDP, or SCTP`, `an integer of at least 1`, `an object with the fields kind and name`. */
export function valueWords(node: SchemaNode | undefined): string {
  if (node === undefined) {
    return typeWords(undefined);
  }
  const choices = node.schema.enum ?? [];
  if (choices.length > 0) {
    return choices.length > MOST_REQUIRED_CHOICES
      ? `one of the ${choices.length} supported values, such as ${written(choices[0])}`
      : oneOf(choices.map(written));
  }
  if (node.schema.pattern !== undefined && node.typeNames !== 'array') {
    const { expected } = patternWords(node.schema.pattern);
    return /\bmatches\b/.test(expected) ? typeWords(node.typeNames) : expected;
  }
  if (node.schema.format === 'quantity') {
    return A_QUANTITY;
  }
  if (node.typeNames === 'array') {
    return listWords(node.items);
  }
  return node.typeNames === 'object' ? objectWords(node) : `${typeWords(node.typeNames)}${boundWords(node.schema)}`;
}

function listWords(items: SchemaNode | undefined): string {
  const names: Readonly<Record<string, string>> = { integer: 'integers', number: 'numbers', string: 'strings' };
  const type = items?.typeNames ?? '';
  if (type === 'object' && items !== undefined) {
    const words = objectWords(items).replace(/^an object/, '');
    return `a list of objects${words}`;
  }
  return Object.hasOwn(names, type) ? `a list of ${names[type]}` : 'a list';
}

/** Fields that examples name before others. */
const COMMON = [
  'name',
  'type',
  'metadata',
  'spec',
  'replicas',
  'selector',
  'template',
  'containers',
  'image',
  'path',
  'port',
  'labels',
  'properties',
  'items',
];

/** The first few fields of an object, common ones before others. */
export function tellingFields({ properties = {} }: Schema): readonly string[] {
  const names = Object.keys(properties).filter((name) => !name.startsWith('$'));
  const common = COMMON.filter((name) => names.includes(name));
  return [...common, ...names.filter((name) => !common.includes(name))].slice(0, FEW_FIELDS);
}

const MAPS_BY_FORMAT: Readonly<Record<string, string>> = {
  byte: 'a map of base64 strings, such as { key: Z2FudHJ5 }',
  'date-time': 'a map of times, such as { key: "2026-01-31T15:04:05Z" }',
};

function objectWords(node: SchemaNode): string {
  const members = node.required;
  if (members.length > 0 && members.length <= MOST_CHOICES) {
    return `an object with the ${members.length === 1 ? `field "${members[0]}"` : `fields ${allOf(members)}`}`;
  }
  const parts = tellingFields(node.schema);
  if (parts.length === 1) {
    return `an object such as { ${parts[0]}: … }`;
  }
  if (parts.length > 1) {
    return `an object with fields such as ${allOf(parts)}`;
  }
  if (node.values?.typeNames !== 'string') {
    return 'an object';
  }
  return MAPS_BY_FORMAT[node.values.schema.format ?? ''] ?? 'a map of strings, such as { key: value }';
}

/** Fields whose names say what they hold, in the objects of any project. */
const TELLING =
  /(?:^|\.)(?:name|kind|apiVersion|namespace|uid|url|expr|image|topologyKey|key|ip|cidr|interval|location|operator|verbs|apiGroups|apiVersions|operations|metadata|nicSelector|openAPIV3Schema|labels|annotations|nodeSelector|matchLabels|attacher|provisioner|conditionType|nfs\.server|(?:max|min)(?:Unavailable|Surge)|\w*[pP]ort|[a-z]\w*Name)$/;

/** Names of resources are the keys of these. */
const AMOUNTS =
  /(?:^|\/)(?:limits|requests|capacity|capability|deserved|allocatable|hard|overhead|max|min|default\w*)$/;

/** What the field at the path takes, by its name where that says more than its schema. */
export function contentWords(node: SchemaNode | undefined, path: string): string {
  const value = valueWords(node);
  if (/^an integer\b(?! or)/.test(value)) {
    return integerWords(path) ?? value;
  }
  if (value === 'an object' && AMOUNTS.test(path) && node?.values?.typeNames !== 'object') {
    return 'a map of resources to quantities, such as { nvidia.com/gpu: 8 }';
  }
  if (value === 'a string' && node !== undefined) {
    const words = node.schema.format === 'date-time' ? timeWords(path) : stringWords(path);
    if (words !== undefined) {
      return words;
    }
  }
  if (value === 'a list of strings') {
    const words = listOfStringsWords(path);
    if (words !== undefined) {
      return words;
    }
  }
  const isVague =
    /^(?:an integer or )?a string$|^a DNS (?:label|subdomain)\b|^a list of strings$|^a map of strings|^an object(?: with fields)?\b/.test(
      value,
    );
  if (/^an integer or a string$/.test(value) && AMOUNTS.test(path.slice(0, path.lastIndexOf('/')))) {
    return A_QUANTITY;
  }
  return (isVague && TELLING.test(fieldOf(path)) ? namedContent(node, path) : undefined) ?? value;
}

/** What the name of a field says that it takes, where its schema admits that: `resources` are amounts in one kind, and names in another. */
export function namedContent(node: SchemaNode | undefined, path: string): string | undefined {
  const words = contentOf(fieldOf(path));
  return words === undefined || (node !== undefined && !admits(node, words)) ? undefined : words;
}

const CONTENT_TYPES: readonly (readonly [RegExp, (node: SchemaNode) => boolean])[] = [
  [/^a map of /, ({ values }) => values !== undefined],
  [/^a list of /, ({ items }) => items !== undefined && /^(?:string|any value)$/.test(items.typeNames)],
  [/^an object\b/, ({ typeNames, schema }) => typeNames === 'object' && schema.properties !== undefined],
  [/^a number or a percentage\b/, ({ typeNames }) => typeNames === 'integer or string'],
  [/^a (?:port )?number\b/, ({ typeNames }) => /^(?:integer|number)/.test(typeNames)],
];

/** Whether the schema admits what the words say to write. */
function admits(node: SchemaNode, words: string): boolean {
  const [, isOfType = ({ typeNames }: SchemaNode) => /\bstring$|^any value$/.test(typeNames)] =
    CONTENT_TYPES.find(([form]) => form.test(words)) ?? [];
  const [, example] = /\bsuch as "?([^\s",]+)"?$/.exec(words) ?? [];
  const [, member] = /^an object such as \{ (\w+):/.exec(words) ?? [];
  return (
    isOfType(node) &&
    (member === undefined || node.values !== undefined || node.child(member) !== undefined) &&
    node.schema.enum === undefined &&
    (example === undefined || node.pattern === undefined || node.pattern.test(example))
  );
}

const timeWords = (path: string): string => `a time such as "${timeExample(tokensOf(path).at(-1) ?? '')}"`;

/** What a required field takes. An object that demands nothing may be empty. */
export function requiredWords(node: SchemaNode | undefined, path: string): string {
  if (
    node !== undefined &&
    /(?:^|\/)template$/.test(path) &&
    node.child('metadata') &&
    node.child('spec')?.child('containers')
  ) {
    return contentOf('template') ?? '';
  }
  const words = contentWords(node, path);
  const isFree = node !== undefined && !node.combines && rulesOf(node.schema).length === 0;
  return isFree && node.schema.minProperties === undefined && /^an object(?:$| with fields such| such)/.test(words)
    ? 'an object such as {}'
    : words;
}

/** @param path of the required field */
export function requiredFix(node: SchemaNode | undefined, path: string): string {
  return `Set ${THE_FIELD} to ${requiredWords(node, path)}.`;
}

/** Maps and fields of strings that mean nothing to the server: any value may be meant. */
const FREE_MAP =
  /\/(?:labels|annotations|matchLabels|nodeSelector|nodeLabels|selector|data|stringData|parameters|options|arguments|metadata)\/[^/]+$/;
const FREE_FIELD = /\/(?:value|(?:args|command|values)\/\d+)$/;

/** For a number or a boolean where a string is expected: such a string, if it may be meant. */
function quotedFix(value: string | number | boolean, path: string): string {
  const isFree = FREE_MAP.test(path) || FREE_FIELD.test(path);
  const isName = typeof value === 'number' && Number.isInteger(value) && value >= 0;
  return isFree || isName ? `Set ${THE_FIELD} to "${String(value)}", in quotes.` : `Set ${THE_FIELD} to a string.`;
}

/** A string that is written as another type is. */
const WRITTEN: Readonly<Record<string, RegExp>> = { boolean: /^(?:true|false)$/, integer: /^-?\d{1,15}$/ };

/**
 * What to write instead of a value of the wrong type.
 *
 * @param path of the field
 */
export function typeFix(value: JsonValue, node: SchemaNode, path: string): string {
  const { type = '', format, enum: choices } = node.schema;
  const content = contentWords(node, path);
  if (type === 'string' && (typeof value === 'number' || typeof value === 'boolean')) {
    const isAnyString = format === undefined && choices === undefined && content === 'a string';
    return isAnyString ? quotedFix(value, path) : `Set ${THE_FIELD} to ${content}.`;
  }
  if (
    typeof value === 'string' &&
    Object.hasOwn(WRITTEN, type) &&
    WRITTEN[type]?.test(value) === true &&
    isWithin(value, node.schema)
  ) {
    return `Set ${THE_FIELD} to ${value}, without quotes.`;
  }
  if (type === 'array' && node.items?.typeNames === 'string' && isPlain(value) && value !== '') {
    return `Set the \`field\` to a list: [${JSON.stringify(shortened(String(value)))}].`;
  }
  return `Set ${THE_FIELD} to ${content}.`;
}

/** Whether the number in a string is within the bounds of the field. */
function isWithin(text: string, { minimum = -Infinity, maximum = Infinity, type }: Schema): boolean {
  return type !== 'integer' || (Number(text) >= minimum && Number(text) <= maximum);
}

const isPlain = (value: JsonValue): value is string | number => typeof value === 'string' || typeof value === 'number';

/** What to write where only a type is known. */
export function typedFix(type: string): string {
  return `Set ${THE_FIELD} to ${typeWords(type)}.`;
}

/**
 * What fixes say to write into the fields of all kinds: the examples and the choices are values that the schema of the field takes.
 */
import { parse } from 'yaml';
import { contentWords, namedContent, requiredWords } from '../../../src/checks/schema/value-words';
import { nodeOf, type SchemaNode } from '../../../src/checks/schema/schema-node';
import { allKinds, DEFAULT_MINOR } from '../../../src/facts/api/kinds';
import { type Schema } from '../../../src/facts/api/schema';
import { loadSchema } from '../../../src/facts/api/schemas';
import { pointer, tokensOf } from '../../../src/manifests/pointer';
import { stringFormat } from '../../../src/manifests/values/formats';

/** Words that name parts, not a value. */
const OF_PARTS = /fields such as|…|list of objects|with the fields?|^an object with |^one of the \d+ |`quantity`/;
/** Words without an example. */
const NO_VALUE = /^(?:an? |the )/;

/** The values that the words say to write. */
function valuesIn(words: string): readonly unknown[] {
  if (OF_PARTS.test(words)) {
    return [];
  }
  const example = /\bsuch as (.+)$/.exec(words)?.[1]?.replace(' for the core group', '');
  if (example === undefined && NO_VALUE.test(words)) {
    return [];
  }
  const listed = example ?? words;
  return /^[[{]/.test(listed) ? [parse(listed)] : listed.split(/, or | or |, /).map((item) => readOf(item));
}

const readOf = (text: string): unknown => parse(text.replace(/^a wildcard such as (.*)$/, '"$1"'));

const isOfType = (type: string, { typeNames }: SchemaNode): boolean =>
  typeNames
    .split(' or ')
    .some((name) => name === type || name === 'any value' || `${name} ${type}` === 'number integer');

/** What the schema has against a part of the object or the list. */
function faultOfPart(value: object, { schema, items, values, preservesUnknown }: SchemaNode): string | undefined {
  const parts = Object.entries(value).map(([key, part]) => {
    const property = schema.properties?.[key];
    const below = items ?? (property === undefined ? values : nodeOf(property));
    return below !== undefined ? faultOf(part, below) : preservesUnknown ? undefined : `has the unknown field ${key}`;
  });
  return parts.find((fault) => fault !== undefined);
}

const isWrongString = (value: string, { format, minLength = 0, maxLength = Infinity }: Schema): boolean =>
  value.length < minLength ||
  value.length > maxLength ||
  (format !== undefined && stringFormat(format, 35)?.(value) === false);

/** What the schema has against the value; `undefined` for nothing. */
function faultOf(value: unknown, node: SchemaNode): string | undefined {
  const { schema, pattern } = node;
  const type = Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;
  if (!isOfType(type, node)) {
    return `is of type ${type}, not ${node.typeNames}`;
  }
  if (schema.enum !== undefined && !schema.enum.includes(value as string)) {
    return `is none of ${JSON.stringify(schema.enum)}`;
  }
  if (typeof value === 'string') {
    return isWrongString(value, schema) || pattern?.test(value) === false
      ? 'breaks the pattern, the format, or the length'
      : undefined;
  }
  if (typeof value === 'number') {
    const { minimum = -Infinity, maximum = Infinity } = schema;
    return value < minimum || value > maximum ? 'is out of range' : undefined;
  }
  return faultOfPart(value as object, node);
}

test('examples and choices are valid in the fields of all kinds', () => {
  const faults: string[] = [];
  const seen = new Map<Schema, Set<string>>();
  let values = 0;
  const visit = (schema: Schema, path: string, kind: string): void => {
    const tokens = tokensOf(path).slice(-3).join('/');
    const places = seen.get(schema) ?? new Set();
    seen.set(schema, places);
    if (places.has(tokens) || places.size > 40) {
      return;
    }
    places.add(tokens);
    const node = nodeOf(schema);
    for (const words of path === ''
      ? []
      : [contentWords(node, path), requiredWords(node, path), namedContent(node, path)]) {
      for (const value of words === undefined ? [] : valuesIn(words)) {
        values += 1;
        const fault = faultOf(value, node);
        if (fault !== undefined) {
          faults.push(`${kind} ${path}: ${words}: ${JSON.stringify(value)} ${fault}`);
        }
      }
    }
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      visit(member, pointer(path, name), kind);
    }
    for (const [name, part] of [
      ['0', schema.items],
      ['example.com/a', schema.additionalProperties],
    ] as const) {
      if (typeof part === 'object') {
        visit(part, pointer(path, name), kind);
      }
    }
  };
  for (const info of allKinds()) {
    if (!info.builtIn || info.minors?.includes(DEFAULT_MINOR) === true) {
      visit(loadSchema(info, DEFAULT_MINOR), '', `${info.apiVersion} ${info.kind}`);
    }
  }
  expect(faults).toEqual([]);
  expect(values).toBeGreaterThan(5000);
});

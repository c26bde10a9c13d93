/**
 * Sizes that the schema of a definition declares, and those that follow from the largest request (`apiserver/pkg/cel/common/schemas.go`): a list
 * without `maxItems` may have as many of its smallest items as one request can.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { asObject, isObject } from '../../manifests/read';
import { escapedName } from '../escaped-names';
import { type Declared, type SizeAt, sizeBelow } from './declared-sizes';
import { times } from './sizes';

/** Bytes of the largest request. */
const LARGEST_REQUEST = 3 * 1024 * 1024;
const QUOTES = 2;
/** Bytes of the smallest list, map, or object: its brackets. */
const BRACKETS = 2;
/** Bytes around a value of a map: the quotes of its key, one character, a colon, and a comma. */
const AROUND_VALUE = 6;
/** Bytes around the value of a required field beside its name. */
const AROUND_FIELD = 4;
/** Bytes of one code point. */
const LONGEST_CHARACTER = 4;

/** The longest and the shortest text of a format, in bytes, with its quotes. */
const FORMATS: ReadonlyMap<string, readonly [longest: number, shortest: number]> = new Map([
  ['duration', [32, 3]],
  ['date', [12, 12]],
  ['date-time', [32, 21]],
]);

interface Part {
  readonly declared: Declared;
  /** Bytes of the smallest value. */
  readonly smallest: number;
}

const TEXT: JsonObject = { type: 'string' };
const OF_EVERY_OBJECT: JsonObject = {
  apiVersion: TEXT,
  kind: TEXT,
  metadata: { type: 'object', properties: { name: TEXT, generateName: TEXT } },
};

export class SchemaSizes {
  private readonly parts = new WeakMap<JsonObject, { readonly part: Part | undefined }>();

  constructor(private readonly root: JsonObject) {}

  /**
   * Sizes of what the rules of a part of the schema see as `self` and `oldSelf`. The server takes the first step of every path for the variable, also
   * where the path begins at a computed value.
   */
  sizesOf(schema: JsonObject): SizeAt {
    const part = this.partAt(schema);
    return ([, ...steps]) => (part === undefined ? undefined : sizeBelow(part.declared, steps));
  }

  /** How often a value of this schema can occur in one request. */
  mostOccurrences(schema: JsonObject): number {
    return Math.floor(LARGEST_REQUEST / ((this.partAt(schema)?.smallest ?? 0) + 1));
  }

  private partAt(schema: JsonObject): Part | undefined {
    const known = this.parts.get(schema);
    if (known !== undefined) {
      return known.part;
    }
    const part = this.partOf(schema);
    this.parts.set(schema, { part });
    return part;
  }

  private partOf(schema: JsonObject): Part | undefined {
    if (schema['x-kubernetes-int-or-string'] === true) {
      return { declared: { most: textSize(schema) }, smallest: 1 };
    }
    switch (text(schema.type)) {
      case 'array':
        return this.list(schema);
      case 'object':
        return isObject(schema.additionalProperties)
          ? this.map(schema, schema.additionalProperties)
          : this.object(schema);
      case 'string':
        return string(schema);
      case 'boolean':
        return { declared: { most: 0 }, smallest: 4 };
      case 'number':
      case 'integer':
        return { declared: { most: 0 }, smallest: 1 };
      default:
        return undefined;
    }
  }

  private list(schema: JsonObject): Part | undefined {
    const item = isObject(schema.items) ? this.partAt(schema.items) : undefined;
    if (item === undefined) {
      return undefined;
    }
    const most = limitOf(schema, 'maxItems') ?? Math.floor((LARGEST_REQUEST - BRACKETS) / (item.smallest + 1));
    return { declared: { most, items: item.declared }, smallest: BRACKETS };
  }

  private map(schema: JsonObject, values: JsonObject): Part | undefined {
    const value = this.partAt(values);
    if (value === undefined) {
      return undefined;
    }
    const most =
      limitOf(schema, 'maxProperties') ?? Math.floor((LARGEST_REQUEST - BRACKETS) / (value.smallest + AROUND_VALUE));
    return { declared: { most, items: value.declared, keys: { most: 0 } }, smallest: BRACKETS };
  }

  private object(schema: JsonObject): Part {
    const isResource = schema === this.root || schema['x-kubernetes-embedded-resource'] === true;
    const properties = { ...asObject(schema.properties), ...(isResource ? OF_EVERY_OBJECT : {}) };
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    const fields = new Map<string, Declared>();
    let smallest = BRACKETS;
    for (const [name, property] of Object.entries(properties)) {
      const part = isObject(property) ? this.partAt(property) : undefined;
      const escaped = escapedName(name);
      if (part === undefined) {
        continue;
      }
      if (escaped !== undefined) {
        fields.set(escaped, part.declared);
      }
      if (required.has(name) && asObject(property).default === undefined) {
        smallest += Buffer.byteLength(name) + part.smallest + AROUND_FIELD;
      }
    }
    return { declared: { most: 0, field: (name) => fields.get(name) }, smallest };
  }
}

/**
 * How many values of a part below this one an object can have, by the limits of the lists and maps around it; `undefined` where one has no limit.
 *
 * @param here the same for this part
 */
export function occurrencesBelow(schema: JsonObject, here: number | undefined): number | undefined {
  const isMap = schema.type === 'object' && isSet(schema.additionalProperties);
  if (here === undefined || (!isMap && schema.type !== 'array')) {
    return here;
  }
  const most = limitOf(schema, isMap ? 'maxProperties' : 'maxItems');
  return most === undefined ? undefined : times(here, most);
}

function isSet(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function string(schema: JsonObject): Part {
  const format = FORMATS.get(text(schema.format));
  return format === undefined
    ? { declared: { most: textSize(schema) }, smallest: QUOTES }
    : { declared: { most: format[0] }, smallest: format[1] };
}

/** The server counts four bytes for each character, except in `format: byte`. */
function textSize(schema: JsonObject): number {
  const most = limitOf(schema, 'maxLength');
  const isBytes = schema.format === 'byte' && schema['x-kubernetes-int-or-string'] !== true;
  if (most !== undefined) {
    return isBytes ? most : most * LONGEST_CHARACTER;
  }
  const values = isBytes || schema['x-kubernetes-int-or-string'] === true ? [] : schema.enum;
  return Array.isArray(values) && values.length > 0
    ? Math.max(...values.map((value) => (typeof value === 'string' ? Buffer.byteLength(value) : 0)))
    : LARGEST_REQUEST - QUOTES;
}

function limitOf(schema: JsonObject, field: 'maxItems' | 'maxLength' | 'maxProperties'): number | undefined {
  const limit = schema[field];
  return typeof limit === 'number' ? Math.max(0, limit) : undefined;
}

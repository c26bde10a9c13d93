/**
 * Values of an object as CEL sees them: typed by the schema, not by JSON.
 *
 * An integer of the schema is a CEL int, a number a double; fields are reached by escaped names; maps keep their keys. Values that the
 * schema does not describe are typed by what they are.
 */
import { celList, celMap, type CelInput, type CelList, type CelMap } from '@bufbuild/cel';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { type SchemaNode } from '../schema/schema-node';
import { durationOf } from '../../cel/durations';
import { escapedName, RESERVED } from '../../cel/escaped-names';
import { markUnordered } from '../../cel/unordered';

/** Converts values of one object; what several rules look at is converted once. */
export class CelValues {
  private readonly known = new WeakMap<object, CelList | CelMap>();

  of(value: JsonValue, node: SchemaNode | undefined): CelInput {
    if (value === null) {
      return null;
    }
    if (typeof value === 'string') {
      return text(value, node);
    }
    if (typeof value === 'number') {
      return node?.schema.type === 'number' || !Number.isInteger(value) ? value : BigInt(value);
    }
    if (typeof value === 'boolean') {
      return value;
    }
    const known = this.known.get(value);
    if (known !== undefined) {
      return known;
    }
    const made = Array.isArray(value) ? this.list(value, node) : this.map(value, node);
    this.known.set(value, made);
    return made;
  }

  /** The root of a resource: rules see its type and, of its metadata, the name. */
  ofRoot(object: JsonObject, node: SchemaNode): CelInput {
    const { apiVersion, kind, metadata } = object;
    const body = this.map(object, node);
    const entries = new Map<string, CelInput>();
    for (const [key, value] of body.entries()) {
      if (typeof key === 'string') {
        entries.set(key, value);
      }
    }
    if (typeof apiVersion === 'string') {
      entries.set('apiVersion', apiVersion);
    }
    if (typeof kind === 'string') {
      entries.set('kind', kind);
    }
    const names = new Map<string, CelInput>();
    if (metadata !== null && typeof metadata === 'object' && !Array.isArray(metadata)) {
      for (const name of ['name', 'generateName']) {
        const value = metadata[name];
        if (typeof value === 'string' && value !== '') {
          names.set(name, value);
        }
      }
    }
    entries.set('metadata', celMap(names));
    return celMap(entries);
  }

  private list(value: readonly JsonValue[], node: SchemaNode | undefined): CelList {
    const items = node?.items;
    const list = celList(value.map((item) => this.of(item, items)));
    if (node?.listType === 'set' || node?.listType === 'map') {
      markUnordered(list);
    }
    return list;
  }

  private map(value: JsonObject, node: SchemaNode | undefined): CelMap {
    const entries = new Map<string, CelInput>();
    const isObject = node?.schema.properties !== undefined;
    for (const [key, item] of Object.entries(value)) {
      const child = node?.child(key);
      // A null field of an object is as good as none; a null value of a map is a value.
      if (isObject && item === null) {
        continue;
      }
      const name = isObject ? escapedName(key) : key;
      if (name === undefined) {
        continue;
      }
      const converted = this.of(item, child ?? node?.values);
      entries.set(name, converted);
      // The server answers to the plain name too: rules say `metadata.namespace`.
      if (isObject && RESERVED.has(key)) {
        entries.set(key, converted);
      }
    }
    return celMap(entries);
  }
}

function text(value: string, node: SchemaNode | undefined): CelInput {
  if (node?.schema.type !== 'string') {
    return value;
  }
  switch (node.schema.format) {
    case 'byte':
      return new Uint8Array(Buffer.from(value, 'base64'));
    case 'duration':
      return durationOf(value) ?? value;
    case 'date':
    case 'date-time': {
      const date = new Date(value);
      return Number.isNaN(date.getTime()) ? value : timestampFromDate(date);
    }
    case undefined:
    default:
      return value;
  }
}

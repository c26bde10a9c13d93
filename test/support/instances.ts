/**
 * Makes objects that a schema accepts, by construction: required fields always, others by chance, keys of keyed lists all different.
 *
 * CEL rules are not looked at; an object may break them.
 */
import { isObject } from '../../src/manifests/read';
import { type JsonObject, type JsonValue, type KindInfo, type Schema } from '../../src/facts/api/schema';
import { patternOf } from '../../src/manifests/values/patterns';
import { type Random } from './random';

/** A text for every pattern of the covered kinds is among these. */
const TEXTS = [
  'a',
  'b',
  'abc',
  'team-a',
  'x1',
  'example.com/a',
  'example.com',
  '1',
  '10',
  '0',
  '1.5',
  '1h',
  '30s',
  '5m',
  '10%',
  '1Gi',
  '2Gi',
  '500G',
  '/a',
  'A',
  'Ready',
  'Never',
  'http://example.com',
  'https://example.com',
  's3://bucket/key',
  'socks5://example.com:1080',
  'registry.example.com/image:1',
  '2026-01-01T00:00:00Z',
  '0123456789ab',
  'abcdef0123',
  'sg-0123456789abcdef0',
  'subnet-0123456789abcdef0',
  'ami-0123456789abcdef0',
  'pg-0123456789abcdef0',
  'cr-0123456789abcdef0',
  'pl-0123456789abcdef0',
  'eni-0123456789abcdef0',
  '+10%',
  '-10%',
  '+0.5',
  '12:00',
  'monday',
  'january',
  '2026',
  '1:5',
  'a=b',
  '@daily',
  '0 0 * * *',
  'abort',
  'dir/file.json',
  '256MB',
  'region',
  '20Gi',
];
const LONGER = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** A value that cannot be made: a pattern for which no text is known. */
const IMPOSSIBLE = Symbol('impossible');
type Made = JsonValue | typeof IMPOSSIBLE;

export class InstanceMaker {
  /** Values left before only required fields are written. */
  private budget = 0;

  constructor(private readonly random: Random) {}

  /**
   * An object of the kind.
   * @param richness about how many values it may hold beyond the required ones
   */
  make(info: KindInfo, schema: Schema, richness: number): JsonObject {
    this.budget = richness;
    const made = this.object(info.hasStatusSubresource ? withoutStatus(schema) : schema, 0);
    if (made === IMPOSSIBLE) {
      throw new Error(`no object of ${info.apiVersion} ${info.kind} can be made`);
    }
    return {
      ...made,
      apiVersion: info.apiVersion,
      kind: info.kind,
      metadata: { name: 'made', ...(info.scope === 'Cluster' ? {} : { namespace: 'default' }) },
    };
  }

  /** A value that the schema allows; `undefined` where none can be made. */
  value(schema: Schema, richness: number): JsonValue | undefined {
    this.budget = richness;
    const made = this.made(schema, 1);
    return made === IMPOSSIBLE ? undefined : made;
  }

  private made(schema: Schema, depth: number, index = 0): Made {
    if (schema.enum !== undefined) {
      return this.random.pick(schema.enum);
    }
    if (schema['x-kubernetes-int-or-string'] === true && schema.pattern === undefined) {
      return index + 1;
    }
    if (schema['x-kubernetes-int-or-string'] === true) {
      return this.text(schema, index);
    }
    switch (schema.type) {
      case 'string':
        return this.text(schema, index);
      case 'integer':
      case 'number':
        return this.number(schema, index);
      case 'boolean':
        return this.random.chance(0.5);
      case 'array':
        return this.array(schema, depth);
      case 'object':
        return this.object(schema, depth);
      case undefined:
        return schema.properties === undefined ? 'anything' : this.object(schema, depth);
    }
  }

  private number({ minimum = 0, maximum = Infinity, exclusiveMinimum, exclusiveMaximum }: Schema, index: number): Made {
    const low = minimum + (exclusiveMinimum === true ? 1 : 0);
    const high = maximum - (exclusiveMaximum === true ? 1 : 0);
    const value = Math.max(low, 1) + index;
    return value <= high ? value : low <= high ? low : IMPOSSIBLE;
  }

  private text(schema: Schema, index: number): Made {
    if (schema.format === 'quantity') {
      return this.random.pick(['1', '500m', '2Gi']);
    }
    if (schema.format === 'int-or-string') {
      return 1;
    }
    if (schema.format === 'date-time') {
      return '2026-01-01T00:00:00.000000Z';
    }
    if (schema.format === 'byte') {
      return 'YWJj';
    }
    const { minLength = 0, maxLength = Infinity, pattern } = schema;
    const matches = (text: string): boolean => pattern === undefined || patternOf(pattern)?.test(text) === true;
    const fits = (text: string): boolean => text.length >= minLength && text.length <= maxLength && matches(text);
    const indexed = `item-${index}`;
    if (fits(indexed)) {
      return indexed;
    }
    if (fits(LONGER)) {
      return LONGER;
    }
    const choices = TEXTS.filter(fits);
    return choices.length === 0
      ? IMPOSSIBLE
      : index < choices.length
        ? (choices[(index * 7) % choices.length] ?? IMPOSSIBLE)
        : IMPOSSIBLE;
  }

  private array(schema: Schema, depth: number): Made {
    const { minItems = 0, maxItems = 2 } = schema;
    const wanted = Math.min(Math.max(minItems, this.budget > 0 ? 1 + Number(this.random.chance(0.3)) : 0), maxItems);
    const items: JsonValue[] = [];
    const keys = new Set<string>();
    const names = schema['x-kubernetes-list-map-keys'] ?? [];
    const listType = schema['x-kubernetes-list-type'];
    const isAtomic = listType === undefined || listType === 'atomic';
    for (let i = 0; items.length < wanted && i < wanted + 4; i += 1) {
      const item = this.made(schema.items ?? {}, depth + 1, i);
      if (item === IMPOSSIBLE) {
        break;
      }
      const isMap = listType === 'map' && isObject(item);
      if (isMap) {
        for (const name of names) {
          this.writeKey(item, name, schema.items?.properties?.[name], i);
        }
      }
      const key = JSON.stringify(isMap ? names.map((name) => item[name] ?? null) : item);
      if (isAtomic || !keys.has(key)) {
        keys.add(key);
        items.push(item);
      }
    }
    return items.length < minItems ? IMPOSSIBLE : items;
  }

  private writeKey(item: JsonObject, name: string, schema: Schema | undefined, index: number): void {
    if (schema === undefined || schema.enum !== undefined) {
      return;
    }
    const value = this.made(schema, 99, index);
    if (value !== IMPOSSIBLE) {
      item[name] = value;
    }
  }

  private object(schema: Schema, depth: number): JsonObject | typeof IMPOSSIBLE {
    const made: JsonObject = {};
    const required = new Set(schema.required ?? []);
    if (depth > 24) {
      return required.size === 0 ? made : IMPOSSIBLE;
    }
    const members = Object.entries(schema.properties ?? {}).filter(([name]) => depth > 0 || !IDENTITY.has(name));
    for (const [name, child] of members) {
      const isRequired = required.has(name);
      if (!isRequired && (this.budget <= 0 || !this.random.chance(depth < 2 ? 0.7 : 0.25))) {
        continue;
      }
      this.budget -= 1;
      const value = this.made(child, depth + 1);
      if (value !== IMPOSSIBLE) {
        made[name] = value;
      } else if (isRequired) {
        return IMPOSSIBLE;
      }
    }
    if (typeof schema.additionalProperties === 'object' && (this.budget > 0 || (schema.minProperties ?? 0) > 0)) {
      this.budget -= 1;
      const value = this.made(schema.additionalProperties, depth + 1);
      if (value !== IMPOSSIBLE) {
        made.key = value;
      }
    }
    return Object.keys(made).length < (schema.minProperties ?? 0) ? IMPOSSIBLE : made;
  }
}

/** Members of every object, which say what it is. */
const IDENTITY: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** What is written under `status` is dropped on create. */
function withoutStatus(schema: Schema): Schema {
  const properties = { ...schema.properties };
  delete properties.status;
  return {
    ...schema,
    properties,
    ...(schema.required ? { required: schema.required.filter((name) => name !== 'status') } : {}),
  };
}

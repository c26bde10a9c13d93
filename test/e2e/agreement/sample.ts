/**
 * A value that a schema allows, for adding a field that a manifest does not have.
 */
import { type JsonObject, type JsonValue, type Schema } from '../../../src/facts/api/schema';
import { type Random } from '../../support/random';

const TEXTS = [
  'a',
  'abc',
  'name',
  'example.com/a',
  'example.com',
  '1',
  '10',
  '0x10',
  '1h',
  '30s',
  '10%',
  '1Gi',
  '/a',
  'A',
  'Always',
  'http://example.com',
  'https://example.com',
  '2026-01-01T00:00:00Z',
  '10.0.0.1',
  '10.0.0.0/8',
  'abcdef0123',
  'sg-0123456789abcdef0',
  'a=b',
  '+10%',
  '0.5',
];

/** Required fields and a few others, as deep as `depth` says. */
export function sample(schema: Schema, random: Random, depth = 3): JsonValue {
  if (schema.enum !== undefined) {
    return random.pick(schema.enum);
  }
  if (schema.default !== undefined && random.chance(0.3)) {
    return structuredClone(schema.default);
  }
  if (schema['x-kubernetes-int-or-string'] === true) {
    return random.pick<JsonValue>([1, '1', '50%']);
  }
  switch (schema.type) {
    case 'string':
      return sampleText(schema, random);
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, Math.min(schema.maximum ?? 5, random.pick([1, 1, 2, 5])));
    case 'boolean':
      return random.chance(0.5);
    case 'array':
      return Array.from({ length: Math.max(schema.minItems ?? 0, depth > 0 ? 1 : 0) }, () =>
        sample(schema.items ?? {}, random, depth - 1),
      );
    case 'object':
      return sampleObject(schema, random, depth);
    case undefined:
      return 'a';
  }
}

function sampleText(schema: Schema, random: Random): string {
  const limit = schema.maxLength ?? Infinity;
  const fits = TEXTS.filter(
    (text) => text.length >= (schema.minLength ?? 0) && text.length <= limit && matches(schema.pattern, text),
  );
  return fits.length === 0 ? 'a' : random.pick(fits);
}

function matches(pattern: string | undefined, text: string): boolean {
  if (pattern === undefined) {
    return true;
  }
  try {
    return new RegExp(pattern.replace('(?i)', '')).test(text);
  } catch {
    return true;
  }
}

function sampleObject(schema: Schema, random: Random, depth: number): JsonObject {
  const object: JsonObject = {};
  if (depth < -4) {
    return object;
  }
  const required = new Set(schema.required ?? []);
  for (const [key, child] of Object.entries(schema.properties ?? {})) {
    if (required.has(key) || (depth > 0 && random.chance(0.15))) {
      object[key] = sample(child, random, depth - 1);
    }
  }
  if (typeof schema.additionalProperties === 'object' && depth > 0) {
    object.a = sample(schema.additionalProperties, random, depth - 1);
  }
  return object;
}

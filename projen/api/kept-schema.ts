/**
 * Cuts an OpenAPI schema down to what an API server enforces: facts stay, prose (descriptions, titles, examples, CEL messages) goes.
 *
 * The output is canonical: keys and `required` in a fixed order, so that equal schemas are equal text.
 */
import { type CelRule, type JsonObject, type JsonValue, type Schema } from '../../src/facts/api/schema';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
export type MutableSchema = Mutable<Schema>;

const SCALAR_KEYWORDS = [
  'type',
  'format',
  'enum',
  'default',
  'nullable',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-unions',
] as const;

/** Keywords that say `off` by being false, so that false and absent are the same schema. */
const FALSE_IS_ABSENT = new Set([
  'nullable',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'uniqueItems',
  'x-kubernetes-int-or-string',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-preserve-unknown-fields',
]);

const CEL_KEYWORDS = ['rule', 'messageExpression', 'reason', 'fieldPath', 'optionalOldSelf'] as const;

/** Every keyword that may be in a schema and is dropped on purpose; anything else stops the generator. */
const DROPPED = new Set([
  'description',
  'title',
  'example',
  'examples',
  'externalDocs',
  '$schema',
  'x-kubernetes-patch-strategy',
  'x-kubernetes-patch-merge-key',
  'x-kubernetes-group-version-kind',
  'x-kubernetes-unions',
  'x-kubernetes-validations',
]);

/**
 * @param resolve answers a `$ref`; a CRD has none
 * @throws Error where the schema holds a keyword this function does not know: dropping it unseen could lose a rule
 */
export function keptSchema(raw: JsonObject, place: string, resolve?: (ref: string) => Schema): Schema {
  if (typeof raw.$ref === 'string') {
    if (!resolve) {
      throw new Error(`${place}: $ref ${raw.$ref} in a schema that may hold none`);
    }
    return resolve(raw.$ref);
  }
  const all = raw.allOf;
  // OpenAPI v3 wraps a reference in allOf to be able to write a description beside it.
  if (resolve && Array.isArray(all) && all.length === 1) {
    return keptSchema(all[0] as JsonObject, place, resolve);
  }

  const sub: Step = (value, step) => keptSchema(value as JsonObject, `${place}/${step}`, resolve);
  const kept: Record<string, unknown> = { ...keptScalars(raw), ...keptMembers(raw, sub), ...keptBranches(raw, sub) };
  const rules = raw['x-kubernetes-validations'];
  if (Array.isArray(rules) && rules.length > 0) {
    kept['x-kubernetes-validations'] = rules.map((rule) => keptRule(rule as JsonObject));
  }

  for (const keyword of Object.keys(raw)) {
    if (!(keyword in kept) && !DROPPED.has(keyword) && !FALSE_IS_ABSENT.has(keyword) && keyword !== 'required') {
      throw new Error(`${place}: unknown schema keyword '${keyword}'`);
    }
  }
  return kept;
}

/** Keeps a schema within the one at hand. */
type Step = (value: JsonValue, step: string) => Schema;

function keptScalars(raw: JsonObject): Record<string, unknown> {
  return Object.fromEntries(
    SCALAR_KEYWORDS.flatMap((keyword) => {
      const value = raw[keyword];
      return value === undefined || (value === false && FALSE_IS_ABSENT.has(keyword)) ? [] : [[keyword, value]];
    }),
  );
}

/** What an object or a list has. */
function keptMembers(raw: JsonObject, sub: Step): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  if (raw.properties !== undefined) {
    const properties = raw.properties as JsonObject;
    kept.properties = Object.fromEntries(
      Object.keys(properties)
        .sort()
        .map((name) => [name, sub(properties[name], name)]),
    );
  }
  if (Array.isArray(raw.required) && raw.required.length > 0) {
    kept.required = [...(raw.required as string[])].sort();
  }
  if (raw.items !== undefined) {
    kept.items = sub(raw.items, '[]');
  }
  if (raw.additionalProperties !== undefined) {
    const value = raw.additionalProperties;
    kept.additionalProperties = typeof value === 'boolean' ? value : sub(value, '{}');
  }
  return kept;
}

function keptBranches(raw: JsonObject, sub: Step): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const) {
    const branches = raw[keyword];
    if (Array.isArray(branches)) {
      kept[keyword] = branches.map((branch, i) => sub(branch, `${keyword}[${i}]`));
    }
  }
  if (raw.not !== undefined) {
    kept.not = sub(raw.not, 'not');
  }
  return kept;
}

function keptRule(raw: JsonObject): CelRule {
  const kept: Record<string, unknown> = {};
  for (const keyword of CEL_KEYWORDS) {
    if (raw[keyword] !== undefined) {
      kept[keyword] = raw[keyword];
    }
  }
  return kept as unknown as CelRule;
}

/**
 * Changes to a valid object whose verdict follows from the change alone: which rule must fire, and where.
 */
import { type JsonObject, type JsonValue, type KindInfo, type Schema } from '../../src/facts/api/schema';
import { pointer } from '../../src/manifests/pointer';
import { isOptionalField } from '../../src/checks/schema/optional-fields';
import { patternOf } from '../../src/manifests/values/patterns';
import { type Random } from './random';

export interface Mutant {
  readonly operator: string;
  readonly object: JsonObject;
  /** The rule that must fire; absent where the object stays valid. */
  readonly rule?: string;
  /** JSON pointer of the finding. */
  readonly path: string;
}

/** A value inside an object, with its schema. */
interface Site {
  readonly path: readonly (string | number)[];
  readonly value: JsonValue;
  readonly schema: Schema;
}

interface Change {
  readonly path: readonly (string | number)[];
  /** Absent: the value is taken away. */
  readonly value?: JsonValue;
  readonly rule?: string;
  /** The place of the finding. Default: at the changed value. */
  readonly at?: readonly (string | number)[];
}

type Operator = (site: Site, random: Random, info: KindInfo) => Change | undefined;

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const keeps = (schema: Schema): boolean => schema['x-kubernetes-preserve-unknown-fields'] === true;
const isInt32 = (schema: Schema): boolean => schema.type === 'integer' && schema.format === 'int32';

/** Values of a type that the field does not take; nested objects and lists are never valid scalars. */
function wrongValue(schema: Schema): JsonValue | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) {
    return true;
  }
  switch (schema.type) {
    case 'string':
      return schema.format === undefined ? 5 : true;
    case 'integer':
    case 'number':
      return 'five';
    case 'boolean':
      return 'yes';
    case 'array':
      return 'a list';
    case 'object':
      return keeps(schema) ? undefined : 'an object';
    case undefined:
      return undefined;
  }
}

export const OPERATORS: Readonly<Record<string, Operator>> = {
  'rename a field': ({ path, value, schema }, random) => {
    if (
      !isObject(value) ||
      schema.properties === undefined ||
      keeps(schema) ||
      schema.additionalProperties !== undefined
    ) {
      return undefined;
    }
    const names = Object.keys(value).filter(
      (name) => path.length > 0 || !['apiVersion', 'kind', 'metadata'].includes(name),
    );
    if (names.length === 0) {
      return undefined;
    }
    const name = random.pick(names);
    const renamed = { ...value, [`${name}Qx`]: value[name] ?? null };
    delete renamed[name];
    return { path, value: renamed, rule: 'schema/unknown-field', at: [...path, `${name}Qx`] };
  },
  'add a field': ({ path, value, schema }) => {
    if (!isObject(value) || keeps(schema) || schema.additionalProperties !== undefined || schema.type !== 'object') {
      return undefined;
    }
    return { path: [...path, 'gantryUnknown'], value: 1, rule: 'schema/unknown-field' };
  },
  'wrong type': ({ path, schema }) => {
    const value = path.length === 0 ? undefined : wrongValue(schema);
    return value === undefined ? undefined : { path, value, rule: 'schema/type' };
  },
  'not in the enum': ({ path, value, schema }) =>
    typeof value === 'string' && schema.enum !== undefined
      ? { path, value: 'not-among-them', rule: 'schema/enum' }
      : undefined,
  'below the bound': ({ path, value, schema }) =>
    typeof value === 'number' && schema.minimum !== undefined
      ? { path, value: schema.minimum - 1, rule: 'schema/bound' }
      : undefined,
  'above the bound': ({ path, value, schema }) =>
    typeof value === 'number' && schema.maximum !== undefined
      ? { path, value: schema.maximum + 1, rule: 'schema/bound' }
      : undefined,
  'too wide a number': ({ path, value, schema }) =>
    typeof value === 'number' && isInt32(schema) ? { path, value: 2147483648, rule: 'schema/format' } : undefined,
  'missing required': ({ path, value, schema }, random, info) => {
    if (!isObject(value)) {
      return undefined;
    }
    const kind = info.group === '' ? info.kind : `${info.group}/${info.kind}`;
    const names = (schema.required ?? []).filter(
      (name) =>
        Object.hasOwn(value, name) &&
        schema.properties?.[name]?.default === undefined &&
        !(path.length === 0 && ['apiVersion', 'kind', 'metadata'].includes(name)) &&
        !(info.builtIn && isOptionalField(kind, pointer('', ...path, name), 36)),
    );
    return names.length === 0 ? undefined : { path: [...path, random.pick(names)], rule: 'schema/required' };
  },
  'null for a required field': ({ path, value, schema }, random, info) => {
    const change = OPERATORS['missing required']?.({ path, value, schema }, random, info);
    const name = change?.path[change.path.length - 1];
    return change === undefined || (typeof name === 'string' && schema.properties?.[name]?.nullable === true)
      ? undefined
      : { ...change, value: null };
  },
  'duplicate list key': ({ path, value, schema }, _random, info) => {
    if (info.builtIn || !Array.isArray(value) || value.length === 0 || schema['x-kubernetes-list-type'] !== 'map') {
      return undefined;
    }
    return {
      path,
      value: [...value, structuredClone(value[0] ?? null)],
      rule: 'schema/duplicate-list-key',
      at: [...path, value.length],
    };
  },
  'duplicate set item': ({ path, value, schema }, _random, info) => {
    if (info.builtIn || !Array.isArray(value) || value.length === 0 || schema['x-kubernetes-list-type'] !== 'set') {
      return undefined;
    }
    return {
      path,
      value: [...value, structuredClone(value[0] ?? null)],
      rule: 'schema/duplicate-set-item',
      at: [...path, value.length],
    };
  },
  'null list item': ({ path, value, schema }, _random, info) => {
    const { type, nullable, default: preset } = schema.items ?? {};
    if (info.builtIn || !Array.isArray(value) || type === undefined || nullable === true || preset !== undefined) {
      return undefined;
    }
    return { path, value: [...value, null], rule: 'schema/null-item', at: [...path, value.length] };
  },
  'outside the pattern': ({ path, value, schema }) => {
    const wrong = ' \u0001 ';
    if (typeof value !== 'string' || schema.pattern === undefined || schema.enum !== undefined) {
      return undefined;
    }
    if (patternOf(schema.pattern)?.test(wrong) !== false) {
      return undefined;
    }
    return (schema.maxLength ?? 3) < 3 || (schema.minLength ?? 0) > 3
      ? undefined
      : { path, value: wrong, rule: 'schema/pattern' };
  },
  'too long a text': ({ path, value, schema }) =>
    typeof value === 'string' && schema.maxLength !== undefined && schema.enum === undefined && schema.maxLength < 5000
      ? { path, value: 'é'.repeat(schema.maxLength + 1), rule: 'schema/size' }
      : undefined,
  'no quantity': ({ path, value, schema }) =>
    value !== null && schema.format === 'quantity' ? { path, value: '1KI', rule: 'schema/format' } : undefined,
  'no time': ({ path, value, schema }) =>
    typeof value === 'string' && schema.format === 'date-time'
      ? { path, value: 'yesterday', rule: 'schema/format' }
      : undefined,
  'no base64': ({ path, value, schema }, _random, info) =>
    info.builtIn && typeof value === 'string' && schema.format === 'byte'
      ? { path, value: 'not base64!', rule: 'schema/format' }
      : undefined,
  'null for an optional field': ({ path, value, schema }) => {
    if (!isObject(value) || keeps(schema)) {
      return undefined;
    }
    const name = Object.keys(schema.properties ?? {}).find(
      (key) => !Object.hasOwn(value, key) && !(schema.required ?? []).includes(key),
    );
    return name === undefined || (path.length === 0 && name === 'status')
      ? undefined
      : { path: [...path, name], value: null };
  },
  'default left out': ({ path, value, schema }, _random, info) => {
    if (info.builtIn || !isObject(value)) {
      return undefined;
    }
    const name = Object.keys(value).find((key) => schema.properties?.[key]?.default !== undefined);
    return name === undefined ? undefined : { path: [...path, name] };
  },
};

/** One mutant by each operator that finds a place in the object. */
export function mutantsOf(object: JsonObject, info: KindInfo, schema: Schema, random: Random): readonly Mutant[] {
  const sites = sitesOf({ path: [], value: object, schema });
  const mutants: Mutant[] = [];
  for (const [operator, change] of Object.entries(OPERATORS)) {
    const places = sites.flatMap((site) => change(site, random, info) ?? []);
    if (places.length === 0) {
      continue;
    }
    const { path, value, rule, at = path } = random.pick(places);
    mutants.push({
      operator,
      object: changed(object, path, value),
      ...(rule === undefined ? {} : { rule }),
      path: pointer('', ...at),
    });
  }
  return mutants;
}

function sitesOf(site: Site): readonly Site[] {
  const { path, value, schema } = site;
  const below: Site[] = [];
  if (Array.isArray(value)) {
    value.forEach((item, index) =>
      below.push(...sitesOf({ path: [...path, index], value: item, schema: schema.items ?? {} })),
    );
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (path.length === 0 && ['apiVersion', 'kind', 'metadata', 'status'].includes(key)) {
        continue;
      }
      const child =
        schema.properties?.[key] ??
        (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined);
      if (child !== undefined) {
        below.push(...sitesOf({ path: [...path, key], value: item, schema: child }));
      }
    }
  }
  return [site, ...below];
}

function changed(object: JsonObject, path: readonly (string | number)[], value: JsonValue | undefined): JsonObject {
  if (path.length === 0) {
    return isObject(value) ? value : object;
  }
  const copy = structuredClone(object);
  let parent: JsonValue = copy;
  for (const step of path.slice(0, -1)) {
    parent = (parent as JsonObject)[step] ?? null;
  }
  const last = path[path.length - 1] ?? '';
  if (Array.isArray(parent)) {
    parent[Number(last)] = value ?? null;
  } else if (isObject(parent)) {
    if (value === undefined) {
      delete parent[last];
    } else {
      parent[last] = value;
    }
  }
  return copy;
}

/**
 * Mutations of structure: unknown fields, duplicate items, alternatives that exclude each other.
 */
import { type JsonObject, type JsonValue, type Schema } from '../../../src/facts/api/schema';
import { isObject } from '../../../src/manifests/read';
import { added, innerSites, type Mutation, objectSites, type Operator, removed, replaced, short } from './mutation';
import { type Random } from '../../support/random';
import { sample } from './sample';
import { type Path, type Site, withValue } from './sites';

/** A field that no schema has, or a known one misspelled. */
export const unknownField: Operator = {
  name: 'unknown field',
  apply(object, sites, random) {
    const site = random.pick(objectSites(sites));
    const keys = Object.keys(site.value);
    if (keys.length > 0 && site.path.length > 0 && random.chance(0.4)) {
      const key = random.pick(keys);
      return renamed(object, site.path, site.value, key, misspelled(key, random));
    }
    return added(
      object,
      site.path,
      random.pick(['gantryUnknown', 'replica', 'Name', 'spec']),
      structuredClone(random.pick<JsonValue>([1, 'x', {}, null, []])),
    );
  },
};

function misspelled(key: string, random: Random): string {
  return random.pick([
    `${key}s`,
    key.slice(0, -1) || 'x',
    key.charAt(0).toUpperCase() + key.slice(1),
    key.toLowerCase() === key ? `x${key}` : key.toLowerCase(),
  ]);
}

function renamed(object: JsonObject, path: Path, value: JsonObject, from: string, to: string): Mutation {
  const entries = Object.entries(value).map(([key, item]) => [key === from ? to : key, item]);
  return {
    object: withValue(object, path, Object.fromEntries(entries) as JsonObject),
    what: `/${[...path, from].join('/')} renamed to ${to}`,
  };
}

/** An item of a list of objects once more: as it is, with another field changed, or without its defaulted fields. */
export const duplicateEntry: Operator = {
  name: 'duplicate list entry',
  apply(object, sites, random) {
    const lists = listsOf(sites).filter(({ value }) => value.some(isObject));
    if (lists.length === 0) {
      return undefined;
    }
    const site = random.pick(lists);
    const item = random.pick(site.value.filter(isObject));
    const again = structuredClone(item);
    const keys = Object.keys(again);
    if (keys.length > 1 && random.chance(0.6)) {
      delete again[random.pick(keys)];
    }
    return replaced(object, site.path, [...site.value, again]);
  },
};

export const duplicateItem: Operator = {
  name: 'duplicate set item',
  apply(object, sites, random) {
    const lists = listsOf(sites).filter(({ value }) => value.some((item) => !isObject(item)));
    if (lists.length === 0) {
      return undefined;
    }
    const site = random.pick(lists);
    return replaced(object, site.path, [...site.value, random.pick(site.value)]);
  },
};

function listsOf(sites: readonly Site[]): readonly (Site & { readonly value: JsonValue[] })[] {
  return sites.filter(
    (site): site is Site & { readonly value: JsonValue[] } => Array.isArray(site.value) && site.value.length > 0,
  );
}

/** A field that the schema has and the manifest has not, with a value that the schema allows. */
export const addedField: Operator = {
  name: 'added field',
  apply: (object, sites, random) => addTo(object, objectSites(sites).filter(hasRoom), random),
};

/** A whole part of the manifest, made again from its schema. */
export const madeAnew: Operator = {
  name: 'part recreated',
  apply(object, sites, random) {
    const parts = objectSites(innerSites(sites)).filter(
      ({ path, schema }) => path[0] !== 'metadata' && Object.keys(schema.properties ?? {}).length > 0,
    );
    if (parts.length === 0) {
      return undefined;
    }
    const { path, schema } = random.pick(parts);
    return replaced(object, path, sample(schema, random, random.pick([1, 2, 3])));
  },
};

/** A second one of fields of which only one may be there. */
export const union: Operator = {
  name: 'union misuse',
  apply(object, sites, random) {
    const unions = objectSites(innerSites(sites)).filter((site) => hasRoom(site) && isUnion(site.schema));
    if (unions.length === 0) {
      return undefined;
    }
    const site = random.pick(unions);
    const keys = Object.keys(site.value);
    return keys.length > 0 && random.chance(0.25)
      ? removed(object, [...site.path, random.pick(keys)])
      : addTo(object, [site], random);
  },
};

/** Alternatives are said by schema keywords in custom resources; in built-in kinds they show as several optional objects side by side. */
function isUnion(schema: Schema): boolean {
  if (schema.oneOf ?? schema.anyOf ?? schema['x-kubernetes-unions']) {
    return true;
  }
  const required = new Set(schema.required ?? []);
  return (
    Object.entries(schema.properties ?? {}).filter(([key, child]) => child.type === 'object' && !required.has(key))
      .length >= 2
  );
}

/** Something that a CEL rule speaks of: taken away, put there, or given another value. */
export const cel: Operator = {
  name: 'CEL rule',
  apply(object, sites, random) {
    const ruled = objectSites(sites).filter(({ schema }) => schema['x-kubernetes-validations'] !== undefined);
    if (ruled.length === 0) {
      return undefined;
    }
    const site = random.pick(ruled);
    const rule = random.pick(site.schema['x-kubernetes-validations'] ?? []).rule;
    const named = [...rule.matchAll(/self\.([A-Za-z_]\w*)/g)]
      .map((match) => match[1])
      .filter((key) => key in (site.schema.properties ?? {}));
    if (named.length === 0) {
      return undefined;
    }
    const key = random.pick(named);
    const child = site.schema.properties?.[key] ?? {};
    if (!(key in site.value)) {
      return added(object, site.path, key, sample(child, random));
    }
    if (site.path.length === 0 && key === 'metadata') {
      return undefined;
    }
    return random.chance(0.4)
      ? removed(object, [...site.path, key])
      : replaced(object, [...site.path, key], sample(child, random));
  },
};

function hasRoom({ value, schema }: Site & { readonly value: JsonObject }): boolean {
  return Object.keys(schema.properties ?? {}).some((key) => !(key in value));
}

function addTo(
  object: JsonObject,
  places: readonly (Site & { readonly value: JsonObject })[],
  random: Random,
): Mutation | undefined {
  if (places.length === 0) {
    return undefined;
  }
  const { path, value, schema } = random.pick(places);
  const key = random.pick(Object.keys(schema.properties ?? {}).filter((name) => !(name in value)));
  const what = sample(schema.properties?.[key] ?? {}, random, random.pick([0, 1, 2]));
  return { ...added(object, path, key, what), what: `/${[...path, key].join('/')} added: ${short(what)}` };
}

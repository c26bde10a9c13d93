/**
 * Mutations that ask what validators ask: references that meet nothing, numbers that must fit others, words that are nearly right.
 */
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { isObject } from '../../../src/manifests/read';
import { label, metadata, name } from '../agreement/identity-operators';
import { edgeNumber, edgeText, manyItems } from '../agreement/edge-operators';
import { innerSites, type Mutation, type Operator, removed, replaced } from '../agreement/mutation';
import { type Random } from '../../support/random';
import { type Site } from '../agreement/sites';
import { addedField, cel, duplicateEntry, duplicateItem, madeAnew, union } from '../agreement/structure-operators';
import { missing, number, quantity, text, word } from '../agreement/value-operators';

function onScalar(
  operator: string,
  suits: (site: Site) => boolean,
  change: (site: Site, sites: readonly Site[], random: Random) => JsonValue | undefined,
): Operator {
  return {
    name: operator,
    apply(object: JsonObject, sites: readonly Site[], random: Random): Mutation | undefined {
      const places = innerSites(sites).filter((site) => suits(site) && isOfProject(site));
      if (places.length === 0) {
        return undefined;
      }
      const site = random.pick(places);
      const value = change(site, sites, random);
      return value === undefined || value === site.value ? undefined : replaced(object, site.path, value);
    },
  };
}

/** What a container runs is text that no validator reads; it is most of many manifests. */
function isOfProject({ path }: Site): boolean {
  return !path.some((token) => token === 'command' || token === 'args');
}

/** A value of another place of the object, of the same type: a reference to something else, a number that no longer fits. */
const crossed = onScalar(
  'value of another place',
  ({ value }) => typeof value === 'string' || typeof value === 'number',
  ({ value }, sites, random) => {
    const others = innerSites(sites).filter((other) => typeof other.value === typeof value && other.value !== value);
    return others.length === 0 ? undefined : random.pick(others).value;
  },
);

/** One more or less, or one more or less than another number of the object. */
const offByOne = onScalar(
  'number off by one',
  ({ value }) => typeof value === 'number',
  ({ value }, sites, random) => {
    const numbers = sites.flatMap((other) => (typeof other.value === 'number' ? [other.value] : []));
    return (random.chance(0.5) ? (value as number) : random.pick(numbers)) + random.pick([-1, 1, 0]);
  },
);

const nearly = onScalar(
  'text nearly right',
  ({ value }) => typeof value === 'string' && value !== '',
  ({ value }, _sites, random) => {
    const old = value as string;
    const at = random.below(old.length);
    return random.pick([
      old.slice(0, at) + old.slice(at + 1),
      old.slice(0, at) + old.charAt(at) + old.slice(at),
      `${old.slice(0, at)}-${old.slice(at)}`,
      `${old.slice(0, at)}${random.pick(['_', '.', '/', ' ', ':', '%', 'X', '0'])}${old.slice(at + 1)}`,
      old.charAt(0) === old.charAt(0).toLowerCase()
        ? old.charAt(0).toUpperCase() + old.slice(1)
        : old.charAt(0).toLowerCase() + old.slice(1),
      old.split('').reverse().join(''),
    ]);
  },
);

/** An item of a list or an entry of a map goes. */
const fewer: Operator = {
  name: 'item taken away',
  apply(object, sites, random) {
    const places = innerSites(sites).filter(
      ({ path }) => typeof path[path.length - 1] === 'number' && isOfProject({ path } as Site),
    );
    return places.length === 0 ? undefined : removed(object, random.pick(places).path);
  },
};

/** An entry of a map under another key: a replica type, a resource, a label. */
const rekeyed: Operator = {
  name: 'key renamed',
  apply(object, sites, random) {
    const maps = innerSites(sites).filter(
      (site): site is Site & { readonly value: JsonObject } =>
        isObject(site.value) && Object.keys(site.value).length > 0 && site.schema.additionalProperties !== undefined,
    );
    if (maps.length === 0) {
      return undefined;
    }
    const { path, value } = random.pick(maps);
    const from = random.pick(Object.keys(value));
    const to = random.pick([
      `${from}s`,
      from.toLowerCase(),
      from.toUpperCase(),
      from.slice(1),
      `x-${from}`,
      'cpu',
      `${from} `,
    ]);
    return to === from || to === ''
      ? undefined
      : replaced(
          object,
          path,
          Object.fromEntries(Object.entries(value).map(([key, item]) => [key === from ? to : key, item])),
        );
  },
};

export const WEBHOOK_OPERATORS: readonly Operator[] = [
  ...[crossed, crossed, offByOne, offByOne, nearly, nearly, fewer, rekeyed],
  ...[number, word, quantity, missing, duplicateEntry, duplicateItem, name, label, cel, union],
  ...[addedField, addedField, madeAnew, text, metadata, manyItems, edgeText, edgeNumber],
];

/**
 * Mutations at the edges of what the server's own code counts: items of a list, characters of a text, and small numbers. They are asked when verdicts
 * are recorded, where every check is to be met by a document that it alone decides.
 */
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { isObject } from '../../../src/manifests/read';
import { innerSites, type Mutation, type Operator, replaced } from './mutation';
import { type Random } from '../../support/random';
import { type Site } from './sites';

const COUNTS = [2, 3, 8, 9, 10, 11, 16, 17, 20, 21, 32, 33, 64, 65, 100, 101, 128, 129, 256, 257];
const LENGTHS = [15, 16, 63, 64, 128, 129, 253, 254, 256, 257, 317, 318];
const NUMBERS = [-1, 0, 1, 2, 10, 11, 100, 101, 255, 256, 600, 601, 1000, 1001, 3600, 3601, 65_535, 65_536];

function onSite(
  name: string,
  suits: (site: Site) => boolean,
  change: (site: Site, random: Random) => JsonValue,
): Operator {
  return {
    name,
    apply(object: JsonObject, sites: readonly Site[], random: Random): Mutation | undefined {
      const places = innerSites(sites).filter(suits);
      if (places.length === 0) {
        return undefined;
      }
      const site = random.pick(places);
      return replaced(object, site.path, change(site, random));
    },
  };
}

/** The first item again and again, each time with names, keys, and numbers of its own. */
export const manyItems = onSite(
  'many items',
  ({ value }) => Array.isArray(value) && value.length > 0,
  ({ value }, random) =>
    Array.from({ length: random.pick(COUNTS) }, (_, index) => numbered((value as JsonValue[])[0], index)),
);

/** Fields that tell items of a list apart. */
const IDENTITY =
  /^(name|key|port|containerPort|nodePort|ip|path|mountPath|devicePath|topologyKey|driver|device|pool|id)$/;

export function numbered(item: JsonValue, index: number): JsonValue {
  if (typeof item === 'string') {
    return index === 0 ? item : `${item}${index}`;
  }
  if (typeof item === 'number') {
    return item + index;
  }
  if (!isObject(item) || index === 0) {
    return item;
  }
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) => [key, IDENTITY.test(key) ? numbered(value, index) : value]),
  );
}

export const edgeText = onSite(
  'text at a limit',
  ({ value }) => typeof value === 'string',
  ({ value }, random) => `${(value as string).slice(0, 10)}${'a'.repeat(400)}`.slice(0, random.pick(LENGTHS)),
);

export const edgeNumber = onSite(
  'number at a limit',
  ({ value }) => typeof value === 'number',
  (_site, random) => random.pick(NUMBERS),
);

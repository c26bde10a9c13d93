/**
 * Mutations of single values: another type, a number out of range, a word that is not in the list, a quantity that is none.
 */
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { isObject } from '../../../src/manifests/read';
import { innerSites, type Mutation, type Operator, removed, replaced } from './mutation';
import { type Random } from '../../support/random';
import { type Site } from './sites';

type Change = (site: Site, random: Random) => JsonValue | undefined;

/** An operator that puts another value in one place out of those where it has one to offer. */
function onValue(name: string, suits: (site: Site) => boolean, change: Change): Operator {
  return {
    name,
    apply(object: JsonObject, sites: readonly Site[], random: Random): Mutation | undefined {
      const places = innerSites(sites).filter(suits);
      if (places.length === 0) {
        return undefined;
      }
      const site = random.pick(places);
      const value = change(site, random);
      return value === undefined || JSON.stringify(value) === JSON.stringify(site.value)
        ? undefined
        : replaced(object, site.path, value);
    },
  };
}

const OTHER_TYPES: readonly JsonValue[] = [
  0,
  1,
  -1,
  1.5,
  'text',
  '',
  '5',
  'true',
  true,
  false,
  {},
  { a: 'b' },
  [],
  ['a'],
  [{}],
  [null],
  null,
];

export const wrongType = onValue(
  'wrong type',
  () => true,
  (_site, random) => structuredClone(random.pick(OTHER_TYPES)),
);

export const nothing = onValue(
  'null or empty',
  () => true,
  ({ value }, random) => {
    if (random.chance(0.5)) {
      return null;
    }
    return Array.isArray(value) ? [] : isObject(value) ? {} : typeof value === 'string' ? '' : null;
  },
);

/** Around the limits of ports and of 32 and 64 bits; beyond 2^53 JSON still carries what a double holds. */
const NUMBERS = [
  0,
  -1,
  1,
  2,
  1.5,
  65535,
  65536,
  100_001,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  2 ** 63,
  1e20,
  1e300,
];

export const number = onValue(
  'number out of range',
  ({ value, schema }) => typeof value === 'number' || schema.type === 'integer' || schema.type === 'number',
  ({ schema: { minimum, maximum } }, random) => {
    const bounds = [minimum, maximum].flatMap((bound) => (bound === undefined ? [] : [bound - 1, bound, bound + 1]));
    return random.pick(bounds.length > 0 && random.chance(0.6) ? bounds : NUMBERS);
  },
);

/** Fields of built-in kinds that are lists of words in the server's code and free text in its schema. */
const WORD_FIELD =
  /(policy|type|operator|effect|protocol|scheme|mode|strategy|phase|scope|scopes|action|kind|medium)$/i;

export const word = onValue(
  'bad enum',
  ({ path, value, schema }) =>
    schema.enum !== undefined || (typeof value === 'string' && WORD_FIELD.test(String(path[path.length - 1]))),
  ({ value, schema }, random) => {
    const text = typeof value === 'string' ? value : 'x';
    const others: readonly JsonValue[] = schema.enum ?? [];
    return random.pick<JsonValue>([
      '',
      'Gantry',
      text.toLowerCase(),
      text.toUpperCase(),
      `${text} `,
      `${text}s`,
      ...others,
    ]);
  },
);

const QUANTITIES: readonly JsonValue[] = [
  '1KI',
  '1e',
  '',
  'Gi',
  '+',
  '.',
  'm',
  '5 ',
  ' 5',
  '-1',
  '1.5x',
  'abc',
  '1K',
  '0x10',
  '1,5',
  '1e400',
  '1.5',
  1.5,
  '100m',
  0,
  '0',
  '1Ei',
  '99999999999999999999',
  '-1Gi',
  '1e3',
  '2.5Gi',
  true,
  {},
  '1_000',
  '50%',
  '150%',
  '-5%',
];

export const quantity = onValue(
  'bad quantity',
  ({ path, value, schema }) =>
    (typeof value === 'string' || typeof value === 'number') &&
    (schema['x-kubernetes-int-or-string'] === true || schema.format === 'quantity' || isAmount(path)),
  (_site, random) => random.pick(QUANTITIES),
);

function isAmount(path: Site['path']): boolean {
  return path.some(
    (token) =>
      typeof token === 'string' &&
      /^(limits|requests|hard|capacity|capability|deserved|min|max|sizeLimit)$/.test(token),
  );
}

const LONG = 'a'.repeat(300);
const TEXTS = [
  '',
  ' ',
  'Üñí',
  'UPPER',
  'with space',
  'a/b',
  'a//b',
  '-x',
  'x-',
  '!!',
  '*',
  '*.a',
  'a_b',
  'a.b',
  '..',
  '../a',
  '/abs',
  'a:b',
  'a=b',
  '1',
  '0',
  'true',
  'null',
  'not a date',
  '2026-13-01T00:00:00Z',
  '2026-01-01',
  '1.2.3.4',
  '999.1.1.1',
  '::1',
  '10.0.0.0/33',
  '5m',
  '5 m',
  '1h1h',
  'http://',
  '$(A)',
  '\u0000',
  'a\nb',
  LONG,
  'a'.repeat(64),
];

export const text = onValue(
  'odd text',
  ({ value }) => typeof value === 'string',
  ({ value, schema }, random) => {
    const limits = [schema.maxLength, schema.minLength].flatMap((length) =>
      length === undefined || length > 5000 ? [] : ['a'.repeat(length), 'a'.repeat(length + 1), 'ü'.repeat(length)],
    );
    const old = typeof value === 'string' ? value : '';
    return random.pick([...TEXTS, ...limits, `${old}!`, `${old} `, old.toUpperCase()]);
  },
);

/** Takes away what is required, or now and then anything at all. */
export const missing: Operator = {
  name: 'missing field',
  apply(object, sites, random) {
    const inner = innerSites(sites);
    const required = inner.filter(({ path, requiredBeside }) => requiredBeside.includes(String(path[path.length - 1])));
    const places = required.length > 0 && random.chance(0.6) ? required : inner;
    return places.length === 0 ? undefined : removed(object, random.pick(places).path);
  },
};

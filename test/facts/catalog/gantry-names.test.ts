/**
 * The vocabulary of `gantry.dev`: nothing in the library writes or reads a name that is not in it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { GANTRY_NAMES, GANTRY_PREFIX } from '../../../src/facts/catalog';

const SRC = resolve(__dirname, '../../../src');
/** Names of the domain that are no labels, annotations or gates: a field manager, a controller, the API version of snapshots, an example in a text. */
const NOT_ON_OBJECTS = [
  'gantry.dev/stack',
  'gantry.dev/node-agent',
  'gantry.dev/scheduler',
  'gantry.dev/node',
  'gantry.dev/pool',
  'gantry.dev/v',
];

test('every name in the source is one of the vocabulary', () => {
  const known = new Set([...NOT_ON_OBJECTS, ...GANTRY_NAMES.map(({ key }) => key)]);
  const unknown: string[] = [];
  for (const file of readdirSync(SRC, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) {
      continue;
    }
    const text = readFileSync(join(SRC, file), 'utf8');
    for (const [, name] of text.matchAll(/(?:gantry\.dev\/|\$\{GANTRY_PREFIX\})([a-z][a-z-]*)/g)) {
      if (!known.has(`${GANTRY_PREFIX}${name}`)) {
        unknown.push(`${file}: ${GANTRY_PREFIX}${name}`);
      }
    }
  }
  expect(unknown).toEqual([]);
});

test('a name appears once in each place', () => {
  const places = GANTRY_NAMES.map(({ key, place }) => `${place} ${key}`);
  expect(new Set(places).size).toBe(places.length);
  for (const { key } of GANTRY_NAMES) {
    expect(key.startsWith(GANTRY_PREFIX)).toBe(true);
  }
});

/**
 * Mutations of a configuration that is text in a ConfigMap: the text is read, one value of it is changed, and it is written again.
 */
import { parse, stringify } from 'yaml';
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { asObject, isObject, stringEntries } from '../../../src/manifests/read';
import { added, type Mutation, type Operator, removed, replaced } from '../agreement/mutation';
import { type Random } from '../../support/random';
import { type Path } from '../agreement/sites';

interface Place {
  readonly path: Path;
  readonly value: JsonValue;
}

type Change = (config: JsonObject, places: readonly Place[], random: Random) => Mutation | undefined;

const VALUES: readonly JsonValue[] = [
  ...['', ' ', 'all', 'none', 'true', '0', '4', 'abc', 'v1', 'v2', '10s', '-1', '1e3', 'a/b', 'nvidia.com/gpu'],
  ...[0, 1, 2, -1, 1.5, 100, 1e3, 2_147_483_648, 1e19],
  ...[true, false, null],
  ...[[], {}, ['all'], ['0', '1'], [0, 1], [0], [1], [[0]], { all: true }, [null], [1.5], [-1], ['0:1'], ['GPU-0']],
];

/** Operators for texts whose reader knows these keys. */
export function embeddedOperators(keys: readonly string[]): readonly Operator[] {
  const addedKey = onText('key added', (config, places, random) => {
    const maps = [{ path: [], value: config }, ...places.filter(({ value }) => isObject(value))];
    return added(config, random.pick(maps).path, random.pick(keys), random.pick(VALUES));
  });
  return [addedKey, addedKey, value, value, crossed, offByOne, nearly, nearly, without, renamed, renamed, again];
}

function onText(name: string, change: Change): Operator {
  return {
    name,
    apply(object, _sites, random): Mutation | undefined {
      const [[key, text] = ['', '']] = stringEntries(object.data);
      const config = parse(text, { version: '1.1' }) as JsonValue;
      if (!isObject(config)) {
        return undefined;
      }
      const places = placesIn(config);
      const mutation = places.length === 0 ? undefined : change(config, places, random);
      return mutation === undefined
        ? undefined
        : {
            object: { ...object, data: { ...asObject(object.data), [key]: stringify(mutation.object) } },
            what: mutation.what,
          };
    },
  };
}

function placesIn(value: JsonValue, path: Path = []): readonly Place[] {
  const inner = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : [];
  const own = path.length === 0 ? [] : [{ path, value }];
  return [...own, ...inner.flatMap(([key, item]) => placesIn(item, [...path, key]))];
}

const value = onText('another value', (config, places, random) =>
  replaced(config, random.pick(places).path, random.pick(VALUES)),
);

const crossed = onText('value of another place', (config, places, random) =>
  replaced(config, random.pick(places).path, random.pick(places).value),
);

const offByOne = onText('number off by one', (config, places, random) => {
  const numbers = places.filter(
    (place): place is Place & { readonly value: number } => typeof place.value === 'number',
  );
  const place = numbers.length === 0 ? undefined : random.pick(numbers);
  return place && replaced(config, place.path, place.value + random.pick([-1, 1, -2]));
});

const nearly = onText('text nearly right', (config, places, random) => {
  const texts = places.filter((place): place is Place & { readonly value: string } => typeof place.value === 'string');
  const place = texts.length === 0 ? undefined : random.pick(texts);
  return place && replaced(config, place.path, changed(place.value, random));
});

const without = onText('value taken away', (config, places, random) => removed(config, random.pick(places).path));

const renamed = onText('key renamed', (config, places, random) => {
  const entries = places.filter(({ path }) => typeof path.at(-1) === 'string');
  const { path, value: kept } = random.pick(entries);
  const { object } = removed(config, path);
  return added(object, path.slice(0, -1), changed(String(path.at(-1)), random), kept);
});

const again = onText('item twice', (config, places, random) => {
  const lists = places.filter((place): place is Place & { readonly value: readonly JsonValue[] } =>
    Array.isArray(place.value),
  );
  const place = lists.length === 0 ? undefined : random.pick(lists);
  return place && replaced(config, place.path, [...place.value, ...place.value.slice(0, 1)]);
});

/** A text with one character fewer, more, or other, or in upper case. */
function changed(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  const character = random.pick(['_', '.', '/', ' ', '+', '-', 'X', 'g', '0', '1']);
  return random.pick([
    text.slice(0, at) + text.slice(at + 1),
    text.slice(0, at) + character + text.slice(at),
    text.slice(0, at) + character + text.slice(at + 1),
    text.toUpperCase(),
    `${text}${random.pick(['.shared', '+me', '-me', '+me.all', '+gfx', '.0'])}`,
  ]);
}

/**
 * Random changes of manifests that need no schema: fields and items taken away, doubled, renamed, and given other values.
 */
import { stringify } from 'yaml';
import { type JsonObject, type JsonValue } from '../../src/facts/api/schema';
import { parseValue } from '../../src/manifests/yaml';
import { changedText, isText, withWord } from './changed-texts';
import { type Random } from './random';

/** What is put into manifests. */
export interface Vocabulary {
  /** Values of fields, by the name of the field. */
  readonly fields: ReadonlyMap<string, readonly JsonValue[]>;
  /** Names of fields. */
  readonly names: readonly string[];
  /** Values for any field. */
  readonly values: readonly JsonValue[];
}

/** How many fields or items are added at once. */
const MANY = 30;

/** A text of several words or lines counts as so many places at most, so that it is changed more often than a name. */
const MOST_PLACES = 8;

/** Values that few fields allow. */
export const ODD_VALUES: readonly JsonValue[] = ['', 'No Name!', '../up', 0, -1, 70000, 1.5, false, true, {}, [], null];

/** Of each field that the manifests have, some values. */
export function valuesByField(objects: readonly JsonObject[]): ReadonlyMap<string, readonly JsonValue[]> {
  const pool = new Map<string, JsonValue[]>();
  const walk = (value: JsonValue): void => {
    if (typeof value !== 'object' || value === null) {
      return;
    }
    for (const [key, member] of Object.entries(value)) {
      if (!Array.isArray(value)) {
        pool.set(key, [...(pool.get(key) ?? []).slice(-30), member]);
      }
      walk(member);
    }
  };
  objects.forEach(walk);
  return pool;
}

/** A value inside of a manifest. */
interface Place {
  readonly holder: Record<string, JsonValue>;
  readonly key: string;
  readonly value: JsonValue;
}

type Change = (place: Place, vocabulary: Vocabulary, random: Random) => void;

const drop: Change = ({ holder, key }) => {
  if (Array.isArray(holder)) {
    holder.splice(Number(key), 1);
  } else {
    delete holder[key];
  }
};

const double: Change = ({ holder, value }, { names }, random) => {
  if (Array.isArray(holder)) {
    holder.push(structuredClone(value));
  } else {
    holder[random.pick(names)] = structuredClone(value);
  }
};

const rename: Change = ({ holder, key, value }, { names }, random) => {
  if (!Array.isArray(holder)) {
    delete holder[key];
    holder[random.pick(names)] = value;
  }
};

const exchange: Change = ({ holder, key }, { fields, values }, random) => {
  holder[key] = structuredClone(random.pick(fields.get(key) ?? values));
};

const odd: Change = ({ holder, key }, _vocabulary, random) => {
  holder[key] = structuredClone(random.pick(ODD_VALUES));
};

const known: Change = ({ holder, key }, { values }, random) => {
  holder[key] = structuredClone(random.pick(values));
};

const nudge: Change = ({ holder, key, value }, { values }, random) => {
  if (typeof value === 'number') {
    const numbers = values.filter((one) => typeof one === 'number');
    const from = random.chance(0.6) || numbers.length === 0 ? value : random.pick(numbers);
    holder[key] = from + random.pick([-1, 0, 1]);
  } else if (typeof value === 'string') {
    holder[key] = changedText(value, values, random);
  } else if (typeof value === 'boolean') {
    holder[key] = !value;
  }
};

/** A change inside of JSON or YAML that is a string of the manifest, or a change of the string where it is something else. */
const nested: Change = (place, vocabulary, random) => {
  const { holder, key, value } = place;
  const inner = typeof value === 'string' ? documentIn(value) : undefined;
  if (typeof value !== 'string' || inner === undefined) {
    nudge(place, vocabulary, random);
    return;
  }
  changeSomething(placesOf(inner), vocabulary, random);
  holder[key] = /^\s*[{[]/.test(value) ? JSON.stringify(inner) : stringify(inner);
};

const add: Change = ({ value }, { fields, names, values }, random) => {
  if (Array.isArray(value)) {
    value.push(structuredClone(random.pick(values)));
  } else if (typeof value === 'object' && value !== null) {
    const name = random.pick(names);
    value[name] = structuredClone(random.pick(fields.get(name) ?? values));
  }
};

/** All names as fields, with one value or with any, or an item for each value: items that differ in one place, or plain values. */
const addMany: Change = ({ value }, { fields, names, values }, random) => {
  if (Array.isArray(value)) {
    const before = value.length === 0 ? null : random.pick(value);
    const share = random.next();
    value.push(...some(values, random).map((one) => withValue(before, one, share, random)));
  } else if (typeof value === 'object' && value !== null) {
    const one = random.pick(values);
    const same = typeof one === 'number' ? one + random.pick([-1, 0, 1]) : one;
    const isSame = random.chance(0.7);
    for (const name of some(names, random)) {
      value[name] = structuredClone(isSame ? same : random.pick(fields.get(name) ?? values));
    }
  }
};

/** Taken together, each about as often as it finds something. */
const CHANGES: readonly Change[] = [
  drop,
  drop,
  double,
  rename,
  exchange,
  exchange,
  odd,
  known,
  nudge,
  nudge,
  nested,
  nested,
  add,
  add,
  addMany,
  addMany,
];

/** Members of a list that follow each other. */
function some<T>(list: readonly T[], random: Random): readonly T[] {
  const start = Math.floor(random.next() * Math.max(1, list.length - MANY + 1));
  return list.slice(start, start + MANY);
}

/** A copy of an item with another value in the place that the share selects, or another word in its text; without places, the value itself. */
function withValue(item: JsonValue, value: JsonValue, share: number, random: Random): JsonValue {
  const copy = structuredClone(item);
  const places = typeof copy === 'object' && copy !== null ? placesOf(copy) : [];
  if (places.length === 0) {
    return structuredClone(value);
  }
  const { holder, key, value: before } = places[Math.floor(share * places.length)];
  const word = typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  const isInText = word !== undefined && typeof before === 'string' && isText(before);
  holder[key] = isInText ? withWord(before, word, random) : structuredClone(value);
  return copy;
}

/** The JSON or YAML in a string; `undefined` where it is no object or list. */
function documentIn(text: string): JsonObject | readonly JsonValue[] | undefined {
  if (!/[{[]|:(?:\s|$)|^\s*- /m.test(text)) {
    return undefined;
  }
  const parsed = parseValue(text, 'embedded');
  return 'value' in parsed && typeof parsed.value === 'object' && parsed.value !== null ? parsed.value : undefined;
}

/** A copy with so many changes. What it is (`apiVersion` and `kind`) stays. */
export function changedManifest(object: JsonObject, times: number, vocabulary: Vocabulary, random: Random): JsonObject {
  const copy = structuredClone(object);
  for (let time = 0; time < times; time++) {
    const places = placesOf(copy).filter(({ holder, key }) => holder !== copy || !['apiVersion', 'kind'].includes(key));
    changeSomething(places, vocabulary, random);
  }
  return copy;
}

function changeSomething(places: readonly Place[], vocabulary: Vocabulary, random: Random): void {
  if (places.length > 0) {
    random.pick(CHANGES)(random.pick(places), vocabulary, random);
  }
}

function placesOf(root: JsonObject | readonly JsonValue[]): readonly Place[] {
  const places: Place[] = [];
  const walk = (value: JsonValue | readonly JsonValue[]): void => {
    if (typeof value !== 'object' || value === null) {
      return;
    }
    const holder = value as Record<string, JsonValue>;
    for (const [key, member] of Object.entries(holder)) {
      places.push(...Array.from({ length: weightOf(member) }, () => ({ holder, key, value: member })));
      walk(member);
    }
  };
  walk(root);
  return places;
}

function weightOf(value: JsonValue): number {
  const isLong = typeof value === 'string' && isText(value);
  return isLong ? Math.min(MOST_PLACES, 3 + value.split('\n', MOST_PLACES).length) : 1;
}

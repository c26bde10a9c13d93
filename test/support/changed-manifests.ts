/**
 * Random changes of manifests that need no schema: fields and items taken away, doubled, renamed, and given other values.
 */
import { type JsonObject, type JsonValue } from '../../src/facts/api/schema';
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

/** A text is not made longer than this. */
const LONGEST = 1025;

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
  const by = random.pick([-1, 1]);
  if (typeof value === 'number') {
    holder[key] = random.chance(0.7) ? value + by : random.pick(values.filter((one) => typeof one === 'number')) + by;
  } else if (typeof value === 'string') {
    holder[key] = nudgedText(value, by, values, random);
  } else if (typeof value === 'boolean') {
    holder[key] = !value;
  }
};

const add: Change = ({ value }, { fields, names, values }, random) => {
  if (Array.isArray(value)) {
    value.push(structuredClone(random.pick(values)));
  } else if (typeof value === 'object' && value !== null) {
    const name = random.pick(names);
    value[name] = structuredClone(random.pick(fields.get(name) ?? values));
  }
};

/** Taken together, each about as often as it finds something. */
export const CHANGES: readonly Change[] = [
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
  add,
  add,
];

function nudgedText(text: string, by: number, values: readonly JsonValue[], random: Random): string {
  const words = values.filter((one): one is string => typeof one === 'string');
  const lengths = values.filter((one): one is number => typeof one === 'number' && one >= 0);
  const lines = text.split('\n');
  const line = Math.floor(random.next() * lines.length);
  switch (random.pick(['number', 'number', 'cut', 'grow', 'case', 'word', 'line', 'length'])) {
    case 'number':
      return text.replace(/\d+/, (digits) => String(Math.max(0, Number(digits) + by)));
    case 'cut':
      return text.slice(0, -1);
    case 'grow':
      return `${text}${random.pick(['x', '1', '-', '.', ' ', '/', ':', ','])}`;
    case 'case':
      return text.toUpperCase() === text ? text.toLowerCase() : text.toUpperCase();
    case 'word':
      return text.replace(random.pick(text.match(/\w+/g) ?? ['']), random.pick(words));
    case 'length':
      return text.padEnd(Math.min(random.pick(lengths) + random.pick([0, 1]), LONGEST), 'a').slice(0, LONGEST);
    default:
      return random.chance(0.5)
        ? lines.toSpliced(line, 1).join('\n')
        : lines.toSpliced(line, 0, lines[line]).join('\n');
  }
}

/** A copy with so many changes. What it is (`apiVersion` and `kind`) stays. */
export function changedManifest(object: JsonObject, times: number, vocabulary: Vocabulary, random: Random): JsonObject {
  const copy = structuredClone(object);
  for (let time = 0; time < times; time++) {
    const places = placesOf(copy);
    if (places.length > 0) {
      random.pick(CHANGES)(random.pick(places), vocabulary, random);
    }
  }
  return copy;
}

function placesOf(object: JsonObject): readonly Place[] {
  const places: Place[] = [];
  const walk = (value: JsonValue, top: boolean): void => {
    if (typeof value !== 'object' || value === null) {
      return;
    }
    const holder = value as Record<string, JsonValue>;
    for (const [key, member] of Object.entries(holder)) {
      if (!top || !['apiVersion', 'kind'].includes(key)) {
        places.push({ holder, key, value: member });
      }
      walk(member, false);
    }
  };
  walk(object, true);
  return places;
}

/**
 * Mutations that only the text shows: the JSON value is the same, or there is none that could hold it.
 */
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { pointer } from '../../../src/manifests/pointer';
import { innerSites, type Mutation, objectSites, type Operator } from './mutation';
import { type Path, withValue } from './sites';

const MARK = 'gantry-raw-text';

/** The manifest with raw JSON text in one place. */
function withText(object: JsonObject, path: Path, raw: string, what: string): Mutation {
  const text = JSON.stringify(withValue(object, path, MARK)).replace(JSON.stringify(MARK), () => raw);
  return { object, text, what: `${pointer('', ...path)} ${what}` };
}

/**
 * A number that a double does not hold, or holds only nearly. (2^63 - 1 is left out: it is read as 2^63, see the page on agreement.)
 *
 * The same number in other digits (`3.0`, `30e-1`) is no question: kubectl and every program that reads before it sends writes it plainly.
 */
export const numberForm: Operator = {
  name: 'number form',
  apply(object, sites, random) {
    const numbers = innerSites(sites).filter(({ value }) => typeof value === 'number');
    if (numbers.length === 0) {
      return undefined;
    }
    const raw = random.pick([
      '9007199254740993',
      '9223372036854775808',
      '-9223372036854775809',
      '1e400',
      '0.1',
      '1e-7',
    ]);
    return withText(object, random.pick(numbers).path, raw, `written as ${raw}`);
  },
};

/** A name that appears twice in one object of a known shape, with the same value or another. What is free-form the server keeps unread. */
export const duplicateKey: Operator = {
  name: 'duplicate key',
  apply(object, sites, random) {
    const objects = objectSites(sites).filter(({ value, schema }) => {
      return (
        Object.keys(value).length > 0 && (schema.properties !== undefined || schema.additionalProperties !== undefined)
      );
    });
    const { path, value } = random.pick(objects);
    const key = random.pick(Object.keys(value));
    const first = JSON.stringify(value[key]);
    const second = random.chance(0.5) ? first : JSON.stringify(random.pick<JsonValue>(['other', 2, null]));
    return withText(
      object,
      [...path, key],
      `${first},${JSON.stringify(key)}:${second}`,
      `written twice, then ${second.slice(0, 40)}`,
    );
  },
};

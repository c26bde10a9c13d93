import { type JsonValue } from '../../src/facts/api/schema';
import { quoted, shortened } from '../../src/manifests/values/shown-values';

const LONG = 'a'.repeat(100);
const MEMBERS: JsonValue = { spec: { containers: [{ name: LONG }] } };

test.each<[string, JsonValue, JsonValue]>([
  ['a short value as it is', { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }],
  ['a long string up to 80 characters', LONG, `${'a'.repeat(80)}…`],
  [
    'a long object without what its members contain',
    { chart: MEMBERS, names: [LONG], n: 1 },
    { chart: '{…}', names: '[…]', n: 1 },
  ],
  ['a long list without what its items contain', [MEMBERS, MEMBERS], ['{…}', '{…}']],
  [
    'an object of many members by the first four',
    Object.fromEntries([...'abcdefghijklmnopqrstuvwxyz'].map((name) => [name, LONG])),
    'an object with a, b, c, d…',
  ],
  ['a list of many items by their number', Array.from({ length: 50 }, () => LONG), 'a list of 50 items'],
])('%s', (_, value, shown) => {
  expect(shortened(value)).toEqual(shown);
});

test.each<[JsonValue, string]>([
  ['a "b"\n', String.raw`"a \"b\"\n"`],
  [LONG, `"${'a'.repeat(80)}…"`],
  [true, 'true'],
  [[MEMBERS, MEMBERS], '["{…}","{…}"]'],
])('a sentence quotes %j as %s', (value, text) => {
  expect(quoted(value)).toBe(text);
});

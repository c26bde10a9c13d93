/**
 * Whether a CEL rule applies to a part of an object, which decides whether the CEL engine is loaded for it.
 */
import { meetsRule, nodeOf } from '../../../src/checks/schema/schema-node';
import { type JsonValue, type Schema } from '../../../src/facts/api/schema';

const text: Schema = { type: 'string' };
const ruled: Schema = { ...text, 'x-kubernetes-validations': [{ rule: 'self != ""' }] };
const object = (properties: Readonly<Record<string, Schema>>): Schema => ({ type: 'object', properties });

test.each<readonly [string, Schema, JsonValue, boolean]>([
  ['a rule on the object', { ...object({}), 'x-kubernetes-validations': [{ rule: 'true' }] }, {}, true],
  ['a rule on a field that is set', object({ a: ruled }), { a: 'x' }, true],
  ['a rule on a field that is not', object({ a: ruled, b: text }), { b: 'x' }, false],
  ['a rule on a field that is null', object({ a: ruled }), { a: null }, false],
  ['a rule on items', { type: 'array', items: ruled }, ['x'], true],
  ['a rule on items of an empty list', { type: 'array', items: ruled }, [], false],
  ['a rule on the values of a map', { type: 'object', additionalProperties: ruled }, { a: 'x' }, true],
  ['a rule inside allOf', object({ a: { ...ruled, allOf: [ruled] } }), { a: 'x' }, true],
  [
    'a rule on an update',
    object({ a: { ...text, 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] } }),
    { a: 'x' },
    false,
  ],
  [
    'a rule on an update and a creation',
    object({ a: { ...text, 'x-kubernetes-validations': [{ rule: 'self == oldSelf', optionalOldSelf: true }] } }),
    { a: 'x' },
    true,
  ],
  ['no rule', object({ a: text }), { a: 'x' }, false],
])('%s', (_, schema, value, met) => {
  expect(meetsRule(value, nodeOf(schema))).toBe(met);
});

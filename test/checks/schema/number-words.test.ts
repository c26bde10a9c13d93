/**
 * What to write in the place of a number that a field cannot hold, or that JSON readers change.
 */
import { type Schema } from '../../../src/facts/api/schema';
import { check } from '../../../src/interfaces/checks';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { parseYaml } from '../../../src/manifests/yaml';
import { betweenWords, fittingWords, numberFix } from '../../../src/checks/schema/number-words';
import { SchemaNode } from '../../../src/checks/schema/schema-node';

const integer = (more: Partial<Schema> = {}): SchemaNode => new SchemaNode({ type: 'integer', ...more });
const QUANTITY: Schema = { 'x-kubernetes-int-or-string': true };

test.each([
  [-1e19, 64, { minimum: 0, maximum: 4095 }, '/spec/vlan', 'an integer from 0 to 4095'],
  [1e19, 64, { minimum: 1 }, '/spec/tier', 'an integer from 1 to 9223372036854775807'],
  [1e19, 32, {}, '/spec/tier', 'an integer of at most 2147483647'],
  [-1e19, 32, {}, '/spec/tier', 'an integer of at least -2147483648'],
  [-1e19, 64, {}, '/spec/replicas', 'an integer of at least 0'],
  [1e19, 32, {}, '/spec/replicas', 'an integer from 0 to 2147483647'],
  [-1e19, 64, {}, '/spec/periodSeconds', 'an integer of at least 1'],
  [1e19, 32, {}, '/value', 'an integer of at most 1000000000'],
  [1e19, 32, {}, '/spec/ports/0/port', 'an integer'],
  [
    1e19,
    64,
    { minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true },
    '/a',
    'an integer from 1 to 8',
  ],
] as const)('%d in %d bits, %j at %s', (value, bits, schema, path, words) => {
  expect(fittingWords(value, bits, integer(schema), path)).toBe(words);
});

test('a quantity has no bounds', () => {
  expect(fittingWords(1e300, 64, new SchemaNode(QUANTITY), '/spec/limits/a')).toBe('a `quantity`');
});

test.each([
  [{ type: 'integer', minimum: 0, maximum: 7 }, 'an integer from 0 to 7'],
  [{ type: 'number', minimum: 0, maximum: 1 }, 'a number from 0 to 1'],
  [{ type: 'integer', minimum: 0 }, undefined],
  [{ type: 'integer', minimum: 0, maximum: 7, exclusiveMaximum: true }, undefined],
] as const)('between the bounds of %j', (schema, words) => {
  expect(betweenWords(schema)).toBe(words);
});

test.each([
  ['/spec/mtu', integer({ format: 'int64' }), 'Set spec.mtu to an integer from 1 to 9007199254740991.'],
  ['/spec/replicas', integer({ format: 'int32' }), 'Set spec.replicas to an integer from 0 to 2147483647.'],
  ['/spec/minValues', integer({ minimum: 1, maximum: 50 }), 'Set spec.minValues to an integer from 1 to 50.'],
  ['/spec/offset', integer(), 'Set spec.offset to an integer from -9007199254740991 to 9007199254740991.'],
  ['/ports/0/port', integer(), 'Set ports[0].port to an integer from 1 to 65535.'],
  ['/labels/a', new SchemaNode({ type: 'string' }), 'Put the value of labels.a in quotes.'],
  [
    '/limits/memory',
    new SchemaNode(QUANTITY),
    'Set limits.memory to a quantity such as 512Mi or 8Gi, or put the value in quotes.',
  ],
  ['/httpGet/port', new SchemaNode(QUANTITY), 'Set httpGet.port to a port number, or the name of a port.'],
  ['/spec/any', new SchemaNode(QUANTITY), undefined],
  ['/spec/unknown', undefined, undefined],
])('an integer with too many digits at %s', (path, node, fix) => {
  expect(numberFix(node, path, true)).toBe(fix);
});

test('a number beyond JSON is not put in quotes', () => {
  expect(numberFix(new SchemaNode({ type: 'string' }), '/labels/a', false)).toBeUndefined();
  expect(numberFix(new SchemaNode(QUANTITY), '/limits/memory', false)).toBe(
    'Set limits.memory to a quantity such as 512Mi or 8Gi.',
  );
});

test('a check knows the field of a number by the schema of its kind', () => {
  const text =
    'apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: { name: high }\nvalue: 9007199254740993\n';
  const { manifests, problems } = parseYaml(text, 'a.yaml');
  const { findings } = check(new ManifestSet(manifests, problems));
  expect(findings.filter(({ rule }) => rule === 'yaml/exact-integer')).toEqual([
    expect.objectContaining({
      message:
        'the integer 9007199254740993 is read as 9007199254740992 by programs that read JSON numbers as doubles, such as Gantry',
      fix: 'Set value to an integer from -2147483648 to 1000000000.',
    }),
  ]);
});

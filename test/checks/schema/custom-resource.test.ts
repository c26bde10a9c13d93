import { type JsonObject, type JsonValue, type Schema } from '../../../src/facts/api/schema';
import { checkCustomResource } from '../../../src/checks/schema/custom-resource';
import { ViolationList } from '../../../src/checks/schema/violation-list';

interface Outcome {
  /** Findings as `rule path`. */
  readonly found: readonly string[];
  /** The spec as CEL rules would see it. */
  readonly spec: JsonValue | undefined;
}

function check(specSchema: Schema, spec: JsonValue, minor = 36): Outcome {
  const list = new ViolationList();
  const object: JsonObject = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a' }, spec };
  const stored = checkCustomResource(object, { type: 'object', properties: { spec: specSchema } }, true, list, {
    minor,
  });
  return { found: list.violations.map(({ rule, path }) => `${rule} ${path}`), spec: stored.spec };
}

const fields = (properties: Record<string, Schema>, more: Schema = {}): Schema => ({
  type: 'object',
  properties,
  ...more,
});
const STRING: Schema = { type: 'string' };
const INTEGER: Schema = { type: 'integer' };

describe('unknown fields', () => {
  test('are refused at any depth, and the nearest name is offered', () => {
    const list = new ViolationList();
    checkCustomResource(
      { spec: { guaranteed: {} } },
      fields({ spec: fields({ guarantee: fields({}) }) }),
      false,
      list,
      { minor: 36 },
    );
    expect(list.violations).toEqual([
      expect.objectContaining({
        rule: 'schema/unknown-field',
        path: '/spec/guaranteed',
        expected: '"guarantee"',
        fix: 'Rename the field "guaranteed" to "guarantee", or remove it.',
      }),
    ]);
    expect(check(fields({ list: { type: 'array', items: fields({}) } }), { list: [{ a: 1 }] }).found).toEqual([
      'schema/unknown-field /spec/list/0/a',
    ]);
  });

  test.each([
    ['a list', [], 'volumes'],
    ['an object', {}, 'volume'],
    ['a string', 'a', 'volumeX'],
    ['null', null, 'volume'],
  ])('%s is not offered a field of another shape', (_what, value, expected) => {
    const list = new ViolationList();
    const schema = fields({ volume: fields({}), volumes: { type: 'array', items: STRING }, volumeX: STRING });
    checkCustomResource({ spec: { volumee: value } }, fields({ spec: schema }), false, list, { minor: 36 });
    expect(list.violations).toEqual([expect.objectContaining({ expected: `"${expected}"` })]);
  });

  test('are kept where the schema preserves them, and known fields beside them are checked', () => {
    const schema = fields({ known: STRING }, { 'x-kubernetes-preserve-unknown-fields': true });
    expect(check(schema, { other: 1, known: 5 })).toEqual({
      found: ['schema/type /spec/known'],
      spec: { other: 1, known: 5 },
    });
  });

  test('do not exist in maps', () => {
    expect(check({ type: 'object', additionalProperties: STRING }, { any: 'x', 'a/b': 'y' }).found).toEqual([]);
  });

  test('inside an object status are refused, whatever else the status is', () => {
    const schema = fields({ status: fields({ phase: STRING }) });
    const run = (status: JsonValue): readonly string[] => {
      const list = new ViolationList();
      checkCustomResource({ status }, schema, true, list, { minor: 36 });
      return list.violations.map(({ rule, path }) => `${rule} ${path}`);
    };
    expect(run('text')).toEqual([]);
    expect(run({ phase: 5 })).toEqual([]);
    expect(run({ phase: 'a', other: 1 })).toEqual(['schema/unknown-field /status/other']);
  });
});

describe('nulls and defaults', () => {
  test('null fields and null map values are dropped before validation', () => {
    const schema = fields({ a: STRING, map: { type: 'object', additionalProperties: INTEGER } });
    expect(check(schema, { a: null, map: { x: null, y: 1 } })).toEqual({ found: [], spec: { map: { y: 1 } } });
  });

  test('a null required field is a missing one', () => {
    expect(check(fields({ a: STRING }, { required: ['a'] }), { a: null }).found).toEqual(['schema/required /spec/a']);
  });

  test('null list items are refused', () => {
    expect(check(fields({ a: { type: 'array', items: STRING } }), { a: ['x', null] }).found).toEqual([
      'schema/null-item /spec/a/1',
    ]);
  });

  test('nullable values may be null', () => {
    expect(check(fields({ a: { type: 'string', nullable: true } }), { a: null })).toEqual({
      found: [],
      spec: { a: null },
    });
  });

  test('a required field with a default may be missing, and null means the default', () => {
    const schema = fields({ a: { type: 'integer', default: 3 } }, { required: ['a'] });
    expect(check(schema, {})).toEqual({ found: [], spec: { a: 3 } });
    expect(check(schema, { a: null })).toEqual({ found: [], spec: { a: 3 } });
  });

  test('nested defaults apply where their parent is, or has a default itself', () => {
    const inner = fields({ b: { type: 'string', default: 'x' } });
    expect(check(fields({ a: inner }), {}).spec).toEqual({});
    expect(check(fields({ a: inner }), { a: {} }).spec).toEqual({ a: { b: 'x' } });
    expect(check(fields({ a: { ...inner, default: {} } }), {}).spec).toEqual({ a: { b: 'x' } });
  });

  test('an object that needs neither is not copied', () => {
    const spec = { a: { b: 'y' } };
    expect(check(fields({ a: fields({ b: STRING }) }), spec).spec).toBe(spec);
  });
});

describe('types and formats', () => {
  test.each<readonly [string, Schema, JsonValue, readonly string[]]>([
    ['1.0 is an integer', INTEGER, 1.0, []],
    ['1.5 is none', INTEGER, 1.5, ['schema/type /spec/v']],
    ['an integer is a number', { type: 'number' }, 1, []],
    ['int-or-string takes both', { 'x-kubernetes-int-or-string': true }, '10%', []],
    ['int-or-string takes no boolean', { 'x-kubernetes-int-or-string': true }, true, ['schema/type /spec/v']],
    ['int32 is enforced', { type: 'integer', format: 'int32' }, 2147483648, ['schema/format /spec/v']],
    ['int64 is enforced', { type: 'integer', format: 'int64' }, 1e20, ['schema/type /spec/v']],
    ['date-time is enforced on text', { type: 'string', format: 'date-time' }, 'today', ['schema/format /spec/v']],
    ['date-time is not applied to a list', { type: 'string', format: 'date-time' }, ['today'], []],
    ['date-time refuses a number', { type: 'string', format: 'date-time' }, 5, ['schema/type /spec/v']],
    ['an unknown format is a comment', { type: 'string', format: 'semver' }, 'x', []],
    ['ipv4 is enforced', { type: 'string', format: 'ipv4' }, '10.0.0.256', ['schema/format /spec/v']],
    ['a string is no number', STRING, 5, ['schema/type /spec/v']],
    ['a list is no single value', { type: 'array', items: STRING }, 'x', ['schema/type /spec/v']],
  ])('%s', (_name, schema, v, found) => {
    expect(check(fields({ v: schema }), { v }).found).toEqual(found);
  });

  test('short Kubernetes names are a format from 1.35 on', () => {
    const schema = fields({ v: { type: 'string', format: 'k8s-short-name' } });
    expect(check(schema, { v: 'A' }, 34).found).toEqual([]);
    expect(check(schema, { v: 'A' }, 35).found).toEqual(['schema/format /spec/v']);
  });

  test('a string in place of a number gets a fix that says so', () => {
    const list = new ViolationList();
    checkCustomResource({ spec: { v: '5', w: 5 } }, fields({ spec: fields({ v: INTEGER, w: STRING }) }), false, list, {
      minor: 36,
    });
    expect(list.violations.map(({ fix }) => fix)).toEqual([
      'Set spec.v to 5, without quotes.',
      'Set spec.w to "5", in quotes.',
    ]);
  });
});

describe('values', () => {
  test.each<readonly [string, Schema, JsonValue, readonly string[]]>([
    ['enum', { type: 'string', enum: ['A', 'B'] }, 'C', ['schema/enum /spec/v']],
    ['minimum', { type: 'integer', minimum: 1 }, 0, ['schema/bound /spec/v']],
    ['exclusive minimum', { type: 'integer', minimum: 1, exclusiveMinimum: true }, 1, ['schema/bound /spec/v']],
    ['maximum', { type: 'integer', maximum: 5 }, 6, ['schema/bound /spec/v']],
    ['multipleOf', { type: 'integer', multipleOf: 5 }, 12, ['schema/bound /spec/v']],
    ['multipleOf below one', { type: 'number', multipleOf: 0.1 }, 0.3, []],
    ['maxLength counts code points', { type: 'string', maxLength: 2 }, '😀😀', []],
    ['maxLength', { type: 'string', maxLength: 2 }, 'abc', ['schema/size /spec/v']],
    ['minLength', { type: 'string', minLength: 1 }, '', ['schema/size /spec/v']],
    ['pattern', { type: 'string', pattern: '^a+$' }, 'ab', ['schema/pattern /spec/v']],
    ['pattern that JavaScript has not', { type: 'string', pattern: '^(?i)[a-z]+$' }, 'ABC', []],
    ['pattern in one place', { type: 'string', pattern: '(?i)abc' }, 'xABCx', []],
    ['minItems', { type: 'array', items: STRING, minItems: 1 }, [], ['schema/size /spec/v']],
    [
      'maxProperties',
      { type: 'object', additionalProperties: STRING, maxProperties: 1 },
      { a: 'x', b: 'y' },
      ['schema/size /spec/v'],
    ],
    [
      'uniqueItems',
      { type: 'array', items: INTEGER, uniqueItems: true },
      [1, 1],
      ['schema/duplicate-set-item /spec/v/1'],
    ],
    ['allOf', { type: 'string', allOf: [{ maxLength: 1 }] }, 'ab', ['schema/size /spec/v']],
    [
      'anyOf',
      { ...fields({ a: STRING, b: STRING }), anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      {},
      ['schema/combination /spec/v'],
    ],
    [
      'oneOf',
      { ...fields({ a: STRING, b: STRING }), oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      { a: 'x', b: 'y' },
      ['schema/combination /spec/v'],
    ],
    [
      'oneOf that holds',
      { ...fields({ a: STRING, b: STRING }), oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      { a: 'x' },
      [],
    ],
    ['not', { type: 'string', not: { enum: ['x'] } }, 'x', ['schema/combination /spec/v']],
  ])('%s', (_name, schema, v, found) => {
    expect(check(fields({ v: schema }), { v }).found).toEqual(found);
  });

  test('combinations look at values with defaults', () => {
    const schema = { ...fields({ a: { type: 'string', default: 'x' } }), anyOf: [{ required: ['a'] }] };
    expect(check(fields({ v: schema }), { v: {} }).found).toEqual([]);
  });
});

describe('lists that are sets or maps', () => {
  const keyed = (key: Schema): Schema => ({
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    items: fields({ name: key, x: INTEGER }),
  });

  test('a key appears once, compared after defaults', () => {
    expect(check(fields({ v: keyed(STRING) }), { v: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] }).found).toEqual([
      'schema/duplicate-list-key /spec/v/2',
    ]);
    expect(
      check(fields({ v: keyed({ type: 'string', default: 'main' }) }), { v: [{}, { name: 'main' }] }).found,
    ).toEqual(['schema/duplicate-list-key /spec/v/1']);
  });

  test('the message names the value and the key, and the fix names the item', () => {
    const list = new ViolationList();
    checkCustomResource({ v: [{ name: 'a' }, { name: 'a' }] }, fields({ v: keyed(STRING) }), false, list, {
      minor: 36,
    });
    expect(list.violations).toEqual([
      expect.objectContaining({
        message: 'duplicate key: an earlier item also has name "a"',
        fix: 'Set v[1].name to a unique value, or remove v[1].',
      }),
    ]);
  });

  test('the fix of an enum names the field and the values', () => {
    const list = new ViolationList();
    const schema = fields({ spec: fields({ linkState: { type: 'string', enum: ['auto', 'enable', 'disable'] } }) });
    checkCustomResource({ spec: { linkState: 'on' } }, schema, false, list, { minor: 36 });
    expect(list.violations.map(({ fix }) => fix)).toEqual(['Set spec.linkState to auto, enable, or disable.']);
  });

  test('one missing item is counted in the singular', () => {
    const list = new ViolationList();
    checkCustomResource({ v: [] }, fields({ v: { type: 'array', minItems: 1, items: STRING } }), false, list, {
      minor: 36,
    });
    expect(list.violations).toEqual([
      expect.objectContaining({
        expected: 'at least 1 item',
        fix: 'Add an item to v.',
      }),
    ]);
  });

  test('items without the key are one another’s duplicates', () => {
    expect(check(fields({ v: keyed(STRING) }), { v: [{ x: 1 }, { x: 2 }] }).found).toEqual([
      'schema/duplicate-list-key /spec/v/1',
    ]);
  });

  test('several keys count together', () => {
    const schema: Schema = { ...keyed(STRING), 'x-kubernetes-list-map-keys': ['name', 'x'] };
    expect(
      check(fields({ v: schema }), {
        v: [
          { name: 'a', x: 1 },
          { name: 'a', x: 2 },
        ],
      }).found,
    ).toEqual([]);
    expect(
      check(fields({ v: schema }), {
        v: [
          { name: 'a', x: 1 },
          { x: 1, name: 'a' },
        ],
      }).found,
    ).toEqual(['schema/duplicate-list-key /spec/v/1']);
  });

  test('a set holds an item once; a value that appears three times is reported once', () => {
    const schema: Schema = { type: 'array', items: STRING, 'x-kubernetes-list-type': 'set' };
    expect(check(fields({ v: schema }), { v: ['a', 'b', 'a', 'a'] }).found).toEqual([
      'schema/duplicate-set-item /spec/v/2',
    ]);
    expect(check(fields({ v: { ...schema, 'x-kubernetes-list-type': 'atomic' } }), { v: ['a', 'a'] }).found).toEqual(
      [],
    );
  });
});

describe('embedded objects', () => {
  const schema = fields({
    template: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  });

  test('name their apiVersion and kind, and have metadata of the usual shape', () => {
    expect(
      check(schema, {
        template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', labels: { a: null } }, spec: { any: 1 } },
      }).found,
    ).toEqual([]);
    expect(check(schema, { template: { kind: 'Pod' } }).found).toEqual(['schema/required /spec/template/apiVersion']);
    expect(
      check(schema, { template: { apiVersion: 'v1', kind: 'Pod', metadata: { labels: { a: 1 }, other: 1 } } }).found,
    ).toEqual(['schema/type /spec/template/metadata/labels/a', 'schema/unknown-field /spec/template/metadata/other']);
  });
});

import { ruleWords } from '../../../src/checks/cel/rule-words';
import { type JsonValue } from '../../../src/facts/api/schema';

const said = (rule: string, self: JsonValue, place = 'spec.source'): readonly [string, string] | undefined => {
  const words = ruleWords(rule, self, place);
  return words === undefined ? undefined : [words.message, words.fix];
};

describe('a rule on which fields are set', () => {
  const EXACTLY_ONE = '[has(self.a), has(self.b), has(self.c)].filter(x, x == true).size() == 1';

  test('exactly one of several', () => {
    expect(said(EXACTLY_ONE, {})).toEqual(['exactly one of a, b, and c must be set', 'Set a, b, or c in spec.source.']);
    expect(said(EXACTLY_ONE, { a: {}, c: {} })).toEqual([
      'exactly one of a, b, and c must be set',
      'Keep a or c in spec.source, and remove the other.',
    ]);
  });

  test.each([
    '(has(self.a) && !has(self.b)) || (!has(self.a) && has(self.b))',
    'has(self.a) != has(self.b)',
    '(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) == 1',
  ])('however it is written: %s', (rule) => {
    expect(said(rule, { a: 1, b: 2 })?.[0]).toBe('exactly one of a and b must be set');
  });

  test('only the fields that violate it are named', () => {
    const rule = '[has(self.a), has(self.b), has(self.c)].filter(x, x).size() <= 1';
    expect(said(rule, { b: 1, c: 2 })).toEqual(['b and c must not be set together', 'Remove b or c from spec.source.']);
  });

  test('a field that another one requires', () => {
    expect(said('!has(self.a) || has(self.b)', { a: 1 })).toEqual([
      'b must be set when a is set',
      'Set b in spec.source, or remove a.',
    ]);
    expect(said('has(self.a) == has(self.b)', { b: 1 })?.[0]).toBe('a must be set when b is set');
  });

  test.each<JsonValue>([{}, { a: 1 }])('two fields together, or another one: %j', (self) => {
    expect(said('(has(self.a) && has(self.b)) || has(self.c)', self)).toEqual([
      'either both a and b, or c, must be set',
      'Set c in spec.source, or set both a and b.',
    ]);
  });

  test('groups with a field in common, and single fields', () => {
    expect(said('(has(self.a) && has(self.b)) || (has(self.a) && has(self.c))', { a: 1 })?.[0]).toBe(
      'b or c must be set',
    );
    expect(said('has(self.a) || has(self.b) || has(self.c)', {})?.[0]).toBe('a, b, or c must be set');
  });

  test('a field below another one, and one that is null', () => {
    expect(said('has(self.a.b)', { a: { b: null } })).toEqual(['a.b must be set', 'Set a.b in spec.source.']);
    expect(said('!has(self.a.b)', { a: { b: 0 } })).toEqual(['a.b must not be set', 'Remove a.b from spec.source.']);
  });
});

describe('a rule on values', () => {
  test('a field that only one value allows', () => {
    const rule = '!has(self.topology) || (has(self.mode) && self.mode == "Topology")';
    const words = [
      'topology must not be set unless mode is Topology',
      'Remove topology from spec.source, or set mode: Topology.',
    ];
    expect(said(rule, { topology: {} })).toEqual(words);
    expect(said(rule, { topology: {}, mode: 'Classic' })).toEqual(words);
  });

  test('a field that one value forbids', () => {
    const rule = "!(has(self.mode) && self.mode == 'DaemonSet' && has(self.replicas))";
    expect(said(rule, { mode: 'DaemonSet', replicas: 2 })).toEqual([
      'replicas must not be set when mode is DaemonSet',
      'Remove replicas from spec.source.',
    ]);
  });

  test('one of several values, of a field and of the value itself', () => {
    expect(said("!has(self.kind) || self.kind in ['A', 'B']", { kind: 'C' })).toEqual([
      'kind must be A or B',
      'Set spec.source.kind to A or B.',
    ]);
    expect(said("self in ['a', 'b']", 'c', 'spec.managedBy')).toEqual([
      'must be a or b',
      'Set spec.managedBy to a or b.',
    ]);
    expect(said("self != 'a'", 'a', 'spec.name')).toEqual([
      'must not be "a"',
      'Set spec.name to a value other than "a".',
    ]);
  });

  test('a field of the object, which has no name', () => {
    expect(said("self.metadata.name == 'one'", { metadata: { name: 'two' } }, 'the object')).toEqual([
      'metadata.name must be one',
      'Set metadata.name to one.',
    ]);
  });
});

describe('a rule on each item', () => {
  test('names the first that violates it', () => {
    const rule = "self.all(x, x.operator == 'Exists' ? !has(x.value) : true)";
    const taints = [
      { operator: 'Equal', value: 'a' },
      { operator: 'Exists', value: 'b' },
    ];
    expect(said(rule, taints, 'spec.tolerations')).toEqual([
      'spec.tolerations[1]: value must not be set when operator is Exists',
      'Remove value from spec.tolerations[1].',
    ]);
  });

  test('of a map: a key', () => {
    expect(said("self.all(k, k != 'a')", { b: '', a: '' }, 'metadata.labels')).toEqual([
      'a key must not be "a"',
      'Rename the key "a" in metadata.labels to a key other than "a".',
    ]);
  });
});

test.each([
  'self.size() != 0',
  'has(self.a) && self.b > 2',
  "self.split('@')[0] in ['a', 'b']",
  'self.all(x, x.n <= self.size())',
  '!has(oldSelf.a) || has(self.a)',
])('a rule that asks anything else has no words: %s', (rule) => {
  expect(ruleWords(rule, { a: 1 }, 'spec')).toBeUndefined();
});

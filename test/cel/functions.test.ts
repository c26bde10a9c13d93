import { celList, celMap, type CelInput } from '@bufbuild/cel';
import { programOf, type Outcome } from '../../src/cel/rule-program';
import { escapedName } from '../../src/cel/escaped-names';
import { CelValues } from '../../src/checks/cel/values';
import { nodeOf } from '../../src/checks/schema/schema-node';
import { type JsonValue, type Schema } from '../../src/facts/api/schema';

const SELF = celMap(
  new Map<string, CelInput>([
    ['a', celMap(new Map([['b', 1n]]))],
    ['l', celList(['x', 'y'])],
    [
      'm',
      celMap(
        new Map([
          ['k1', 1n],
          ['k2', 2n],
        ]),
      ),
    ],
    ['s', 'ab12cd34'],
  ]),
);

type Result = { readonly value: unknown } | { readonly error: string };

function resultOf(outcome: Outcome): Result {
  return 'error' in outcome ? { error: outcome.error } : { value: outcome.value };
}

/** What a rule evaluates to, whatever it costs. */
function run(rule: string, self: CelInput = SELF): Result {
  const program = programOf(rule);
  if (typeof program === 'string') {
    throw new Error(`${rule}: ${program}`);
  }
  return resultOf(program.run(self));
}

describe('functions that Kubernetes adds to CEL', () => {
  test.each([
    // regex and texts
    ['self.s.find("[0-9]+") == "12"'],
    ['self.s.find("z") == ""'],
    ['self.s.findAll("[0-9]+") == ["12", "34"]'],
    ['self.s.findAll("[0-9]+", 1) == ["12"]'],
    ['"a,b,c".split(",", 2) == ["a", "b,c"]'],
    ['"a,b".split(",") == ["a", "b"]'],
    ['"abc".replace("b", "x") == "axc"'],
    ['["a", "b"].join("-") == "a-b"'],
    ['" a ".trim() == "a"'],
    ['"AbC".lowerAscii() == "abc"'],
    ['"abc".substring(1, 2) == "b"'],
    ['"hello".matches("^h.*o$")'],
    ['matches("a\\nb", "^a.b$") == false'],
    ['"%d of %s".format([1, "x"]) == "1 of x"'],
    ['size("äö") == 2'],
    ['int("-12") == -12'],
    // lists and sets
    ['[1, 2, 3].isSorted()'],
    ['["b", "a"].isSorted() == false'],
    ['[1, 2].sum() == 3'],
    ['[1, 3, 2].max() == 3'],
    ['["b", "a"].min() == "a"'],
    ['["a", "b", "a"].indexOf("a") == 0'],
    ['["a", "b", "a"].lastIndexOf("a") == 2'],
    ['[1].indexOf(2) == -1'],
    ['[1, 1, 2].distinct() == [1, 2]'],
    ['[2, 1].sort() == [1, 2]'],
    ['[1, 2, 3].slice(1, 3) == [2, 3]'],
    ['[[1], [2]].flatten() == [1, 2]'],
    ['lists.range(2) == [0, 1]'],
    ['sets.contains([1, 2], [2])'],
    ['sets.equivalent([1, 2], [2, 1, 1])'],
    ['sets.intersects([1], [2]) == false'],
    ['1 in [1.0]'],
    ['"k1" in self.m'],
    // quantities
    ['quantity("1Gi").isGreaterThan(quantity("1G"))'],
    ['quantity("50k").add(20) == quantity("50020")'],
    ['quantity("1").sub(quantity("500m")) == quantity("0.5")'],
    ['isQuantity("1KI") == false'],
    ['sign(quantity("-1")) == -1'],
    ['quantity("2").isInteger() && quantity("2").asInteger() == 2'],
    ['quantity("1").compareTo(quantity("2")) == -1'],
    // addresses
    ['ip("10.0.0.1").family() == 4'],
    ['ip("::1").isLoopback()'],
    ['ip("2001:db8::1").isGlobalUnicast()'],
    ['ip("fe80::1").isLinkLocalUnicast()'],
    ['ip.isCanonical("2001:db8::0:1") == false'],
    ['isIP("::ffff:1.2.3.4") == false'],
    ['string(ip("2001:db8:0:0:1::1")) == "2001:db8::1:0:0:1"'],
    ['cidr("10.0.0.0/8").containsIP("10.2.3.4")'],
    ['cidr("10.0.0.0/8").containsCIDR("10.0.0.0/9")'],
    ['cidr("10.0.0.0/8").containsCIDR("0.0.0.0/0") == false'],
    ['string(cidr("10.1.2.3/8").masked()) == "10.0.0.0/8"'],
    ['cidr("10.0.0.0/8").prefixLength() == 8'],
    ['isCIDR("10.0.0.0/33") == false'],
    // URLs and versions
    ['url("https://example.com:80/a?k=1&k=2").getPort() == "80"'],
    ['url("https://[::1]:80/").getHostname() == "::1"'],
    ['url("https://x/a b").getEscapedPath() == "/a%20b"'],
    ['url("https://x/?k=1&k=2").getQuery() == {"k": ["1", "2"]}'],
    ['isURL("example.com") == false'],
    ['isURL("/path")'],
    ['semver("1.2.3").isLessThan(semver("1.10.0"))'],
    ['semver("1.0.0-rc.1").isLessThan(semver("1.0.0"))'],
    ['isSemver("v1.0", true)'],
    ['isSemver("v1.0.0") == false'],
    // formats
    ['format.dns1123Label().validate("A b").hasValue()'],
    ['!format.named("dns1123Label").value().validate("a-b").hasValue()'],
    ['!format.named("none").hasValue()'],
    // time
    ['duration("1h") > duration("30m")'],
    ['timestamp("2026-01-01T00:00:00Z").getFullYear() == 2026'],
  ])('%s', (rule) => {
    expect(run(rule)).toEqual({ value: true });
  });

  test.each([
    ['self.missing'],
    ['int("5x")'],
    ['int(" 5")'],
    ['quantity("1KI")'],
    ['ip("1.2.3")'],
    ['[].max()'],
    ['self.l[7]'],
    ['optional.none().value()'],
    ['1 / 0 == 1'],
  ])('%s cannot be evaluated', (rule) => {
    expect(run(rule)).toHaveProperty('error');
  });
});

describe('syntax that Kubernetes adds to CEL', () => {
  test.each([
    ['self.?a.b.orValue(5) == 1'],
    ['self.?z.b.orValue(5) == 5'],
    ['self.a.?b.hasValue()'],
    ['self.l[?0].orValue("q") == "x"'],
    ['self.l[?7].orValue("q") == "q"'],
    ['self.m[?"k1"].value() == 1'],
    ['optional.of(3).optMap(v, v + 1).orValue(0) == 4'],
    ['optional.none().optMap(v, v + 1).orValue(0) == 0'],
    ['self.?a.optFlatMap(v, v.?b).orValue(0) == 1'],
    ['optional.ofNonZeroValue("").hasValue() == false'],
    ['optional.none().or(optional.of(1)).value() == 1'],
    ['self.m.all(k, v, v > 0)'],
    ['self.m.exists(k, v, v == 2 && k == "k2")'],
    ['self.m.existsOne(k, v, v == 2)'],
    ['self.l.all(i, v, v != "x" || i == 0)'],
    ['self.m.transformList(k, v, v + 1) == [2, 3]'],
    ['self.m.transformMap(k, v, v * 10) == {"k1": 10, "k2": 20}'],
    ['self.m.transformMap(k, v, v > 1, v) == {"k2": 2}'],
    ['self.l.transformMapEntry(i, v, {v: i}) == {"x": 0, "y": 1}'],
    ['"a.?b" == "a.?b"'],
    ['self.l.exists(x, x == "?")== false'],
  ])('%s', (rule) => {
    expect(run(rule)).toEqual({ value: true });
  });
});

describe('values as the schema types them', () => {
  const evaluate = (rule: string, value: JsonValue, schema: Schema): Result =>
    run(rule, new CelValues().of(value, nodeOf(schema)));
  const withField = (name: string, schema: Schema): Schema => ({ type: 'object', properties: { [name]: schema } });

  test('numbers are doubles, integers ints, int-or-string what it is', () => {
    expect(evaluate('type(self.x) == double', { x: 2 }, withField('x', { type: 'number' }))).toEqual({ value: true });
    expect(evaluate('type(self.x) == int', { x: 2 }, withField('x', { type: 'integer' }))).toEqual({ value: true });
    expect(
      evaluate('type(self.x) == string', { x: '2' }, withField('x', { 'x-kubernetes-int-or-string': true })),
    ).toEqual({ value: true });
  });

  test('texts with a format become bytes, durations and timestamps', () => {
    expect(evaluate('size(self.x) == 3', { x: 'YWJj' }, withField('x', { type: 'string', format: 'byte' }))).toEqual({
      value: true,
    });
    expect(
      evaluate('self.x > duration("1m")', { x: '1h30m' }, withField('x', { type: 'string', format: 'duration' })),
    ).toEqual({ value: true });
    expect(
      evaluate(
        'self.x.getFullYear() == 2026',
        { x: '2026-02-01T00:00:00Z' },
        withField('x', { type: 'string', format: 'date-time' }),
      ),
    ).toEqual({ value: true });
  });

  test('fields are reached by their escaped names, map keys as they are', () => {
    expect(escapedName('a-b')).toBe('a__dash__b');
    expect(escapedName('a.b/c')).toBe('a__dot__b__slash__c');
    expect(escapedName('a__b')).toBe('a__underscores__b');
    expect(escapedName('namespace')).toBe('__namespace__');
    expect(escapedName('1a')).toBeUndefined();
    expect(evaluate('self.a__dash__b == "v"', { 'a-b': 'v' }, withField('a-b', { type: 'string' }))).toEqual({
      value: true,
    });
    expect(
      evaluate('self.__namespace__ == self.namespace', { namespace: 'v' }, withField('namespace', { type: 'string' })),
    ).toEqual({ value: true });
    expect(
      evaluate('self["a-b"] == "v"', { 'a-b': 'v' }, { type: 'object', additionalProperties: { type: 'string' } }),
    ).toEqual({ value: true });
  });

  test('a null field is as good as none', () => {
    expect(evaluate('has(self.x)', { x: null }, withField('x', { type: 'string', nullable: true }))).toEqual({
      value: false,
    });
  });

  test('sets and keyed lists are equal in any order', () => {
    const schema: Schema = {
      type: 'object',
      properties: {
        a: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        b: { type: 'array', items: { type: 'string' } },
      },
    };
    expect(evaluate('self.a == self.b', { a: ['x', 'y'], b: ['y', 'x'] }, schema)).toEqual({ value: true });
    expect(evaluate('self.b == ["x", "y"]', { a: [], b: ['y', 'x'] }, schema)).toEqual({ value: false });
  });
});

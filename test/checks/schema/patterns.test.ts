import { RE2JS } from '@bufbuild/re2';
import { allKinds } from '../../../src/facts/api/kinds';
import { type Schema } from '../../../src/facts/api/schema';
import { loadSchema } from '../../../src/facts/api/schemas';
import { DESCRIBED_PATTERNS } from '../../../src/checks/schema/pattern-words';
import { backtracksLittle } from '../../../src/facts/promql/backtracking';
import { givenPatternOf, patternOf } from '../../../src/manifests/values/patterns';
import { isGoTime, stringFormat } from '../../../src/manifests/values/formats';
import { nearestName } from '../../../src/facts/spelling';
import { Random } from '../../support/random';

function coveredPatterns(): readonly string[] {
  const patterns = new Set<string>();
  const seen = new Set<Schema>();
  const visit = (schema: Schema | boolean | undefined): void => {
    if (typeof schema !== 'object' || seen.has(schema)) {
      return;
    }
    seen.add(schema);
    if (schema.pattern !== undefined) {
      patterns.add(schema.pattern);
    }
    Object.values(schema.properties ?? {}).forEach(visit);
    visit(schema.items);
    visit(schema.additionalProperties);
  };
  for (const info of allKinds()) {
    if (!info.builtIn) {
      visit(loadSchema(info, '1.36'));
    }
  }
  return [...patterns].sort();
}

const TEXTS = [
  '',
  'a',
  'A',
  'abc',
  'a-b',
  '-a',
  'a.b',
  'a/b',
  '1',
  '12',
  '1.5',
  '+1',
  '5%',
  '1Gi',
  '1h',
  '30s',
  'http://a',
  'https://a.b/c',
  'ami-1',
  'sg-1',
  'x\ny',
  ' ',
  '\t',
  '\u00a0',
  'é',
  '😀',
  'µs',
  'Monday',
  'MONDAY:TUESDAY',
  'january',
  'abort',
  'ABORT',
  '2026',
  '2026:2027',
  '@daily',
  '* * * * *',
  'a\u0000b',
  'Never',
  '12:30',
  '24:00',
  'a@b',
  'x*y.json',
  'a:b',
];

describe('patterns mean what they mean to RE2', () => {
  test.each(coveredPatterns().map((pattern) => [pattern]))('%s', (pattern) => {
    const exact = RE2JS.compile(pattern);
    const random = new Random(5);
    const alphabet = [...TEXTS.join(''), ...pattern];
    const made = Array.from({ length: 60 }, () =>
      Array.from({ length: 1 + Math.floor(random.next() * 6) }, () => random.pick(alphabet)).join(''),
    );
    for (const text of [...TEXTS, ...made]) {
      expect([text, patternOf(pattern)?.test(text)]).toEqual([text, exact.test(text)]);
    }
  });

  test.each([
    ['a.b', 'a\nb', false],
    ['^\\s$', '\u00a0', false],
    ['^.$', '😀', true],
    ['^[^a]$', '\n', true],
    ['(?i)ABC', 'xabcx', true],
    ['^[[:alpha:]]+$', 'ab', true],
    ['\\Aab\\z', 'ab', true],
    ['^[+-.]$', ',', true],
    ['^[a-]$', '-', true],
    ['^[]a]$', ']', true],
    ['a{2,3}', 'aa', true],
    ['^\\pL$', 'é', true],
  ])('%s on %j: %s', (pattern, text, expected) => {
    expect(patternOf(pattern)?.test(text)).toBe(expected);
  });

  test('what RE2 has not is no pattern', () => {
    expect(patternOf('(?=a)b')).toBeUndefined();
    expect(patternOf('(a)\\1')).toBeUndefined();
  });

  test('a pattern that makes backtracking slow is answered for a long text all the same', () => {
    expect(patternOf('^(a+)+$')?.test(`${'a'.repeat(5000)}!`)).toBe(false);
  });

  test.each([
    ['^[a-z]([-a-z0-9]*[a-z0-9])?$', true],
    ['^[^@]+', true],
    ['^a*b*$', true],
    ['a*b*', false],
    ['^a|b*c*', false],
    ['^a*b*c*', false],
    ['(a|b)+', false],
    ['(a?){9}', false],
    ['^(a{1,9}){1,9}$', false],
    ['a?b?', true],
    ['a?b?c?', false],
    ['[*+?|{]\\*\\+\\?\\|\\{1,\\}x*', true],
    ['a{3}b{4}c{5}', true],
    ['a{3,}b{4,}', false],
  ])('backtracking takes little time on %s: %s', (source, expected) => {
    expect(backtracksLittle(source)).toBe(expected);
  });

  test('an empty occurrence at the end of another is none', () => {
    expect(givenPatternOf('a*')?.findAll('baaac', -1)).toEqual(['', 'aaa', '']);
    expect(givenPatternOf('a')?.findAll('aaa', 2)).toEqual(['a', 'a']);
  });
});

describe('formats', () => {
  test.each<readonly [string, string, boolean]>([
    ['date-time', '2026-01-01T00:00:00Z', true],
    ['date-time', '2026-01-01t00:00:00.5+01:00', true],
    ['date-time', '2026-02-30T00:00:00Z', false],
    ['date-time', '2026-01-01', false],
    ['date', '2024-02-29', true],
    ['date', '2026-02-29', false],
    ['duration', '1h30m', true],
    ['duration', '2 days', true],
    ['duration', 'soon', false],
    ['ipv4', '10.0.0.1', true],
    ['ipv4', '::1', false],
    ['ipv6', '::1', true],
    ['ipv6', 'fe80::1%eth0', false],
    ['cidr', '10.0.0.0/8', true],
    ['cidr', '10.0.0.0/33', false],
    ['uuid', '123e4567-e89b-12d3-a456-426614174000', true],
    ['uuid', 'x', false],
    ['byte', 'YQ==', true],
    ['byte', 'YQ', false],
    ['byte', '', false],
    ['uri', 'https://a/b c', true],
    ['uri', '/a', true],
    ['uri', 'a/b', false],
    ['hostname', 'a.example.com', true],
    ['hostname', '-a', false],
    ['mac', '01:23:45:67:89:ab', true],
    ['mac', '01-23:45-67-89-ab', false],
    ['email', 'a@b.c', true],
    ['email', 'a', false],
    ['hexcolor', '#fff', true],
    ['rgbcolor', 'rgb(1,2,3)', true],
    ['isbn10', '0321751043', true],
    ['isbn13', '978-0321751041', true],
    ['creditcard', '4111111111111111', true],
    ['ssn', '123-45-6789', true],
    ['password', 'any', true],
  ])('%s: %j is %s', (format, text, good) => {
    expect(stringFormat(format, 36)?.(text)).toBe(good);
  });

  test('other formats are comments', () => {
    expect(stringFormat('int-or-string', 36)).toBeUndefined();
    expect(stringFormat('constructor', 36)).toBeUndefined();
  });

  test('built-in kinds read times as Go does', () => {
    expect(isGoTime('2026-01-01T5:00:00Z')).toBe(true);
    expect(isGoTime('2026-01-01T24:00:00Z')).toBe(false);
    expect(isGoTime('2026-01-01t00:00:00z')).toBe(false);
  });
});

test('the nearest name is close, and the same for the same names', () => {
  expect(nearestName('guaranteed', ['weight', 'guarantee', 'capability'])).toBe('guarantee');
  expect(nearestName('Replicas', ['replicas', 'paused'])).toBe('replicas');
  expect(nearestName('recipe', ['replicas'])).toBeUndefined();
  expect(nearestName('x', ['y', 'z'])).toBe('y');
});

describe('the words of patterns', () => {
  test('belong to patterns of covered kinds', () => {
    const covered = new Set(coveredPatterns());
    expect(DESCRIBED_PATTERNS.map(([pattern]) => pattern).filter((pattern) => !covered.has(pattern))).toEqual([]);
  });

  test.each(DESCRIBED_PATTERNS)('%s: the examples match', (pattern, examples) => {
    expect(examples.length).toBeGreaterThan(0);
    expect(examples.filter((example) => !patternOf(pattern)?.test(example))).toEqual([]);
  });
});

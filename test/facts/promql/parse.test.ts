/**
 * Queries as Prometheus reads them: what it takes, what it refuses and where, and what a query is about.
 */
import * as fc from 'fast-check';
import {
  describeProblem,
  type Expression,
  hasOneElement,
  labelsOf,
  mayHave,
  metricsOf,
  parseDuration,
  parsePromql,
  selectorsOf,
  typeOf,
} from '../../../src/facts/promql';
import { samples } from '../../support/samples';

function parsed(text: string): Expression {
  const { expression, problems } = parsePromql(text);
  if (expression === undefined || problems.length > 0) {
    throw new Error(`${text}: ${problems.map(({ message }) => message).join('; ')}`);
  }
  return expression;
}
const refused = (text: string): readonly string[] =>
  parsePromql(text).problems.map((problem) => describeProblem(text, problem));

describe('what Prometheus takes', () => {
  test.each([
    'up',
    'sum by (node) (rate(x{a="b",c=~"d|e"}[5m] offset 1h)) > 0.5',
    'a / on(node) group_left(model) b',
    'quantile(0.9, x) by (le)',
    '-x ^ 2',
    '1 + 5.',
    '{"with.dots", "a.b"="c"}',
    'max_over_time(sum(x)[1h:5m])',
    'x @ end()',
    'absent(up{job="a"} == 1)',
    'count_values("version", build)',
    'time() - x',
    'x > bool 1',
    '5m',
    '# why\nx',
    'a unless on(node) b',
    'hour()',
    'histogram_quantile(0.9, sum by (le) (rate(b_bucket[5m])))',
    'x[5m:]',
    'sum(x) or vector(0)',
    'group by () (x)',
    'x offset -5m',
    '0x1f',
    'x == Inf',
  ])('%s', (text) => {
    expect(refused(text)).toEqual([]);
  });
});

describe('what Prometheus refuses', () => {
  test.each([
    ['', 'the expression is empty'],
    ['x > 1e400', '1e400'],
    ['rate(a) ≈ rate(b)', '≈'],
    ['sum(x', 'unexpected end of the expression'],
    ['avgovertime(x[5m])', 'did you mean avg_over_time?'],
    ['foo(x)', 'unknown function foo'],
    ['rate(x)', 'rate requires a range vector such as metric[5m], not an instant vector'],
    ['sum(x[5m])', 'sum requires an instant vector, not a range vector'],
    ['x[5m] + 1', '+ accepts numbers and instant vectors, not a range vector'],
    ['rate(sum(x)[5m])', 'only a selector can have a range'],
    ['1 > 2', 'requires bool after the operator'],
    ['x + bool 1', 'bool must follow a comparison operator'],
    ['1 and x', 'and requires instant vectors on both sides'],
    ['a and on(n) group_left b', 'does not support group_left'],
    ['a * on(n) group_left(n) b', 'the label n must not be in both on() and the group clause'],
    ['topk(x)', 'topk requires two arguments'],
    ['topk("a", x)', 'topk requires a scalar first'],
    ['round(x, 1, 2)', 'round requires 1 to 2 arguments, not 3'],
    ['{a=~".*"}', 'matches every metric'],
    ['x{a=~"(b"}', 'RE2'],
    ['x{a=~"(?=b)"}', 'RE2'],
    ['x{a="\\q"}', 'contains an invalid escape sequence'],
    ['x[0s]', 'a duration must be greater than 0'],
    ['x offset 5m [5m]', 'the range must be before the offset'],
    ['x offset 1m offset 1m', 'duplicate offset'],
    ['sum(x) offset 5m', 'offset must follow a selector'],
    ['mad_over_time(x[5m])', 'experimental'],
    ['"a" + "b"', 'not a string'],
  ])('%s', (text, message) => {
    expect(refused(text).join('; ')).toContain(message);
  });

  test('the place is reported, in lines where there are several', () => {
    expect(refused('rate(x) > 0')).toEqual([
      'rate requires a range vector such as metric[5m], not an instant vector (character 6, at "x")',
    ]);
    expect(refused('sum(\n  rate(y)\n)')).toEqual([
      'rate requires a range vector such as metric[5m], not an instant vector (line 2, character 8, at "y")',
    ]);
  });
});

describe('operations are put together by precedence', () => {
  const shape = (expression: Expression): string => {
    switch (expression.kind) {
      case 'binary':
        return `(${shape(expression.left)} ${expression.operator} ${shape(expression.right)})`;
      case 'unary':
        return `(${expression.operator}${shape(expression.of)})`;
      case 'range':
      case 'subquery':
        return `${shape(expression.of)}[]`;
      case 'call':
        return `${expression.name}(${expression.args.map(shape).join(', ')})`;
      case 'paren':
        return shape(expression.of);
      case 'selector':
        return `${expression.metric ?? ''}${expression.offset === true ? '~' : ''}`;
      case 'number':
        return String(expression.value);
      case 'string':
      case 'aggregation':
        return expression.kind;
    }
  };

  test.each([
    ['a + b * c', '(a + (b * c))'],
    ['a + b offset 5m * c', '(a + (b~ * c))'],
    ['a - b - c', '((a - b) - c)'],
    ['a ^ b ^ c', '(a ^ (b ^ c))'],
    ['-a ^ 2', '(-(a ^ 2))'],
    ['-a * b', '((-a) * b)'],
    ['a or b and c', '(a or (b and c))'],
    ['a > b + 1 and c', '((a > (b + 1)) and c)'],
    ['a / max_over_time(b[5m])', '(a / max_over_time(b[]))'],
    ['2 ^ -1', '(2 ^ -1)'],
    ['a * (b + c)', '(a * (b + c))'],
  ])('%s is %s', (text, expected) => {
    expect(shape(parsed(text))).toBe(expected);
  });

  test('any chain of operators, offsets and signs is put together as brackets say', () => {
    const operators = fc.constantFrom('+', '-', '*', '/', '%', '^', 'and', 'or', 'unless', '==', '>');
    const operand = fc.constantFrom('a', 'b offset 5m', 'c{d="e"}');
    fc.assert(
      fc.property(
        operand,
        fc.array(fc.record({ operator: operators, next: operand }), { maxLength: 6 }),
        (first, rest) => {
          const text = [first, ...rest.flatMap(({ operator, next }) => [operator, next])].join(' ');
          const expression = parsed(text);
          const explicit = (at: Expression): string =>
            at.kind === 'binary'
              ? `(${explicit(at.left)} ${at.operator} ${explicit(at.right)})`
              : text.slice(at.from, at.to);
          expect(shape(parsed(explicit(expression)))).toBe(shape(expression));
        },
      ),
      { seed: 4, numRuns: samples(100) },
    );
  });
});

describe('what a query is about', () => {
  test('types', () => {
    expect(
      ['1', '"a"', 'x', 'x[5m]', 'rate(x[5m])', 'scalar(x)', '1 + 2', '1 + x', 'x[1h:]', 'time()'].map((text) =>
        typeOf(parsed(text)),
      ),
    ).toEqual(['scalar', 'string', 'vector', 'matrix', 'vector', 'scalar', 'scalar', 'vector', 'matrix', 'scalar']);
  });

  test('metrics by name, also by __name__, each once', () => {
    expect(metricsOf(parsed('a / (a + {__name__="b"}) and on(n) rate({"c.d"}[5m])'))).toEqual(['a', 'b', 'c.d']);
  });

  test('selectors with what is around them', () => {
    const [first] = selectorsOf(parsed('sum(rate(x[5m]))'));
    expect(first?.around.map(({ kind }) => kind)).toEqual(['range', 'call', 'aggregation']);
  });

  test.each([
    ['x', 'node', true],
    ['x{node=""}', 'node', false],
    ['sum(x)', 'node', false],
    ['sum by (node) (x)', 'node', true],
    ['sum without (node) (x)', 'node', false],
    ['sum without (node) (x)', 'pod', true],
    ['a / on(node) b', 'pod', false],
    ['a / on(node) group_left(model) b', 'pod', true],
    ['sum by (pod) (a) * on(pod) group_left(model) b', 'model', true],
    ['a / ignoring(pod) b', 'pod', false],
    ['topk(1, x)', 'node', true],
    ['absent(up{job="a"})', 'job', true],
    ['absent(up{job=~"a"})', 'job', false],
    ['count_values("version", x)', 'version', true],
    ['histogram_quantile(0.9, sum by (le, job) (x))', 'le', false],
    ['label_replace(sum(x), "host", "$1", "a", "b")', 'host', true],
    ['sum(x) or sum by (pod) (x)', 'pod', true],
    ['rate(x[5m])', '__name__', false],
    ['x > 1', '__name__', true],
    ['vector(1)', 'node', false],
  ])('%s: label %s may be there: %s', (text, label, expected) => {
    expect(mayHave(labelsOf(parsed(text)), label)).toBe(expected);
  });

  test.each([
    ['sum(x)', true],
    ['sum(x) / sum(y)', true],
    ['sum(x) or vector(0)', true],
    ['x', false],
    ['sum by (pod) (x)', false],
    ['max by () (x)', true],
    ['topk(1, x)', true],
    ['topk(3, x)', false],
    ['scalar(x) + 1', true],
    ['histogram_quantile(0.9, sum by (le) (rate(b[5m])))', true],
    ['histogram_quantile(0.9, rate(b[5m]))', false],
    ['absent(up{job="a"})', true],
    ['sum(x) > 1', true],
    ['sum(x) and y', true],
    ['x / scalar(sum(y))', false],
    ['rate(x{pod="a"}[5m])', false],
    ['avg(x) * on() group_right y', false],
  ])('%s gives one element at most: %s', (text, expected) => {
    expect(hasOneElement(parsed(text))).toBe(expected);
  });
});

test('durations have each unit once, the larger ones first', () => {
  expect(['5m', '1h30m', '1d', '100ms', '0', '', '5', 'm5', '5m1h', '5m5m', '1.5h', '-5m'].map(parseDuration)).toEqual([
    300,
    5400,
    86_400,
    0.1,
    0,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('whatever the text, reading it ends with a tree or with a problem', () => {
  const piece = fc.constantFrom(
    'sum',
    '(',
    ')',
    'x',
    '{',
    '}',
    'a',
    '=',
    '=~',
    '"b"',
    '[',
    '5m',
    ']',
    ',',
    'by',
    'rate',
    '+',
    '-',
    'offset',
    '@',
    '1',
    'bool',
    'and',
    '≈',
    '"',
    "'",
    ':',
    ' ',
    '#',
    '\n',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const { expression, problems } = parsePromql(pieces.join(''));
      expect(expression !== undefined || problems.length > 0).toBe(true);
    }),
    { seed: 9, numRuns: samples(500) },
  );
});

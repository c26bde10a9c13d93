/**
 * Verdicts of apimachinery's own parser, which was asked about 3,986 generated selectors of this kind through KEDA.
 */
import { selectorTextComplaint } from '../../../src/checks/server/selector-text';

test.each([
  ['a'],
  ['!a'],
  ['a,b'],
  ['app in (a, b), tier notin (c)'],
  ['app in ( )'],
  ['a in (,b)'],
  ['a in (b,)'],
  ['a='],
  ['a=,b'],
  ['a==b'],
  ['in=in'],
  ['notin notin (in)'],
  ['example.com/a != b'],
  ['a>5'],
  ['a<9223372036854775807'],
])('%j is a label selector', (text) => {
  expect(selectorTextComplaint(text)).toBeUndefined();
});

test.each([
  ['a,', 'requirement after each ","'],
  ['a=b c=d', 'separate requirements with ","'],
  ['!a=b', 'separate requirements with ","'],
  ['=a', 'start each requirement with a label key'],
  ['!', 'start each requirement with a label key'],
  ['a,,b', 'start each requirement with a label key'],
  ['a:1', '"a:1" must consist of'],
  ['a/b/c=d', '"a/b/c" must contain at most one "/"'],
  ['a=b:c', '"b:c" must be empty, or consist of'],
  ['a in (b:c)', '"b:c" must be empty, or consist of'],
  ['a b', 'operator after a'],
  ['a(b)', 'operator after a'],
  ['a=(b)', 'one value after ='],
  ['a in b', 'values in parentheses after in'],
  ['a notin (b', 'values in parentheses after notin'],
  ['a in (b c)', 'separate the values after in with ","'],
  ['a in (b=c)', 'separate the values after in with ","'],
  ['a>b', 'whole number of at most 64 bits after >'],
  ['a<', 'whole number of at most 64 bits after <'],
  ['a>9223372036854775808', 'whole number of at most 64 bits'],
  ['a>-5', '"-5" must be empty, or consist of'],
])('%j is not', (text, complaint) => {
  expect(selectorTextComplaint(text)).toContain(complaint);
});

test('a long text takes no longer than a read of it', () => {
  expect(selectorTextComplaint(`a in (${'b,'.repeat(200_000)}`)).toBeDefined();
  expect(selectorTextComplaint('a in (b),'.repeat(100_000))).toContain('after each ","');
  expect(selectorTextComplaint(`a>${'9'.repeat(1_000_000)}`)).toBeDefined();
});

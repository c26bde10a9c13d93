/**
 * KEDA's rules at their bounds, and where their findings point.
 */
import { kedaRules } from '../../../src/constructs/keda/rules';
import { findingsOf } from '../../support/findings';
import { CPU, QUEUE, scaledObject } from './objects';

const found = (text: string, rule: string): ReturnType<typeof findingsOf> =>
  findingsOf(text, kedaRules).filter((finding) => finding.rule === `keda/${rule}`);
const mentions = (text: string, word: string): number =>
  findingsOf(text, kedaRules).filter(({ message }) => message.includes(word)).length;
const queue = (more: string): string => QUEUE.replace(/, host: /, `, ${more}, host: `);

test.each([
  ['"1"', 0],
  ['"0"', 1],
  ['"-3"', 1],
  ['"0x"', 0],
  ['"x0"', 0],
])('a page of %s queues', (pageSize, count) => {
  expect(mentions(scaledObject([queue(`pageSize: ${pageSize}`)]), 'pageSize must be')).toBe(count);
});

test('a parameter that is nearly one is reported with it, another one without', () => {
  const unknown = (name: string): readonly (string | undefined)[] =>
    findingsOf(scaledObject([queue(`${name}: "1"`)]), kedaRules)
      .filter(({ message }) => message.includes(`unknown parameter "${name}"`))
      .map(({ expected }) => expected);
  expect(unknown('pageSizes')).toEqual(['pageSize']);
  expect(unknown('somethingElseEntirely')).toEqual([undefined]);
});

test('a minimum of 0 with CPU triggers alone is reported where it is, or at the spec that has none', () => {
  const rule = findingsOf(scaledObject([CPU]), kedaRules).find(({ message }) =>
    message.includes('minReplicaCount is'),
  )?.rule;
  const paths = (spec: string): readonly string[] =>
    found(scaledObject([CPU], { spec }), (rule ?? '').replace('keda/', '')).map(({ path }) => path);
  expect(paths('minReplicaCount: 0')).toEqual(['/spec/minReplicaCount']);
  expect(paths('cooldownPeriod: 300')).toEqual(['/spec']);
  expect(paths('minReplicaCount: 1')).toEqual([]);
});

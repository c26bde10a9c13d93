/**
 * What API servers of several minors said about fields whose feature gate is off in some of them; `npm run record:gates` asks them again.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KubernetesMinor } from '../../../src/facts/api/schema';
import { askGantry } from '../../e2e/agreement/gantry-verdict';
import { gateCases } from './gate-cases';

interface Recorded {
  readonly minor: KubernetesMinor;
  readonly what: string;
  readonly verdict: 'accepted' | 'refused';
  readonly message: string;
}

const recorded = readFileSync(join(__dirname, '../../fixtures/gates.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);
const cases = gateCases();

test('all documents were asked about, with both answers', () => {
  const minors = [...new Set(recorded.map(({ minor }) => minor))];
  expect(minors).toEqual(['1.30', '1.36', '1.37']);
  for (const asked of minors) {
    expect(recorded.filter(({ minor }) => minor === asked).map(({ what }) => what)).toEqual(Object.keys(cases));
  }
  expect(new Set(recorded.map(({ verdict }) => verdict))).toEqual(new Set(['accepted', 'refused']));
});

test.each(recorded.map(({ minor, what, verdict, message }) => [minor, what, verdict, message] as const))(
  'on %s, %s is %s (%s)',
  (minor, what, verdict) => {
    const { verdict: ours, findings } = askGantry(cases[what], minor);
    expect([ours, verdict === ours ? [] : findings]).toEqual([verdict, []]);
  },
);

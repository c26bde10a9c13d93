/**
 * Estimated costs, compared with those of the API server's own code, which `npm run record:costs` asks.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COST_CASES } from './cases';
import { estimateOf, rounded } from './estimate';

const RECORDED = readFileSync(join(__dirname, '../../fixtures/cel-costs.txt'), 'utf8').trimEnd().split('\n');

it('has an answer for each case', () => {
  expect(RECORDED).toHaveLength(COST_CASES.length);
});

it.each(COST_CASES.map((given, index) => [nameOf(given), given, RECORDED[index]] as const))(
  'estimates the cost of %s as the API server does',
  (_, given, recorded) => {
    expect(estimateOf(given)).toBe(rounded(recorded));
  },
);

function nameOf(given: (typeof COST_CASES)[number]): string {
  return 'rule' in given ? given.rule : given.selector;
}

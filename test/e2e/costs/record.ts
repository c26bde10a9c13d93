/**
 * `npm run record:costs`: asks the API server's own code what the expressions of the unit tests may cost, and writes its answers into
 * `test/fixtures/cel-costs.txt`, which the unit tests hold Gantry to without Go.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COST_CASES } from '../../cel/estimates/cases';
import { askForEstimates, whyNoEstimates } from './oracle';

function main(): void {
  const reason = whyNoEstimates();
  if (reason !== undefined) {
    throw new Error(reason);
  }
  const lines = askForEstimates(COST_CASES);
  writeFileSync(join(__dirname, '../../fixtures/cel-costs.txt'), `${lines.join('\n')}\n`);
  console.log(`recorded ${lines.length} answers`);
}

main();

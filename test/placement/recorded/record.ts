/**
 * `npm run record:decisions -- [--worlds N]`: writes what the core decides in random worlds into `test/fixtures/decisions.txt`, which the unit tests hold
 * it to. Of N worlds those are kept that run a place of the code which few of the worlds before them run.
 */
import { mutatedPlacement, placementMutants } from './mutated-placement';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { FIXTURE, printed } from './fixture';
import { historyOf } from './history';

/** How many worlds run each place, where there are as many. */
const EACH = 3;

const { values } = parseArgs({ options: { worlds: { type: 'string', default: '40' } } });
const runs = new Map<number, number>();
const kept = new Map<number, readonly string[]>();
for (let seed = 1; seed <= Number(values.worlds); seed++) {
  const { result, met } = mutatedPlacement.meet(() => historyOf(seed));
  if (met.some((id) => (runs.get(id) ?? 0) < EACH)) {
    met.forEach((id) => runs.set(id, (runs.get(id) ?? 0) + 1));
    kept.set(seed, result);
  }
}
writeFileSync(FIXTURE, printed(kept));
console.log(`${kept.size} worlds kept, which run ${runs.size} of ${placementMutants.length} places of the code`);

/**
 * `npm run record:claims -- [--seed S] [--worlds N]`: asks the allocator of Kubernetes about random worlds, and writes its answers into
 * `test/fixtures/device-claims.txt`, which the unit tests hold Gantry to without Go.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { lineOf } from '../../placement/claims/compare';
import { observesConstraints } from '../../placement/claims/observed';
import { makeWorld } from '../../placement/claims/worlds';
import { Random } from '../../support/random';
import { askOracle, buildOracle, whyNoOracle } from './oracle';

const FIXTURE = join(__dirname, '../../fixtures/device-claims.txt');

function main(): void {
  const { values } = parseArgs({
    options: { seed: { type: 'string', default: '77001' }, worlds: { type: 'string', default: '900' } },
  });
  const reason = whyNoOracle();
  if (reason !== undefined) {
    throw new Error(reason);
  }
  const seeds = Array.from({ length: Number(values.worlds) }, (_, index) => Number(values.seed) + index);
  const worlds = seeds.map((seed) => makeWorld(new Random(seed)));
  const answers = askOracle(buildOracle(), worlds);
  const lines = worlds.flatMap((world, index) => {
    const { error, claims } = answers[index] ?? {};
    const isClear = error === undefined && (claims === undefined || observesConstraints(world, claims));
    return isClear ? [`${seeds[index]} ${lineOf(claims)}`] : [];
  });
  writeFileSync(FIXTURE, `${lines.join('\n')}\n`);
  console.log(`recorded ${lines.length} answers`);
}

main();

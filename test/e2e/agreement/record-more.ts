/**
 * `npm run record:more-verdicts -- [--seed S] [--questions N]`: adds verdicts to `test/fixtures/verdicts.txt` that notice changes of the server tier's
 * code that none of the recorded ones notices. Of N random questions those are asked that Gantry answers otherwise with such a change.
 */
import { serverMutants } from './mutated-server';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { printVerdicts, readVerdicts, verdictsHead } from '../../support/recorded-verdicts';
import { kubernetesMinor } from '../control-plane/components';
import { askLiveServer, recordedBases, RECORDED_OPERATORS, requireControlPlane } from './asking';
import { questions } from './mutants';
import { countOf, FIXTURE, textOf, withAnswers } from './recording';
import { noticing, unnoticedMutants } from './unnoticed';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { seed: { type: 'string', default: '20265' }, questions: { type: 'string', default: '60000' } },
  });
  requireControlPlane();
  const minor = kubernetesMinor();
  const file = readFileSync(FIXTURE, 'utf8');
  const groups = readVerdicts(file);
  const recorded = groups.flatMap(({ verdicts }) => verdicts);
  const unnoticed = unnoticedMutants(recorded, minor);
  console.log(
    `${recorded.length} verdicts notice ${serverMutants.length - unnoticed.size} of ${serverMutants.length} mutants`,
  );
  const bases = recordedBases();
  const known = new Set(recorded.map(({ text }) => text));
  const candidates = questions(bases, Number(values.questions), Number(values.seed), minor, RECORDED_OPERATORS).filter(
    (question) => !known.has(textOf(question)),
  );
  const chosen = noticing(unnoticed, candidates, minor);
  console.log(`${chosen.length} of ${candidates.length} questions chosen`);
  const recording = withAnswers(groups, await askLiveServer(chosen, bases, minor));
  writeFileSync(FIXTURE, printVerdicts(verdictsHead(file), recording.groups));
  console.log(`${countOf(recording.groups) - recorded.length} verdicts added; ${recording.leftOut} left out`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});

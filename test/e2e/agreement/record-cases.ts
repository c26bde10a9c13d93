/**
 * `npm run record:cases`: adds the verdicts of a live API server about the documents of the unit tests, and about objects without one of their
 * required fields, to `test/fixtures/verdicts.txt`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { serverCases } from '../../checks/server/cases';
import { printVerdicts, readVerdicts, verdictsHead } from '../../support/recorded-verdicts';
import { kubernetesMinor } from '../control-plane/components';
import { askLiveServer, recordedBases, requireControlPlane } from './asking';
import { kindOf, type Question } from './mutants';
import { requiredPairs } from './required';
import { countOf, FIXTURE, textOf, withAnswers } from './recording';

async function main(): Promise<void> {
  requireControlPlane();
  const file = readFileSync(FIXTURE, 'utf8');
  const groups = readVerdicts(file);
  const known = new Set(groups.flatMap(({ verdicts }) => verdicts.map(({ text }) => text)));
  const bases = recordedBases();
  const minor = kubernetesMinor();
  const cases = serverCases().map(({ what, object }, index): Question => ({
    index,
    kind: kindOf(object),
    operator: 'case',
    what,
    object,
  }));
  const incomplete = requiredPairs(bases, minor, { once: true }).map(({ without }) => without);
  const questions = [...cases, ...incomplete].filter((question) => !known.has(textOf(question)));
  const answers = await askLiveServer(questions, bases, minor);
  const recording = withAnswers(groups, answers);
  writeFileSync(FIXTURE, printVerdicts(verdictsHead(file), recording.groups));
  console.log(`${countOf(recording.groups) - countOf(groups)} of ${questions.length} verdicts added`);
  answers
    .filter(({ outcome }) => outcome !== 'agree')
    .forEach(({ question, server }) => console.log(`left out: ${question.what}: ${server.status} ${server.message}`));
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});

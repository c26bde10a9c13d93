/**
 * `npm run record:verdicts -- [--seed S] [--questions N]`: asks a live API server about documents of all kinds, and writes what it says into
 * `test/fixtures/verdicts.txt`, which the unit tests hold Gantry to without a server.
 *
 * Of many random questions those are asked that Gantry answers in a way not met before: another rule, another field, another message. So each check is
 * met by a few documents that it alone rejects or lets pass. To them come both sides of each limit (`boundaries.ts`), and expressions.
 */
import { writeFileSync } from 'node:fs';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { type KubernetesMinor } from '../../../src/facts/api/schema';
import { printVerdicts, type VerdictGroup } from '../../support/recorded-verdicts';
import { kubernetesMinor, kubernetesVersion } from '../control-plane/components';
import { askLiveServer, recordedBases, RECORDED_OPERATORS, requireControlPlane } from './asking';
import { boundaryQuestions } from './boundaries';
import { type Answer } from './differential';
import { expressionQuestions } from './expressions';
import { type GantryVerdict } from './gantry-verdict';
import { type Question, questions } from './mutants';
import { countOf, FIXTURE, gantryOn, withAnswers } from './recording';

/** How many documents are kept of those that Gantry rejects by one finding of a sort alone; one more where others come with it. */
const ALONE = { server: 3, cel: 2, schema: 1 };

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { seed: { type: 'string', default: '20263' }, questions: { type: 'string', default: '300000' } },
  });
  requireControlPlane();
  const minor = kubernetesMinor();
  const bases = recordedBases();
  const candidates = questions(bases, Number(values.questions), Number(values.seed), minor, RECORDED_OPERATORS);
  const random = chosen(candidates, minor);
  const edges = [...boundaryQuestions(bases, minor), ...expressionQuestions()];
  console.log(`${random.length} of ${values.questions} questions chosen, ${edges.length} at limits and of expressions`);
  write(await askLiveServer([...random, ...edges], bases, minor), values.seed);
}

function chosen(candidates: readonly Question[], minor: KubernetesMinor): readonly Question[] {
  const met = new Map<string, number>();
  return candidates.filter((question) => {
    const sorts = sortsOf(question, gantryOn(question, minor));
    const isNew = sorts.some(([sort, most]) => (met.get(sort) ?? 0) < most);
    if (isNew) {
      sorts.forEach(([sort]) => met.set(sort, (met.get(sort) ?? 0) + 1));
    }
    return isNew || question.operator === 'none';
  });
}

/**
 * The ways in which Gantry answers, each with how many documents of it are kept. A finding that comes alone is another way than one beside others: if
 * its check were dropped, the document would pass. Pod templates of all kinds count as one place.
 */
function sortsOf({ kind, operator }: Question, { findings }: GantryVerdict): readonly (readonly [string, number])[] {
  if (findings.length === 0) {
    return [[`${kind} ${operator}`, 1]];
  }
  const isAlone = findings.length === 1;
  return findings.map(({ rule, tier, path, message }) => {
    const place = path.replace(/\/\d+(?=\/|$)/g, '/0').replace(/^.*\/template\/spec\//, '/spec/');
    const words = message.replace(/"[^"]*"|\d+|'[^']*'/g, '…').slice(0, 60);
    const sort = tier === 'server' ? `${rule} ${place} ${words}` : `${kind} ${rule} ${operator}`;
    return isAlone ? [`alone ${sort}`, ALONE[tier === 'server' || tier === 'cel' ? tier : 'schema']] : [sort, 1];
  });
}

function write(answers: readonly Answer[], seed: string): void {
  const recording = withAnswers(basesOf(answers), answers);
  const head = [
    `Verdicts of kube-apiserver ${kubernetesVersion()}, written by "npm run record:verdicts" with seed ${seed}.`,
    'test/support/recorded-verdicts.ts says how to read them.',
  ];
  writeFileSync(FIXTURE, printVerdicts(head, recording.groups));
  console.log(
    `${countOf(recording.groups)} verdicts recorded; ${recording.leftOut} left out (unclear, or not the same), others for their length`,
  );
}

/** The valid manifests, without their verdicts. Expressions have bases of their own: the first of each kind that the server accepts. */
function basesOf(answers: readonly Answer[]): readonly VerdictGroup[] {
  const bases = answers.filter(({ question }) => question.operator === 'none').map(({ question }) => question.object);
  for (const { question, server } of answers.filter((answer) => answer.question.operator === 'expression')) {
    if (
      server.verdict === 'accepted' &&
      !bases.some(({ metadata }) => isDeepStrictEqual(metadata, question.object.metadata))
    ) {
      bases.push(question.object);
    }
  }
  return [...new Set(bases.map((object) => JSON.stringify(object)))].map((base) => ({ base, verdicts: [] }));
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});

/**
 * `npm run record:verdicts -- [--seed S] [--questions N]`: asks a live API server about documents of all kinds, and writes what it says into
 * `test/fixtures/verdicts.txt`, which the unit tests hold Gantry to without a server.
 *
 * Of many random questions those are asked that Gantry answers in a way not met before: another rule, another field, another message. So each check is
 * met by a few documents that it alone rejects or lets pass. To them come both sides of each limit (`boundaries.ts`), and expressions.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { type JsonObject, type KubernetesMinor } from '../../../src/facts/api/schema';
import * as validObjects from '../../checks/server/valid-objects';
import * as valid from '../../checks/server/valid';
import {
  names,
  printVerdict,
  printVerdicts,
  type RecordedVerdict,
  type VerdictGroup,
} from '../../support/recorded-verdicts';
import { whyNoControlPlane } from '../control-plane/availability';
import { buildPrograms } from '../control-plane/build';
import { Cluster } from '../control-plane/cluster';
import { kubernetesMinor, kubernetesVersion } from '../control-plane/components';
import { coveredDefinitions } from '../control-plane/covered-definitions';
import { applyCustomResources } from '../control-plane/custom-resources';
import { Discovery } from '../control-plane/discovery';
import { boundaryQuestions } from './boundaries';
import { type BaseManifest, corpus } from './corpus';
import { type Answer, askBoth } from './differential';
import { askGantry, askGantryAboutText, type GantryVerdict } from './gantry-verdict';
import { expressionQuestions } from './expressions';
import { edgeNumber, edgeText, manyItems } from './edge-operators';
import { OPERATORS, type Question, questions } from './mutants';
import { prepareCluster } from './prepare';
import { exampleOf } from './summary';

const FIXTURE = join(__dirname, '../../fixtures/verdicts.txt');

/** How many documents are kept of those that Gantry rejects by one finding of a sort alone; one more where others come with it. */
const ALONE = { server: 3, cel: 2, schema: 1 };

/** Long lists make most of the file's size, and a few of them show what they can. */
const LONGEST_LINE = 1600;

const ASKED = [...OPERATORS, manyItems, edgeText, edgeNumber];

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { seed: { type: 'string', default: '20263' }, questions: { type: 'string', default: '300000' } },
  });
  const reason = whyNoControlPlane();
  if (reason !== undefined) {
    throw new Error(`no control plane: ${reason}`);
  }
  const minor = kubernetesMinor();
  const bases = [...corpus(), ...validBases()];
  const random = chosen(questions(bases, Number(values.questions), Number(values.seed), minor, ASKED), minor);
  const edges = [...boundaryQuestions(bases, minor), ...expressionQuestions()];
  const asked = [...random, ...edges].map((question, index) => ({ ...question, index }));
  console.log(`${random.length} of ${values.questions} questions chosen, ${edges.length} at limits and of expressions`);
  const cluster = await Cluster.start({ programs: buildPrograms({ print: (line) => console.log(line) }) });
  try {
    await applyCustomResources(cluster.client, coveredDefinitions());
    const discovery = await Discovery.read(cluster.client);
    await prepareCluster(cluster.client, discovery, bases);
    write(await askBoth(cluster.client, discovery, asked, minor), values.seed);
  } finally {
    await cluster.stop();
  }
}

/** What the unit tests of the server tier begin with: one object of each built-in kind, and a Pod that uses most of its fields. */
function validBases(): readonly BaseManifest[] {
  return [valid, validObjects]
    .flatMap((module) => Object.values(module) as (() => JsonObject | readonly JsonObject[])[])
    .filter((make) => make.length === 0)
    .flatMap((make) => make())
    .map((object) => ({ file: 'valid', object }));
}

function chosen(candidates: readonly Question[], minor: KubernetesMinor): readonly Question[] {
  const met = new Map<string, number>();
  return candidates
    .filter((question) => {
      const sorts = sortsOf(question, gantryOn(question, minor));
      const isNew = sorts.some(([sort, most]) => (met.get(sort) ?? 0) < most);
      if (isNew) {
        sorts.forEach(([sort]) => met.set(sort, (met.get(sort) ?? 0) + 1));
      }
      return isNew || question.operator === 'none';
    })
    .map((question, index) => ({ ...question, index }));
}

function gantryOn({ object, text }: Question, minor: KubernetesMinor): GantryVerdict {
  return text === undefined ? askGantry(object, minor) : askGantryAboutText(text, minor);
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
  const groups = new Map<string, RecordedVerdict[]>();
  const bases = answers.filter(({ question }) => question.operator === 'none');
  for (const { question } of bases) {
    groups.set(JSON.stringify(question.object), []);
  }
  // Expressions have bases of their own: the first of each kind that the server accepts.
  for (const { question, server } of answers.filter((answer) => answer.question.operator === 'expression')) {
    const text = JSON.stringify(question.object);
    const kinds = [...groups.keys()].map((base) => (JSON.parse(base) as JsonObject).metadata);
    if (
      server.verdict === 'accepted' &&
      !kinds.some((metadata) => isDeepStrictEqual(metadata, question.object.metadata))
    ) {
      groups.set(text, []);
    }
  }
  let leftOut = 0;
  for (const answer of answers) {
    const { question, outcome } = answer;
    if (outcome !== 'agree' || answer.gantry.verdict === 'not checked') {
      leftOut++;
      if (outcome !== 'unclear' && outcome !== 'agree') {
        console.log(`left out, ${outcome}: ${JSON.stringify(exampleOf(answer)).slice(0, 600)}`);
      }
      continue;
    }
    const text = question.text ?? JSON.stringify(question.object);
    groups.get(nearest(text, [...groups.keys()]))!.push(verdictOf(answer, text));
  }
  const written: readonly VerdictGroup[] = [...groups].map(([base, verdicts]) => ({
    base,
    verdicts: verdicts.filter((verdict) => printVerdict(base, verdict).length <= LONGEST_LINE),
  }));
  const head = [
    `Verdicts of kube-apiserver ${kubernetesVersion()}, written by "npm run record:verdicts" with seed ${seed}.`,
    'test/support/recorded-verdicts.ts says how to read them.',
  ];
  writeFileSync(FIXTURE, printVerdicts(head, written));
  const kept = written.reduce((sum, { verdicts }) => sum + verdicts.length, 0);
  console.log(`${kept} verdicts recorded; ${leftOut} left out (unclear, or not the same), others for their length`);
}

/** The manifest that has most of its text in common. */
function nearest(text: string, bases: readonly string[]): string {
  const common = (base: string): number => {
    let start = 0;
    while (start < base.length && base[start] === text[start]) {
      start++;
    }
    let end = 0;
    while (end < base.length - start && base[base.length - 1 - end] === text[text.length - 1 - end]) {
      end++;
    }
    return start + end - Math.abs(base.length - text.length) / 2;
  };
  return bases.reduce((best, base) => (common(base) > common(best) ? base : best));
}

function verdictOf({ question, server, gantry }: Answer, text: string): RecordedVerdict {
  const form = question.text === undefined ? 'object' : 'text';
  if (server.verdict === 'accepted') {
    return { text, form, verdict: 'accepted', fields: [] };
  }
  const paths = gantry.findings.map(({ path }) => path);
  const unknown = [...server.message.matchAll(/(?:unknown|duplicate) field "([^"]*)"/g)].map(([, field]) => field);
  const fields = [...new Set([...server.causes.map(({ field }) => field), ...unknown])].filter(
    (field) => field !== '' && field !== '<nil>',
  );
  return {
    text,
    form,
    verdict: 'rejected',
    fields: fields.map((field) => ({ field, named: names(paths, field) })),
  };
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});

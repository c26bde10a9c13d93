/**
 * `npm run record:webhooks -- [--seed S] [--questions N] [PROJECT...]`: asks the validators of the projects, and writes what they say into
 * `test/fixtures/webhooks`, which the unit tests hold Gantry to without Go.
 *
 * Of many questions those are kept first that a project refuses with words, or Gantry with rules, not met before, half refused and half accepted.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { printVerdict, printVerdicts, type RecordedVerdict, type VerdictGroup } from '../../support/recorded-verdicts';
import { headOf, WEBHOOK_VERDICTS } from '../../support/webhook-verdicts';
import { type WebhookBase } from './bases';
import { type WebhookAnswer } from './differential';
import { buildProgram } from './programs';
import { answersOf } from './questions';
import { moduleVersion, WEBHOOK_PROJECTS, type WebhookProject } from './projects';

const KEPT = 300;
/** Long documents make most of a file's size, and a few of them show what they can. */
const LONGEST_LINE = 500;
const LONGEST_BASE = 6000;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { seed: { type: 'string', default: '20263' }, questions: { type: 'string', default: '6000' } },
    allowPositionals: true,
  });
  mkdirSync(WEBHOOK_VERDICTS, { recursive: true });
  for (const project of WEBHOOK_PROJECTS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
    const program = buildProgram(project, (line) => console.log(line));
    const extent = { mutants: Number(values.questions), seed: Number(values.seed) };
    const answers = await answersOf(project, program, extent, (text) => text.length <= LONGEST_BASE);
    write(project, answers, values.seed);
  }
}

function textOf({ object, beside }: Pick<WebhookBase, 'object' | 'beside'>): string {
  return JSON.stringify({ object, beside });
}

function write(project: WebhookProject, answers: readonly WebhookAnswer[], seed: string): void {
  const usable = answers.filter((answer) => answer.outcome === 'agree' && lineOf(answer).length <= LONGEST_LINE);
  const refused = chosen(usable.filter(({ project: said }) => said.verdict === 'refused'));
  const accepted = chosen(usable.filter(({ project: said }) => said.verdict === 'accepted'));
  const half = Math.min(refused.length, Math.max(KEPT / 2, KEPT - accepted.length));
  const kept = new Set([...refused.slice(0, half), ...accepted.slice(0, KEPT - half)]);
  const bases = [...new Set(answers.map(({ base }) => base))];
  const groups: readonly VerdictGroup[] = bases.map((base) => ({
    base: textOf(base),
    verdicts: usable.filter((answer) => kept.has(answer) && answer.base === base).map(verdictOf),
  }));
  const head = [
    headOf(project.name, project.module, moduleVersion(project)),
    `Seed ${seed}; test/support/webhook-verdicts.ts says how to read them.`,
  ];
  const file = join(WEBHOOK_VERDICTS, `${project.name}.txt`);
  writeFileSync(
    file,
    printVerdicts(
      head,
      groups.filter(({ verdicts }) => verdicts.length > 0),
    ),
  );
  const open = answers.filter(({ outcome }) => outcome === 'false accept' || outcome === 'false reject').length;
  console.log(`${project.name}: ${kept.size} verdicts recorded (${half} refused); ${open} differ and are left out`);
}

/** New sorts of answers first, then the others in the order in which they were asked. */
function chosen(answers: readonly WebhookAnswer[]): readonly WebhookAnswer[] {
  const times = new Map<string, number>();
  return answers
    .map((answer) => {
      const words = answer.project.message.replace(/"[^"]*"|\d+|'[^']*'/g, '…').slice(0, 60);
      const rules = answer.gantry.findings.map(({ rule }) => rule).join(' ');
      const sort = `${answer.kind} ${rules} ${words || answer.operator}`;
      const before = times.get(sort) ?? 0;
      times.set(sort, before + 1);
      return { answer, before };
    })
    .sort((a, b) => a.before - b.before)
    .map(({ answer }) => answer);
}

function verdictOf({ object, base, project }: WebhookAnswer): RecordedVerdict {
  return {
    text: textOf({ object, beside: base.beside }),
    form: 'object',
    verdict: project.verdict === 'accepted' ? 'accepted' : 'rejected',
    fields: [],
  };
}

function lineOf(answer: WebhookAnswer): string {
  return printVerdict(textOf(answer.base), verdictOf(answer));
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});

/**
 * `npm run bench:webhooks -- --mutants N --seed S`: how often Gantry says what the validators of the projects say.
 *
 * `--projects REGEX` asks only these; `--examples N` prints so many differences of each project; `--json FILE` writes every difference,
 * `--table FILE` the table of `docs/agreement.md`. Exits with 1 where a kind is below
 * `--least PERCENT`, or less than 95 % of what KEDA's scalers refuse is found.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type WebhookAnswer } from '../test/e2e/webhooks/differential';
import { buildProgram, whyNoProgram } from '../test/e2e/webhooks/programs';
import { moduleVersion, WEBHOOK_PROJECTS, type WebhookProject } from '../test/e2e/webhooks/projects';
import { answersOf } from '../test/e2e/webhooks/questions';
import {
  agreementByKind,
  agreementMarkdown,
  agreementTable,
  differences,
  type KindAgreement,
} from '../test/e2e/webhooks/summary';

const { values } = parseArgs({
  options: {
    mutants: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    projects: { type: 'string', default: '' },
    examples: { type: 'string', default: '5' },
    least: { type: 'string', default: '0' },
    json: { type: 'string' },
    table: { type: 'string' },
  },
});

async function main(): Promise<void> {
  const wanted = new RegExp(values.projects);
  const rows: KindAgreement[] = [];
  const written: object[] = [];
  for (const project of WEBHOOK_PROJECTS.filter(({ name }) => wanted.test(name))) {
    const reason = whyNoProgram(project);
    if (reason !== undefined) {
      console.log(`SKIPPED ${project.name}: ${reason}`);
      continue;
    }
    const answers = await measure(project);
    const found = agreementByKind(answers);
    rows.push(...found);
    console.log(`${agreementTable(found)}\n`);
    const open = differences(answers);
    open.slice(0, Number(values.examples)).forEach(printDifference);
    written.push(
      ...open.map(({ project: said, base, ...answer }) => ({ name: project.name, said, file: base.file, ...answer })),
    );
  }
  if (values.json !== undefined) {
    writeFileSync(values.json, `${JSON.stringify(written, undefined, 2)}\n`);
  }
  if (values.table !== undefined) {
    writeFileSync(values.table, agreementMarkdown(rows));
  }
  const below = shortOf(rows, Number(values.least) / 100);
  if (below.length > 0) {
    console.log(`below ${values.least} %: ${below.join(', ')}`);
    process.exitCode = 1;
  }
}

/** The share of what scalers refuse that has to be found in all triggers together; a single scaler is asked too seldom to tell. */
const LEAST_OF_TRIGGERS = 0.95;

function shortOf(rows: readonly KindAgreement[], least: number): readonly string[] {
  const isTrigger = ({ kind }: KindAgreement): boolean => kind.startsWith('trigger ');
  const sum = (of: (row: KindAgreement) => number): number =>
    rows.filter(isTrigger).reduce((total, row) => total + of(row), 0);
  const [refused, found] = [sum((row) => row.refused), sum((row) => row.found)];
  return [
    ...rows.filter((row) => !isTrigger(row) && row.agree < least * (row.asked - row.unclear)).map(({ kind }) => kind),
    ...(least > 0 && found < LEAST_OF_TRIGGERS * refused ? [`triggers (${found} of ${refused} refusals found)`] : []),
  ];
}

async function measure(project: WebhookProject): Promise<readonly WebhookAnswer[]> {
  const program = buildProgram(project, (line) => console.log(line));
  const started = Date.now();
  const answers = await answersOf(project, program, { mutants: Number(values.mutants), seed: Number(values.seed) });
  console.log(
    `${project.name} ${moduleVersion(project)}: ${answers.length} objects (seed ${values.seed}), ` +
      `${((Date.now() - started) / 1000).toFixed(1)} s`,
  );
  return answers;
}

function printDifference({
  kind,
  outcome,
  what,
  times,
  base,
  project,
  gantry,
}: WebhookAnswer & { readonly times: number }): void {
  console.log(`${outcome} (${times} times), ${kind}, ${base.file}: ${what}`);
  console.log(`    project: ${project.verdict} ${project.message.slice(0, 300)}`);
  console.log(
    `    gantry: ${gantry.findings.map(({ rule, path, message }) => `${rule} ${path}: ${message}`).join('; ') || 'accepted'}\n`,
  );
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});

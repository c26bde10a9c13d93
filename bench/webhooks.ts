/**
 * `npm run bench:webhooks -- --mutants N --seed S`: how often Gantry says what the validators of the projects say.
 *
 * `--projects REGEX` asks only these; `--examples N` prints so many differences of each project; `--json FILE` writes every difference,
 * `--table FILE` the table of `docs/agreement.md`. Exits with 1 where a kind is below `--least PERCENT`, or a valid object is rejected.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { basesOf } from '../test/e2e/webhooks/bases';
import { askAboutProject, type WebhookAnswer } from '../test/e2e/webhooks/differential';
import { operatorsOf } from '../test/e2e/webhooks/operators';
import { buildProgram, whyNoProgram } from '../test/e2e/webhooks/programs';
import { moduleVersion, WEBHOOK_PROJECTS, type WebhookProject } from '../test/e2e/webhooks/projects';
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
    const answers = await answersOf(project);
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
  const least = Number(values.least) / 100;
  const below = rows.filter(({ agree, asked, unclear }) => agree < least * (asked - unclear));
  if (below.length > 0) {
    console.log(`below ${values.least} %: ${below.map(({ kind }) => kind).join(', ')}`);
    process.exitCode = 1;
  }
}

async function answersOf(project: WebhookProject): Promise<readonly WebhookAnswer[]> {
  const program = buildProgram(project, (line) => console.log(line));
  const bases = basesOf(project);
  const started = Date.now();
  const answers = await askAboutProject(project, program, bases, {
    mutants: Number(values.mutants),
    seed: Number(values.seed),
    operators: operatorsOf(project),
  });
  console.log(
    `${project.name} ${moduleVersion(project)}: ${answers.length} objects (mutants of ${bases.length}, seed ${values.seed}), ` +
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

/**
 * `npm run conformance -- FILE...`: runs case files and prints, for each, `{file, total, passed, failed: [{id, why}]}` as a line of JSON.
 * Exit status 1 when any case fails, 2 when a file cannot be read.
 */
import { readFileSync } from 'node:fs';
import { type Case } from './case-format';
import { runSchedulerCase } from './run-scheduler-case';
import { runTopologyCase } from './run-topology-case';

const files = process.argv.slice(2).filter((word) => !word.startsWith('-'));
if (files.length === 0) {
  process.stderr.write('Usage: npm run conformance -- FILE...\n');
  process.exitCode = 2;
}
for (const file of files) {
  runFile(file);
}

function runFile(file: string): void {
  let cases: readonly Case[];
  try {
    const read = JSON.parse(readFileSync(file, 'utf8')) as readonly Case[] | { readonly cases: readonly Case[] };
    cases = 'cases' in read ? read.cases : read;
  } catch (error) {
    process.stderr.write(`${file} cannot be read as a case file: ${(error as Error).message}\n`);
    process.exitCode = 2;
    return;
  }
  const failed = cases.flatMap((given) => {
    const why = run(given);
    return why.length === 0 ? [] : [{ id: given.id, why: why.slice(0, 3).join('; ') }];
  });
  process.stdout.write(
    `${JSON.stringify({ file, total: cases.length, passed: cases.length - failed.length, failed })}\n`,
  );
  if (failed.length > 0) {
    process.exitCode = 1;
  }
}

function run(given: Case): string[] {
  try {
    return given.kind === 'topology-assign' ? runTopologyCase(given) : runSchedulerCase(given);
  } catch (error) {
    return [`${(error as Error).name}: ${(error as Error).message}`];
  }
}

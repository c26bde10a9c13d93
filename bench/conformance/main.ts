/**
 * `npm run conformance [-- FILE...]`: runs case files, all of `test/fixtures/cases` by default, and prints for each
 * `{file, total, passed, failed: [{id, why}]}` as a line of JSON. Exit status 1 when a case fails, 2 when a file cannot be read.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Case } from './case-format';
import { runCase } from './run-case';

const CASES = join(__dirname, '../../test/fixtures/cases');

const named = process.argv.slice(2).filter((word) => !word.startsWith('-'));
for (const file of named.length === 0 ? allFiles() : named) {
  runFile(file);
}

function allFiles(): readonly string[] {
  return readdirSync(CASES)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => relative(process.cwd(), join(CASES, name)));
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
    const why = runCase(given);
    return why.length === 0 ? [] : [{ id: given.id, why: why.slice(0, 3).join('; ') }];
  });
  process.stdout.write(
    `${JSON.stringify({ file, total: cases.length, passed: cases.length - failed.length, failed })}\n`,
  );
  if (failed.length > 0) {
    process.exitCode = 1;
  }
}

/**
 * `npm run test:mutation -- FOLDER[:N]... [--sample N] [--seed S] [--json FILE] [--survivors FILE] [--tests REGEX]`: how much of what could go wrong in these folders the unit tests notice.
 *
 * Draws N mutants of each folder by the seed (`FOLDER:N` for another number in one), runs the unit tests that load the changed files once to see which test
 * meets which mutant, then asks for each mutant the tests that meet it, until one fails. A mutant that no test meets counts as survived, and so does one that is not noticed within the budget.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ImportGraph } from './imports';
import { type Mutant, mutantsIn, PROJECT, sampled } from './mutants';
import { type Plan, planFile } from './plan';
import { isKilled, print, type Result, type Row, table } from './report';
import { ordersFor, type SuiteRecord } from './suites';
import { SuiteProcess } from './suite-process';
import { suitesIn } from './unit-tests';

const USAGE =
  'usage: npm run test:mutation -- FOLDER[:N]... [--sample N] [--seed S] [--budget SECONDS] [--json FILE] [--survivors FILE] [--tests REGEX]';

interface Options {
  readonly folders: readonly string[];
  readonly sample: number;
  readonly seed: number;
  /** Seconds of processor time to spend on one mutant. */
  readonly budget: number;
  readonly json?: string;
  /** A file that `--json` wrote: only what survived there is asked about. */
  readonly survivors?: string;
  /** Suites to ask; the others notice nothing. */
  readonly tests: RegExp;
}

function optionsOf(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      sample: { type: 'string', default: '150' },
      seed: { type: 'string', default: '1' },
      budget: { type: 'string', default: '20' },
      json: { type: 'string' },
      survivors: { type: 'string' },
      tests: { type: 'string', default: '' },
    },
  });
  const [sample, seed, budget] = [values.sample, values.seed, values.budget].map(Number);
  if (positionals.length === 0 || ![sample, seed, budget].every((value) => Number.isInteger(value) && value >= 0)) {
    throw new Error(USAGE);
  }
  return {
    folders: positionals,
    sample,
    seed,
    budget,
    json: values.json,
    survivors: values.survivors,
    tests: new RegExp(values.tests),
  };
}

async function main(): Promise<void> {
  const options = optionsOf(process.argv.slice(2));
  const folder = mkdtempSync(join(tmpdir(), 'gantry-mutation-'));
  const runner = new SuiteProcess(folder);
  try {
    const groups = groupsOf(options);
    const plan: Plan = { mutants: groups.flatMap(({ mutants }) => mutants) };
    writeFileSync(planFile(folder), JSON.stringify(plan));
    const files = new Set(plan.mutants.map(({ file }) => file));
    const records = await recorded(runner, suitesThatLoad(files, options.tests));
    const rows: Row[] = [];
    for (const { folder: name, mutants, all } of groups) {
      const results: Result[] = [];
      rows.push({ folder: name, all, results });
      for (const mutant of mutants) {
        const result = await judged(mutant, records, runner, options.budget);
        results.push(result);
        print(result, `${name} ${results.length}/${mutants.length}`);
        if (options.json !== undefined) {
          writeFileSync(options.json, `${JSON.stringify(rows, undefined, 1)}\n`);
        }
      }
      console.log(table(rows.slice(-1)));
    }
    console.log(
      `\nseed ${options.seed}, ${options.budget} s of processor time for each mutant at most\n\n${table(rows)}`,
    );
  } finally {
    runner.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Group {
  readonly folder: string;
  /** How many mutants the folder has. */
  readonly all: number;
  readonly mutants: readonly Mutant[];
}

function groupsOf({ folders, sample, seed, survivors }: Options): readonly Group[] {
  let next = 1;
  const before = survivors === undefined ? undefined : survivorsOf(survivors);
  return folders.map((folder) => {
    const [, path, size] = /^(.*?)(?::(\d+))?$/.exec(folder)!;
    const all = mutantsIn(path);
    const drawn =
      before === undefined
        ? sampled(all, size === undefined ? sample : Number(size), seed)
        : all.filter((mutant) => before.has(keyOf(mutant)));
    return { folder: path, all: all.length, mutants: drawn.map((mutant) => ({ ...mutant, id: next++ })) };
  });
}

/** What a mutant is called in another run: the code may have moved, its sample may be another. */
function keyOf({ file, operator, code, text }: Mutant): string {
  return JSON.stringify([file, operator, code, text]);
}

function survivorsOf(file: string): ReadonlySet<string> {
  const rows = JSON.parse(readFileSync(file, 'utf8')) as readonly Row[];
  const survived = rows.flatMap(({ results }) => results).filter(({ verdict }) => !isKilled(verdict));
  return new Set(survived.map(({ mutant }) => keyOf(mutant)));
}

/** The suites whose imports lead to one of the files. */
function suitesThatLoad(files: ReadonlySet<string>, tests: RegExp): readonly string[] {
  const graph = new ImportGraph();
  return suitesIn(PROJECT).filter(
    (suite) => tests.test(suite) && [...graph.closureOf(suite)].some((file) => files.has(file)),
  );
}

/** Which suite met which mutants in the unchanged code. Suites that fail there say nothing, and are left out. */
async function recorded(runner: SuiteProcess, suites: readonly string[]): Promise<readonly SuiteRecord[]> {
  const records: SuiteRecord[] = [];
  for (const [index, suite] of suites.entries()) {
    const outcome = await runner.run({ mutant: 0, suite, tests: 'all' }, 600);
    if (typeof outcome === 'string' || !outcome.passed || outcome.hits === undefined) {
      console.log(`left out, because it fails without a mutant: ${suite}`);
      console.log(typeof outcome === 'string' ? outcome : (outcome.failure ?? '').split('\n').slice(0, 12).join('\n'));
      continue;
    }
    records.push({ suite, seconds: outcome.seconds, hits: outcome.hits });
    if (index % 40 === 39) {
      console.log(`${index + 1} of ${suites.length} suites recorded`);
    }
  }
  return records;
}

async function judged(
  mutant: Mutant,
  records: readonly SuiteRecord[],
  runner: SuiteProcess,
  budget: number,
): Promise<Result> {
  const orders = ordersFor(mutant, records);
  let spent = 0;
  for (const { seconds, ...order } of orders) {
    if (spent > budget) {
      return { mutant, verdict: 'survived', note: `${spent.toFixed(0)} s of tests did not notice it` };
    }
    const outcome = await runner.run(order, 20 + 5 * seconds);
    if (typeof outcome === 'string') {
      return { mutant, verdict: outcome === 'hung' ? 'timed out' : 'killed', note: order.suite };
    }
    if (!outcome.passed) {
      return { mutant, verdict: 'killed', note: order.suite };
    }
    spent += outcome.seconds;
  }
  return orders.length === 0
    ? { mutant, verdict: 'not covered', note: 'no test runs it' }
    : { mutant, verdict: 'survived', note: `${orders.length} suites run it` };
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
});

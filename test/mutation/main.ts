/**
 * `npm run test:mutation -- FOLDER[:N]... [--sample N] [--seed S] [--json FILE] [--survivors FILE] [--tests REGEX]`: how much of what could go wrong in these folders the unit tests notice.
 *
 * Draws N mutants of each folder by the seed (`FOLDER:N` for another number in one), runs the unit tests that load the changed files once to see which test
 * meets which mutant, then asks for each mutant the tests that meet it, until one fails. A mutant that no test meets counts as survived, and so does one that is not noticed within the budget.
 *
 * With `--seconds S` it stops after that time; the same command with `--resume` continues with what the file of `--json` has not.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ImportGraph } from './imports';
import { type Mutant, mutantsIn, PROJECT, sampled } from './mutants';
import { type Plan, planFile } from './plan';
import { print, type Result, type Row, table } from './report';
import { keyOf, load, save, type Saved, survivorsIn } from './saved';
import { ordersFor, type SuiteRecord } from './suites';
import { SuiteProcess } from './suite-process';
import { suitesIn } from './unit-tests';

const USAGE =
  'usage: npm run test:mutation -- FOLDER[:N]... [--sample N] [--seed S] [--budget SECONDS] [--seconds SECONDS] [--json FILE] [--resume] [--survivors FILE] [--tests REGEX]';

interface Options {
  readonly folders: readonly string[];
  readonly sample: number;
  readonly seed: number;
  /** Seconds of processor time to spend on one mutant. */
  readonly budget: number;
  /** When to stop, in milliseconds since 1970. */
  readonly deadline: number;
  readonly json?: string;
  /** Continue the run that wrote `json`; neither the code nor the tests may have changed since. */
  readonly resume: boolean;
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
      seconds: { type: 'string' },
      json: { type: 'string' },
      resume: { type: 'boolean', default: false },
      survivors: { type: 'string' },
      tests: { type: 'string', default: '' },
    },
  });
  const [sample, seed, budget] = [values.sample, values.seed, values.budget].map(Number);
  const seconds = values.seconds === undefined ? Infinity : Number(values.seconds);
  if (
    positionals.length === 0 ||
    ![sample, seed, budget].every((value) => Number.isInteger(value) && value >= 0) ||
    !(seconds > 0) ||
    (values.resume && values.json === undefined)
  ) {
    throw new Error(USAGE);
  }
  return {
    ...values,
    folders: positionals,
    sample,
    seed,
    budget,
    deadline: Date.now() + seconds * 1000,
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
    const before = options.resume ? load(options.json!) : { records: [], rows: [] };
    const rows = await judgeAll(groups, before, runner, options);
    console.log(
      `\nseed ${options.seed}, ${options.budget} s of processor time for each mutant at most\n\n${table(rows)}`,
    );
  } finally {
    runner.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Results of all mutants, or of as many as there is time for. */
async function judgeAll(
  groups: readonly Group[],
  before: Saved,
  runner: SuiteProcess,
  { budget, deadline, json, tests }: Options,
): Promise<readonly Row[]> {
  const isOver = (): boolean => Date.now() > deadline;
  const rows: Row[] = [];
  const keep = (saved: Saved): void => {
    if (json !== undefined) {
      save(json, saved);
    }
  };
  const files = new Set(groups.flatMap(({ mutants }) => mutants.map(({ file }) => file)));
  const suites = suitesThatLoad(files, tests);
  const records = [...before.records];
  for (const suite of suites.filter((one) => records.every((record) => record.suite !== one))) {
    if (isOver()) {
      break;
    }
    records.push(await recorded(runner, suite));
    keep({ records, rows: before.rows });
  }
  for (const { folder, mutants, all } of groups) {
    const known = before.rows.find((row) => row.folder === folder)?.results ?? [];
    if (known.some(({ mutant }, index) => keyOf(mutant) !== keyOf(mutants[index]))) {
      throw new Error(`${json}: the code of ${folder} has changed since; run without --resume`);
    }
    const results = [...known];
    rows.push({ folder, all, results });
    for (const mutant of mutants.slice(results.length)) {
      if (isOver() || records.length < suites.length) {
        break;
      }
      const result = await judged(mutant, records, runner, budget);
      results.push(result);
      print(result, `${folder} ${results.length}/${mutants.length}`);
      keep({ records, rows });
    }
  }
  return rows;
}

interface Group {
  readonly folder: string;
  /** How many mutants the folder has. */
  readonly all: number;
  readonly mutants: readonly Mutant[];
}

function groupsOf({ folders, sample, seed, survivors }: Options): readonly Group[] {
  let next = 1;
  const before = survivors === undefined ? undefined : survivorsIn(load(survivors));
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

/** The suites that may load one of the files. */
function suitesThatLoad(files: ReadonlySet<string>, tests: RegExp): readonly string[] {
  const graph = new ImportGraph();
  return suitesIn(PROJECT).filter((suite) => tests.test(suite) && graph.mayLoad(suite, files));
}

/** Which mutants a suite met in the unchanged code. One that fails there cannot notice anything: it counts as one that met none. */
async function recorded(runner: SuiteProcess, suite: string): Promise<SuiteRecord> {
  const outcome = await runner.run({ mutant: 0, suite, tests: 'all' }, 600);
  if (typeof outcome === 'string' || !outcome.passed || outcome.hits === undefined) {
    console.log(`left out, because it fails without a mutant: ${suite}`);
    console.log(typeof outcome === 'string' ? outcome : (outcome.failure ?? '').split('\n').slice(0, 12).join('\n'));
    return { suite, seconds: 0, hits: { outside: [], byTest: {} } };
  }
  return { suite, seconds: outcome.seconds, hits: outcome.hits };
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
    const outcome = await runner.run(order, 10 + 3 * seconds);
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

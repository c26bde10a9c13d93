/**
 * `npm run test:matrix`: the packed package with the oldest and the newest supported cdk8s, constructs, and TypeScript, on each supported
 * Node. Each row is an installation of its own, from the registry that npm is set up with. `--suite` also runs the tests of this checkout
 * on each Node.
 *
 *     npm run test:matrix -- [--suite] [ROW...]
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CompilerMode, consumerConfig, FACTS, MODES, pack, ROOT } from './packed';

const FOLDER = join(ROOT, '.cache/matrix');
const FILES = ['stack.ts', 'hooks.ts', 'matchers.ts'];
const NODES = ['20.12.0', '22', '24'];

interface Row {
  readonly node: string;
  readonly cdk8s: string;
  readonly constructs: string;
  readonly typescript: string;
  /** Further packages. */
  readonly more?: readonly string[];
  /** Runs a test with ts-jest, as the project that `cdk8s init` writes does. */
  readonly tsJest?: boolean;
  /** Runs the assertions of the testing kit in each test runner. */
  readonly runners?: boolean;
}

const OLDEST = { cdk8s: '2.60.0', constructs: '10.0.0', typescript: '5.9' };
const NEWEST = { cdk8s: '2', constructs: '10', typescript: '6.0' };

const ROWS: Readonly<Record<string, Row>> = {
  oldest: { node: NODES[0], ...OLDEST },
  'oldest-cdk8s': { node: '24', ...NEWEST, cdk8s: OLDEST.cdk8s },
  'oldest-constructs': { node: '22', ...NEWEST, constructs: OLDEST.constructs },
  'cdk8s-init': {
    node: '22',
    ...NEWEST,
    typescript: '5.9',
    more: ['cdk8s-plus-33', 'jest@29', 'ts-jest@29', '@types/jest@29'],
    tsJest: true,
  },
  newest: { node: '24', ...NEWEST },
  runners: { node: '24', ...NEWEST, more: ['vitest@4', 'jest@30'], runners: true },
};

const TS_JEST_TEST = `
import { FACTS } from './facts';
import { facts } from './stack';

test('every entry point resolves', () => expect(facts()).toEqual(FACTS));
`;

/** A test of each matcher, with the `test` of a runner. */
const runnerTest = (load: string): string => `
${load}
for (const one of MATCHERS) {
  test(one.name, () => assertMatcher(one));
}
test('the other assertions', () => assertRest());
`;

/** The file of each runner, and how it is run. */
const RUNNERS: Readonly<
  Record<string, { readonly file: string; readonly text: string; readonly words: readonly string[] }>
> = {
  'node:test': {
    file: 'node-test.js',
    text: runnerTest(
      "const { test } = require('node:test'); const { MATCHERS, assertMatcher, assertRest } = require('./out/node10/matchers.js');",
    ),
    words: ['--test', 'node-test.js'],
  },
  Jest: {
    file: 'jest.test.js',
    text: runnerTest("const { MATCHERS, assertMatcher, assertRest } = require('./out/node10/matchers.js');"),
    words: ['node_modules/jest/bin/jest.js', '--rootDir', '.', 'jest.test.js'],
  },
  Vitest: {
    file: 'vitest.spec.ts',
    text: runnerTest(
      "import { test } from 'vitest'; import { MATCHERS, assertMatcher, assertRest } from './matchers';",
    ),
    words: ['node_modules/vitest/vitest.mjs', 'run', 'vitest.spec.ts'],
  },
};

function main(names: readonly string[]): void {
  const tarball = pack(FOLDER);
  const wanted = names.filter((name) => name !== '--suite');
  const unknown = wanted.find((name) => ROWS[name] === undefined);
  if (unknown !== undefined) {
    throw new Error(`unknown row "${unknown}": must be one of ${Object.keys(ROWS).join(', ')}`);
  }
  const problems: string[] = [];
  for (const [name, row] of Object.entries(ROWS).filter(([key]) => wanted.length === 0 || wanted.includes(key))) {
    const found = tryRow(name, row, tarball);
    console.log(`${found.length === 0 ? 'ok    ' : 'FAILED'} ${name}: ${describe(row)}`);
    problems.push(...found.map((problem) => `${name}: ${problem}`));
  }
  if (names.includes('--suite')) {
    problems.push(...NODES.flatMap(runSuite));
  }
  if (problems.length > 0) {
    console.error(`\n${problems.join('\n\n')}`);
    process.exitCode = 1;
  }
}

function describe({ node, cdk8s, constructs, typescript }: Row): string {
  return `Node ${node}, cdk8s ${cdk8s}, constructs ${constructs}, TypeScript ${typescript}`;
}

/** Installs the row, compiles the stack under each mode, and runs what came out. @returns what failed */
function tryRow(name: string, row: Row, tarball: string): readonly string[] {
  const folder = join(FOLDER, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  for (const file of FILES) {
    copyFileSync(join(__dirname, 'consumer', file), join(folder, file));
  }
  const packages = [
    tarball,
    `node@${row.node}`,
    `cdk8s@${row.cdk8s}`,
    `constructs@${row.constructs}`,
    `typescript@${row.typescript}`,
    '@types/node@20',
    ...(row.more ?? []),
  ];
  // Peers that do not fit are an error of npm, and so a problem of the declared ranges.
  const install = run('npm', ['install', '--no-audit', '--no-fund', '--loglevel', 'error', ...packages], folder);
  if (install !== undefined) {
    return [`install: ${install}`];
  }
  const node = join(folder, 'node_modules/node/bin/node');
  const problems: (string | undefined)[] = [];
  for (const [mode, settings] of Object.entries(MODES)) {
    writeFileSync(join(folder, `tsconfig.${mode}.json`), JSON.stringify(configOf(mode, settings, row)));
    problems.push(
      run(node, ['node_modules/typescript/lib/tsc.js', '-p', `tsconfig.${mode}.json`], folder, `compile (${mode})`),
    );
  }
  const program =
    "const wanted = JSON.stringify(require('./facts.json')), is = JSON.stringify(require('./out/node10/stack.js').facts());" +
    "if (is !== wanted) throw new Error(`the facts are ${is} and must be ${wanted}`); require('./out/node10/hooks.js').assertHooks();";
  writeFileSync(join(folder, 'facts.json'), JSON.stringify(FACTS));
  problems.push(run(node, ['-e', program], folder, 'run'));
  if (row.tsJest === true) {
    writeFileSync(join(folder, 'facts.ts'), `export const FACTS = ${JSON.stringify(FACTS)};`);
    writeFileSync(join(folder, 'stack.test.ts'), TS_JEST_TEST);
    writeFileSync(join(folder, 'jest.config.js'), "module.exports = { transform: { '^.+\\\\.ts$': 'ts-jest' } };");
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { module: 'commonjs', target: 'es2017', lib: ['es2016'], strict: true } }),
    );
    problems.push(run(node, ['node_modules/jest/bin/jest.js', '--rootDir', '.'], folder, 'ts-jest'));
  }
  if (row.runners === true) {
    for (const [runner, { file, text, words }] of Object.entries(RUNNERS)) {
      writeFileSync(join(folder, file), text);
      problems.push(run(node, words, folder, runner));
    }
  }
  return problems.filter((problem) => problem !== undefined);
}

function configOf(mode: string, settings: CompilerMode, { typescript }: Row): object {
  const silent = typescript.startsWith('6') ? { ignoreDeprecations: '6.0' } : {};
  // The hooks use what Node has, which an older lib does not name.
  const more = { ...settings.more, lib: ['es2022'], ...silent };
  return { ...consumerConfig({ ...settings, more }, `out/${mode}`), files: FILES };
}

function runSuite(version: string): readonly string[] {
  const folder = join(FOLDER, `node-${version}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const install = run('npm', ['install', '--no-audit', '--no-fund', '--loglevel', 'error', `node@${version}`], folder);
  const problem =
    install ??
    run(
      join(folder, 'node_modules/node/bin/node'),
      ['node_modules/jest/bin/jest.js', '--config', 'jest.config.json'],
      ROOT,
      `tests on Node ${version}`,
    );
  console.log(`${problem === undefined ? 'ok    ' : 'FAILED'} tests on Node ${version}`);
  return problem === undefined ? [] : [problem];
}

/** @returns what the program printed, where it failed */
function run(command: string, args: readonly string[], cwd: string, what = command): string | undefined {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return status === 0 ? undefined : `${what}: ${error?.message ?? `${stdout}${stderr}`.trim()}`;
}

main(process.argv.slice(2));

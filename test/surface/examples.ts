/**
 * The examples of docstrings are programs: they compile against the built package, run in an app of their own, and what they synthesize
 * has no finding of severity error.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { compile, demandBuild } from '../support/type-check';
import { ROOT } from '../words/files';
import { program, surface } from './documented';
import { ExamplePrograms } from './example-program';

const FOLDER = join(ROOT, '.cache/examples');

/** Files that examples read. */
const FILES: Readonly<Record<string, string>> = {
  'clusters/training.yaml':
    'pools:\n  - { name: h100, count: 8, accelerator: H100-SXM-80GB, perNode: 8, cpu: 160, memory: 1536Gi }\n',
  'dist/namespace.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: research\n',
  'extra/namespace.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: extra\n',
};

const PROJECT = {
  compilerOptions: {
    target: 'es2022',
    lib: ['es2023'],
    module: 'node16',
    rootDir: '.',
    types: ['node', 'jest'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    strict: true,
    skipLibCheck: true,
  },
  include: ['*.ts'],
};

const programs = new ExamplePrograms(program());
const examples = surface().flatMap(({ name, at, tags }) =>
  tags
    .filter((tag) => tag.name === 'example')
    .map((tag, index) => ({
      label: `${at} ${name}`,
      path: join(FOLDER, `${name.replace(/\W+/g, '-')}-${index + 1}.ts`),
      text: programs.programOf(ts.displayPartsToString(tag.text).trim()),
    })),
);
const labelOf = (path: string): string =>
  examples.find((example) => example.path.replace(/\.ts$/, '') === path.replace(/\.[jt]s$/, ''))?.label ?? path;

describe('examples of docstrings', () => {
  beforeAll(() => {
    demandBuild();
    rmSync(FOLDER, { recursive: true, force: true });
    for (const [path, text] of Object.entries(FILES)) {
      mkdirSync(join(FOLDER, path, '..'), { recursive: true });
      writeFileSync(join(FOLDER, path), text);
    }
    for (const { path, text } of examples) {
      writeFileSync(path, text);
    }
    writeFileSync(join(FOLDER, 'tsconfig.json'), JSON.stringify(PROJECT));
  });

  test('there is an example for most classes', () => {
    expect(examples.length).toBeGreaterThan(100);
  });

  test('the examples compile', () => {
    const problems = compile(FOLDER).map(({ file, line, message }) => `${labelOf(file)}: line ${line}: ${message}`);
    expect(problems).toEqual([]);
  }, 120_000);

  test('the examples run, and synthesize without an error', () => {
    const paths = examples.map(({ path }) => path.replace(/\.ts$/, '.js'));
    const output = execFileSync('node', [join(__dirname, 'run-examples.cjs'), ...paths], {
      cwd: FOLDER,
      encoding: 'utf8',
      env: { ...process.env, CDK8S_OUTDIR: join(FOLDER, 'out') },
    });
    const problems = JSON.parse(output) as readonly { readonly path: string; readonly problem: string }[];
    expect(problems.map(({ path, problem }) => `${labelOf(path)}: ${problem}`)).toEqual([]);
  }, 120_000);
});

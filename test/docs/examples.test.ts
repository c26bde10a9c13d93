/**
 * The examples of docstrings are programs: they compile against the built package, run in an app of their own, and what they synthesize
 * has no finding of severity error.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../words/files';
import { program, surface } from '../words/surface';
import { ExamplePrograms } from './example-program';

const FOLDER = join(ROOT, '.cache/examples');

/** Files that examples read. */
const FILES: Readonly<Record<string, string>> = {
  'clusters/training.yaml':
    'pools:\n  - { name: h100, count: 8, accelerator: H100-SXM-80GB, perNode: 8, cpu: 160, memory: 1536Gi }\n',
  'dist/namespace.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: research\n',
  'extra/namespace.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: extra\n',
};

const source = program();
const programs = new ExamplePrograms(source);
const examples = surface(source).flatMap(({ name, at, tags }) =>
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

beforeAll(() => {
  if (!existsSync(join(ROOT, 'lib/index.js'))) {
    throw new Error('lib/ is missing: run `npx tsc --build` first (npm test does)');
  }
  rmSync(FOLDER, { recursive: true, force: true });
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(join(FOLDER, path, '..'), { recursive: true });
    writeFileSync(join(FOLDER, path), text);
  }
  for (const { path, text } of examples) {
    writeFileSync(path, text);
  }
});

test('there is an example for most classes', () => {
  expect(examples.length).toBeGreaterThan(100);
});

test('the examples compile', () => {
  const compiled = ts.createProgram(
    examples.map(({ path }) => path),
    {
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2023.d.ts'],
      module: ts.ModuleKind.Node16,
      moduleResolution: ts.ModuleResolutionKind.Node16,
      types: ['node', 'jest'],
      strict: true,
      skipLibCheck: true,
      esModuleInterop: true,
    },
  );
  const { diagnostics } = compiled.emit();
  const problems = [...ts.getPreEmitDiagnostics(compiled), ...diagnostics].map(({ file, start, messageText }) => {
    const line = file === undefined ? '' : file.text.slice(0, start).split('\n').length;
    return `${labelOf(file?.fileName ?? '')}: line ${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
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

/**
 * Every TypeScript snippet of the README and of docs/ is a program: it is type-checked and run as a user would run it, against the
 * built package. A fence ```yaml output after a snippet states what the snippet prints.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { compile, demandBuild } from '../support/type-check';

const ROOT = resolve(__dirname, '../..');
const FOLDER = join(ROOT, '.cache/snippets');

interface Snippet {
  readonly name: string;
  readonly code: string;
  /** What it prints, where the page says so. */
  readonly output?: string;
}

const pages = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];
const snippets = pages.flatMap(snippetsOf);

beforeAll(() => {
  demandBuild();
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  for (const { name, code } of snippets) {
    writeFileSync(join(FOLDER, `${name}.ts`), code);
  }
  writeFileSync(
    join(FOLDER, 'tsconfig.json'),
    JSON.stringify({
      extends: '../../tsconfig.json',
      compilerOptions: {
        rootDir: '.',
        outDir: 'out',
        noEmitOnError: false,
        declaration: false,
        noUnusedLocals: false,
        types: ['node'],
      },
      include: ['*.ts'],
    }),
  );
}, 30_000);

test('the pages have snippets', () => {
  expect(snippets.length).toBeGreaterThan(3);
});

test('the snippets type-check', () => {
  expect(compile(FOLDER)).toEqual([]);
}, 120_000);

describe('a snippet runs', () => {
  let results: Readonly<Record<string, { readonly output: string; readonly failure?: string }>>;

  beforeAll(() => {
    const program = join(__dirname, 'run-snippets.mjs');
    const { stdout, stderr } = spawnSync('node', [program, FOLDER, ...snippets.map(({ name }) => name)], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      env: { ...process.env, NO_COLOR: '1' },
    });
    const last = stdout.trimEnd().split('\n').at(-1) ?? '';
    if (!last.startsWith('{')) {
      throw new Error(`the snippets did not run to their end: ${stdout}${stderr}`);
    }
    results = JSON.parse(last) as typeof results;
  }, 120_000);

  test.each(snippets.map((snippet) => [snippet.name, snippet] as const))('%s', (name, { output }) => {
    expect(results[name].failure).toBeUndefined();
    if (output !== undefined) {
      expect(results[name].output.trimEnd()).toBe(output.trimEnd());
    }
  });
});

function snippetsOf(page: string): Snippet[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const fences = [...text.matchAll(/^```(\S+)([^\n]*)\n([\s\S]*?)^```$/gm)].map(([, language, info, code]) => ({
    language: language,
    info: info.trim(),
    code: code,
  }));
  const base = page.replace(/\.md$/, '').replace(/\W+/g, '-').toLowerCase();
  return fences.flatMap((fence, index) => {
    if (fence.language !== 'ts') {
      return [];
    }
    const next = fences[index + 1];
    const output = next?.info === 'output' ? next.code : undefined;
    return [{ name: `${base}-${index + 1}`, code: fence.code, output }];
  });
}

/**
 * The traps of `traps.ts` as the compiler sees them: each is an error, on the line on which a user would look for it, and nothing else is.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, relative, resolve } from 'node:path';
import { compile, type CompilerError, demandBuild } from '../../support/type-check';

const ROOT = resolve(__dirname, '../../..');
const FILE = resolve(__dirname, 'traps.ts');
const DIRECTIVE = '// @ts-expect-error ';

const FOLDER = resolve(ROOT, '.cache/surface/traps');

/** Errors of the file, with the given text in place of its own. */
function errorsOf(text: string): readonly CompilerError[] {
  demandBuild();
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const config = {
    // Without the paths of the type check of the project: the declarations of the build are read faster than all sources are checked.
    extends: resolve(ROOT, 'tsconfig.json'),
    compilerOptions: { rootDir: '.', noEmit: true, noUnusedLocals: false },
    include: [],
    files: [basename(FILE)],
  };
  writeFileSync(resolve(FOLDER, 'tsconfig.json'), JSON.stringify(config));
  writeFileSync(resolve(FOLDER, basename(FILE)), text);
  return compile(FOLDER);
}

const text = readFileSync(FILE, 'utf8');
const lines = text.split('\n');
/** The lines that must not compile. */
const traps = lines.flatMap((line, index) => (line.trim().startsWith(DIRECTIVE) ? [index + 2] : []));

test('the type check of the project compiles the traps', () => {
  const [, ...text] = readFileSync(resolve(ROOT, 'tsconfig.dev.json'), 'utf8').split('\n');
  const { include, exclude } = JSON.parse(text.join('\n')) as Record<'include' | 'exclude', readonly string[]>;
  expect(include).toContain('test/**/*.ts');
  expect(exclude.filter((path) => relative(ROOT, FILE).startsWith(path))).toEqual([]);
});

test('each trap is an error on its own line, and no other line is one', () => {
  // One legal line with a directive above it, as every trap would be that became legal.
  const legal = `${DIRECTIVE}legal\nexport const legal = 8;\n`;
  const marked = text.replaceAll(DIRECTIVE, '// trap: ') + legal;
  const errors = errorsOf(marked);
  expect(new Set(errors.map(({ line }) => line))).toEqual(new Set([...traps, lines.length]));
  expect(errors.filter(({ code }) => code === UNUSED_DIRECTIVE).map(({ line }) => line)).toEqual([lines.length]);
  expect(traps.length).toBeGreaterThan(90);
});

/** TS2578: Unused '@ts-expect-error' directive. */
const UNUSED_DIRECTIVE = 2578;

test('each trap says what to write instead, or what is wrong', () => {
  const without = lines.filter((line) => line.includes('@ts-expect-error')).filter((line) => !/-error \S/.test(line));
  expect(without).toEqual([]);
});

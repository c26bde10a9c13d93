/**
 * `gantry check` runs from one bundled file, which loads the modules about CEL on demand. Those have their own copies of the classes that
 * they share with the bundle, so that `instanceof` does not recognize an error of the other copy.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const SOURCES = resolve(__dirname, '../../src');
const BUNDLED = ['facts', 'manifests', 'cel', 'checks', 'constructs'];

/** The modules that load another of the sources on demand, and the imported classes that each tests for. */
const loaders = BUNDLED.flatMap((folder) =>
  readdirSync(join(SOURCES, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
)
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, text: readFileSync(join(SOURCES, path), 'utf8') }))
  .filter(({ text }) => /\bload\('\.[^']*'\)/.test(text))
  .map(({ path, text }) => ({ path, classes: importedClasses(text) }));

function importedClasses(text: string): readonly string[] {
  return [...text.matchAll(/instanceof (\w+)/g)]
    .map(([, name]) => name)
    .filter((name) => new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from '\\.`).test(text));
}

test('a module that loads another on demand tests for no imported class', () => {
  expect(loaders.map(({ path }) => path)).toContain('checks/server/expressions.ts');
  expect(loaders.filter(({ classes }) => classes.length > 0)).toEqual([]);
});

test('such a test is found', () => {
  expect(importedClasses("import { A, type B } from './a';\nerror instanceof A || error instanceof Error")).toEqual([
    'A',
  ]);
});

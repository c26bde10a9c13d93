import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, ROOT } from './files';
import { calquesIn, idiomsIn, onOneLine, readableTextOf } from './idioms';

/** Generated, or about the idioms themselves. */
const EXCLUDED = [
  /^src\/facts\/api\//,
  /^src\/planning\/pages\/assets\.ts$/,
  /^docs\/glossary\.md$/,
  /^docs\/rules\.md$/,
];

/** Every calque in the comments and the test titles of the project. */
export function findCalques(): readonly string[] {
  return ['src', 'projen', 'examples', 'bench', 'test']
    .flatMap((folder) => filesBelow(folder, /\.ts$/))
    .filter((path) => !path.startsWith('test/words/') && !EXCLUDED.some((excluded) => excluded.test(path)))
    .flatMap((path) => calquesIn(readFileSync(join(ROOT, path), 'utf8')).map((idiom) => `${path}: ${idiom}`));
}

/** Every idiom of the project with its file, as a line to read. */
export function findIdioms(): readonly string[] {
  return [...filesBelow('src', /\.ts$/), ...filesBelow('docs', /\.md$/), 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.md']
    .filter((path) => !EXCLUDED.some((excluded) => excluded.test(path)))
    .flatMap((path) => {
      const code = readFileSync(join(ROOT, path), 'utf8');
      // A file is parsed only if it has an idiom at all.
      return idiomsIn(onOneLine(code)).length === 0
        ? []
        : idiomsIn(readableTextOf(path, code)).map((idiom) => `${path}: ${idiom}`);
    });
}

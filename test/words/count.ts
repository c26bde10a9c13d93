import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, ROOT } from './files';
import { idiomsIn, readableTextOf } from './idioms';

const LIST = join(__dirname, 'idioms-left.json');
/** Generated, or about the idioms themselves. */
const EXCLUDED = [
  /^src\/facts\/api\//,
  /^src\/planning\/pages\/assets\.ts$/,
  /^docs\/glossary\.md$/,
  /^docs\/rules\.md$/,
];

/** The idioms of each file that has any, by path. */
export function countIdioms(): ReadonlyMap<string, readonly string[]> {
  const paths = [
    ...filesBelow('src', /\.ts$/),
    ...filesBelow('docs', /\.md$/),
    'README.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
  ].filter((path) => !EXCLUDED.some((excluded) => excluded.test(path)));
  const found = paths.map((path) => {
    const code = readFileSync(join(ROOT, path), 'utf8');
    return [path, idiomsIn(readableTextOf(path, code))] as const;
  });
  return new Map(found.filter(([, idioms]) => idioms.length > 0));
}

/** The count of each file that has idioms left. */
export function recorded(): Readonly<Record<string, number>> {
  return JSON.parse(readFileSync(LIST, 'utf8')) as Readonly<Record<string, number>>;
}

if (require.main === module) {
  const counts = Object.fromEntries([...countIdioms()].map(([path, idioms]) => [path, idioms.length]));
  writeFileSync(LIST, `${JSON.stringify(counts, null, 1)}\n`);
  console.log(`${Object.values(counts).reduce((sum, count) => sum + count, 0)} in ${Object.keys(counts).length} files`);
}

/**
 * Names and text are in American English, as those of Kubernetes are: code, comments, docs, tests, and examples.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, ROOT } from './files';

/** What words in British spelling begin with, or contain, and what follows it there. */
const BRITISH_WORDS: readonly (readonly [stem: string, after?: string, before?: string])[] = [
  ...['behaviour', 'colour', 'favour', 'honour', 'labour', 'neighbour'].map((stem) => [stem] as const),
  ['cancell', '(?:ed|ing)\\b', '(?<!re)'],
  ['labelled', '(?!by)'],
  ['modell', '(?:ed|ing)\\b'],
  ['travell', '(?:ed|ing)\\b'],
  ['centre', 's?\\b', '\\b'],
  ...['judgement', 'misspelt'].map((stem) => [stem] as const),
  ...['licence', 'ageing'].map((stem) => [stem, '\\b'] as const),
  ...['spelt', 'towards'].map((stem) => [stem, '\\b', '\\b'] as const),
  ...['utilis', 'synthesis', 'recognis', 'summaris', 'synchronis', 'normalis', 'serialis', 'initialis', 'organis']
    .concat(['optimis', 'prioritis', 'minimis', 'maximis', 'customis', 'visualis', 'generalis', 'categoris'])
    .map((stem) => [stem, '(?:e[drs]?\\b|ing\\b|ation)'] as const),
];
const BRITISH = new RegExp(
  BRITISH_WORDS.map(([stem, after = '', before = '']) => `${before}${stem}${after}`).join('|'),
  'gi',
);

/** Generated, recorded, or the list itself; and names that others chose. */
const EXCLUDED =
  /^src\/facts\/api\/|^src\/planning\/pages\/assets\.ts$|^test\/(?:fixtures|words)\/|^docs\/glossary\.md$/;
const NAMES = /cost-centre|'licence'|"licence"/g;

/** Strings are found many times as fast as patterns: few files contain one of the stems. */
function britishIn(text: string): readonly string[] {
  const lower = text.toLowerCase();
  return BRITISH_WORDS.some(([stem]) => lower.includes(stem)) ? (text.replace(NAMES, '').match(BRITISH) ?? []) : [];
}

test('British spelling is found in prose and in names, and words that only look like it are not', () => {
  expect(britishIn('the behaviour of utilisation: wantsColour, Labelled, cancelled, synthesise')).toHaveLength(6);
  expect(britishIn('aria-labelledby, optimistic, parallelism, synthesis, cancellation, organist')).toEqual([]);
});

test('no file has a word in British spelling', () => {
  const paths = ['src', 'docs', 'test', 'examples', 'bench', 'projen']
    .flatMap((folder) => filesBelow(folder, /\.(?:ts|md|mjs|cjs|css|yaml)$/))
    .concat('README.md', 'CONTRIBUTING.md', 'CHANGELOG.md')
    .filter((path) => !EXCLUDED.test(path));
  expect(paths.length).toBeGreaterThan(1000);
  const found = paths.flatMap((path) =>
    britishIn(readFileSync(join(ROOT, path), 'utf8')).map((word) => `${path}: ${word}`),
  );
  expect(found).toEqual([]);
});

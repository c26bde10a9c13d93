/**
 * Names and text are in American English, as those of Kubernetes are: code, comments, docs, tests, and examples.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, ROOT } from './files';

/** Beginnings of words in British spelling. */
const BRITISH =
  /behaviour|colour|favour|honour|labour|neighbour|(?<!re)cancell(?:ed|ing)\b|labelled(?!by)|modell(?:ed|ing)\b|travell(?:ed|ing)\b|\bcentres?\b|judgement|licence\b|ageing\b|misspelt|\bspelt\b|\btowards\b|(?:utilis|synthesis|recognis|summaris|synchronis|normalis|serialis|initialis|organis|optimis|prioritis|minimis|maximis|customis|visualis|generalis|categoris)(?:e[drs]?\b|ing\b|ation)/gi;

/** Generated, recorded, or the list itself; and names that others chose. */
const EXCLUDED =
  /^src\/facts\/api\/|^src\/planning\/pages\/assets\.ts$|^test\/(?:fixtures|words)\/|^docs\/glossary\.md$/;
const NAMES = /cost-centre|'licence'|"licence"/g;

const britishIn = (text: string): readonly string[] => text.replace(NAMES, '').match(BRITISH) ?? [];

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

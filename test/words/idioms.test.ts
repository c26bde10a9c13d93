/**
 * Docs, README, strings, and public docstrings use the words of docs/glossary.md.
 */
import { findCalques, findIdioms } from './find-idioms';
import { calquesIn, IDIOMS, idiomsIn, neededBy } from './idioms';

test.each([
  ['\\bnobody\\b(?! on the node)', ['nobody']],
  ['\\bwho(?:m|so)?ever\\b', ['ever']],
  ['\\bin a circle\\b|\\bno circle\\b', ['in a circle', 'no circle']],
  ['(?<!\\b(?:all|both) )\\bof (?:whom|which)\\b', ['of ']],
  ['\\bslips? of the pen\\b', [' of the pen']],
  ['\\b(?:some|any)body\\b', ['body']],
  ['\\b(?:a|b)\\b', ['']],
  ['[a-z]+ [0-9]', [' ']],
])('a text that %s matches contains %j', (source, needed) => {
  expect(neededBy(source)).toEqual(needed);
});

test('most patterns need a string that few texts contain', () => {
  const patterns = IDIOMS.map(({ pattern }) => neededBy(pattern.source));
  expect(patterns.filter((needed) => needed.every((part) => part.length > 2)).length).toBeGreaterThan(
    patterns.length / 2,
  );
});

test('idioms are found in docs, strings, and docstrings', () => {
  expect(idiomsIn('nobody reads it, and the value stands in a circle')).toHaveLength(3);
  expect(idiomsIn('the queue has no effect')).toEqual([]);
});

test.each([
  ['/** The user learns it here, and is told so. */', 2],
  ['const a = 1; // Whoever asks gets it anew: it stands as it stood.', 4],
  ["test('nobody is told', () => {});", 2],
  ["describe.each([['a']])('%s stands here', () => {});", 1],
  ["const told = 'nobody'; const url = 'https://example.com/anew';", 0],
  [
    '/** `*` stands for any text; colors stand out; the stand-alone key tells devices apart, and they are told apart. */',
    0,
  ],
  ['// Root of the container is nobody on the node.', 0],
  ['/**\n * The key tells\n * of it, as it stands\n * for it.\n */', 1],
])('calques are found in comments and titles: %s', (code, count) => {
  expect(calquesIn(code)).toHaveLength(count);
});

test('no comment and no title of a test has a calque', () => {
  expect(findCalques()).toEqual([]);
});

test('no file has an idiom that the glossary replaces', () => {
  expect(findIdioms()).toEqual([]);
});

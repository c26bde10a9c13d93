/**
 * Docs, README, strings, and public docstrings use the words of docs/glossary.md.
 */
import { findIdioms } from './find-idioms';
import { idiomsIn } from './idioms';

test('idioms are found in docs, strings, and docstrings', () => {
  expect(idiomsIn('nobody reads it, and the value stands in a circle')).toHaveLength(4);
  expect(idiomsIn('the queue has no effect')).toEqual([]);
});

test('no file has an idiom that the glossary replaces', () => {
  expect(findIdioms()).toEqual([]);
});

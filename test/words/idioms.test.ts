/**
 * Docs, README, strings, and public docstrings use the words of docs/glossary.md. Files that do not yet are listed with a count that may
 * only shrink; the goal is an empty list. `npx tsx test/words/count.ts` writes it again.
 */
import { idiomsIn } from './idioms';
import { countIdioms, recorded } from './count';

test('idioms are found in docs, strings, and docstrings', () => {
  expect(idiomsIn('nobody reads it, and the value stands in a circle')).toHaveLength(4);
  expect(idiomsIn('the queue has no effect')).toEqual([]);
});

test('no file has more idioms than recorded', () => {
  const before = recorded();
  const more = [...countIdioms()]
    .filter(([path, found]) => found.length > (before[path] ?? 0))
    .map(
      ([path, found]) =>
        `${path}: ${found.length} (${before[path] ?? 0} recorded), among them ${found.slice(0, 5).join(', ')}`,
    );
  expect(more).toEqual([]);
});

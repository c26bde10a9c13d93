/**
 * The API reference is complete: whatever a user can import says what it is, what it defaults to, and how it is used. `test/words/idioms.test.ts`
 * checks its words, and `examples.ts` runs its examples.
 */
import ts from 'typescript';
import { type Documented, surface } from './documented';

const everything = surface();
const tagText = (documented: Documented, name: string): string | undefined => {
  const tag = documented.tags.find((found) => found.name === name);
  return tag && ts.displayPartsToString(tag.text).trim();
};
/** What fails a statement, one line each, with its place in the source. */
const failing = (where: (documented: Documented) => boolean): readonly string[] =>
  everything.filter(where).map(({ at, name, text }) => `${at} ${name}: ${text ?? '(no docstring)'}`);

test('the surface is found, with classes, interfaces, members, and optional properties', () => {
  expect(everything.length).toBeGreaterThan(4000);
  for (const name of [
    'Accelerator',
    'Accelerator.nvidia',
    'volcano.Queue',
    'placement.Gang.queue',
    'TextOptions.width',
  ]) {
    expect(everything.map((documented) => documented.name)).toContain(name);
  }
  expect(everything.filter(({ role }) => role === 'class').length).toBeGreaterThan(120);
  expect(everything.filter(({ optional }) => optional).length).toBeGreaterThan(1500);
});

test('every export and every member has a docstring', () => {
  expect(failing(({ text }) => text === undefined)).toEqual([]);
});

test('every class has an example', () => {
  expect(failing((documented) => documented.role === 'class' && !tagText(documented, 'example'))).toEqual([]);
});

test('every optional property of props and options has a default', () => {
  const isInput = ({ name }: Documented): boolean => /(?:Props|Options)\./.test(name);
  expect(failing((found) => found.optional && isInput(found) && !tagText(found, 'default'))).toEqual([]);
});

test('every other optional property has a default, or says when it is absent', () => {
  const isExplained = (found: Documented): boolean =>
    Boolean(tagText(found, 'default')) || /\b(?:absent|present|unset|undefined)\b/i.test(found.text ?? '');
  expect(failing((found) => found.optional && !isExplained(found))).toEqual([]);
});

describe('a docstring', () => {
  test('begins with a capital, a quoted name, or a number', () => {
    expect(failing(({ text }) => text !== undefined && !/^[A-Z`'"0-9<{(]/.test(text))).toEqual([]);
  });

  test('ends with a full stop, unless a list, a table, or code ends it', () => {
    const ends = (text: string): boolean => /[.)]$/.test(text) || /(?:^|\n)\s*(?:[-|*]|```)[^\n]*$/.test(text);
    expect(failing(({ text }) => text !== undefined && !ends(text))).toEqual([]);
  });

  test('says more than the name', () => {
    const words = (text: string): readonly string[] =>
      text
        .toLowerCase()
        .split(/[^a-z0-9]+/)
        .filter((word) => word !== '' && !['a', 'an', 'the', 'this', 'of'].includes(word));
    const isGeneric = ({ name, text }: Documented): boolean =>
      text !== undefined &&
      words(text).join('') ===
        name
          .split('.')
          .at(-1)!
          .toLowerCase()
          .replace(/[^a-z0-9]/g, '');
    expect(failing(isGeneric)).toEqual([]);
  });
});

/**
 * The words of a command line, with the quotes of a shell and without anything else of it: no variables, no patterns.
 */

/** @returns `undefined` if a quote is not closed */
export function shellWords(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '\\' && quote !== "'" && at + 1 < text.length) {
      const next = text[++at];
      // Within double quotes, a backslash stays before what it does not protect.
      word = `${word ?? ''}${quote === '"' && !'"\\$`\n'.includes(next) ? '\\' : ''}${next}`;
    } else if (quote === character) {
      quote = '';
    } else if (quote === '' && (character === '"' || character === "'")) {
      quote = character;
      word ??= '';
    } else if (quote === '' && /\s/.test(character)) {
      if (word !== undefined) {
        words.push(word);
      }
      word = undefined;
    } else {
      word = `${word ?? ''}${character}`;
    }
  }
  if (quote !== '') {
    return undefined;
  }
  return word === undefined ? words : [...words, word];
}

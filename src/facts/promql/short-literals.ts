/**
 * Long literals of expressions, broken up. The engine copies all literal characters before each that it adds to them, so that its time grows with the square
 * of their number: 48,000 take 3.6 s. It never joins what an empty group separates, and such a group means nothing.
 */

/** Shorter expressions are left as they are. */
const LONG = 1000;
/** Literal characters in a row. */
const MOST_IN_A_ROW = 64;
const EMPTY_GROUP = '(?:)';

/** A quoted text, an escape, a class, the beginning of a group, a repetition, or one character, in this order. What has no end takes the rest. */
const TOKEN = new RegExp(
  [
    String.raw`\\Q(?<quoted>[\s\S]*?)(?:\\E|$)`,
    String.raw`\\[pPx]\{[^}]*(?:\}|$)`,
    String.raw`\\(?:[pP][\s\S]|x[\s\S]{2}|[0-7]{1,3}|[\s\S])`,
    String.raw`\[\^?\]?(?:\\[\s\S]|\[:\^?[a-z]{1,10}:\]|[^\]\\])*(?:\]|$)`,
    String.raw`\(\?(?:P?<[^>]*(?:>|$)|[A-Za-z-]*[:)])`,
    String.raw`\{\d+(?:,\d*)?\}`,
    String.raw`[\s\S]`,
  ].join('|'),
  'gu',
);
/** Beginnings of tokens that match anything else than themselves: of escapes, a letter or a digit. */
const NO_LITERAL = /^(?:[\^$.|?*+()[]|\{\d+,?\d*\}$|\\[A-Za-z\d])/;

/** The expression with the same meaning and no long literal. */
export function withShortLiterals(source: string): string {
  if (source.length <= LONG) {
    return source;
  }
  let out = '';
  let row = 0;
  for (const { 0: token, groups } of source.matchAll(TOKEN)) {
    const { quoted } = groups ?? {};
    if (quoted !== undefined) {
      out += inPieces(quoted);
      row = 0;
    } else {
      row = NO_LITERAL.test(token) ? 0 : row + 1;
      out += row > 0 && row % MOST_IN_A_ROW === 0 ? `${EMPTY_GROUP}${token}` : token;
    }
  }
  return out;
}

function inPieces(text: string): string {
  let out = '';
  const characters = [...text];
  for (let at = 0; at < characters.length; at += MOST_IN_A_ROW) {
    out += `${at === 0 ? '' : EMPTY_GROUP}\\Q${characters.slice(at, at + MOST_IN_A_ROW).join('')}\\E`;
  }
  return out;
}

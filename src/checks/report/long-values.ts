/**
 * Long values in what a finding says: a name of 5,000 characters hides the sentence around it. `found` keeps the value whole.
 */

/** Longest value that a sentence shows whole. */
const LONGEST_VALUE = 80;

const QUOTED = /"((?:[^"\\]|\\.)*)"/g;

/** A word in no quotes that no sentence has: a value. */
const LONG_WORD = /[^\s"]{161,}/g;

/** The message with the values in it cut after 80 characters. */
export function withShortValues(message: string): string {
  return message.length <= LONGEST_VALUE
    ? message
    : cutQuoted(message, () => true).replace(LONG_WORD, (word) => `${word.slice(0, LONGEST_VALUE)}…`);
}

/** What a value to write follows: "Set spec.queue to", "Replace it with", a list, a field. */
const TO_WRITE = /(?:\b(?:to|with|or|and|as|is) |[^a-zA-Z ] ?)$/;

/** The fix with the values in it cut, other than those to write. */
export function withShortNames(fix: string): string {
  return fix.length <= LONGEST_VALUE ? fix : cutQuoted(fix, (before) => !TO_WRITE.test(before));
}

/** Without a pair for each quotation mark, what is between two of them may be the sentence. */
function cutQuoted(text: string, mayCut: (before: string) => boolean): string {
  const marks = text.replace(/\\./g, '').split('"').length - 1;
  return marks % 2 === 1
    ? text
    : text.replace(QUOTED, (whole, value: string, at: number) =>
        value.length > LONGEST_VALUE && mayCut(text.slice(0, at)) ? `"${cut(value)}…"` : whole,
      );
}

/** Without half a character or half an escape at the end. */
function cut(value: string): string {
  return value.slice(0, LONGEST_VALUE).replace(/(?:[\uD800-\uDBFF]|(?<!\\)(?:\\\\)*\\(?:u[\da-f]{0,3})?)$/, '');
}

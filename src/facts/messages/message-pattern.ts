/**
 * Finds a message in a text by the literal parts of its format, with bounded work: each place where the longest part occurs is looked at
 * once, and values between the parts have a greatest length. A regular expression could be made to work for minutes by a hostile text.
 */

/** Where a message is in a text. */
export interface MessagePlace {
  readonly start: number;
  readonly end: number;
}

/** Greatest length of a value in characters. */
const LONGEST_VALUE = 400;
/** The rest of a word, or the word after a space. */
const WORD = /^ ?[^ ]*/;
const VERB = /%[+#.0-9]*[a-zA-Z]|\{(?:name|number|quoted|resource|text)\}/g;
const CLASSES: Readonly<Record<string, RegExp>> = {
  name: /^[^ ]+$/,
  number: /^-?\d[\d.]*[a-zA-Z]*$/,
  quoted: /^(?:"[^"]*"|'[^']*')$/,
  resource: /^[a-z0-9.-]+\.[a-z]+\/[\w.-]*$/i,
  text: /^[^]*$/,
};
const CLASS_OF_VERB: Readonly<Record<string, string>> = { d: 'number', f: 'number', q: 'quoted', w: 'text' };

/** The text of a message with placeholders: Go's verbs, or `{name}`, `{number}`, `{quoted}`, `{resource}`, `{text}`. */
export class MessagePattern {
  /** The parts between values; never empty. */
  private readonly parts: readonly string[];
  /** The class of the value after each part but the last, and of the one at the end of the text, if any. */
  private readonly values: readonly string[];
  /** Index of the longest part, which is looked for first. */
  private readonly anchor: number;
  /** Whether the text goes on after the last part, so that the next word belongs to the message. */
  private readonly goesOn: boolean;

  /** @param text what comes before the first and after the last literal part is not compared, except for a resource name at the end */
  constructor(text: string) {
    const parts = text.split(VERB);
    const values = [...text.matchAll(VERB)].map(([verb]) => classOf(verb));
    if (parts[0].trim() === '') {
      parts.shift();
      values.shift();
    }
    this.goesOn = parts[parts.length - 1].replace(/[ .:,]+$/, '') === '' && values[values.length - 1] !== 'resource';
    if (this.goesOn) {
      parts.pop();
      values.pop();
    }
    this.parts = parts;
    this.values = values;
    this.anchor = parts.reduce((best, part, index) => (part.length > parts[best].length ? index : best), 0);
  }

  /** The longest literal part, on which the work depends. */
  get longestPart(): string {
    return this.parts[this.anchor];
  }

  /** The places where the text contains the message, in order; overlapping ones count once. */
  *placesIn(text: string): Generator<MessagePlace> {
    const anchor = this.longestPart;
    for (let at = text.indexOf(anchor); at >= 0;) {
      const place = this.placeAround(text, at);
      if (place !== undefined) {
        yield place;
      }
      at = text.indexOf(anchor, Math.max(at + anchor.length, place?.end ?? 0));
    }
  }

  private placeAround(text: string, at: number): MessagePlace | undefined {
    let start = at;
    for (let index = this.anchor - 1; index >= 0; index--) {
      const part = this.parts[index];
      const from = start - LONGEST_VALUE - part.length;
      const found = text.slice(Math.max(0, from), start).lastIndexOf(part);
      const partStart = Math.max(0, from) + found;
      if (found < 0 || !isOf(this.values[index], text.slice(partStart + part.length, start))) {
        return undefined;
      }
      start = partStart;
    }
    let end = at + this.longestPart.length;
    for (let index = this.anchor + 1; index < this.parts.length; index++) {
      const part = this.parts[index];
      const value = this.values[index - 1];
      const found =
        part === '' ? wordLength(text, end) : text.slice(end, end + LONGEST_VALUE + part.length).indexOf(part);
      if (found < 0 || !isOf(value, text.slice(end, end + found))) {
        return undefined;
      }
      end += found + part.length;
    }
    if (!isWhole(text, start, end)) {
      return undefined;
    }
    return { start, end: this.goesOn ? end + WORD.exec(text.slice(end, end + LONGEST_VALUE))![0].length : end };
  }
}

function classOf(verb: string): string {
  return verb.startsWith('{') ? verb.slice(1, -1) : (CLASS_OF_VERB[verb[verb.length - 1]] ?? 'name');
}

function isOf(kind: string, value: string): boolean {
  return CLASSES[kind].test(value);
}

/** Length of the word that begins here. */
function wordLength(text: string, from: number): number {
  return /^[\w./-]*/.exec(text.slice(from, from + LONGEST_VALUE))![0].length;
}

/** A message does not begin or end within a word. */
function isWhole(text: string, start: number, end: number): boolean {
  const within = (index: number): boolean => /^\w\w$/.test(text.slice(index - 1, index + 1));
  return !(start > 0 && within(start)) && !within(end);
}

// oxlint-disable-next-line no-control-regex
const TERMINAL_SEQUENCE = /\u001b\[[0-9;?]{0,30}[ -/]{0,4}[@-~]/g;

/**
 * The text as patterns see it, whether it is an event, a line of a log, or JSON: without escapes of JSON and of terminals, each run of
 * white space as one space.
 */
export function comparableText(text: string): string {
  return text
    .replace(TERMINAL_SEQUENCE, '')
    .replace(/\\u00(3[ce]|2[67])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/(?<!\\)\\+["']/g, (escaped) => escaped[escaped.length - 1])
    .replace(/\\[nt]/g, ' ')
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/\p{Cf}/gu, '')
    .replace(/[\s\p{Cc}]+/gu, ' ');
}

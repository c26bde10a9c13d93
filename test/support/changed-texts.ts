/**
 * Random changes of strings: of numbers, units, words, and lines in them.
 */
import { type JsonValue } from '../../src/facts/api/schema';
import { type Random } from './random';

/** A text is not made longer than this. */
const LONGEST = 1025;

/** Units of quantities and durations. */
const UNITS = ['', 'm', 'k', 'M', 'Mi', 'Gi', 'Ti', '%', 'ms', 's', 'h', 'd'];

/** What is put into texts. */
interface Words {
  readonly strings: readonly string[];
  readonly numbers: readonly number[];
}

type TextChange = (text: string, words: Words, random: Random) => string;

const number: TextChange = (text, { numbers }, random) =>
  replaceOne(text, /\d+/g, random, (digits) => {
    const from = random.chance(0.6) || numbers.length === 0 ? Number(digits) : random.pick(numbers);
    return String(Math.max(0, from + random.pick([-1, 0, 1])));
  });

const unit: TextChange = (text, _words, random) =>
  replaceOne(text, /(?<=\d)(?:[A-Za-z]+|%|$)/g, random, () => random.pick(UNITS));

const word: TextChange = (text, { strings }, random) =>
  replaceOne(text, /[\w.-]+/g, random, () => random.pick(strings));

const cut: TextChange = (text) => text.slice(0, -1);

const grow: TextChange = (text, _words, random) =>
  `${text}${random.pick(['x', '1', '-', '.', ' ', '/', ':', ',', '\n'])}`;

const changedCase: TextChange = (text) => (text.toUpperCase() === text ? text.toLowerCase() : text.toUpperCase());

const length: TextChange = (text, { numbers }, random) => {
  const size = Math.max(0, random.pick(numbers.length === 0 ? [0] : numbers)) + random.pick([0, 1]);
  return text.padEnd(Math.min(size, LONGEST), 'a').slice(0, LONGEST);
};

const lineDropped: TextChange = (text, _words, random) => {
  const lines = text.split('\n');
  return lines.toSpliced(indexIn(lines, random), 1).join('\n');
};

const lineDoubled: TextChange = (text, _words, random) => {
  const lines = text.split('\n');
  const index = indexIn(lines, random);
  return lines.toSpliced(indexIn(lines, random), 0, lines[index]).join('\n');
};

/** `name = value`, `name: value`, `name value`: another value, or another name. */
const setting: TextChange = (text, { strings, numbers }, random) =>
  changedLine(text, random, (line) => {
    const [, indent, name, assigns, value] = /^(\s*)([^\s:=]+)(\s*[:=]\s*|\s+)(.*)$/.exec(line) ?? [];
    if (name === undefined) {
      return line;
    }
    const other = String(random.pick([...strings, ...numbers]));
    return random.chance(0.5)
      ? `${indent}${name}${assigns}${other}`
      : `${indent}${random.pick(strings)}${assigns}${value}`;
  });

const CHANGES: readonly TextChange[] = [
  number,
  number,
  unit,
  word,
  cut,
  grow,
  changedCase,
  length,
  lineDropped,
  lineDoubled,
  setting,
];

/** The text with one change, with one of the values where a word or number is needed. */
export function changedText(text: string, values: readonly JsonValue[], random: Random): string {
  const strings = values.filter((one) => typeof one === 'string');
  const numbers = values.filter((one) => typeof one === 'number');
  return random.pick(CHANGES)(text, { strings: strings.length === 0 ? [''] : strings, numbers }, random);
}

/** Whether a string has several words: an expression, a template, or lines of a configuration. */
export function isText(text: string): boolean {
  return /\w\W+\w/.test(text) && /[\s(){}]/.test(text);
}

/** The text with another word in one place. */
export function withWord(text: string, by: string, random: Random): string {
  return replaceOne(text, /[\w.-]+/g, random, () => by);
}

function replaceOne(text: string, pattern: RegExp, random: Random, by: (found: string) => string): string {
  const found = [...text.matchAll(pattern)];
  if (found.length === 0) {
    return text;
  }
  const { 0: part, index } = random.pick(found);
  return `${text.slice(0, index)}${by(part)}${text.slice(index + part.length)}`;
}

function changedLine(text: string, random: Random, change: (line: string) => string): string {
  const lines = text.split('\n');
  const index = indexIn(lines, random);
  return lines.with(index, change(lines[index])).join('\n');
}

function indexIn(list: readonly unknown[], random: Random): number {
  return Math.floor(random.next() * list.length);
}

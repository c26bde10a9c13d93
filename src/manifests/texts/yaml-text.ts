/**
 * Reads YAML as kubectl reads it, into plain JSON.
 *
 * kubectl cuts a text at its `---` lines before it parses anything, and gives each part to go-yaml 2 (`go-yaml/`). The nodes are
 * dropped at once: a place in the text is found by parsing that one document again, which only a finding asks for.
 */
import { type JsonValue } from '../../facts/api/schema';
import { type YamlNode } from '../go-yaml/node-types';
import { parseNodes } from '../go-yaml/nodes';
import { YamlSyntaxError } from '../go-yaml/source';
import { isUsualText, readUsual, usualPlaces } from '../go-yaml/usual-forms';
import { offsetOfPath, valueOfDocument } from '../go-yaml/values';
import { tokensOf } from '../pointer';
import { remembered, type TextDocument, type TextProblem } from './source-text';

/** What YAML allows nowhere in a text. */
// oxlint-disable-next-line no-control-regex
const CONTROL_CHARACTER = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;

/** The first document of a text that is not split, as programs read a file that is not a manifest. */
export function readWholeYaml(text: string): TextDocument {
  const { value, problems } = readDocument(text);
  return { index: 0, start: 0, value, problems, offsetOf: placesOf(text) };
}

const NO_PROBLEMS: readonly TextProblem[] = [];

/** All documents of a text, empty ones left out. */
export function readYaml(text: string, from = 0): TextDocument[] {
  const documents: TextDocument[] = [];
  const places = remembered(placesOf);
  const isUsual = isUsualText(text);
  let index = 0;
  for (const { start, end, problem } of chunksOf(text, from)) {
    // kubectl ends every line of a part with a line feed, the last one too.
    const isWhole = text.charAt(end - 1) === '\n';
    const chunk = isWhole ? text.slice(start, end) : `${text.slice(start, end)}\n`;
    const usual = isUsual
      ? readUsual(isWhole ? text : chunk, isWhole ? start : 0, isWhole ? end : chunk.length)
      : undefined;
    const { value, problems } = usual === undefined ? readDocument(chunk) : { value: usual, problems: NO_PROBLEMS };
    if (value !== null || problem !== undefined) {
      const placed = problems.map((found) => ({ ...found, offset: start + found.offset }));
      documents.push({
        index,
        start,
        value: value ?? undefined,
        problems: problem === undefined ? placed : [...placed, problem],
        offsetOf: (path) => start + places(chunk)(path),
      });
    }
    index++;
  }
  return documents;
}

interface Chunk {
  readonly start: number;
  readonly end: number;
  /** What is wrong with the line that ends it. */
  readonly problem?: TextProblem;
}

/** The parts of a text between lines that begin with `---`. The first such line belongs to its document, the others to none. */
function* chunksOf(text: string, from: number): Generator<Chunk> {
  let start = from;
  let marker = text.startsWith('---', from) ? from : nextMarker(text, from);
  while (marker >= 0) {
    const newline = text.indexOf('\n', marker);
    const end = newline < 0 ? text.length : newline;
    const rest = text.slice(marker + 3, end).replace(/^[\s\u0085]+/, '');
    const isSeparator = rest === '' || rest.startsWith('#');
    const message = 'nothing but a comment may follow "---" on its line';
    const problem: TextProblem | undefined = isSeparator ? undefined : { kind: 'syntax', offset: marker, message };
    if (marker > start || problem !== undefined) {
      yield { start, end: marker, problem };
      start = Math.min(end + 1, text.length);
    }
    marker = nextMarker(text, end);
  }
  if (start < text.length) {
    yield { start, end: text.length };
  }
}

/** The next line that begins with `---`, looked for from within a line. */
function nextMarker(text: string, from: number): number {
  const at = text.indexOf('\n---', from);
  return at < 0 ? -1 : at + 1;
}

/** The value of the first document; `null` where there is none, `undefined` where it cannot be read. */
function readDocument(chunk: string): {
  readonly value: JsonValue | undefined;
  readonly problems: readonly TextProblem[];
} {
  try {
    const root = rootOf(chunk);
    return root === undefined ? { value: null, problems: [] } : valueOfDocument(root);
  } catch (error) {
    if (!(error instanceof YamlSyntaxError)) {
      throw error;
    }
    return { value: undefined, problems: [{ kind: 'syntax', ...problemOf(error, chunk) }] };
  }
}

/** @throws YamlSyntaxError */
function rootOf(chunk: string): YamlNode | undefined {
  const control = CONTROL_CHARACTER.exec(chunk);
  if (control !== null) {
    const code = control[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    throw new YamlSyntaxError(
      control.index - markLength(chunk),
      `the control character U+${code} is not allowed in YAML`,
    );
  }
  return parseNodes(chunk.slice(markLength(chunk)));
}

/** Length of the byte order mark, which is not part of the YAML. */
function markLength(chunk: string): number {
  return chunk.startsWith('\uFEFF') ? 1 : 0;
}

function problemOf({ offset, message }: YamlSyntaxError, chunk: string): { offset: number; message: string } {
  const mark = markLength(chunk);
  const directive = /^\s*%/.test(chunk.slice(mark)) && offset + mark >= chunk.trimEnd().length;
  return directive
    ? { offset: mark, message: 'kubectl does not support directives: delete the line that begins with "%"' }
    : { offset: offset + mark, message };
}

/** Finds places in a document that was read before. */
function placesOf(chunk: string): (path: string) => number {
  const usual = usualPlaces(chunk);
  if (usual !== undefined) {
    return (path) => usual(tokensOf(path));
  }
  const mark = markLength(chunk);
  let root: YamlNode | undefined;
  try {
    root = rootOf(chunk);
  } catch {
    root = undefined;
  }
  const found = root;
  return (path) => (found === undefined ? 0 : mark + offsetOfPath(found, tokensOf(path)));
}

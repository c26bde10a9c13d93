/**
 * Texts to manifests: one or many documents, lists taken apart, everything with its place.
 */
import { type JsonObject, type JsonValue } from '../facts/api/schema';
import { fileManifest } from './documents/file-manifest';
import { foreignDocument, hasNoObjectFields } from './documents/foreign-document';
import { hostDocumentKind } from './documents/host-document';
import { addAll } from '../facts/collections';
import { idOf } from './identity';
import { readJson } from './texts/json-text';
import { type Manifest, type Origin, type SkippedSource, type SourceProblem } from './manifest';
import { asString, isObject } from './read';
import { LineTable, type TextDocument, type TextProblem } from './texts/source-text';
import { readWholeYaml, readYaml } from './texts/yaml-text';
import { unrenderedIn } from './documents/unrendered';

/** The result of `parseYaml`. */
export interface Parsed {
  /** The manifests, in the order of the text. */
  readonly manifests: readonly Manifest[];
  /** What could not be read. */
  readonly problems: readonly SourceProblem[];
  /** Documents that are not Kubernetes objects. Empty without `skipForeign`. */
  readonly skipped: readonly SkippedSource[];
}

/** Options of `parseYaml`. */
export interface ParseOptions {
  /**
   * Which documents that are not Kubernetes objects are skipped instead of being a problem: those of a well-known kind and templates that
   * were not rendered (`known`), or also those that have nothing that an object begins with (`all`).
   * @default - none
   */
  readonly skipForeign?: 'known' | 'all';
  /**
   * A Kustomization lists the text among its resources.
   * @default false
   */
  readonly kustomized?: boolean;
}

/**
 * Reads the manifests of a YAML or JSON text, as kubectl does: several documents, empty ones skipped, items of a `List` (and
 * of any other list kind) as separate objects.
 *
 * Never throws because of the text: `problems` reports broken documents, and the others are still read.
 *
 * @param source YAML or JSON
 * @param file the name of the text in positions, `-` for standard input
 */
export function parseYaml(source: string, file: string, { skipForeign, kustomized }: ParseOptions = {}): Parsed {
  const text = withLineFeeds(source);
  const lines = new LineTable(text);
  const manifests: Manifest[] = [];
  const problems: SourceProblem[] = [];
  const skipped: SkippedSource[] = [];
  const documents = readDocuments(text, file);
  const judge = unrenderedIn(text);
  for (const [at, document] of documents.entries()) {
    const { start } = document;
    const end = documents.at(at + 1)?.start ?? text.length;
    const unrendered = (value: JsonValue): string | undefined => judge(value, start, end);
    const why = skipForeign === undefined ? undefined : foreignness(document, text, file, skipForeign, unrendered);
    const kind = skipForeign === undefined ? undefined : hostDocumentKind(document.value, file);
    if (kind !== undefined && isObject(document.value)) {
      const locate = (path: string): ReturnType<LineTable['positionOf']> => lines.positionOf(document.offsetOf(path));
      manifests.push(fileManifest(kind, file, document.value, { file, document: document.index, locate }));
      continue;
    }
    if (why !== undefined) {
      skipped.push({ file, line: lines.positionOf(document.offsetOf('')).line, why });
      continue;
    }
    const origin: Origin = kustomized === true ? { file, kustomized } : { file };
    const found = manifestsIn(document, origin, lines);
    addAll(manifests, found);
    const problemOf = ({ kind, offset, message, path }: TextProblem): SourceProblem => ({
      kind,
      file,
      position: lines.positionOf(offset),
      message,
      ...ownerOf(path, found),
    });
    addAll(problems, document.problems.map(problemOf));
    if (document.value === undefined) {
      continue;
    }
    addAll(problems, misfits(document).map(problemOf));
  }
  return { manifests, problems, skipped };
}

/** Why a document is not judged as a manifest. */
function foreignness(
  { value, problems }: TextDocument,
  text: string,
  file: string,
  skip: 'known' | 'all',
  unrendered: (value: JsonValue) => string | undefined,
): string | undefined {
  if (value === undefined) {
    const broken = problems.some(({ kind }) => kind === 'syntax');
    if (broken && skip === 'all' && file.endsWith('.json') && isOfOtherProgram(text)) {
      return 'not a manifest, and not plain JSON';
    }
    return broken && /\{\{|\{%/.test(text) ? 'an unrendered template' : undefined;
  }
  const foreign = foreignDocument(value, file);
  if (foreign !== undefined || skip === 'known') {
    return foreign;
  }
  if (hasNoObjectFields(value)) {
    return 'not a manifest';
  }
  return unrendered(value);
}

/** Settings of editors and compilers may have comments, and a `kind` of their own. */
function isOfOtherProgram(text: string): boolean {
  return !text.includes('"apiVersion"') && (!text.includes('"kind"') || /^\s*\/[/*]/m.test(text));
}

/** A value that was read, or what kept it from being read. */
export type ParsedValue = { readonly value: JsonValue } | { readonly problem: SourceProblem };

/** Reads a text that is not a manifest, such as a configuration file: its first document, `null` if it has none. */
export function parseValue(text: string, file: string): ParsedValue {
  const json = /^\uFEFF?\s*[{[]/.test(text) ? readJson(text)[0] : undefined;
  const document =
    json !== undefined && (json.value !== undefined || file.endsWith('.json')) ? json : readWholeYaml(text);
  const problem = document.problems.find(({ kind }) => kind !== 'inexact-number' && kind !== 'huge-number');
  if (problem === undefined && document.value !== undefined) {
    return { value: document.value };
  }
  const { kind, offset, message } = problem ?? { kind: 'syntax', offset: document.start, message: 'cannot be read' };
  return { problem: { kind, file, position: new LineTable(text).positionOf(offset), message } };
}

/** kubectl cuts the end off each line and puts a line feed there: of several carriage returns before it, one is lost. */
export function withLineFeeds(text: string): string {
  return text.includes('\r\r\n') ? text.replaceAll('\r\r\n', '\r\n') : text;
}

/**
 * The documents of a text, as kubectl divides it: JSON objects one after another where the text begins with a brace, and YAML from the
 * first place that is no JSON, as long as not two objects were JSON before it.
 */
export function readDocuments(text: string, file: string): readonly TextDocument[] {
  if (!/^[^\S\uFEFF]*\{/.test(text)) {
    return readYaml(text);
  }
  const documents = readJson(text);
  const broken = documents.at(-1);
  const isNotEmpty = ({ value }: TextDocument): boolean => value !== null;
  if (broken === undefined || broken.value !== undefined || documents.length > 2) {
    return documents.filter(isNotEmpty);
  }
  const whole = documents.slice(0, -1).filter(isNotEmpty);
  const start = yamlStart(text, broken.start);
  if (start === undefined) {
    return [...whole, broken];
  }
  const [next, ...others] = readYaml(text, start);
  if (next === undefined) {
    return whole;
  }
  const indexed = (document: TextDocument): TextDocument => ({ ...document, index: whole.length + document.index });
  const likelyJson = file.endsWith('.json') || problemOffset(next) <= problemOffset(broken);
  return [...whole, next.value === undefined && likelyJson ? broken : indexed(next), ...others.map(indexed)];
}

/**
 * Where YAML begins after a JSON object: the rest of its line is skipped if it is blank.
 *
 * @returns `undefined` where kubectl looks for no YAML, since fewer than four bytes are left
 */
function yamlStart(text: string, from: number): number | undefined {
  let at = text.slice(0, from).trimEnd().length;
  while (Buffer.byteLength(text.slice(at, at + 4)) >= 4) {
    const character = text.charAt(at);
    if (!/[^\S\uFEFF]/.test(character)) {
      return at;
    }
    at++;
    if (character === '\n') {
      return at;
    }
  }
  return undefined;
}

function problemOffset({ problems, start }: TextDocument): number {
  return problems.find(({ kind }) => kind === 'syntax')?.offset ?? start;
}

interface FoundManifest extends Manifest {
  /** Pointer of the object within its document. */
  readonly root: string;
}

function manifestsIn(document: TextDocument, origin: Origin, lines: LineTable): FoundManifest[] {
  return objectsIn(document.value, '').flatMap(({ object, root }) => {
    const id = idOf(object);
    if (id.apiVersion === '' || id.kind === '') {
      return [];
    }
    const locate = (path: string): ReturnType<LineTable['positionOf']> =>
      lines.positionOf(document.offsetOf(root + path));
    return [{ id, object, root, origin: { ...origin, document: document.index, locate } }];
  });
}

/** The objects of a document: itself, or the items of a list, which may be lists again. */
function objectsIn(
  value: JsonValue | undefined,
  root: string,
): { readonly object: JsonObject; readonly root: string }[] {
  if (!isObject(value)) {
    return [];
  }
  if (!isList(value)) {
    return [{ object: value, root }];
  }
  return value.items.flatMap((item, index) =>
    objectsIn(isObject(item) ? asItemOf(value, item) : item, `${root}/items/${index}`),
  );
}

function isList(value: JsonObject): value is JsonObject & { items: JsonValue[] } {
  return typeof value.kind === 'string' && value.kind.endsWith('List') && Array.isArray(value.items);
}

/** Items of typed lists such as `PodList` may omit apiVersion and kind. */
function asItemOf(list: JsonObject, item: JsonObject): JsonObject {
  const kind = asString(list.kind)!.slice(0, -'List'.length);
  if (kind === '' || (item.kind !== undefined && item.apiVersion !== undefined)) {
    return item;
  }
  return { apiVersion: list.apiVersion ?? '', kind, ...item };
}

/** What is well-formed and still no Kubernetes object. */
function misfits({ value, offsetOf }: TextDocument): TextProblem[] {
  const problem = (path: string, message: string): TextProblem => ({
    kind: 'not-an-object',
    offset: offsetOf(path),
    message,
    path,
  });
  const visit = (found: JsonValue | undefined, path: string): TextProblem[] => {
    const what = path === '' ? 'the document' : `item ${path.slice(path.lastIndexOf('/') + 1)} of the list`;
    if (!isObject(found)) {
      return [problem(path, `${what} is ${nameOf(found)}; a Kubernetes object must set apiVersion and kind`)];
    }
    if (isList(found)) {
      return found.items.flatMap((item, index) =>
        visit(isObject(item) ? asItemOf(found, item) : item, `${path}/items/${index}`),
      );
    }
    const missing = ['apiVersion', 'kind'].filter((key) => (asString(found[key]) ?? '') === '');
    if (missing.length === 0) {
      return [];
    }
    const wrong = missing.filter((key) => found[key] !== undefined && found[key] !== null && found[key] !== '');
    if (wrong.length > 0) {
      return [
        problem(
          `${path}/${wrong[0]}`,
          `${wrong[0]} must be a string${path === '' ? '' : ` in ${what}`}, but is ${nameOf(found[wrong[0]])}`,
        ),
      ];
    }
    return [problem(path, `${what} has no ${missing.join(' and no ')}`)];
  };
  return visit(value, '');
}

function nameOf(value: JsonValue | undefined): string {
  if (value === null || value === undefined) {
    return 'empty';
  }
  if (Array.isArray(value)) {
    return 'a list';
  }
  if (typeof value === 'object') {
    return 'a map';
  }
  return typeof value === 'string' ? 'a string' : `a ${typeof value}`;
}

function ownerOf(path: string | undefined, found: readonly FoundManifest[]): Pick<SourceProblem, 'manifest' | 'path'> {
  if (path === undefined) {
    return {};
  }
  const manifest = found.find(({ root }) => path === root || path.startsWith(`${root}/`));
  return manifest === undefined ? {} : { manifest, path: path.slice(manifest.root.length) };
}

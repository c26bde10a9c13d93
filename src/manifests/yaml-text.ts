/**
 * Reads YAML as kubectl reads it, into plain JSON.
 *
 * The `yaml` library parses; what an unquoted word means, what a map key becomes, duplicate keys, merge keys and aliases are
 * decided here, since there kubectl (go-yaml 2) and the library differ. The syntax tree is dropped at once: a place in the text
 * is found by parsing that one document again, which only a finding asks for.
 */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  parseAllDocuments,
  type Alias,
  type Document,
  type Node,
  type ParsedNode,
  type YAMLMap,
} from 'yaml';
import { type JsonObject, type JsonValue } from '../facts/api/schema';
import { hasMember, setMember } from './json-member';
import { readPlainYaml } from './plain-yaml';
import { pointer, tokensOf } from './pointer';
import { remembered, type TextDocument, type TextProblem } from './source-text';
import { keyOf, resolvePlain, type Scalar } from './yaml-scalars';

/** Deeper nesting than any Kubernetes object has, and far from the end of the stack. */
const MAX_DEPTH = 500;

/** How many values the aliases of one document may stand for: a short text can name billions. */
const MAX_ALIASED_VALUES = 100_000;

const NO_WORD = 'a map key has to be a word, not a map or a list; a template in double braces has to be rendered first';

/** The tags that go-yaml resolves itself, by their short name. */
const CORE_TAGS = new Map(
  ['str', 'int', 'float', 'bool', 'null', 'timestamp'].map((tag) => [`tag:yaml.org,2002:${tag}`, tag]),
);

/** All documents of a text, empty ones left out. */
export function readYaml(text: string): TextDocument[] {
  return readChunks(text, readPlainYaml);
}

/** The same, without the short cut for plain documents. */
export function readFullYaml(text: string): TextDocument[] {
  return readChunks(text, () => undefined);
}

function readChunks(text: string, readPlain: (chunk: string) => JsonObject | undefined): TextDocument[] {
  const documents: TextDocument[] = [];
  const parsedAgain = remembered(parseChunk);
  let index = 0;
  for (const [start, end] of chunksOf(text)) {
    const chunk = text.slice(start, end);
    const add = (nth: number, value: JsonValue | undefined, problems: readonly TextProblem[]): void => {
      documents.push({
        index,
        start,
        value,
        problems: problems.map((problem) => ({ ...problem, offset: start + problem.offset })),
        offsetOf: (path) => start + offsetIn(parsedAgain(chunk)[nth], path),
      });
    };
    const plain = readPlain(chunk);
    if (plain !== undefined) {
      add(0, plain, []);
      index++;
      continue;
    }
    for (const [nth, parsed] of parseChunk(chunk).entries()) {
      const { value, problems } = new DocumentReader(parsed).read();
      if (value !== null) {
        add(nth, value, problems);
      }
      index++;
    }
  }
  return documents;
}

/**
 * The ranges between `---` lines. A line that begins so ends a document wherever it stands (YAML 1.2, 9.1.2), so that cutting
 * there is exact; a text with directives (`%YAML`) is left whole, because they belong to the document after the line.
 */
function* chunksOf(text: string): Generator<readonly [number, number]> {
  if (/^%/m.test(text)) {
    yield [0, text.length];
    return;
  }
  const marker = /^---(?=\s|$)/gm;
  let start = 0;
  for (let match = marker.exec(text); match !== null; match = marker.exec(text)) {
    if (match.index > start) {
      yield [start, match.index];
    }
    start = match.index;
  }
  yield [start, text.length];
}

function parseChunk(chunk: string): readonly Document.Parsed[] {
  const options = { schema: 'failsafe', uniqueKeys: false, prettyErrors: false, logLevel: 'silent' } as const;
  return parseAllDocuments(chunk, options) as readonly Document.Parsed[];
}

class DocumentReader {
  private readonly problems: TextProblem[] = [];
  private readonly path: (string | number)[] = [];
  private readonly anchors = new Map<string, { readonly value: JsonValue; readonly size: number } | 'unfinished'>();
  private aliased = 0;
  private size = 0;

  constructor(private readonly document: Document.Parsed) {}

  read(): { readonly value: JsonValue | undefined; readonly problems: readonly TextProblem[] } {
    for (const error of this.document.errors.slice(0, 1)) {
      this.problems.push({ kind: 'syntax', offset: error.pos[0], message: sentence(error.code, error.message) });
    }
    const value = this.problems.length === 0 ? this.valueOf(this.document.contents, 0) : undefined;
    return { value: this.problems.some(({ kind }) => kind === 'syntax') ? undefined : value, problems: this.problems };
  }

  private valueOf(node: Node | null, depth: number): JsonValue {
    if (node === null) {
      return null;
    }
    if (depth > MAX_DEPTH) {
      return this.refuse(node, `values are nested more than ${MAX_DEPTH} deep`);
    }
    if (isAlias(node)) {
      return this.aliasOf(node);
    }
    const anchor = 'anchor' in node ? node.anchor : undefined;
    const before = this.size++;
    if (anchor !== undefined) {
      this.anchors.set(anchor, 'unfinished');
    }
    const value = this.plainValueOf(node, depth);
    if (anchor !== undefined) {
      this.anchors.set(anchor, { value, size: this.size - before });
    }
    return value;
  }

  private plainValueOf(node: Node, depth: number): JsonValue {
    if (isMap<ParsedNode, ParsedNode | null>(node)) {
      return this.objectOf(node, depth);
    }
    if (isSeq<ParsedNode>(node)) {
      return node.items.map((item, index) => {
        this.path.push(index);
        const value = this.valueOf(item, depth + 1);
        this.path.pop();
        return value;
      });
    }
    const { value, inexact } = this.scalarOf(node);
    if (inexact === true) {
      this.report(
        'inexact-number',
        node,
        `the integer ${String((node as { source?: string }).source)} is read as ${String(value)}: it has more digits than fit`,
      );
    }
    if (typeof value === 'number' && !Number.isFinite(value)) {
      return this.refuse(node, 'infinity and not-a-number cannot be sent to a cluster: JSON has no word for them');
    }
    return value;
  }

  private objectOf(node: YAMLMap<ParsedNode, ParsedNode | null>, depth: number): JsonObject {
    const object: JsonObject = {};
    const merges: Node[] = [];
    for (const { key: keyNode, value: valueNode } of node.items) {
      if (isMergeKey(keyNode)) {
        if (valueNode !== null) {
          merges.push(valueNode);
        }
        continue;
      }
      const key = this.nameOf(keyNode);
      if (key === undefined) {
        continue;
      }
      this.path.push(key);
      if (hasMember(object, key)) {
        this.report('duplicate-key', keyNode, `the key ${JSON.stringify(key)} stands twice in this map`);
      }
      setMember(object, key, this.valueOf(valueNode, depth + 1));
      this.path.pop();
    }
    for (const merge of merges) {
      this.mergeInto(object, merge, depth);
    }
    return object;
  }

  /** `<<: *base` and `<<: [*a, *b]`: members that the map does not have itself; the first of several wins. */
  private mergeInto(object: JsonObject, node: Node, depth: number): void {
    const value = this.valueOf(node, depth + 1);
    for (const source of Array.isArray(value) ? value : [value]) {
      if (typeof source !== 'object' || source === null || Array.isArray(source)) {
        if (!this.broken) {
          this.refuse(node, 'the merge key << takes a map or a list of maps');
        }
        return;
      }
      for (const [key, member] of Object.entries(source)) {
        if (!hasMember(object, key)) {
          setMember(object, key, member);
        }
      }
    }
  }

  /** The same value stands wherever its alias does: manifests are read-only, so nothing is copied. */
  private aliasOf(node: Alias): JsonValue {
    const anchor = this.anchors.get(node.source);
    if (anchor === undefined) {
      return this.refuse(node, `the alias *${node.source} names an anchor that was not set before`);
    }
    if (anchor === 'unfinished') {
      return this.refuse(node, `the anchor &${node.source} contains itself`);
    }
    this.aliased += anchor.size;
    this.size += anchor.size;
    if (this.aliased > MAX_ALIASED_VALUES) {
      return this.refuse(node, `the aliases of this document stand for more than ${MAX_ALIASED_VALUES} values`);
    }
    return anchor.value;
  }

  private nameOf(node: ParsedNode): string | undefined {
    const target = isAlias(node) ? this.aliasOf(node) : undefined;
    if (this.broken) {
      return undefined;
    }
    const scalar = target === undefined ? (isScalar(node) ? this.scalarOf(node) : undefined) : scalarFrom(target);
    if (isScalar(node) && node.anchor !== undefined && scalar !== undefined) {
      this.anchors.set(node.anchor, { value: scalar.value, size: 1 });
    }
    const key = scalar && keyOf(scalar);
    if (key === undefined) {
      this.refuse(node, scalar === undefined ? NO_WORD : 'a map key is missing');
    }
    return key;
  }

  private scalarOf(node: Node): Scalar {
    const { value, type, tag } = node as { value?: unknown; type?: string; tag?: string };
    const text = typeof value === 'string' ? value : '';
    if (tag === undefined || tag === '!') {
      return type === 'PLAIN' && tag === undefined ? resolvePlain(text) : { tag: 'str', value: text };
    }
    const wanted = CORE_TAGS.get(tag);
    if (wanted === undefined && tag === 'tag:yaml.org,2002:binary') {
      this.refuse(node, '!!binary is not text: write the base64 text itself');
    }
    if (wanted === undefined || wanted === 'str' || wanted === 'timestamp') {
      return { tag: 'str', value: text };
    }
    const scalar = resolvePlain(text);
    if (scalar.tag === wanted || (wanted === 'float' && scalar.tag === 'int')) {
      return scalar;
    }
    this.refuse(node, `${JSON.stringify(text)} is tagged !!${wanted} and is none`);
    return scalar;
  }

  private get broken(): boolean {
    return this.problems.some(({ kind }) => kind === 'syntax');
  }

  private refuse(node: Node, message: string): null {
    if (!this.broken) {
      this.report('syntax', node, message);
    }
    return null;
  }

  private report(kind: TextProblem['kind'], node: Node, message: string): void {
    this.problems.push({ kind, offset: node.range?.[0] ?? 0, message, path: pointer('', ...this.path) });
  }
}

function scalarFrom(value: JsonValue): Scalar | undefined {
  return typeof value === 'object' && value !== null ? undefined : { tag: 'str', value };
}

function isMergeKey(node: ParsedNode | null): boolean {
  return isScalar(node) && node.value === '<<' && node.type === 'PLAIN';
}

/** The library's messages in words for people who write manifests, where its own name a notion of the grammar. */
function sentence(code: string, message: string): string {
  switch (code) {
    case 'TAB_AS_INDENT':
      return 'a tab stands where YAML wants spaces';
    case 'BAD_INDENT':
      return 'the indentation fits no line above it';
    case 'MULTILINE_IMPLICIT_KEY':
      return 'a key and its colon have to stand on one line; a colon may be missing, or a text with a colon needs quotes';
    case 'BLOCK_AS_IMPLICIT_KEY':
      return 'a map begins inside a value: a text with ": " in it needs quotes, or the line is indented too far';
    case 'BAD_SCALAR_START':
      return `${message.replace(/^Plain value cannot start with /, 'a text cannot begin with ')}: put it in quotes`;
    case 'RESOURCE_EXHAUSTION':
      return `values are nested more than ${MAX_DEPTH} deep`;
    default:
      return message.charAt(0).toLowerCase() + message.slice(1);
  }
}

/** The offset of the node at a pointer, or of its nearest parent. A map's member is found at its key. */
function offsetIn(document: Document.Parsed, path: string): number {
  let node: Node | null = document.contents;
  let offset = node?.range?.[0] ?? 0;
  for (const token of tokensOf(path)) {
    const step: { node: Node | null; offset: number } | undefined = stepInto(document, node, token);
    if (step === undefined) {
      return offset;
    }
    ({ node, offset } = step);
  }
  return offset;
}

function stepInto(
  document: Document.Parsed,
  from: Node | null,
  token: string,
): { node: Node | null; offset: number } | undefined {
  const node = isAlias(from) ? from.resolve(document) : from;
  if (isSeq<ParsedNode>(node)) {
    const item = node.items[Number(token)];
    return item === undefined ? undefined : { node: item, offset: item.range[0] };
  }
  if (!isMap<ParsedNode, ParsedNode | null>(node)) {
    return undefined;
  }
  // The last of several equal keys, which is the one that counts.
  const pair = node.items.findLast(({ key }) => isScalar(key) && !isMergeKey(key) && keyText(key) === token);
  if (pair !== undefined) {
    return { node: pair.value, offset: pair.key.range[0] };
  }
  for (const merge of node.items.filter(({ key }) => isMergeKey(key))) {
    const value = isAlias(merge.value) ? merge.value.resolve(document) : merge.value;
    for (const source of isSeq<ParsedNode>(value) ? value.items : [value as Node | null]) {
      const step = source && stepInto(document, source, token);
      if (step) {
        return step;
      }
    }
  }
  return undefined;
}

function keyText(node: ParsedNode): string | undefined {
  const { value, type } = node as { value?: unknown; type?: string };
  const text = typeof value === 'string' ? value : '';
  return type === 'PLAIN' && node.tag === undefined ? keyOf(resolvePlain(text)) : text;
}

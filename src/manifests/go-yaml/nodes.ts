/**
 * The nodes of one YAML document, as go-yaml builds them from libyaml's tokens.
 */
import { YamlSyntaxError } from './cursor';
import { Scanner, type Token, type TokenType } from './tokens';

/** Deeper nesting than any Kubernetes object has, and far from the end of the stack. */
const MAX_DEPTH = 500;

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly start: number;
  readonly value: string;
  /** In its long form; empty where the text has none. */
  readonly tag: string;
  /** Not in quotes, or tagged `!`: what the text may be something else than a string for, and a merge key. */
  readonly implicit: boolean;
}

export interface ListNode {
  readonly kind: 'list';
  readonly start: number;
  readonly items: YamlNode[];
}

export interface MapNode {
  readonly kind: 'map';
  readonly start: number;
  readonly members: { readonly key: YamlNode; readonly value: YamlNode }[];
}

export interface AliasNode {
  readonly kind: 'alias';
  readonly start: number;
  readonly name: string;
  /** What the name meant last before this place; it may contain the alias. */
  readonly target: YamlNode;
}

export type YamlNode = ScalarNode | ListNode | MapNode | AliasNode;

/**
 * Parses the first document of a text.
 *
 * @param text without control characters
 * @returns its root; `undefined` where there is no document
 * @throws YamlSyntaxError
 */
export function parseNodes(text: string): YamlNode | undefined {
  return new NodeParser(text).document();
}

const CORE_TAGS: readonly (readonly [string, string])[] = [
  ['!', '!'],
  ['!!', 'tag:yaml.org,2002:'],
];

class NodeParser {
  private readonly scanner: Scanner;
  private readonly anchors = new Map<string, YamlNode>();
  private readonly tagPrefixes = new Map<string, string>();
  private depth = 0;

  constructor(text: string) {
    this.scanner = new Scanner(text);
  }

  document(): YamlNode | undefined {
    const first = this.peek();
    if (first === 'stream-end') {
      return undefined;
    }
    const explicit = first === 'version-directive' || first === 'tag-directive' || first === 'document-start';
    this.directives();
    if (explicit) {
      const token = this.scanner.peek();
      if (token.type !== 'document-start') {
        throw new YamlSyntaxError(token.start, 'a line with "---" must follow the directives');
      }
      this.scanner.next();
    }
    const empty: readonly TokenType[] = [
      'version-directive',
      'tag-directive',
      'document-start',
      'document-end',
      'stream-end',
    ];
    const root =
      explicit && empty.includes(this.peek()) ? emptyScalar(this.scanner.peek().start) : this.node(true, false);
    // What follows the document is not read, as long as it is a token.
    this.scanner.peek();
    return root;
  }

  private directives(): void {
    let version = false;
    for (;;) {
      const token = this.scanner.peek();
      if (token.type === 'version-directive') {
        if (version) {
          throw new YamlSyntaxError(token.start, 'duplicate %YAML directive');
        }
        if (token.value !== '1.1') {
          throw new YamlSyntaxError(token.start, `unsupported YAML version ${token.value}: kubectl supports 1.1 only`);
        }
        version = true;
      } else if (token.type === 'tag-directive') {
        if (this.tagPrefixes.has(token.value)) {
          throw new YamlSyntaxError(token.start, `duplicate %TAG directive for the handle ${token.value}`);
        }
        this.tagPrefixes.set(token.value, token.suffix ?? '');
      } else {
        break;
      }
      this.scanner.next();
    }
    for (const [handle, prefix] of CORE_TAGS) {
      if (!this.tagPrefixes.has(handle)) {
        this.tagPrefixes.set(handle, prefix);
      }
    }
  }

  private peek(): TokenType {
    return this.scanner.peek().type;
  }

  /**
   * @param block block collections may begin here
   * @param indentless a list whose `-` are at the indentation of the map around it may begin here
   */
  private node(block: boolean, indentless: boolean): YamlNode {
    const first = this.scanner.peek();
    if (first.type === 'alias') {
      this.scanner.next();
      const target = this.anchors.get(first.value);
      if (target === undefined) {
        throw new YamlSyntaxError(first.start, `the alias *${first.value} names an anchor that is not set before it`);
      }
      return { kind: 'alias', start: first.start, name: first.value, target };
    }
    if (++this.depth > MAX_DEPTH) {
      throw new YamlSyntaxError(first.start, `values are nested more than ${MAX_DEPTH} deep`);
    }
    const { anchor, tag } = this.properties();
    const node = this.content(first, { anchor, tag, block, indentless });
    this.depth--;
    return node;
  }

  /** An anchor and a tag, in either order. */
  private properties(): { readonly anchor?: string; readonly tag?: string } {
    let anchor: string | undefined;
    let tag: string | undefined;
    for (;;) {
      const token = this.scanner.peek();
      if (token.type === 'anchor' && anchor === undefined) {
        anchor = token.value;
      } else if (token.type === 'tag' && tag === undefined) {
        tag = this.longTag(token);
      } else {
        return { anchor, tag };
      }
      this.scanner.next();
    }
  }

  private longTag({ value: handle, suffix = '', start }: Token): string {
    if (handle === '') {
      return suffix;
    }
    const prefix = this.tagPrefixes.get(handle);
    if (prefix === undefined || prefix + suffix === '') {
      throw new YamlSyntaxError(start, `the tag handle ${handle} is not defined`);
    }
    return prefix + suffix;
  }

  private content(
    first: Token,
    given: {
      readonly anchor?: string;
      readonly tag?: string;
      readonly block: boolean;
      readonly indentless: boolean;
    },
  ): YamlNode {
    const token = this.scanner.peek();
    const { start } = first;
    const { anchor, tag, block, indentless } = given;
    // An anchor names its collection before the collection is whole, so that an alias in it is found, and refused.
    const anchored = <N extends YamlNode>(node: N): N => {
      if (anchor !== undefined) {
        this.anchors.set(anchor, node);
      }
      return node;
    };
    const list = (): ListNode => anchored({ kind: 'list', start, items: [] });
    const map = (): MapNode => anchored({ kind: 'map', start, members: [] });
    if (indentless && token.type === 'block-entry') {
      return this.indentlessItems(list());
    }
    if (token.type === 'scalar') {
      this.scanner.next();
      const implicit = tag === '!' || ((tag ?? '') === '' && token.plain === true);
      return anchored({ kind: 'scalar', start, value: token.value, tag: tag ?? '', implicit });
    }
    if (token.type === 'flow-list-start') {
      return this.flowItems(list());
    }
    if (token.type === 'flow-map-start') {
      return this.flowMembers(map());
    }
    if (block && token.type === 'block-list-start') {
      return this.blockItems(list());
    }
    if (block && token.type === 'block-map-start') {
      return this.blockMembers(map());
    }
    if (anchor !== undefined || (tag ?? '') !== '') {
      return anchored({ kind: 'scalar', start, value: '', tag: tag ?? '', implicit: (tag ?? '') === '' });
    }
    throw new YamlSyntaxError(token.start, unexpected(token));
  }

  private blockItems(list: ListNode): ListNode {
    this.scanner.next();
    for (;;) {
      const token = this.scanner.peek();
      if (token.type === 'block-entry') {
        this.scanner.next();
        const next = this.peek();
        list.items.push(
          next === 'block-entry' || next === 'block-end' ? emptyScalar(token.start) : this.node(true, false),
        );
      } else if (token.type === 'block-end') {
        this.scanner.next();
        return list;
      } else {
        throw new YamlSyntaxError(
          token.start,
          'the indentation does not match: an item of the list must begin with "- "',
        );
      }
    }
  }

  private indentlessItems(list: ListNode): ListNode {
    for (let token = this.scanner.peek(); token.type === 'block-entry'; token = this.scanner.peek()) {
      this.scanner.next();
      const next = this.peek();
      const empty = next === 'block-entry' || next === 'key' || next === 'value' || next === 'block-end';
      list.items.push(empty ? emptyScalar(token.start) : this.node(true, false));
    }
    return list;
  }

  private blockMembers(map: MapNode): MapNode {
    this.scanner.next();
    const orEmpty = (at: number): YamlNode => {
      const next = this.peek();
      return next === 'key' || next === 'value' || next === 'block-end' ? emptyScalar(at) : this.node(true, true);
    };
    for (;;) {
      const token = this.scanner.peek();
      if (token.type === 'block-end') {
        this.scanner.next();
        return map;
      }
      if (token.type !== 'key') {
        throw new YamlSyntaxError(
          token.start,
          token.type === 'block-entry' || token.type === 'block-map-start' || token.type === 'block-list-start'
            ? 'the indentation does not match any line above'
            : unexpected(token),
        );
      }
      this.scanner.next();
      const key = orEmpty(token.start);
      const colon = this.scanner.peek();
      let value: YamlNode = emptyScalar(colon.start);
      if (colon.type === 'value') {
        this.scanner.next();
        value = orEmpty(colon.start);
      }
      map.members.push({ key, value });
    }
  }

  private flowItems(list: ListNode): ListNode {
    const { start } = this.scanner.next();
    for (let first = true; this.peek() !== 'flow-list-end'; first = false) {
      this.flowEntry(first, ']', start);
      if (this.peek() === 'flow-list-end') {
        break;
      }
      list.items.push(this.peek() === 'key' ? this.flowPair() : this.node(false, false));
    }
    this.scanner.next();
    return list;
  }

  /** `[a: 1]` is a list of a map. */
  private flowPair(): MapNode {
    const { start } = this.scanner.next();
    const map: MapNode = { kind: 'map', start, members: [] };
    const afterKey = this.scanner.peek();
    let key: YamlNode;
    if (afterKey.type === 'value' || afterKey.type === 'flow-entry' || afterKey.type === 'flow-list-end') {
      // go-yaml drops this token, whatever it is.
      this.scanner.next();
      key = emptyScalar(afterKey.start);
    } else {
      key = this.node(false, false);
    }
    const colon = this.scanner.peek();
    let value: YamlNode = emptyScalar(colon.start);
    if (colon.type === 'value') {
      this.scanner.next();
      const next = this.peek();
      if (next !== 'flow-entry' && next !== 'flow-list-end') {
        value = this.node(false, false);
      }
    }
    map.members.push({ key, value });
    return map;
  }

  private flowMembers(map: MapNode): MapNode {
    const { start } = this.scanner.next();
    for (let first = true; this.peek() !== 'flow-map-end'; first = false) {
      this.flowEntry(first, '}', start);
      const token = this.scanner.peek();
      if (token.type === 'flow-map-end') {
        break;
      }
      if (token.type !== 'key') {
        const key = this.node(false, false);
        map.members.push({ key, value: emptyScalar(this.scanner.peek().start) });
        continue;
      }
      this.scanner.next();
      const isEnd = (type: TokenType): boolean => type === 'flow-entry' || type === 'flow-map-end';
      const next = this.scanner.peek();
      const key = next.type === 'value' || isEnd(next.type) ? emptyScalar(next.start) : this.node(false, false);
      const colon = this.scanner.peek();
      let value: YamlNode = emptyScalar(colon.start);
      if (colon.type === 'value') {
        this.scanner.next();
        value = isEnd(this.peek()) ? value : this.node(false, false);
      }
      map.members.push({ key, value });
    }
    this.scanner.next();
    return map;
  }

  /** The comma before every entry but the first. */
  private flowEntry(first: boolean, closing: string, start: number): void {
    const token = this.scanner.peek();
    if (token.type === 'stream-end' || token.type === 'document-start' || token.type === 'document-end') {
      throw new YamlSyntaxError(start, `missing closing "${closing}"`);
    }
    if (first) {
      return;
    }
    if (token.type !== 'flow-entry') {
      throw new YamlSyntaxError(token.start, `a comma or "${closing}" is missing`);
    }
    this.scanner.next();
  }
}

function emptyScalar(start: number): ScalarNode {
  return { kind: 'scalar', start, value: '', tag: '', implicit: true };
}

/** What is wrong where a token cannot stand; a value is missing at any other. */
const UNEXPECTED: ReadonlyMap<TokenType, string> = new Map([
  ['stream-end', 'the document ends before its value does'],
  ['document-start', 'the document ends before its value does'],
  ['document-end', 'the document ends before its value does'],
  ['block-end', 'the indentation does not match any line above'],
  ['scalar', 'unexpected text: a comma, a colon, or a quote may be missing before it'],
  ['block-entry', 'a list must not begin here'],
  ['block-list-start', 'a list must not begin here'],
  ['flow-list-end', 'a closing bracket without an opening one'],
  ['flow-map-end', 'a closing bracket without an opening one'],
  ['flow-entry', 'a value must come before this comma'],
  ['value', 'a key must come before this colon'],
]);

function unexpected({ type }: Token): string {
  return UNEXPECTED.get(type) ?? 'a value is expected here';
}

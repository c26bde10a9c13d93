/**
 * The nodes of one YAML document: the column of its first line identifies a block.
 */
import { checkFollowing } from './following';
import { LineParser, NO_PROPERTIES } from './line-nodes';
import { type ListNode, type MapNode, type YamlNode } from './node-types';
import { type Properties, readDirectives } from './properties';
import { type Place, Source, YamlSyntaxError } from './source';

/**
 * Parses the first document of a text.
 *
 * @param text without control characters
 * @returns its root; `undefined` where there is no document
 * @throws YamlSyntaxError
 */
export function parseNodes(text: string): YamlNode | undefined {
  const source = new Source(text);
  source.skipGap();
  if (source.char === '') {
    return undefined;
  }
  const hasDirectives = source.column === 0 && source.char === '%';
  const parser = new BlockParser(source, readDirectives(source));
  if (source.isMarker && source.char === '-') {
    source.at += 3;
    source.blockAllowed = false;
    source.skipGap();
  } else if (hasDirectives) {
    throw new YamlSyntaxError(source.at, 'a line with "---" must follow the directives');
  } else if (source.isMarker) {
    throw new YamlSyntaxError(source.at, 'unexpected end of the document');
  }
  const root = parser.block(-1, false, source.at);
  checkFollowing(source, parser.lastBegin);
  return root;
}

class BlockParser extends LineParser {
  /** Where the text of a node in block style began last. */
  lastBegin: Place | undefined;

  /**
   * A node in block style, empty where the text goes on with another one.
   *
   * @param indent the column of the block that contains it
   * @param listAllowed the items of a list may begin in that column
   * @param emptyStart where an empty node is
   */
  block(indent: number, listAllowed: boolean, emptyStart: number): YamlNode {
    this.enter();
    const node = this.blockContent(indent, listAllowed, emptyStart, NO_PROPERTIES);
    this.depth--;
    return node;
  }

  private blockContent(indent: number, listAllowed: boolean, emptyStart: number, outer: Properties): YamlNode {
    const { source } = this;
    const { column } = source;
    const isItem = source.isIndicator('-');
    const isBlockScalar = source.char === '|' || source.char === '>';
    if (source.isEnd || column < indent || (column === indent && !(listAllowed && isItem) && !isBlockScalar)) {
      return this.empty(outer, emptyStart);
    }
    if (isItem || source.isIndicator('?')) {
      if (!source.blockAllowed) {
        const what = isItem ? 'a list item' : 'a map key';
        throw new YamlSyntaxError(source.at, `${what} must begin on a line of its own`);
      }
      return isItem ? this.list(column, indent, outer) : this.map(column, outer);
    }
    if (source.isIndicator(':')) {
      throw this.misplacedColon();
    }
    if (isBlockScalar) {
      return this.blockScalar(indent, outer);
    }
    return this.lineContent(indent, listAllowed, outer);
  }

  /** A node that begins with text on this line: a scalar, brackets, an alias, properties, or the map whose first key it is. */
  private lineContent(indent: number, listAllowed: boolean, outer: Properties): YamlNode {
    const { source } = this;
    const begin = source.place;
    this.lastBegin = begin;
    if (begin.blockAllowed && outer.start >= 0 && this.isKeyAhead(indent, outer)) {
      return this.map(source.column, outer);
    }
    const { column } = source;
    const own = this.properties(outer.tag === undefined);
    const isKey = (): boolean => begin.blockAllowed && source.isIndicator(':') && source.mayBeKey(begin);
    if (own.start >= 0 && isKey()) {
      return this.map(column, outer, this.empty(own, own.start));
    }
    if (own.start >= 0 && (source.line > begin.line || source.isEnd || source.char === '|' || source.char === '>')) {
      const properties = this.joined(outer, own);
      if (properties !== undefined) {
        return this.blockContent(indent, listAllowed, own.start, properties);
      }
    }
    if (own.start >= 0 && ['-', '?', ':'].some((indicator) => source.isIndicator(indicator))) {
      return this.blockContent(indent, listAllowed, own.start, own);
    }
    const properties = this.joined(outer, own);
    if (properties === undefined) {
      source.return(begin);
      return this.empty(outer, outer.start);
    }
    if (properties.start >= 0 && '&!*,]}'.includes(source.char)) {
      return this.empty(properties, properties.start);
    }
    const node = this.inline(indent, properties);
    return outer.start < 0 && isKey() ? this.map(column, NO_PROPERTIES, node) : node;
  }

  /** Whether a key of a map is next. */
  private isKeyAhead(indent: number, outer: Properties): boolean {
    return this.tried(() => {
      this.empty(outer, outer.start);
      const begin = this.source.place;
      const own = this.properties();
      if (!(own.start >= 0 && this.source.isIndicator(':'))) {
        this.inline(indent, own);
      }
      return this.source.isIndicator(':') && this.source.mayBeKey(begin);
    });
  }

  private misplacedColon(): YamlSyntaxError {
    const { at, blockAllowed } = this.source;
    return new YamlSyntaxError(
      at,
      blockAllowed
        ? 'a key must come before this colon'
        : 'a map must not begin inside a value: a string that contains ": " needs quotes',
    );
  }

  private list(column: number, indent: number, properties: Properties): ListNode {
    const { source } = this;
    const list = this.anchored<ListNode>(properties, {
      kind: 'list',
      start: properties.start < 0 ? source.at : properties.start,
      items: [],
    });
    while (source.isIndicator('-') && source.column === column) {
      const dash = source.at;
      source.at++;
      source.blockAllowed = true;
      source.skipGap();
      list.items.push(this.block(column, false, dash));
      source.skipGap();
      this.expectEntry(column);
    }
    if (!source.isEnd && source.column === column && column > indent) {
      throw new YamlSyntaxError(source.at, 'a list item must begin with "- "');
    }
    return list;
  }

  /** An entry of this block is next, or one of a block around it. */
  private expectEntry(column: number): void {
    const { source } = this;
    if (source.isEnd || source.column < column || (source.column === column && source.blockAllowed)) {
      return;
    }
    if (source.isIndicator(':') && !source.blockAllowed) {
      throw this.misplacedColon();
    }
    throw new YamlSyntaxError(
      source.at,
      source.blockAllowed
        ? 'the indentation does not match any line above'
        : 'unexpected text: a comma, a colon, or a quote may be missing before it',
    );
  }

  /** @param firstKey where it was read already: its colon is next */
  private map(column: number, properties: Properties, firstKey?: YamlNode): MapNode {
    const { source } = this;
    const own = firstKey?.start ?? source.at;
    const map = this.anchored<MapNode>(properties, {
      kind: 'map',
      start: properties.start < 0 ? own : properties.start,
      members: [],
    });
    let key = firstKey;
    do {
      map.members.push(
        key === undefined && source.isIndicator('?') ? this.explicitMember(column) : this.member(column, key),
      );
      key = undefined;
      source.skipGap();
      this.expectEntry(column);
    } while (!source.isEnd && source.column === column);
    return map;
  }

  private explicitMember(column: number): MapNode['members'][number] {
    const { source } = this;
    const start = source.at;
    const key = this.afterIndicator(column, start);
    source.skipGap();
    this.expectEntry(column);
    const hasValue = !source.isEnd && source.column === column && source.isIndicator(':');
    return { key, value: hasValue ? this.afterIndicator(column, source.at) : this.empty(NO_PROPERTIES, source.at) };
  }

  private afterIndicator(column: number, emptyStart: number): YamlNode {
    this.source.at++;
    this.source.blockAllowed = true;
    this.source.skipGap();
    return this.block(column, true, emptyStart);
  }

  private member(column: number, given: YamlNode | undefined): MapNode['members'][number] {
    const { source } = this;
    const key = given ?? this.key(column);
    source.at++;
    source.blockAllowed = false;
    const emptyStart = source.at;
    source.skipGap();
    return { key, value: this.block(column, true, emptyStart) };
  }

  private key(column: number): YamlNode {
    const { source } = this;
    const begin = source.place;
    if (source.isIndicator(':')) {
      throw this.misplacedColon();
    }
    const own = this.properties();
    const isEmpty = own.start >= 0 && source.isIndicator(':');
    const key = isEmpty ? this.empty(own, own.start) : this.inline(column, own);
    if (!source.isIndicator(':') || !source.mayBeKey(begin)) {
      throw new YamlSyntaxError(
        begin.at,
        'a key and its colon must be on one line; a colon may be missing, or a string with a colon needs quotes',
      );
    }
    return key;
  }
}

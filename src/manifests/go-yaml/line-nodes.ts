/**
 * The nodes within lines: scalars, aliases, what is in brackets, and the properties in front of them.
 */
import { type AliasNode, type ListNode, type MapNode, type ScalarNode, type YamlNode } from './node-types';
import { type Properties, readName, readTag } from './properties';
import { beginsPlain, readBlockScalar, readPlain, readQuoted } from './scalars';
import { type Source, YamlSyntaxError } from './source';

/** Deeper nesting than any Kubernetes object has, and far from the end of the stack. */
const MAX_DEPTH = 500;

export const NO_PROPERTIES: Properties = { start: -1 };

export class LineParser {
  protected anchors = new Map<string, YamlNode>();
  protected depth = 0;

  constructor(
    protected readonly source: Source,
    protected readonly handles: ReadonlyMap<string, string>,
  ) {}

  protected enter(): void {
    if (++this.depth > MAX_DEPTH) {
      throw new YamlSyntaxError(this.source.at, `values are nested more than ${MAX_DEPTH} deep`);
    }
  }

  /** Reads ahead, and returns. What is wrong there is found when it is read. */
  protected tried(read: () => boolean): boolean {
    const { place, flowDepth } = this.source;
    const { depth } = this;
    const anchors = new Map(this.anchors);
    try {
      return read();
    } catch (error) {
      if (!(error instanceof YamlSyntaxError)) {
        throw error;
      }
      return false;
    } finally {
      this.source.return(place);
      this.source.flowDepth = flowDepth;
      this.depth = depth;
      this.anchors = anchors;
    }
  }

  /** One anchor and one tag at most, and the gap after them. In block style, those of one line. A second tag is not resolved. */
  protected properties(resolveTag = true): Properties {
    const { source } = this;
    const { line } = source;
    let properties = NO_PROPERTIES;
    while (source.char === '&' || source.char === '!') {
      if (source.flowDepth === 0 && source.line > line) {
        break;
      }
      const start = properties.start < 0 ? source.at : properties.start;
      if (source.char === '&' ? properties.anchor !== undefined : properties.tag !== undefined) {
        break;
      }
      properties =
        source.char === '&'
          ? { ...properties, start, anchor: readName(source) }
          : { ...properties, start, tag: readTag(source, resolveTag ? this.handles : undefined) };
      source.skipGap();
    }
    return properties;
  }

  /** The properties of two lines; `undefined` where both have the same one. */
  protected joined(outer: Properties, own: Properties): Properties | undefined {
    if (outer.start < 0 || own.start < 0) {
      return outer.start < 0 ? own : outer;
    }
    const hasTwo =
      (outer.anchor !== undefined && own.anchor !== undefined) || (outer.tag !== undefined && own.tag !== undefined);
    if (hasTwo) {
      return undefined;
    }
    return { start: outer.start, anchor: outer.anchor ?? own.anchor, tag: outer.tag ?? own.tag };
  }

  protected anchored<T extends YamlNode>({ anchor }: Properties, node: T): T {
    if (anchor !== undefined) {
      this.anchors.set(anchor, node);
    }
    return node;
  }

  protected empty(properties: Properties, start: number): ScalarNode {
    const { tag = '' } = properties;
    const from = properties.start < 0 ? start : properties.start;
    return this.anchored(properties, { kind: 'scalar', start: from, value: '', tag, implicit: tag === '' });
  }

  protected scalar(properties: Properties, start: number, value: string, isPlain: boolean): ScalarNode {
    const { tag = '' } = properties;
    const from = properties.start < 0 ? start : properties.start;
    const implicit = tag === '!' || (tag === '' && isPlain);
    return this.anchored(properties, { kind: 'scalar', start: from, value, tag, implicit });
  }

  protected blockScalar(indent: number, properties: Properties): ScalarNode {
    const start = this.source.at;
    return this.scalar(properties, start, readBlockScalar(this.source, indent), false);
  }

  /** A scalar, an alias, or what is in brackets, and the gap after it. */
  protected inline(indent: number, properties: Properties): YamlNode {
    const { source } = this;
    const start = source.at;
    const node = this.inlineContent(indent, properties, start);
    source.skipGap();
    return node;
  }

  protected inlineContent(indent: number, properties: Properties, start: number): YamlNode {
    const { source } = this;
    switch (source.char) {
      case '"':
      case "'":
        return this.scalar(properties, start, readQuoted(source), false);
      case '[':
        return this.flowList(indent, properties);
      case '{':
        return this.flowMap(indent, properties);
      case '*':
        return this.alias(properties);
    }
    if (!beginsPlain(source)) {
      throw this.unexpected();
    }
    return this.scalar(properties, start, readPlain(source, indent), true);
  }

  protected unexpected(): YamlSyntaxError {
    const { at, char } = this.source;
    if (char === ',') {
      return new YamlSyntaxError(at, 'a value must come before this comma');
    }
    if (char === ':') {
      return new YamlSyntaxError(at, 'a key must come before this colon');
    }
    return new YamlSyntaxError(
      at,
      char === '' ? 'a value is missing' : `a string must not begin with ${char}: put it in quotes`,
    );
  }

  protected alias(properties: Properties): AliasNode {
    const start = this.source.at;
    const name = readName(this.source);
    const target = this.anchors.get(name);
    if (properties.start >= 0) {
      throw new YamlSyntaxError(start, 'an alias must not have an anchor or a tag');
    }
    if (target === undefined) {
      throw new YamlSyntaxError(start, `the alias *${name} names an anchor that is not set before it`);
    }
    return { kind: 'alias', start, name, target };
  }

  protected flowList(indent: number, properties: Properties): ListNode {
    const start = properties.start < 0 ? this.source.at : properties.start;
    const list = this.anchored(properties, { kind: 'list', start, items: [] as YamlNode[] });
    this.flowEntries(']', () => {
      const begin = this.source.at;
      const { key, value } = this.flowEntry(indent, ']');
      list.items.push(value === undefined ? key : { kind: 'map', start: begin, members: [{ key, value }] });
    });
    return list;
  }

  protected flowMap(indent: number, properties: Properties): MapNode {
    const start = properties.start < 0 ? this.source.at : properties.start;
    const map = this.anchored(properties, { kind: 'map', start, members: [] as MapNode['members'] });
    this.flowEntries('}', () => {
      const { key, value } = this.flowEntry(indent, '}');
      map.members.push({ key, value: value ?? this.empty(NO_PROPERTIES, this.source.at) });
    });
    return map;
  }

  protected flowEntries(close: string, readEntry: () => void): void {
    const { source } = this;
    const open = source.at;
    source.at++;
    source.flowDepth++;
    source.skipGap();
    while (source.char !== close) {
      this.expectOpen(open, close);
      readEntry();
      this.expectOpen(open, close);
      if (source.char === ',') {
        source.at++;
        source.skipGap();
      } else if (source.char !== close) {
        throw new YamlSyntaxError(source.at, `a comma or "${close}" is missing`);
      }
    }
    source.at++;
    source.flowDepth--;
    source.blockAllowed = false;
  }

  protected expectOpen(open: number, close: string): void {
    const { source } = this;
    if (source.isEnd) {
      throw new YamlSyntaxError(open, `missing closing "${close}"`);
    }
  }

  private skipIndicator(indicator: string): boolean {
    const { source } = this;
    if (source.char !== indicator) {
      return false;
    }
    source.at++;
    source.skipGap();
    return true;
  }

  /** An item of a list, or a member of a map: a value only where the text has a colon or a question mark. */
  protected flowEntry(indent: number, close: string): { readonly key: YamlNode; readonly value?: YamlNode } {
    const { source } = this;
    const begin = source.place;
    const isExplicit = this.skipIndicator('?');
    const isEmptyKey = isExplicit && source.char !== '' && `:,${close}`.includes(source.char);
    const key = isEmptyKey ? this.empty(NO_PROPERTIES, source.at) : this.flowNode(indent, close);
    if (isEmptyKey && close === ']') {
      // kubectl takes the indicator behind an empty key of a list for a part of it, be it the closing bracket.
      this.skipIndicator(source.char);
    }
    if ((isExplicit || source.mayBeKey(begin)) && this.skipIndicator(':')) {
      return { key, value: this.flowValue(indent, close) };
    }
    return isExplicit ? { key, value: this.empty(NO_PROPERTIES, source.at) } : { key };
  }

  protected flowValue(indent: number, close: string): YamlNode {
    const { char, at } = this.source;
    return char === ',' || char === close ? this.empty(NO_PROPERTIES, at) : this.flowNode(indent, close);
  }

  protected flowNode(indent: number, close: string): YamlNode {
    const { source } = this;
    this.enter();
    const own = this.properties();
    const isEmpty = own.start >= 0 && [',', ':', close].includes(source.char);
    const node = isEmpty ? this.empty(own, source.at) : this.inline(indent, own);
    this.depth--;
    return node;
  }
}

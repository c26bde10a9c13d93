/**
 * What the nodes of a YAML document mean to kubectl, as plain JSON.
 *
 * kubectl reads with sigs.k8s.io/yaml, which is go-yaml 2 with JSON behind it. What an unquoted word is, what a map key becomes,
 * which of two equal keys counts, how far aliases may multiply a text: all of it is decided as there.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { setMember } from '../texts/json-member';
import { pointer } from '../pointer';
import { type TextProblem } from '../texts/source-text';
import { inexactInteger, keyOf, resolvePlain, type Scalar } from '../texts/yaml-scalars';
import { YamlSyntaxError } from './source';
import { type AliasNode, type MapNode, type ScalarNode, type YamlNode } from './node-types';
import { isTimestamp } from './timestamp';

export interface DocumentValue {
  readonly value: JsonValue;
  readonly problems: readonly TextProblem[];
}

const TAG_PREFIX = 'tag:yaml.org,2002:';

/** The tags that ask for something else than a string. */
const RESOLVED_TAGS: ReadonlySet<string> = new Set(['bool', 'int', 'float', 'null', 'timestamp', 'binary']);

/** go-yaml's bounds on what aliases may add: 99% of all values up to 400,000 of them, falling to 10% at four million. */
const MANY_VALUES = 400_000;
const TOO_MANY_VALUES = 4_000_000;

/**
 * The value of a document.
 *
 * @throws YamlSyntaxError for what kubectl refuses
 */
export function valueOfDocument(root: YamlNode): DocumentValue {
  return new ValueReader().read(root);
}

/** Replaces a value that cannot be expressed in JSON. */
const REFUSED = Number.NaN;
const REFUSED_KEY = '\0';

function containsRefused(value: JsonValue): boolean {
  if (typeof value === 'object' && value !== null) {
    return Object.values(value).some(containsRefused);
  }
  return typeof value === 'number' && !Number.isFinite(value);
}

class ValueReader {
  private readonly problems: TextProblem[] = [];
  private readonly path: (string | number)[] = [];
  private readonly open = new Set<AliasNode>();
  /** Values that were read, the document included. */
  private values = 1;
  private aliased = 0;
  /** What an alias represents was reported where its anchor is. */
  private aliasDepth = 0;
  /** The first value that JSON cannot express. It only counts where nothing replaces it. */
  private refusal: YamlSyntaxError | undefined;

  read(root: YamlNode): DocumentValue {
    const value = this.valueOf(root);
    if (this.refusal !== undefined && containsRefused(value)) {
      throw this.refusal;
    }
    return { value, problems: this.problems };
  }

  private refuse(node: YamlNode, message: string): number {
    this.refusal ??= new YamlSyntaxError(node.start, message);
    return REFUSED;
  }

  private valueOf(node: YamlNode): JsonValue {
    this.count(node);
    switch (node.kind) {
      case 'alias':
        return this.throughAlias(node, (target) => this.valueOf(target));
      case 'scalar':
        return this.scalarValue(node);
      case 'list':
        return node.items.map((item, index) => {
          this.path.push(index);
          const value = this.valueOf(item);
          this.path.pop();
          return value;
        });
      case 'map': {
        const object: JsonObject = {};
        this.readInto(object, node, false);
        return object;
      }
    }
  }

  private count({ start }: YamlNode): void {
    this.values++;
    if (this.aliasDepth > 0) {
      this.aliased++;
    }
    if (this.aliased > 100 && this.values > 1000 && this.aliased / this.values > allowedShare(this.values)) {
      throw new YamlSyntaxError(start, 'the aliases of this document expand to too many values');
    }
  }

  private throughAlias<T>(node: AliasNode, read: (target: YamlNode) => T): T {
    if (this.open.has(node)) {
      throw new YamlSyntaxError(node.start, `the value of the anchor &${node.name} contains itself`);
    }
    this.open.add(node);
    this.aliasDepth++;
    const result = read(node.target);
    this.aliasDepth--;
    this.open.delete(node);
    return result;
  }

  private scalarValue(node: ScalarNode): JsonValue {
    const { value, inexact } = scalarOf(node);
    if (inexact === true && this.aliasDepth === 0) {
      this.report('inexact-number', node, inexactInteger(node.value, value));
    }
    if (typeof value === 'number' && !Number.isFinite(value)) {
      return this.refuse(node, 'must be a finite number: JSON has no infinity and no not-a-number');
    }
    return value;
  }

  /**
   * Sets the members of a map one after another, so that the last of several counts, be it a merged one.
   *
   * @param merged the members come from a merge key: those of the object itself are replaced, and that is not a duplicate
   */
  private readInto(object: JsonObject, map: MapNode, merged: boolean): void {
    const own = new Set<string>();
    for (const { key: keyNode, value: valueNode } of map.members) {
      if (isMergeKey(keyNode)) {
        this.merge(object, valueNode);
        continue;
      }
      const key = this.keyOf(keyNode);
      this.path.push(key);
      if (own.has(key) && !merged && this.aliasDepth === 0) {
        this.report('duplicate-key', keyNode, `duplicate key ${JSON.stringify(key)} in this map`);
      }
      own.add(key);
      const value = this.valueOf(valueNode);
      setMember(object, key, key === REFUSED_KEY ? REFUSED : value);
      this.path.pop();
    }
  }

  /** `<<: *base` and `<<: [*a, *b]`, where the first has precedence. */
  private merge(object: JsonObject, node: YamlNode): void {
    if (node.kind === 'list') {
      for (const item of node.items.toReversed()) {
        this.mergeMap(object, item);
      }
    } else {
      this.mergeMap(object, node);
    }
  }

  private mergeMap(object: JsonObject, node: YamlNode): void {
    const map = node.kind === 'alias' ? node.target : node;
    if (map.kind !== 'map') {
      throw new YamlSyntaxError(node.start, 'the value of the merge key << must be a map or a list of maps');
    }
    this.count(node);
    if (node.kind === 'alias') {
      this.throughAlias(node, (target) => {
        this.count(target);
        this.readInto(object, map, true);
      });
    } else {
      this.readInto(object, map, true);
    }
  }

  private keyOf(node: YamlNode): string {
    this.count(node);
    if (node.kind === 'alias') {
      return this.throughAlias(node, (target) => this.keyOf(target));
    }
    if (node.kind !== 'scalar') {
      throw new YamlSyntaxError(
        node.start,
        'a map key must be a string, not a map or a list; a template in double braces must be rendered first',
      );
    }
    const key = keyOf(scalarOf(node));
    if (key === undefined) {
      this.refuse(node, 'a map key must be a string, a boolean, or a number of at most 64 bits');
    }
    return key ?? REFUSED_KEY;
  }

  private report(kind: TextProblem['kind'], node: YamlNode, message: string): void {
    this.problems.push({ kind, offset: node.start, message, path: pointer('', ...this.path) });
  }
}

function allowedShare(values: number): number {
  const share = (values - MANY_VALUES) / (TOO_MANY_VALUES - MANY_VALUES);
  return 0.99 - 0.89 * Math.min(Math.max(share, 0), 1);
}

function isMergeKey(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.value === '<<' && (node.implicit || node.tag === `${TAG_PREFIX}merge`);
}

/** The value of a scalar by its tag, or by its text where it has none. */
function scalarOf({ value: text, tag, implicit, start }: ScalarNode): Scalar {
  if (tag === '') {
    return implicit ? resolvePlain(text) : { tag: 'str', value: text };
  }
  const name = tag.startsWith(TAG_PREFIX) ? tag.slice(TAG_PREFIX.length) : '';
  if (!RESOLVED_TAGS.has(name)) {
    return { tag: 'str', value: text };
  }
  if (name === 'binary') {
    return { tag: 'str', value: decodeBinary(text, start) };
  }
  if (name === 'timestamp' && isTimestamp(text)) {
    return { tag: 'str', value: text };
  }
  const scalar = resolvePlain(text);
  const unsigned = scalar.integer !== undefined && scalar.integer > 2n ** 63n - 1n;
  if (scalar.tag === name || (name === 'float' && scalar.tag === 'int' && !unsigned)) {
    return name === 'float' ? { tag: 'float', value: scalar.value } : scalar;
  }
  throw new YamlSyntaxError(start, `${JSON.stringify(text)} is not a valid !!${name}`);
}

function decodeBinary(text: string, start: number): string {
  const base64 = text.replace(/[\r\n]/g, '');
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)) {
    throw new YamlSyntaxError(start, 'the value of !!binary must be base64');
  }
  return Buffer.from(base64, 'base64').toString('utf8');
}

/** The offset of the node at a pointer, or of its nearest parent. A map's member is found at its key. */
export function offsetOfPath(root: YamlNode, tokens: readonly string[]): number {
  let node = root;
  let offset = root.start;
  for (const token of tokens) {
    const step = stepInto(node, token, 0);
    if (step === undefined) {
      return offset;
    }
    ({ node, offset } = step);
  }
  return offset;
}

interface Step {
  readonly node: YamlNode;
  readonly offset: number;
}

function stepInto(from: YamlNode, token: string, depth: number): Step | undefined {
  const node = from.kind === 'alias' ? from.target : from;
  if (node.kind === 'list') {
    const item = /^\d+$/.test(token) ? node.items[Number(token)] : undefined;
    return item === undefined ? undefined : { node: item, offset: item.start };
  }
  if (node.kind !== 'map' || depth > MAX_MERGES) {
    return undefined;
  }
  let steps = stepsOfMaps.get(node);
  if (steps === undefined) {
    steps = stepsOf(node, depth);
    stepsOfMaps.set(node, steps);
  }
  return steps.get(token);
}

/** Members of maps by their key: one map may have thousands, and a finding on each of them. */
const stepsOfMaps = new WeakMap<MapNode, ReadonlyMap<string, Step>>();

/** The last of several equal keys counts, merged ones included. */
function stepsOf(map: MapNode, depth: number): ReadonlyMap<string, Step> {
  const steps = new Map<string, Step>();
  for (const { key, value } of map.members) {
    if (isMergeKey(key)) {
      for (const source of value.kind === 'list' ? value.items.toReversed() : [value]) {
        const merged = source.kind === 'alias' ? source.target : source;
        if (merged.kind === 'map' && depth < MAX_MERGES) {
          stepsOf(merged, depth + 1).forEach((step, name) => steps.set(name, step));
        }
      }
      continue;
    }
    const name = keyText(key);
    if (name !== undefined) {
      steps.set(name, { node: value, offset: key.start });
    }
  }
  return steps;
}

/** Merges within merges that are followed to a place. */
const MAX_MERGES = 20;

function keyText(node: YamlNode): string | undefined {
  const target = node.kind === 'alias' ? node.target : node;
  return target.kind === 'scalar' ? keyOf(scalarOf(target)) : undefined;
}

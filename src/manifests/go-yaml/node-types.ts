/**
 * The nodes of a YAML document.
 */

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

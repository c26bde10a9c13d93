/**
 * A schema node made ready for walking: what a visit needs is looked up once per node, on first use, and kept beside the schema.
 *
 * Schemas are graphs that share nodes and may hold circles, so nodes are made when a value reaches them.
 */
import { type CelRule, type JsonValue, type Schema, type SchemaType } from '../../facts/api/schema';
import { patternOf, type Pattern } from '../../manifests/values/patterns';

/** Types as bits, so that one test answers whether a value's type is among those allowed. */
export const TYPE_BIT: Readonly<Record<SchemaType, number>> = {
  object: 1,
  array: 2,
  string: 4,
  integer: 8,
  number: 16,
  boolean: 32,
};

const NONE: readonly string[] = [];

export class SchemaNode {
  /** Bits of the allowed types; 0 where any will do. */
  readonly types: number;
  readonly nullable: boolean;
  readonly preservesUnknown: boolean;
  readonly embedded: boolean;
  readonly required: readonly string[];
  /** Names of the properties that have a default. */
  readonly defaulted: readonly string[];
  readonly listType: 'atomic' | 'set' | 'map' | undefined;
  /** Whether allOf, anyOf, oneOf or not are here, other than those that merely spell out int-or-string. */
  readonly combines: boolean;
  /** `additionalProperties: true`: any key, but nothing below is known. */
  readonly anyKey: boolean;

  private readonly childNodes = new Map<string, SchemaNode>();
  private itemsNode: SchemaNode | undefined;
  private valuesNode: SchemaNode | undefined;
  private compiledPattern: Pattern | undefined;

  constructor(readonly schema: Schema) {
    this.types = typeBits(schema);
    this.nullable = schema.nullable === true;
    this.preservesUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true;
    this.embedded = schema['x-kubernetes-embedded-resource'] === true;
    this.required = schema.required ?? NONE;
    this.listType = schema['x-kubernetes-list-type'];
    this.combines = combines(schema);
    this.anyKey = schema.additionalProperties === true;
    const properties = schema.properties;
    this.defaulted = properties
      ? Object.keys(properties).filter((name) => properties[name]?.default !== undefined)
      : NONE;
  }

  /** The node of a named property. */
  child(name: string): SchemaNode | undefined {
    const known = this.childNodes.get(name);
    if (known !== undefined) {
      return known;
    }
    const properties = this.schema.properties;
    if (properties === undefined || !Object.hasOwn(properties, name)) {
      return undefined;
    }
    const schema = properties[name];
    if (schema === undefined) {
      return undefined;
    }
    const node = nodeOf(schema);
    this.childNodes.set(name, node);
    return node;
  }

  /** The node of every list item. */
  get items(): SchemaNode | undefined {
    if (this.itemsNode === undefined && this.schema.items !== undefined) {
      this.itemsNode = nodeOf(this.schema.items);
    }
    return this.itemsNode;
  }

  /** The node of every map value. */
  get values(): SchemaNode | undefined {
    const schema = this.schema.additionalProperties;
    if (this.valuesNode === undefined && typeof schema === 'object') {
      this.valuesNode = nodeOf(schema);
    }
    return this.valuesNode;
  }

  get pattern(): Pattern | undefined {
    if (this.compiledPattern === undefined && this.schema.pattern !== undefined) {
      this.compiledPattern = patternOf(this.schema.pattern);
    }
    return this.compiledPattern;
  }

  /** The types as a person would say them. */
  get typeNames(): string {
    if (this.schema['x-kubernetes-int-or-string'] === true) {
      return 'integer or string';
    }
    return this.schema.type ?? 'any value';
  }
}

const nodes = new WeakMap<Schema, SchemaNode>();

export function nodeOf(schema: Schema): SchemaNode {
  let node = nodes.get(schema);
  if (node === undefined) {
    node = new SchemaNode(schema);
    nodes.set(schema, node);
  }
  return node;
}

const rulesByNode = new WeakMap<Schema, readonly CelRule[]>();

/** The rules of a node itself, those inside its allOf included. */
export function rulesOf(schema: Schema): readonly CelRule[] {
  let rules = rulesByNode.get(schema);
  if (rules === undefined) {
    rules = [schema, ...(schema.allOf ?? [])].flatMap((part) => part['x-kubernetes-validations'] ?? []);
    rulesByNode.set(schema, rules);
  }
  return rules;
}

const withRules = new WeakMap<Schema, boolean>();

/** Whether this node or a node below it has a CEL rule. */
export function hasRules(schema: Schema): boolean {
  const known = withRules.get(schema);
  if (known !== undefined) {
    return known;
  }
  // Entered before the answer is known: a circle has no rules but those that are found elsewhere in it.
  withRules.set(schema, false);
  const below = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
  const answer =
    (schema['x-kubernetes-validations']?.length ?? 0) > 0 ||
    below.some((child) => typeof child === 'object' && hasRules(child));
  withRules.set(schema, answer);
  return answer;
}

/** Whether a CEL rule applies to a part of the value. The engine that evaluates rules takes longer to load than most objects to check. */
export function meetsRule(value: JsonValue, node: SchemaNode): boolean {
  const { schema } = node;
  if (value === null || !hasRules(schema)) {
    return false;
  }
  // A rule on a change does not apply to a new object.
  if (rulesOf(schema).some(({ rule, optionalOldSelf }) => optionalOldSelf === true || !/\boldSelf\b/.test(rule))) {
    return true;
  }
  if (Array.isArray(value)) {
    const { items } = node;
    return items !== undefined && value.some((item) => meetsRule(item, items));
  }
  return (
    typeof value === 'object' &&
    Object.keys(value).some((name) => {
      const child = node.child(name) ?? node.values;
      return child !== undefined && meetsRule(value[name] ?? null, child);
    })
  );
}

function typeBits(schema: Schema): number {
  if (schema['x-kubernetes-int-or-string'] === true) {
    return TYPE_BIT.integer | TYPE_BIT.string;
  }
  return schema.type === undefined ? 0 : TYPE_BIT[schema.type];
}

function combines(schema: Schema): boolean {
  const { allOf, anyOf, oneOf, not } = schema;
  if (allOf !== undefined || oneOf !== undefined || not !== undefined) {
    return true;
  }
  if (anyOf === undefined) {
    return false;
  }
  if (schema['x-kubernetes-int-or-string'] !== true) {
    return true;
  }
  const says = (branch: Schema, type: SchemaType): boolean => branch.type === type && Object.keys(branch).length === 1;
  return !(
    anyOf.length === 2 &&
    anyOf.some((branch) => says(branch, 'integer')) &&
    anyOf.some((branch) => says(branch, 'string'))
  );
}

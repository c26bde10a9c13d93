/**
 * Hash-consing: every distinct schema node is kept once, however often and wherever it occurs.
 *
 * 1. Bottom up, a node's children are replaced by their numbers; its text is then its identity.
 * 2. Definitions that reach themselves (JSONSchemaProps) cannot be written bottom up. Such a node is identified by the text of its whole
 *    circle as seen from it, members written by their place in that order.
 * 3. Nodes that one bundle alone uses are in that bundle's file, nodes that several use in the common file.
 *
 * A reference is a number: `n >= 0` is line n of the same file, `n < 0` is line `-n - 1` of the common file.
 */
import { type Schema } from '../../src/facts/api/schema';

interface PoolNode {
  readonly schema: Schema;
  readonly children: readonly number[];
}

export interface Bundles {
  /** Lines of each file by bundle name; `common` holds what several bundles use. */
  readonly files: ReadonlyMap<string, readonly string[]>;
  /** The line of a root, as a reference from the file of its bundle. */
  readonly referenceOf: (bundle: string, root: number) => number;
}

export const COMMON = 'common';

export class SchemaPool {
  private readonly idOfText = new Map<string, number>();
  private readonly nodes: PoolNode[] = [];
  private readonly roots = new Map<string, Set<number>>();
  private readonly idOfSchema = new Map<Schema, number>();
  private readonly circleOf = new Map<Schema, ReadonlySet<Schema>>();

  /** How many distinct nodes the pool holds. */
  get size(): number {
    return this.nodes.length;
  }

  /** Adds a schema that `bundle` uses, and returns its number in the pool. */
  add(bundle: string, schema: Schema): number {
    findCircles(schema, this.circleOf, this.idOfSchema);
    const id = this.intern(schema);
    const roots = this.roots.get(bundle) ?? new Set<number>();
    this.roots.set(bundle, roots.add(id));
    return id;
  }

  bundles(): Bundles {
    const users = this.usersOfNodes();
    const files = new Map<string, number[]>([[COMMON, []]]);
    const line = new Map<number, number>();
    for (const [bundle, roots] of this.roots) {
      files.set(bundle, []);
      const pending = [...roots].reverse();
      while (pending.length > 0) {
        const id = pending.pop()!;
        if (line.has(id)) {
          continue;
        }
        const file = files.get(users.get(id)!)!;
        line.set(id, file.length);
        file.push(id);
        pending.push(...[...this.nodes[id].children].reverse());
      }
    }
    const referenceOf = (_bundle: string, id: number): number =>
      users.get(id) === COMMON ? -line.get(id)! - 1 : line.get(id)!;
    const text = (bundle: string, id: number): string =>
      nodeText(this.nodes[id].schema, (child) => referenceOf(bundle, this.idOfSchema.get(child)!));
    return {
      referenceOf,
      files: new Map([...files].map(([bundle, ids]) => [bundle, ids.map((id) => text(bundle, id))])),
    };
  }

  /** For each node the one bundle that uses it, or `common`. */
  private usersOfNodes(): Map<number, string> {
    const users = new Map<number, string>();
    for (const [bundle, roots] of this.roots) {
      const pending = [...roots];
      const visited = new Set<number>();
      while (pending.length > 0) {
        const id = pending.pop()!;
        if (visited.has(id)) {
          continue;
        }
        visited.add(id);
        const user = users.get(id);
        users.set(id, user === undefined || user === bundle ? bundle : COMMON);
        pending.push(...this.nodes[id].children);
      }
    }
    return users;
  }

  private intern(schema: Schema): number {
    const known = this.idOfSchema.get(schema);
    if (known !== undefined) {
      return known;
    }
    const circle = this.circleOf.get(schema);
    if (circle) {
      return this.internCircle(schema, circle);
    }
    const children = childrenOf(schema).map((child) => this.intern(child));
    return this.enter(
      schema,
      nodeText(schema, (child) => this.idOfSchema.get(child)!),
      children,
    );
  }

  private internCircle(schema: Schema, circle: ReadonlySet<Schema>): number {
    const members = membersFrom(schema, circle);
    const text = members.map((member) =>
      nodeText(member, (child) => (circle.has(child) ? `member ${members.indexOf(child)}` : this.intern(child))),
    );
    const children: number[] = [];
    const id = this.enter(schema, `circle\n${text.join('\n')}`, children);
    if (children.length === 0 && this.nodes[id].schema === schema) {
      children.push(...childrenOf(schema).map((child) => this.intern(child)));
    } else {
      for (const member of members) {
        this.intern(member);
      }
    }
    return id;
  }

  private enter(schema: Schema, text: string, children: readonly number[]): number {
    let id = this.idOfText.get(text);
    if (id === undefined) {
      id = this.nodes.length;
      this.idOfText.set(text, id);
      this.nodes.push({ schema, children });
    }
    this.idOfSchema.set(schema, id);
    return id;
  }
}

/** The members of a circle in the order in which a breadth-first walk from one of them meets them. */
function membersFrom(start: Schema, circle: ReadonlySet<Schema>): readonly Schema[] {
  const members = new Set([start]);
  for (const member of members) {
    for (const child of childrenOf(member)) {
      if (circle.has(child)) {
        members.add(child);
      }
    }
  }
  return [...members];
}

/** Tarjan's strongly connected components, of more than one node or with a node that holds itself. Linear in the nodes below `root`. */
function findCircles(
  root: Schema,
  circleOf: Map<Schema, ReadonlySet<Schema>>,
  done: ReadonlyMap<Schema, number>,
): void {
  const index = new Map<Schema, number>();
  const low = new Map<Schema, number>();
  const stack: Schema[] = [];
  const onStack = new Set<Schema>();
  const visit = (node: Schema): void => {
    index.set(node, index.size);
    low.set(node, index.get(node)!);
    stack.push(node);
    onStack.add(node);
    for (const child of childrenOf(node)) {
      if (done.has(child)) {
        continue;
      }
      if (!index.has(child)) {
        visit(child);
        low.set(node, Math.min(low.get(node)!, low.get(child)!));
      } else if (onStack.has(child)) {
        low.set(node, Math.min(low.get(node)!, index.get(child)!));
      }
    }
    if (low.get(node) !== index.get(node)) {
      return;
    }
    const component = new Set(stack.splice(stack.indexOf(node)));
    for (const member of component) {
      onStack.delete(member);
    }
    if (component.size > 1 || childrenOf(node).includes(node)) {
      for (const member of component) {
        circleOf.set(member, component);
      }
    }
  };
  if (!done.has(root)) {
    visit(root);
  }
}

export function childrenOf(schema: Schema): readonly Schema[] {
  const children: Schema[] = [];
  if (schema.properties) {
    children.push(...Object.values(schema.properties));
  }
  if (typeof schema.additionalProperties === 'object') {
    children.push(schema.additionalProperties);
  }
  if (schema.items) {
    children.push(schema.items);
  }
  for (const branches of [schema.allOf, schema.anyOf, schema.oneOf]) {
    if (branches) {
      children.push(...branches);
    }
  }
  if (schema.not) {
    children.push(schema.not);
  }
  return children;
}

/** The node as one line of JSON, keys sorted, children as `reference` writes them. */
function nodeText(schema: Schema, reference: (child: Schema) => number | string): string {
  const out: Record<string, unknown> = {};
  for (const keyword of Object.keys(schema).sort() as (keyof Schema)[]) {
    const value = schema[keyword];
    if (keyword === 'properties') {
      const properties = schema.properties!;
      out.properties = Object.fromEntries(
        Object.keys(properties)
          .sort()
          .map((name) => [name, reference(properties[name])]),
      );
    } else if (keyword === 'items' || keyword === 'not') {
      out[keyword] = reference(value as Schema);
    } else if (keyword === 'additionalProperties') {
      out[keyword] = typeof value === 'object' ? reference(value as Schema) : value;
    } else if (keyword === 'allOf' || keyword === 'anyOf' || keyword === 'oneOf') {
      out[keyword] = (value as Schema[]).map(reference);
    } else {
      out[keyword] = value;
    }
  }
  return JSON.stringify(out);
}

/**
 * What an estimate knows about the values of an expression: where they come from, how large they are, and which names represent them.
 */
import { type Expr } from '../syntax-extensions';
import { type CheckedParts } from '../typing/check-types';
import { textOf } from '../typing/tree';
import { sizeOfType } from './calls';
import { Path, type SizeAt } from './declared-sizes';
import { exactly, union, UNKNOWN_SIZE, type Size } from './sizes';

/** Sizes of the keys and values of a list or map that the expression builds. */
export interface Entries {
  readonly isList: boolean;
  readonly key: Size;
  readonly value: Size;
}

/** What a name of a loop or of `cel.bind` represents. */
export interface Variable {
  readonly path: Path;
  readonly size?: Size;
  readonly entries?: Entries;
}

export const NOTHING: Size = { min: 0, max: 0 };

export class KnownSizes {
  private readonly paths = new Map<Expr, Path>();
  private readonly sizes = new Map<Expr, Size>();
  private readonly entries = new Map<Expr, Entries>();
  private readonly variables = new Map<string, Variable[]>();

  constructor(
    private readonly parts: CheckedParts,
    private readonly sizeAt: SizeAt,
  ) {}

  /** A name for the value of the expression. */
  bound(value: Expr): Variable {
    const size = this.sizeOf(value);
    const entries = this.entriesOf(value);
    return {
      path: this.pathOf(value),
      ...(size === undefined ? {} : { size }),
      ...(entries === undefined ? {} : { entries }),
    };
  }

  /** The variable of a loop with one: an item of a list, or a key of a map. */
  only(range: Expr): Variable {
    return this.isList(range)
      ? this.part(range, '@items', this.entriesOf(range)?.value)
      : this.part(range, '@keys', this.entriesOf(range)?.key);
  }

  /** The variables of a loop with two: positions and items of a list, or keys and values of a map. */
  both(range: Expr): readonly [Variable, Variable] {
    const entries = this.entriesOf(range);
    const [first, second] = this.isList(range) ? ['@indices', '@items'] : ['@keys', '@values'];
    return [this.part(range, first, entries?.key), this.part(range, second, entries?.value)];
  }

  private part(range: Expr, step: string, size: Size | undefined): Variable {
    return { path: this.below(range, step), ...(size === undefined ? {} : { size }) };
  }

  private isList(range: Expr): boolean {
    return this.entriesOf(range)?.isList ?? this.parts.typeOf(range).kind === 'list';
  }

  variable(name: string): Variable | undefined {
    return this.variables.get(name)?.at(-1);
  }

  within<T>(scope: readonly (readonly [string, Variable])[], run: () => T): T {
    for (const [name, variable] of scope) {
      this.variables.set(name, [...(this.variables.get(name) ?? []), variable]);
    }
    const value = run();
    for (const [name] of scope) {
      this.variables.get(name)?.pop();
    }
    return value;
  }

  setPath(node: Expr, path: Path | undefined): void {
    this.paths.set(node, path ?? Path.NONE);
  }

  private pathOf(node: Expr): Path {
    const name = node.exprKind.case === 'identExpr' ? node.exprKind.value.name : undefined;
    const variable = name === undefined ? undefined : this.variable(name);
    return variable?.path ?? this.paths.get(node) ?? Path.NONE;
  }

  below(node: Expr, step: string): Path {
    return this.pathOf(node).with(step);
  }

  setSize(node: Expr, size: Size | undefined): void {
    if (size !== undefined) {
      this.sizes.set(node, size);
    }
  }

  setEntries(node: Expr, entries: Entries | undefined): void {
    if (entries !== undefined) {
      this.entries.set(node, entries);
    }
  }

  copy(from: Expr, to: Expr): void {
    this.setSize(to, this.sizeOf(from));
    this.setEntries(to, this.entriesOf(from));
  }

  sizeOf(node: Expr): Size | undefined {
    const known = this.sizes.get(node) ?? writtenSize(node);
    if (known !== undefined) {
      return known;
    }
    const declared = this.declared(this.pathOf(node).steps);
    if (declared !== undefined) {
      this.sizes.set(node, declared);
      return declared;
    }
    const name = node.exprKind.case === 'identExpr' ? node.exprKind.value.name : undefined;
    return sizeOfType(this.parts.typeOf(node)) ?? (name === undefined ? undefined : this.variable(name)?.size);
  }

  private declared(path: readonly string[]): Size | undefined {
    return path.length === 0 ? undefined : this.sizeAt(path);
  }

  itemSize(list: Expr): Size {
    const { steps } = this.pathOf(list);
    return (steps.length === 0 ? undefined : this.sizeAt([...steps, '@items'])) ?? UNKNOWN_SIZE;
  }

  sizeOrUnknown(node: Expr): Size {
    return this.sizeOf(node) ?? UNKNOWN_SIZE;
  }

  entriesOf(node: Expr): Entries | undefined {
    const name = node.exprKind.case === 'identExpr' ? node.exprKind.value.name : undefined;
    return this.entries.get(node) ?? (name === undefined ? undefined : this.variable(name)?.entries);
  }
}

export function unionOfEntries(a: Entries | undefined, b: Entries | undefined): Entries | undefined {
  return a === undefined || b === undefined
    ? undefined
    : { isList: a.isList, key: union(a.key, b.key), value: union(a.value, b.value) };
}

/** The size of a constant, and of a list or map that the expression writes. */
function writtenSize(node: Expr): Size | undefined {
  const { exprKind: kind } = node;
  if (kind.case === 'constExpr') {
    const text = textOf(node);
    const { constantKind: constant } = kind.value;
    const length = constant.case === 'bytesValue' ? constant.value.length : 1;
    return exactly(text === undefined ? length : [...text].length);
  }
  if (kind.case === 'listExpr') {
    return exactly(kind.value.elements.length);
  }
  return kind.case === 'structExpr' && kind.value.messageName === '' ? exactly(kind.value.entries.length) : undefined;
}

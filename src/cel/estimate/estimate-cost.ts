/**
 * What an expression may cost at most, as the API server estimates it before it accepts the expression: cel-go's `checker/cost.go` on the tree of our
 * parser, in which some macros are still calls.
 *
 * Unlike the cost of a run (`../cost.ts`), it depends only on the expression, and on the largest sizes that the place declares.
 */
import { type Expr } from '../syntax-extensions';
import { type CheckedParts } from '../typing/check-types';
import { hasTwoVariables, isBind, isMacro } from '../typing/macros';
import { type Kind, nameOf, qualifiedName } from '../typing/tree';
import { TooLarge, type CelType } from '../typing/types';
import { eitherOf, estimateCall, LIST, sizeOfType, type CallEstimate, type Operand } from './calls';
import { Path, type SizeAt } from './declared-sizes';
import { KnownSizes, NOTHING, unionOfEntries, type Variable } from './known-sizes';
import { ONE, plus, sum, times, union, UNKNOWN_SIZE, type Size } from './sizes';

export interface EstimateOptions {
  /** What the type checker found out about the tree. */
  readonly parts: CheckedParts;
  /** Sizes of the variables. */
  readonly sizeAt: SizeAt;
  /** Minor of the Kubernetes version whose macros can be used. */
  readonly minor: number;
  readonly hasBind?: boolean;
}

/** The largest cost of an expression that compiles; `undefined` where its types are too large to tell. */
export function estimateCost(tree: Expr, options: EstimateOptions): number | undefined {
  try {
    return new Estimator(options).cost(tree);
  } catch (error) {
    if (error instanceof TooLarge) {
      return undefined;
    }
    throw error;
  }
}

const MAP = 30;
const MESSAGE = 40;

interface Part {
  readonly cost: number;
  readonly size: Size;
}

const NO_PART: Part = { cost: 0, size: UNKNOWN_SIZE };

function unionOf(parts: readonly Part[]): Size {
  return parts.length === 0 ? NOTHING : parts.map(({ size }) => size).reduce(union);
}

/** What a loop with two variables costs beside its turns, and a turn beside what is written for it. */
interface Loop {
  readonly around: number;
  readonly turn: number;
}

const COUNTING: Loop = { around: 2, turn: 2 };
const LOOPS: ReadonlyMap<string, Loop> = new Map([
  ['all', { around: 1, turn: 3 }],
  ['exists', { around: 1, turn: 4 }],
  ['existsOne', COUNTING],
  ['exists_one', COUNTING],
  ['transformList', { around: LIST + 1, turn: LIST + 2 }],
  ['transformMap', { around: MAP + 1, turn: 3 }],
  ['transformMapEntry', { around: MAP + 1, turn: 2 }],
]);

class Estimator {
  private readonly known: KnownSizes;

  constructor(private readonly options: EstimateOptions) {
    this.known = new KnownSizes(options.parts, options.sizeAt);
  }

  cost(node: Expr): number {
    const kind = node.exprKind;
    switch (kind.case) {
      case 'identExpr':
        return this.name(node, kind.value.name);
      case 'selectExpr':
        return this.select(node, kind.value);
      case 'callExpr':
        return this.call(node, kind.value);
      case 'listExpr':
        return this.list(node, kind.value.elements);
      case 'structExpr':
        return this.struct(node, kind.value);
      case 'comprehensionExpr':
        return this.comprehension(node, kind.value);
      case 'constExpr':
      case undefined:
        return 0;
    }
  }

  private name(node: Expr, name: string): number {
    const variable = this.known.variable(name);
    this.known.setPath(node, variable === undefined ? Path.of(name) : variable.path);
    return 1;
  }

  private select(node: Expr, { operand, field, testOnly }: Kind<'selectExpr'>): number {
    const name = this.options.parts.isName(node) ? qualifiedName(node) : undefined;
    if (name !== undefined) {
      return this.name(node, name);
    }
    const cost = this.cost(operand!);
    if (testOnly) {
      return cost;
    }
    this.known.setPath(node, this.known.below(operand!, field));
    return ['map', 'named', 'parameter'].includes(this.typeOf(operand!).kind) ? plus(cost, 1) : cost;
  }

  private list(node: Expr, elements: readonly Expr[]): number {
    const items = elements.map((element) => this.part(element));
    this.known.setEntries(node, { isList: true, key: ONE, value: unionOf(items) });
    return sum([LIST, ...items.map(({ cost }) => cost)]);
  }

  private struct(node: Expr, { messageName, entries }: Kind<'structExpr'>): number {
    const parts = entries.map(({ keyKind, value }) => [
      keyKind.case === 'mapKey' ? this.part(keyKind.value) : NO_PART,
      value === undefined ? NO_PART : this.part(value),
    ]);
    const cost = sum(parts.flat().map((part) => part.cost));
    if (messageName !== '') {
      return plus(cost, MESSAGE);
    }
    const [key, value] = [0, 1].map((index) => unionOf(parts.map((entry) => entry[index])));
    this.known.setEntries(node, { isList: false, key, value });
    return plus(cost, MAP);
  }

  /** A part of a list or map that the expression builds. */
  private part(node: Expr): Part {
    return { cost: this.cost(node), size: this.known.sizeOrUnknown(node) };
  }

  private comprehension(node: Expr, loop: Kind<'comprehensionExpr'>): number {
    const range = loop.iterRange!;
    const start = loop.accuInit!;
    const before = plus(this.cost(range), this.cost(start));
    return this.known.within([[loop.accuVar, this.known.bound(start)]], () => {
      const turn = this.known.within([[loop.iterVar, this.known.only(range)]], () =>
        plus(this.cost(loop.loopCondition!), this.cost(loop.loopStep!)),
      );
      const after = this.cost(loop.result!);
      const startKind = start.exprKind.case;
      if (startKind === 'constExpr') {
        this.known.setSize(node, this.known.sizeOf(start));
      } else if (startKind === 'listExpr' || startKind === 'structExpr') {
        this.known.setSize(node, this.known.sizeOrUnknown(range));
        this.known.setEntries(node, this.known.entriesOf(loop.loopStep!));
      }
      return sum([before, after, times(this.known.sizeOrUnknown(range).max, turn)]);
    });
  }

  private call(node: Expr, { function: name, target, args }: Kind<'callExpr'>): number {
    if (name === 'optEntry__') {
      return this.entry(node, args[0]);
    }
    if (name === 'dyn' && target === undefined) {
      const cost = this.cost(args[0]);
      this.known.copy(args[0], node);
      return plus(cost, 1);
    }
    if (target === undefined) {
      return this.function(node, name, undefined, args);
    }
    if (name === 'optSelect__') {
      return plus(this.cost(target), 1);
    }
    if (name === 'optIndex__') {
      return this.function(node, '_[?_]', undefined, [target, ...args]);
    }
    return this.macro(node, name, target, args) ?? this.method(node, name, target, args);
  }

  /** An optional entry of a list or map is the optional itself. */
  private entry(node: Expr, optional: Expr): number {
    const cost = this.cost(optional);
    this.known.copy(optional, node);
    return cost;
  }

  /** A method, or a function whose name has a dot in it. */
  private method(node: Expr, name: string, target: Expr, args: readonly Expr[]): number {
    const [overload] = this.options.parts.overloadsOf(node);
    return overload === undefined || overload.isMethod
      ? this.function(node, name, target, args)
      : this.function(node, `${qualifiedName(target) ?? ''}.${name}`, undefined, args);
  }

  private function(node: Expr, name: string, target: Expr | undefined, args: readonly Expr[]): number {
    // One after the other, since the path of one may change those before it.
    const estimated = args.map((arg) => ({ cost: this.cost(arg), operand: this.operand(arg) }));
    const costs = estimated.map(({ cost }) => cost);
    const before = target === undefined ? 0 : this.cost(target);
    const overloads = this.options.parts.overloadsOf(node);
    if (overloads.length === 0) {
      return before;
    }
    if (name === '_&&_' || name === '_||_') {
      return sum(costs);
    }
    if (name === '_?_:_') {
      return this.conditional(node, args, costs);
    }
    const on = target === undefined ? {} : { target: this.operand(target) };
    const estimate = this.estimated(name, node, { ...on, args: estimated.map(({ operand }) => operand) });
    if (name === '_+_') {
      this.known.setEntries(node, unionOfEntries(this.known.entriesOf(args[0]), this.known.entriesOf(args[1])));
    }
    if (name === '_[_]') {
      this.index(node, args[0]);
    } else {
      this.known.setSize(node, estimate?.size ?? this.known.sizeOf(node));
    }
    return sum([before, ...costs, estimate?.cost ?? 0]);
  }

  private conditional(node: Expr, [, yes, no]: readonly Expr[], [test, ...costs]: readonly number[]): number {
    this.known.setEntries(node, unionOfEntries(this.known.entriesOf(yes), this.known.entriesOf(no)));
    this.known.setSize(node, union(this.known.sizeOrUnknown(yes), this.known.sizeOrUnknown(no)));
    return plus(test, Math.max(...costs));
  }

  /** The server knows the size of an item of a list that the expression builds. */
  private index(node: Expr, of: Expr): void {
    const built = this.known.entriesOf(of)?.value;
    for (const { takes } of this.options.parts.overloadsOf(node)) {
      if (takes[0].kind === 'list' || takes[0].kind === 'map') {
        this.known.setPath(node, this.known.below(of, takes[0].kind === 'list' ? '@items' : '@values'));
      }
    }
    this.known.setSize(node, built ?? this.known.sizeOf(node));
  }

  /** What a macro costs that the parser leaves as a call; `undefined` for a call. */
  private macro(node: Expr, name: string, target: Expr, args: readonly Expr[]): number | undefined {
    const { minor, hasBind } = this.options;
    if (isBind(name, target, args, hasBind === true)) {
      const cost = this.bind(nameOf(args[0]), args[1], args[2]);
      this.known.copy(args[2], node);
      return cost;
    }
    if (!isMacro(name, args.length, minor)) {
      return undefined;
    }
    if (name === 'sortBy') {
      return this.sortBy(node, target, args);
    }
    return hasTwoVariables(name, args.length)
      ? this.twoVariables(node, name, target, args)
      : this.optionalMacro(node, name, target, args);
  }

  /** A loop over nothing whose result is the body. */
  private bind(name: string, value: Expr, body: Expr): number {
    const before = plus(LIST, this.cost(value));
    const variable = this.known.bound(value);
    return plus(
      before,
      this.known.within([[name, variable]], () => this.cost(body)),
    );
  }

  /** `a.optMap(x, f)` is `a.hasValue() ? optional.of(cel.bind(x, a.value(), f)) : optional.none()`. */
  private optionalMacro(node: Expr, name: string, target: Expr, args: readonly Expr[]): number {
    const of = this.cost(target);
    const type = this.typeOf(target);
    const size = type.kind === 'optional' ? sizeOfType(type.of[0]) : undefined;
    const variable: Variable = { ...(size === undefined ? {} : { size }), path: Path.NONE };
    const bound = this.known.within([[nameOf(args[0]), variable]], () => this.cost(args[1]));
    this.known.setSize(node, sizeOfType(this.typeOf(node)) ?? UNKNOWN_SIZE);
    return sum([of, 1, name === 'optMap' ? 1 : 0, LIST, plus(of, 1), bound]);
  }

  /** `cel.bind(input, target, input.@sortByAssociatedKeys(input.map(x, key)))`. */
  private sortBy(node: Expr, target: Expr, [variable, key]: readonly Expr[]): number {
    const before = plus(LIST, this.cost(target));
    const size = this.known.sizeOrUnknown(target);
    const turn = this.known.within([[nameOf(variable), this.known.only(target)]], () => this.cost(key));
    const map = sum([1, LIST, 1, times(size.max, plus(turn, 2 + LIST))]);
    const sorted = this.estimated('@sortByAssociatedKeys', node, {
      args: [{ type: this.typeOf(node), size, itemSize: () => UNKNOWN_SIZE }],
    });
    this.known.setSize(node, sorted?.size);
    return sum([before, 1, map, sorted?.cost ?? 0]);
  }

  /** Loops over entries; what they expand to is in cel-go's `ext/comprehensions.go`. */
  private twoVariables(node: Expr, name: string, range: Expr, args: readonly Expr[]): number {
    const before = this.cost(range);
    const bodies = args.slice(2);
    const [key, value] = this.known.both(range);
    const [costs, item] = this.known.within(
      [
        [nameOf(args[0]), key],
        [nameOf(args[1]), value],
      ],
      () => [bodies.map((body) => this.cost(body)), this.known.sizeOrUnknown(bodies[bodies.length - 1])] as const,
    );
    const size = this.known.sizeOrUnknown(range);
    const loop = LOOPS.get(name) ?? COUNTING;
    this.known.setSize(node, name.startsWith('transform') ? size : ONE);
    if (name === 'transformList') {
      this.known.setEntries(node, { isList: true, key: ONE, value: union(NOTHING, item) });
    }
    return sum([before, loop.around, times(size.max, plus(sum(costs), loop.turn))]);
  }

  private estimated(
    name: string,
    node: Expr,
    operands: { readonly target?: Operand; readonly args: readonly Operand[] },
  ): CallEstimate | undefined {
    return this.options.parts
      .overloadsOf(node)
      .map((overload) => estimateCall({ name, overload, ...operands }))
      .reduce<CallEstimate | undefined>(eitherOf, undefined);
  }

  private operand(node: Expr): Operand {
    const constant = node.exprKind.case === 'constExpr' ? node.exprKind.value.constantKind : undefined;
    return {
      type: this.typeOf(node),
      size: this.known.sizeOrUnknown(node),
      itemSize: () => this.known.itemSize(node),
      ...(constant?.case === 'int64Value' ? { integer: Number(constant.value) } : {}),
    };
  }

  private typeOf(node: Expr): CelType {
    return this.options.parts.typeOf(node);
  }
}
